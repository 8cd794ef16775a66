"""Experiments: metrics, plots, sweeps, figures of the papers, laboratories and benchmarks."""
