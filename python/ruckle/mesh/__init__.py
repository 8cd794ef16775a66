"""What a garment is: its triangles, how they move, and how a skeleton moves them."""
