"""The command line: a module for each command of `ruckle.cli.program.COMMANDS`, which is the list of them.

Results go to standard output, progress and errors to standard error. Exit status: 0 done, 1 some runs of a sweep
failed, 2 bad input (with one sentence), 130 interrupted, 143 terminated.
"""

from ruckle.cli.program import main

__all__ = ["main"]
