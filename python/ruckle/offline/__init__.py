"""Preparation before run time: simulation of garments, training, pose databases and patterns; one folder each."""
