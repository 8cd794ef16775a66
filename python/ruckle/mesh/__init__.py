"""Garments: their triangles, their motion, and the skeletons that move them."""
