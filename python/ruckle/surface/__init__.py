"""The fine surface over a coarse mesh, which combines the results of all layers."""
