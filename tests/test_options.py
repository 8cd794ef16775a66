"""The generated files match the tables of options, and the library describes the layout of its structs."""

import ctypes
import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from c_library import LIBRARY, STRUCTS
from ruckle import _core, c_structures

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "cpp" / "options"


def tool(name: str) -> ModuleType:
    """Import a module of the code generator from the folder of option tables, and return it."""
    sys.path.insert(0, str(TABLES))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(TABLES))


def test_exact_generated_files_follow_from_the_tables() -> None:
    outdated = [str(path.relative_to(ROOT)) for path in tool("generate").outdated()]
    assert not outdated, f"out of date, run `make options`: {', '.join(outdated)}"


def test_exact_the_compiled_tables_are_those_of_the_files() -> None:
    # the test fails if the tables changed after the library was compiled
    for room in tool("table").read_rooms(TABLES).values():
        for system in room.systems.values():
            rows = [row for row in system.rows if row.type != "struct"]
            compiled = _core.parameters(system.table)
            assert [row["name"] for row in compiled] == [row.name for row in rows]
            assert [row["help"] for row in compiled] == [row.help for row in rows]
            for found, row in zip(compiled, rows, strict=True):
                default = system.defaults.get(row.name, row.default)
                if row.type in ("float", "int", "uint64", "bool", "enum") and not row.cpp_default:
                    assert found["default"] == default


def test_exact_every_struct_of_the_headers_is_described() -> None:
    headers = (ROOT / "cpp" / "include" / "ruckle").glob("ruckle_c*.h")
    declared = {name for path in headers for name in re.findall(r"typedef struct (\w+) \{", path.read_text())}
    assert set(STRUCTS) == declared - {"ruckle_member"}


def test_exact_c_options_hold_the_defaults_of_the_table() -> None:
    options = STRUCTS["ruckle_options"]()
    LIBRARY.ruckle_default_options(ctypes.byref(options))
    for row in _core.parameters("wrinkler_parameters"):
        found = getattr(options, row["name"])
        if row["kind"] in ("number", "integer", "flag"):
            expected = -1.0 if row["default"] is None else float(row["default"])
            assert float(found) == pytest.approx(expected, rel=1e-6), row["name"]


class Elsewhere:
    """A fake library that describes a struct with a layout that no compiler produces."""

    def __init__(self, offset: int, size: int) -> None:
        rows = [(b"thing", b"", b"struct", 0, size), (b"thing", b"first", b"float", offset, 4)]
        self.rows = (c_structures._Member * 2)(*rows)

    def ruckle_members(self, count: object) -> object:
        """Return the rows of the description, and write their number to `count`, like the C function."""
        count._obj.value = len(self.rows)  # type: ignore[attr-defined]
        return self.rows


@pytest.mark.parametrize(
    ("offset", "size", "message"),
    [
        (4, 8, "thing.first: is at byte 4 of the library's struct, not 0"),
        (0, 16, "thing: has 16 bytes in the library, not 4"),
    ],
)
def test_reject_layouts_that_ctypes_does_not_have(offset: int, size: int, message: str) -> None:
    library = Elsewhere(offset, size)
    members = library.ruckle_members

    class Callable:
        restype: object = None

        def __call__(self, count: object) -> object:
            return members(count)

    library.ruckle_members = Callable()  # type: ignore[method-assign]
    with pytest.raises(OSError, match=re.escape(message)):
        c_structures.structures(library)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unit": "s"}, "has no help"),
        ({"help": "x", "colour": "red"}, "has the unknown column colour"),
        ({"help": "x", "range": "0..1"}, "range: expected"),
        ({"same": "LabelCostOptions.gamma"}, "which no file declares"),
    ],
)
def test_reject_rows_that_cannot_be_read(change: dict[str, str], message: str) -> None:
    table = tool("table")
    files = {"field": {"LabelCostOptions": {"sigma": {"default": 1.0, "help": "x"}}}}
    with pytest.raises(SystemExit, match=message):
        table.read_row("Options", "one", {"default": 1.0, **change}, files, {})


NEW_SYSTEM = """
[file]
room = "ripples"
title = "the options of ripples"

[system.RippleOptions]
table = "ripple_parameters"
c = "ruckle_ripple"
python = "RippleParameters"
of = "`Ripples`"

[RippleOptions.r_min]
same = "WrinklerOptions.r_min"

[RippleOptions.speed]
default = 0.5
range = "> 0"
unit = "m/s"
group = "ripples"
help = "Speed of a ripple."
"""


def test_exact_one_file_declares_a_new_system(tmp_path: Path) -> None:
    for path in TABLES.glob("*.toml"):
        (tmp_path / path.name).write_text(path.read_text())
    (tmp_path / "ripples.toml").write_text(NEW_SYSTEM)
    rooms = tool("table").read_rooms(tmp_path)
    structs = tool("write_c").header(rooms)
    assert "float speed; /* m/s, > 0 */" in structs
    assert "float r_min; /* mesh units, in [0, 1e+30], or RUCKLE_UNSET */" in structs
    assert "float speed = 0.5f;" in tool("write_cpp").header(rooms["ripples"])
    assert "given.speed = core.speed;" in tool("write_c").conversions(rooms)
    compile(tool("write_python").module(rooms["ripples"]), "parameters.py", "exec")
