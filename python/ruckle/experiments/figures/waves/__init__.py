"""Figures of wrinkle waves."""
