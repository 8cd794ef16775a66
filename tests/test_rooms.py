"""Arrows between rooms point one way: which room may import which, in Python, and include which, in C++."""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "ruckle"

# what every room may use; `_core` is the compiled core
GROUND = {"_core", "arguments", "arrays", "errors", "parameters", "pickling"}

# from the bottom up: each room, and the rooms that it may import
ROOMS: dict[str, set[str]] = {
    "mesh": set(),
    "samples": {"mesh"},
    "field": {"mesh"},
    "surface": {"mesh", "field"},
    "stack": {"mesh", "field", "surface"},
    "paths": {"mesh", "field", "surface"},
    "io": {"mesh", "samples", "surface", "paths"},
    "patterns": {"mesh", "io", "field", "surface", "paths"},
    "settings": {"io", "paths", "patterns"},
    "simulation": {"mesh", "io"},
    "upsampling": {"mesh", "io", "surface", "simulation"},
    "pose_space": {"mesh", "io", "surface", "simulation"},
    "scene": {"mesh", "field", "surface", "upsampling", "pose_space"},
    "metrics": {"mesh", "field", "surface", "stack", "paths", "patterns", "simulation"},
    "view": {"mesh", "io", "field", "surface", "stack", "paths", "patterns", "settings", "scene"},
    "film": {"mesh", "io", "surface", "stack", "paths", "scene"},
    "plot": {"mesh", "io", "field", "surface", "paths"},
    "sweeps": {"mesh", "samples", "io", "field", "paths", "metrics", "plot"},
    "figures": {
        *("mesh", "samples", "io", "field", "surface", "stack", "paths", "patterns"),
        *("simulation", "upsampling", "pose_space", "metrics", "scene", "plot"),
    },
    "laboratory": {"mesh", "field", "simulation", "upsampling", "metrics", "plot", "figures"},
}
# `Animation.save` calls the writers, which read animations: the one arrow that is drawn against the order
LATE = {("ruckle.mesh.animation", "ruckle.io")}
# these stand above all rooms, and no room imports them
ABOVE = {"bench", "cli", "__main__", "__init__"}

CPP_GROUND = {"support", "numeric"}
CPP_ROOMS: dict[str, set[str]] = {
    "mesh": set(),
    "simulation": {"mesh"},
    "field": {"mesh"},
    "surface": {"mesh"},
    "paths": {"mesh", "field", "surface"},
    "patterns": {"mesh", "field", "surface"},
    "upsampling": {"mesh", "field"},
    "pose_space": {"mesh"},
}

PATHS = {path.relative_to(PACKAGE.parent).with_suffix("").parts: path for path in sorted(PACKAGE.rglob("*.py"))}
MODULES = {".".join(parts).removesuffix(".__init__"): path for parts, path in PATHS.items()}


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def imports(source: str) -> Iterator[str]:
    """Yield the modules of ruckle that a file imports anywhere, for types and within functions, too."""
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            # what is imported from a package may be a module of its own
            names = [full if (full := f"{node.module}.{name}") in MODULES else node.module for name in names]
            names += ["ruckle._core"] if node.module == "ruckle" and "_core" in [a.name for a in node.names] else []
        yield from (name for name in names if name.partition(".")[0] == "ruckle")


def wrong_arrows(module: str, source: str) -> list[str]:
    """Return the imports of a module that its room may not have."""
    room = room_of(module)
    if room in ABOVE:
        return []
    allowed = GROUND | {room} | ROOMS.get(room, set())
    found = (name for name in imports(source) if name != "ruckle" and (module, name) not in LATE)
    return [name for name in found if room_of(name) not in allowed]


def test_exact_rooms_import_only_what_stands_below_them() -> None:
    found = {module: wrong_arrows(module, path.read_text()) for module, path in MODULES.items()}
    assert {module: names for module, names in found.items() if names} == {}
    assert {room_of(module) for module in MODULES} <= {*ROOMS, *GROUND, *ABOVE}


def test_exact_the_tables_have_an_order() -> None:
    for table in (ROOMS, CPP_ROOMS):
        list(TopologicalSorter(table).static_order())
        assert {other for allowed in table.values() for other in allowed} <= set(table)


def test_exact_no_module_imports_itself_by_way_of_others() -> None:
    graph = {module: set(imports(path.read_text())) & set(MODULES) for module, path in MODULES.items()}
    # packages name what they hold, and import it when it is asked for
    graph = {module: found for module, found in graph.items() if MODULES[module].name != "__init__.py"}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"modules that import each other: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("ruckle.surface.frame", "if TYPE_CHECKING:\n    from ruckle.paths.frame import Frame"),
        ("ruckle.view.sliders", "def shown():\n    from ruckle.cli.parameters import HELP"),
        ("ruckle.mesh.topology", "from ruckle import paths"),
        ("ruckle.field.label", "import ruckle.surface.frame"),
    ],
)
def test_reject_arrows_that_are_turned_round(module: str, line: str) -> None:
    assert len(wrong_arrows(module, line)) == 1


def cpp_files() -> Iterator[tuple[str, Path]]:
    """Yield the rooms, and the headers and sources in them."""
    for folder in (ROOT / "cpp" / "include" / "ruckle", ROOT / "cpp" / "src"):
        yield from ((path.relative_to(folder).parts[0], path) for path in folder.rglob("*/*.[hc]*"))


def includes(text: str) -> Iterator[str]:
    for header in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, flags=re.MULTILINE):
        yield header.removeprefix("ruckle/").split("/")[0]


def wrong_includes(room: str, text: str) -> list[str]:
    allowed = CPP_GROUND | {room} | CPP_ROOMS.get(room, set())
    # a header beside the file that includes it names no room
    return [found for found in includes(text) if found not in allowed and (found in CPP_ROOMS or "." not in found)]


def test_exact_rooms_include_only_what_stands_below_them() -> None:
    found = {path: wrong_includes(room, path.read_text()) for room, path in cpp_files()}
    assert {path: names for path, names in found.items() if names} == {}
    assert {*CPP_ROOMS} <= {room for room, _ in cpp_files()} <= {*CPP_ROOMS, *CPP_GROUND}


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("mesh", '#include "ruckle/field/stretch.h"'),
        ("field", '#  include "paths/wrinkle_set.h"'),
        ("numeric", '#include "field/stretch_kernel.h"'),
    ],
)
def test_reject_includes_that_are_turned_round(room: str, line: str) -> None:
    assert len(wrong_includes(room, line)) == 1
