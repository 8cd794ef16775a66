"""Wrinkle patterns fixed to the cloth; their heights change so that the cloth keeps its area (Hadap et al. 1999)."""
