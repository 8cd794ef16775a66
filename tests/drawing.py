"""Checks whether this machine can draw with OpenGL, so that tests can be skipped with a reason."""

from functools import cache

import pytest


@cache
def missing() -> str:
    """Return the reason why this machine cannot draw; an empty string if it can draw."""
    try:
        from ruckle import Renderer

        Renderer(8, 8).close()
    except (ImportError, OSError) as error:
        return str(error)
    return ""


def need_opengl() -> None:
    if missing():
        pytest.skip(missing())
