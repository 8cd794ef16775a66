"""Fixtures that every stage's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from shared_data import MISSING, shared_folder

# tests assert correctness, never time
settings.register_profile("ruckle", deadline=None)
settings.load_profile("ruckle")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of the shared garments; skip the test where it is absent."""
    folder = shared_folder()
    if folder is None:
        pytest.skip(MISSING)
    return folder
