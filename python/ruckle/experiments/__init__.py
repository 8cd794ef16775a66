"""Experiments: metrics, plots, sweeps, figures of the papers, laboratories (interactive experiments) and benchmarks."""
