"""Every layer beside tracked fine simulations of the same motion."""
