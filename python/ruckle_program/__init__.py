"""The program `ruckle` from its first moment.

A package of its own, because `ruckle` itself takes a quarter of a second to import: Ctrl-C in that time ends the
program without a traceback, too. There is nothing yet that would have to be cleaned up.
"""

import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line of `ruckle.cli`."""
    # what a shell ignores for a program in the background stays ignored
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ruckle.cli import main as program

    try:
        if interruptible:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        program()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
