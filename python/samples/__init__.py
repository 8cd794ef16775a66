"""Scripts that generate the animated sample garments inside ruckle; run with `python -m samples`."""
