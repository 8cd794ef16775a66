"""Wrinkle waves: each coarse vertex has a covector (direction and frequency), two phases and an amplitude."""
