"""The command line.

    ruckle info FILE                  what a file holds, and which option picks which part
    ruckle run FILE -o RUN.npz        run an animation and write what was found
    ruckle demo                       run a packaged sample: table, picture and arrays
    ruckle bench                      measure speed and quality

Results go to standard output, progress and errors to standard error. Exit status: 0 done, 2 bad input (one sentence
says what), 130 interrupted.
"""

from ruckle.cli.program import main

__all__ = ["main"]
