"""Wrinkle patterns fixed to the cloth, whose heights change so that it keeps its area (Hadap et al. 1999)."""
