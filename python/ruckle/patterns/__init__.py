"""Wrinkle patterns: height maps whose factors change so that deformed cloth keeps its area (Hadap et al. 1999)."""
