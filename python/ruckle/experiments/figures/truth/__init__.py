"""Every layer compared with tracked fine simulations of the same motion."""
