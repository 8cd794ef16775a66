"""Building of pose databases: plan the poses, simulate or collect fine shapes in them, and check the result."""
