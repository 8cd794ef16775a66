"""Fixtures for the tests of all stages."""

from pathlib import Path

import pytest
from hypothesis import settings

from program import swinging, write_scene

# tests check results, never time
settings.register_profile("ruckle", deadline=None)
settings.load_profile("ruckle")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def animation_file(folder: Path) -> Path:
    """Return the file of an animation in the working directory."""
    swinging().save(folder / "swinging.npz")
    return folder / "swinging.npz"


@pytest.fixture
def scene_file(folder: Path) -> Path:
    """Return a glTF file with several meshes and animations in the working directory."""
    return write_scene(folder / "scene.glb")
