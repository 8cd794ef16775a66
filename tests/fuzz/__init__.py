"""The fuzzer, which searches for files and calls that break ruckle: run `python -m fuzz` in tests/, or `make fuzz`."""
