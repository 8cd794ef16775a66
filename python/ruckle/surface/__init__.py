"""The fine surface over a coarse mesh, in which all layers end."""
