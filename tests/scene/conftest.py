"""Fixtures shared by the tests of drawing."""

import pytest

from rendering import sawing
from ruckle import Frame


@pytest.fixture(scope="session")
def busy() -> Frame:
    """Return a frame with many wrinkles, close to each other and round bends."""
    return sawing()
