"""Requirement of tests that draw: OpenGL, or a reason to skip the test."""

from functools import cache

import pytest


@cache
def missing() -> str:
    """Return the reason why this machine cannot draw; empty if it can."""
    try:
        from ruckle import Renderer

        Renderer(8, 8).close()
    except (ImportError, OSError) as error:
        return str(error)
    return ""


def need_opengl() -> None:
    if missing():
        pytest.skip(missing())
