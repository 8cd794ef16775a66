"""A garment: its triangles, their motion, and the skeleton that moves them."""
