"""Wrinkle patterns that stay on the cloth and rise and fall so that it keeps its area (Hadap et al. 1999)."""
