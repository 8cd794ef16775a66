"""Signals that end a program: from Ctrl-C, a scheduler or a closed terminal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["Ending", "interrupts_held", "unwinding"]

# Signals that end a program, in addition to SIGINT. SIGHUP does not exist on Windows.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass
class Ending:
    """The signal that ended a block; SIGINT by default."""

    number: int = signal.SIGINT

    @property
    def status(self) -> int:
        """Exit status of the program: 128 plus the signal number, as in shells."""
        return 128 + self.number


@contextmanager
def unwinding() -> Iterator[Ending]:
    """Raise KeyboardInterrupt on SIGTERM and SIGHUP, as on Ctrl-C, so that the block can delete unfinished files.

    Yields an `Ending`, which contains the received signal. A signal that is already ignored (as under `nohup`) or has a
    handler remains so. Outside the main thread this function does nothing, because Python handles signals only there.
    """
    ending = Ending()

    def end(number: int, _: FrameType | None) -> None:
        # act only once: schedulers repeat the signal, and a repeated signal must not interrupt the clean-up
        for each in ENDING:
            if signal.getsignal(each) is end:
                signal.signal(each, signal.SIG_IGN)
        ending.number = number
        raise KeyboardInterrupt

    with _handled(end, [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]):
        yield ending


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C, SIGTERM and SIGHUP until the end of the block, then raise the first of these signals again.

    Use this function for imports of libraries such as USD, whose C++ code imports further modules: this code would
    print a KeyboardInterrupt and continue with incomplete modules. Only signals with a Python handler are delayed,
    because others do not raise KeyboardInterrupt.
    """
    held: list[int] = []
    # a handler of C code is not replaced, because Python could not restore it
    replaced = [number for number in (signal.SIGINT, *ENDING) if callable(signal.getsignal(number))]
    try:
        with _handled(lambda number, _: held.append(number), replaced):
            yield
    finally:
        if held:
            signal.raise_signal(held[0])


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object], numbers: list[int]) -> Iterator[None]:
    """Install `handler` for these signals during the block, then restore the previous handlers.

    Outside the main thread, this function does nothing.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
