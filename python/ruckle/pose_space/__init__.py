"""Wrinkles from examples: fine shapes are simulated once per joint and pose, then blended (Wang et al. 2010)."""
