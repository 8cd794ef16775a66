"""Preparation: simulated garments, training, databases of poses, patterns. Each room prepares the layer of its name."""
