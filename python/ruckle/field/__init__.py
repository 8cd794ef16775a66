"""How the cloth deforms: stretch, labels and reference triangles."""
