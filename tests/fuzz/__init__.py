"""The search for files and calls that break ruckle: `python -m fuzz` from the folder of the tests, or `make fuzz`."""
