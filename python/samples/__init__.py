"""The script that makes the garment animations shipped inside ruckle; run it with `python -m samples`."""
