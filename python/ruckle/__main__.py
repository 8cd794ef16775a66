"""The program `ruckle`, also as `python -m ruckle`."""

import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line of `ruckle.cli`.

    Ctrl-C during the import of that module ends the program without a traceback. No clean-up is necessary at that time.
    """
    # A shell can start a background program with Ctrl-C ignored. The program must then continue to ignore Ctrl-C.
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


if __name__ == "__main__":
    main()
