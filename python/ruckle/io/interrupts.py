"""Hold signals back while a library is imported that would swallow them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["interrupts_held"]

HELD = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back what Ctrl-C and the like do until the block has ended, and do it then.

    USD's modules import each other from C++, which prints a KeyboardInterrupt and goes on with half a library.
    """
    # threads are not interrupted anyway
    in_main_thread = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in HELD if in_main_thread}
    # what is no function is left to the system; None is a handler of another language, which Python cannot put back
    before = {number: handler for number, handler in before.items() if callable(handler)}
    held: list[int] = []

    def hold(number: int, _: FrameType | None) -> None:
        held.append(number)

    for number in before:
        signal.signal(number, hold)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if held:
            signal.raise_signal(held[0])
