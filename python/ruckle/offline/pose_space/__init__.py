"""Builds databases of poses: plans the poses, simulates or collects their fine shapes, and checks the result."""
