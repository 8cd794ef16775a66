"""Wrinkles from examples in pose space: fine shapes simulated once per joint, and merged (Wang et al. 2010)."""
