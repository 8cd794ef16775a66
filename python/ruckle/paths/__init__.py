"""Wrinkle paths (Peters 2015): lines of folds that are traced, moved with the cloth, and given a shape."""
