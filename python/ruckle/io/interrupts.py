"""Ctrl-C that waits until a library has been imported which would swallow it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["interrupts_held"]


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back what Ctrl-C does until the block has ended, and do it then.

    USD's modules import each other from C++, which prints a KeyboardInterrupt and goes on with half a library.
    """
    before = signal.getsignal(signal.SIGINT)
    # None is a handler of another language, which Python cannot put back; threads are not interrupted anyway
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []

    def hold(number: int, _: FrameType | None) -> None:
        held.append(number)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held:
            signal.raise_signal(signal.SIGINT)
