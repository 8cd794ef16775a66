"""The script that makes the six garment animations shipped inside ruckle; run it with `python -m samples`."""
