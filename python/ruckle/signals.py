"""Signals that end a program from outside: Ctrl-C, a scheduler, a closed terminal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["Ending", "interrupts_held", "unwinding"]

# Only signals of this system: Windows does not have SIGHUP.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass
class Ending:
    """The signal that has ended a block; SIGINT by default."""

    number: int = signal.SIGINT

    @property
    def status(self) -> int:
        """The exit status that a shell reports."""
        return 128 + self.number


@contextmanager
def unwinding() -> Iterator[Ending]:
    """Let SIGTERM and SIGHUP end the block as Ctrl-C does, by KeyboardInterrupt: unfinished files are removed.

    An ignored signal, as under `nohup`, remains ignored. In other threads this does nothing: only the main thread gets
    signals.
    """
    ending = Ending()

    def end(number: int, _: FrameType | None) -> None:
        # only once: schedulers repeat signals, which must not interrupt the clean-up
        for each in ENDING:
            if signal.getsignal(each) is end:
                signal.signal(each, signal.SIG_IGN)
        ending.number = number
        raise KeyboardInterrupt

    with _handled(end, [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]):
        yield ending


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C and similar signals until the block has ended.

    USD's modules import each other from C++, which prints a KeyboardInterrupt and continues with half a library.
    """
    held: list[int] = []
    # a handler that is not a function belongs to the system or to another language, and cannot be restored
    replaced = [number for number in (signal.SIGINT, *ENDING) if callable(signal.getsignal(number))]
    try:
        with _handled(lambda number, _: held.append(number), replaced):
            yield
    finally:
        if held:
            signal.raise_signal(held[0])


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object], numbers: list[int]) -> Iterator[None]:
    """Let a function handle signals during a block; does nothing outside the main thread."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
