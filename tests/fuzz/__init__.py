"""The fuzzer searches for files and calls that make ruckle fail. Run `python -m fuzz` in tests/, or `make fuzz`."""
