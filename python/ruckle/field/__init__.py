"""Deformation of the cloth: stretch, labels and reference triangles."""
