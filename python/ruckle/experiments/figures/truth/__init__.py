"""Comparison of all layers with fine simulations that track the same coarse motion."""
