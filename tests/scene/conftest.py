"""Fixtures for all tests of drawing."""

import pytest

from rendering import sawing
from ruckle import Frame


@pytest.fixture(scope="session")
def busy() -> Frame:
    """Return a frame with many wrinkles, some close together and some with bends."""
    return sawing()
