"""Wrinkles from examples: fine cloth is simulated once per sampled pose, then interpolated (Wang et al. 2010)."""
