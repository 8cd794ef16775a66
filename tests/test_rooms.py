"""Dependencies between rooms (folders of the library) have one direction, in Python imports and in C++ includes."""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from ruckle import _MODULES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "ruckle"

# Modules that all rooms may import; `_core` is the compiled core.
GROUND = {"_core", "arguments", "arrays", "c_structures", "errors", "parameters", "pickling", "signals"}

# Three groups of rooms. Each group is in the order of dependencies, and each room has the set of rooms that it may
# import. A room must not import a room of a later group: run-time code does not depend on preparation, and preparation
# does not depend on experiments.
RUN_TIME: dict[str, set[str]] = {
    "mesh": set(),
    "field": {"mesh"},
    "surface": {"mesh", "field"},
    "stack": {"mesh", "field", "surface"},
    "loop": {"mesh", "surface", "stack"},
    "paths": {"mesh", "field", "surface", "stack", "loop"},
    "waves": {"mesh", "field", "surface"},
    "io": {"mesh", "field", "surface", "loop", "paths"},
    "patterns": {"mesh", "io", "surface"},
    "settings": {"io", "paths", "waves", "patterns"},
    "simulation": {"mesh", "io"},
    "upsampling": {"mesh", "io", "surface", "simulation"},
    "pose_space": {"mesh", "io", "surface", "simulation"},
    "scene": {"mesh", "io", "field", "surface", "upsampling", "pose_space"},
    "view": {"mesh", "io", "surface", "stack", "paths", "patterns", "settings", "scene", "waves"},
    "film": {"mesh", "io", "surface", "stack", "paths", "scene"},
}
OFFLINE: dict[str, set[str]] = {
    "offline.patterns": {"mesh", "field", "paths", "patterns"},
    "offline.simulation": {"mesh", "io", "simulation"},
    "offline.upsampling": {"mesh", "io", "upsampling", "offline.simulation"},
    "offline.pose_space": {"mesh", "io", "simulation", "pose_space", "offline.simulation"},
}
EXPERIMENTS: dict[str, set[str]] = {
    "experiments.metrics": {
        *("mesh", "field", "surface", "stack", "paths", "patterns", "offline.patterns", "offline.simulation"),
    },
    "experiments.plot": {"mesh", "field", "surface", "paths", "io"},
    "experiments.sweeps": {"mesh", "field", "paths", "io", "experiments.metrics"},
    "experiments.figures": {
        *RUN_TIME.keys() - {"settings", "view", "film"},
        *OFFLINE,
        *("experiments.metrics", "experiments.plot"),
    },
    "experiments.laboratory": {
        *("mesh", "field", "offline.simulation", "offline.upsampling"),
        *("experiments.metrics", "experiments.plot", "experiments.figures"),
    },
    "experiments.bench": {
        *RUN_TIME.keys() - {"settings", "view", "film"},
        *("offline.simulation", "offline.upsampling", "experiments.metrics", "experiments.figures"),
    },
}
GROUPS = (RUN_TIME, OFFLINE, EXPERIMENTS)
ROOMS = RUN_TIME | OFFLINE | EXPERIMENTS

# Modules that import rooms, and that rooms must not import.
ABOVE = {"cli", "__main__", "__init__"}

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
    "waves": {"mesh", "field", "surface"},
}

PATHS = {path.relative_to(PACKAGE.parent).with_suffix("").parts: path for path in sorted(PACKAGE.rglob("*.py"))}
MODULES = {".".join(parts).removesuffix(".__init__"): path for parts, path in PATHS.items()}


def room_of(module: str) -> str:
    parts = module.split(".")[1:]
    if parts[:1] in (["offline"], ["experiments"]):
        return ".".join(parts[:2])
    return parts[0] if parts else "__init__"


def imports(source: str) -> Iterator[str]:
    """Yield the names of the ruckle modules that a file imports, also for types and inside functions.

    A public name of `ruckle` is replaced by the module that defines it. Inside a function, it is not replaced, because
    it is then imported on first use.
    """
    tree = ast.parse(source)
    lazy = {
        line
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for line in ast.walk(function)
        if isinstance(line, ast.ImportFrom) and line.module == "ruckle"
    }
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom) and node.module == "ruckle":
            lazily = _MODULES if node not in lazy else dict.fromkeys(_MODULES, "ruckle")
            names = [lazily.get(name, f"ruckle.{name}") for name in names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            # a name imported from a package can itself be a module
            names = [full if (full := f"{node.module}.{name}") in MODULES else node.module for name in names]
        yield from (name for name in names if name.partition(".")[0] == "ruckle")


def wrong_arrows(module: str, source: str) -> list[str]:
    """Return the imports of a module that its room is not allowed to have."""
    room = room_of(module)
    if room in ABOVE:
        return []
    allowed = GROUND | {room} | ROOMS.get(room, set())
    return [name for name in imports(source) if name != "ruckle" and room_of(name) not in allowed]


def test_exact_rooms_import_only_rooms_below_them() -> None:
    found = {module: wrong_arrows(module, path.read_text()) for module, path in MODULES.items()}
    assert {module: names for module, names in found.items() if names} == {}
    assert {room_of(module) for module in MODULES} - {"offline", "experiments"} <= {*ROOMS, *GROUND, *ABOVE}


def test_exact_no_group_imports_a_later_one() -> None:
    known: set[str] = set()
    for group in GROUPS:
        known |= set(group)
        assert {other for allowed in group.values() for other in allowed} <= known
    assert not any(room.startswith(("offline.", "experiments.")) for room in RUN_TIME)
    assert all(room.startswith("offline.") for room in OFFLINE)
    assert all(room.startswith("experiments.") for room in EXPERIMENTS)


def test_exact_rooms_import_only_rooms_that_are_listed_before_them() -> None:
    for table in (ROOMS, CPP_ROOMS):
        rooms = list(table)
        later = [
            (room, other)
            for room, allowed in table.items()
            for other in allowed
            if rooms.index(other) >= rooms.index(room)
        ]
        assert later == []


def test_exact_no_module_imports_itself_by_way_of_others() -> None:
    graph = {module: set(imports(path.read_text())) & set(MODULES) for module, path in MODULES.items()}
    # the __init__ files mention all modules of a package, but import them only on first use
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
        ("ruckle.film.shot", "from ruckle import animation_patterns"),
        ("ruckle.simulation.cloth", "from ruckle.offline.simulation.pair import simulate_pair"),
        ("ruckle.offline.simulation.pair", "from ruckle.experiments import metrics"),
    ],
)
def test_reject_arrows_that_are_turned_round(module: str, line: str) -> None:
    assert len(wrong_arrows(module, line)) == 1


def cpp_files() -> Iterator[tuple[str, Path]]:
    """Yield the room and the path of each C++ header and source."""
    for folder in (ROOT / "cpp" / "include" / "ruckle", ROOT / "cpp" / "src"):
        yield from ((path.relative_to(folder).parts[0], path) for path in folder.rglob("*/*.[hc]*"))


def includes(text: str) -> Iterator[str]:
    for header in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, flags=re.MULTILINE):
        yield header.removeprefix("ruckle/").split("/")[0]


def wrong_includes(room: str, text: str) -> list[str]:
    allowed = CPP_GROUND | {room} | CPP_ROOMS.get(room, set())
    # the include path of a header in the same folder does not name a room
    return [found for found in includes(text) if found not in allowed and (found in CPP_ROOMS or "." not in found)]


def test_exact_rooms_include_only_what_stands_below_them() -> None:
    found = {path: wrong_includes(room, path.read_text()) for room, path in cpp_files() if room not in CPP_GROUND}
    assert {path: names for path, names in found.items() if names} == {}
    assert {*CPP_ROOMS} <= {room for room, _ in cpp_files()} <= {*CPP_ROOMS, *CPP_GROUND}


@pytest.mark.parametrize(
    ("room", "line"), [("mesh", '#include "ruckle/field/stretch.h"'), ("field", '#  include "paths/wrinkle_set.h"')]
)
def test_reject_includes_that_are_turned_round(room: str, line: str) -> None:
    assert len(wrong_includes(room, line)) == 1
