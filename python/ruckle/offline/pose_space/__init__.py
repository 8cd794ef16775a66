"""Building databases of poses: plan the poses, simulate or collect their fine shapes, and check the result."""
