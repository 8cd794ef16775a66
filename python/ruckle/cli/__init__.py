"""The command line, with one module for each command in `ruckle.cli.program.COMMANDS`.

Results are printed to standard output, progress and errors to standard error. Exit status: 0 success, 1 some runs of a
sweep failed, 2 bad input (with a message of one sentence), 129 terminal closed, 130 interrupted, 143 terminated.
"""

from ruckle.cli.program import main

__all__ = ["main"]
