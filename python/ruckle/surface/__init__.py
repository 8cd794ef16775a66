"""What all layers end in: the fine surface over a coarse mesh."""
