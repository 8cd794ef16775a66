"""Construction of pose databases: planning of poses, simulation or collection of fine shapes, and checks."""
