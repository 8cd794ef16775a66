"""Wrinkle waves: folds as a field of a covector, two phases and an amplitude at each coarse vertex."""
