"""The command line.

    ruckle info FILE                  what a file holds, and which option picks which part
    ruckle run FILE -o RUN.npz        run an animation and write what was found
    ruckle export FILE -o OUT         write the wrinkled surface as fine meshes or baked maps
    ruckle render FILE -o FILM.mp4    draw the wrinkled cloth into a film or a picture
    ruckle view FILE                  show it in a window
    ruckle demo                       run a packaged sample: table, pictures, arrays and film
    ruckle sweep FILE... -o DIR       run every combination of parameters, and measure each run
    ruckle bench                      measure speed and quality

Results go to standard output, progress and errors to standard error. Exit status: 0 done, 1 some runs of a sweep
failed, 2 bad input (one sentence says what), 130 interrupted, 143 terminated.
"""

from ruckle.cli.program import main

__all__ = ["main"]
