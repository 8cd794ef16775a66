"""Fixtures for the tests of all stages."""

from pathlib import Path

import pytest
from hypothesis import settings

from program import swinging, write_scene

# no time limit for a test example, because machines can be slow
settings.register_profile("ruckle", deadline=None)
settings.load_profile("ruckle")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is also the working directory of the test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def animation_file(folder: Path) -> Path:
    """Save a short animation in the working directory, and return its path."""
    swinging().save(folder / "swinging.npz")
    return folder / "swinging.npz"


@pytest.fixture
def scene_file(folder: Path) -> Path:
    """Write a glTF file with several meshes and animations in the working directory, and return its path."""
    return write_scene(folder / "scene.glb")
