"""What ends a program from outside: Ctrl-C, and the signals that a scheduler or a closed terminal sends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["Ending", "unwinding"]

# Where the system has them: Windows knows no terminal that hangs up.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass
class Ending:
    """Which signal has ended a block; SIGINT as long as no other has."""

    number: int = signal.SIGINT

    @property
    def status(self) -> int:
        """The exit status as a shell reports it."""
        return 128 + self.number


@contextmanager
def unwinding() -> Iterator[Ending]:
    """Let SIGTERM and SIGHUP end the block as Ctrl-C does, by KeyboardInterrupt: what is half done is cleaned up.

    A signal that is ignored, as `nohup` has it, stays so. Outside the main thread, which alone gets signals, nothing
    happens.
    """
    ending = Ending()

    def end(number: int, _: FrameType | None) -> None:
        # once: schedulers repeat signals, which must not interrupt the clean-up
        for each in held:
            signal.signal(each, signal.SIG_IGN)
        ending.number = number
        raise KeyboardInterrupt

    in_main_thread = threading.current_thread() is threading.main_thread()
    held = [number for number in ENDING if in_main_thread and signal.getsignal(number) is signal.SIG_DFL]
    for number in held:
        signal.signal(number, end)
    try:
        yield ending
    finally:
        for number in held:
            signal.signal(number, signal.SIG_DFL)
