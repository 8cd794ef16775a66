"""Requirements of tests that draw: OpenGL, or one reason to skip them."""

from functools import cache

import pytest


@cache
def missing() -> str:
    """Return why nothing can be drawn on this machine, or nothing."""
    try:
        from ruckle import Renderer

        Renderer(8, 8).close()
    except (ImportError, OSError) as error:
        return str(error)
    return ""


def need_opengl() -> None:
    if missing():
        pytest.skip(missing())
