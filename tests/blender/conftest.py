"""Fixtures for tests of the Blender add-on. The fixtures import Blender as the Python module `bpy`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ruckle import _core

EXAMPLE = Path(__file__).parents[2] / "examples" / "blender"


def forget_addon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the add-on's modules from the list of imported modules, so that the next test imports them again."""
    for name in [one for one in sys.modules if one.partition(".")[0] == "ruckle_wrinkles"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def addon(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return the add-on, registered in an empty Blender file. It uses the C functions of the compiled core."""
    bpy = pytest.importorskip("bpy", reason="Blender is not a module of this Python: pip install bpy (3.11 only)")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    forget_addon(monkeypatch)
    monkeypatch.syspath_prepend(str(EXAMPLE))
    library = ModuleType("ruckle_c")
    library.PATH = _core.__file__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ruckle_c", library)
    import ruckle_wrinkles

    ruckle_wrinkles.register()
    yield ruckle_wrinkles
    ruckle_wrinkles.unregister()
