"""Comparison of wrinkle paths and patterns with fine simulations that track the same coarse motion."""
