"""The figures of Kavan et al. 2011, drawn from small garments that are simulated on demand."""
