"""Offline preparation: simulated garments, training, pose databases, patterns; one subfolder per layer."""
