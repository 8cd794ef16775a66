"""Scripts that generate the animated sample garments of ruckle. Run them with `python -m samples`."""
