"""`python -m ruckle` is the program `ruckle`."""

from ruckle.cli import main

if __name__ == "__main__":
    main()
