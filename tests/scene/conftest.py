"""Fixtures for tests of pictures."""

import pytest

from rendering import sawing
from ruckle import Frame


@pytest.fixture(scope="session")
def busy() -> Frame:
    """Return a frame with many wrinkles. Some of them are close together, others have bends."""
    return sawing()
