"""Wrinkle paths (Peters 2015): traced, kept alive, shaped."""
