"""The figures of Kavan et al. 2011, drawn from garments that are simulated in a moment."""
