"""Signals that end a program from outside: Ctrl-C, and those of a scheduler or a closed terminal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["Ending", "interrupts_held", "unwinding"]

# Those that the system knows: Windows has no terminal that hangs up.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass
class Ending:
    """The signal that has ended a block; SIGINT as long as no other has."""

    number: int = signal.SIGINT

    @property
    def status(self) -> int:
        """The exit status as a shell reports it."""
        return 128 + self.number


@contextmanager
def unwinding() -> Iterator[Ending]:
    """Let SIGTERM and SIGHUP end the block as Ctrl-C does, by KeyboardInterrupt: unfinished files are removed.

    A signal that is ignored, as `nohup` has it, stays so. Outside the main thread, which alone gets signals, nothing
    happens.
    """
    ending = Ending()

    def end(number: int, _: FrameType | None) -> None:
        # once: schedulers repeat signals, which must not interrupt the clean-up
        for each in ENDING:
            if signal.getsignal(each) is end:
                signal.signal(each, signal.SIG_IGN)
        ending.number = number
        raise KeyboardInterrupt

    with _handled(end, [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]):
        yield ending


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back Ctrl-C and the like until the block has ended, and let them act then.

    USD's modules import each other from C++, which prints a KeyboardInterrupt and goes on with half a library.
    """
    held: list[int] = []
    # a handler that is no function belongs to the system or to another language, and cannot be put back
    replaced = [number for number in (signal.SIGINT, *ENDING) if callable(signal.getsignal(number))]
    try:
        with _handled(lambda number, _: held.append(number), replaced):
            yield
    finally:
        if held:
            signal.raise_signal(held[0])


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], object], numbers: list[int]) -> Iterator[None]:
    """Let a function handle signals for the time of a block; in other threads than the main one, nothing happens."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
