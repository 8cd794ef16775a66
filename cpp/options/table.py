"""Read the tables of options. A room is a part of the library, such as `paths`, with one TOML file.

A system is a struct of options, such as `WrinklerOptions`; its rows are the options. A record is a struct of numbers
that describe a step.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

RANGE = re.compile(r"(?P<sign>>=|>) (?P<bound>\S+)|in (?P<open>[\[(])(?P<least>\S+), (?P<most>\S+)(?P<close>[\])])")
COLUMNS = {
    *("default", "cpp_default", "type", "range", "unit", "group", "ceiling", "derived", "height_percent"),
    *("enum", "struct", "same", "parameter", "cpp", "c", "note", "help", "slider"),
}


@dataclass(frozen=True)
class Enum:
    """An enumeration: its names in C++, C and Python, and the allowed words, each with its meaning."""

    name: str
    room: str
    c: str
    prefix: str
    python: str
    words: dict[str, str]
    base: str = ""
    help: str = ""

    def c_word(self, word: str) -> str:
        """Return the name of a word's enumerator in C."""
        return self.prefix + word.upper()


@dataclass(frozen=True)
class Row:
    """One option: the columns of its table in the TOML file."""

    name: str
    system: str
    type: str  # one of: float, int, uint64, bool, enum, matrix, vector, struct
    default: Any = None
    cpp_default: str = ""
    range: str = ""
    unit: str = ""
    group: str = ""
    ceiling: str = ""
    derived: str = ""
    height_percent: str = ""
    enum: Enum | None = None
    struct: str = ""
    cpp: str = ""
    c: bool = True
    note: str = ""
    help: str = ""
    slider: dict[str, Any] | None = None  # "low" and "high" end of a slider; empty for an enumeration; None: no slider
    owner: str = ""  # "room/Struct.option" from which this option is copied (column `same`); or empty

    @property
    def is_length(self) -> bool:
        """True for a length in mesh units."""
        return self.unit == "mesh units"


@dataclass(frozen=True)
class System:
    """A struct of options, for example of one layer: its names in each language, and its rows."""

    name: str
    room: str
    table: str
    rows: list[Row]
    c: str = ""  # prefix of the system's functions in C; empty: no functions
    c_struct: str = ""
    python: str = ""
    animation: str = ""
    dataclass: str = ""
    of: str = ""  # name of the class with these keyword arguments; for a dataclass, the first line of its docstring
    defaults: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Member:
    """A member of a record: name, type and meaning of one number."""

    name: str
    type: str  # double, float or int
    source: str  # C++ expression that selects the number in the C++ struct
    c: bool
    help: str


@dataclass(frozen=True)
class Record:
    """A struct of numbers that describe a step, such as its timings or counts."""

    name: str
    members: list[Member]
    help: str
    header: str = ""  # header that declares the C++ struct; empty: the struct is generated
    c: str = ""
    python: str = ""


@dataclass(frozen=True)
class Room:
    """The contents of one TOML file."""

    name: str
    title: str
    about: str
    constants: dict[str, dict[str, Any]]
    parameters: dict[str, Row]
    enums: dict[str, Enum]
    systems: dict[str, System]
    fabrics: dict[str, dict[str, float]]
    records: dict[str, Record]
    values: dict[str, float]  # values of the constants of all rooms

    def used_rooms(self) -> list[str]:
        """Return the names of other rooms whose options or enumerations this room uses."""
        rows = [row for system in self.systems.values() for row in system.rows]
        names = {row.enum.room for row in rows if row.enum} | {row.owner.split("/")[0] for row in rows if row.owner}
        return sorted(names - {self.name})


def fail(where: str, sentence: str) -> None:
    """End the program with an error message about the place `where` in the tables."""
    raise SystemExit(f"cpp/options/{where}: {sentence}")


def read_rooms(folder: Path = HERE) -> dict[str, Room]:
    """Read all TOML files of a folder, and return a dictionary of rooms in alphabetical order."""
    files = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.toml"))}
    enums = {
        name: Enum(name, room, **about)
        for room, tables in files.items()
        for name, about in tables.get("enum", {}).items()
    }
    return {name: read_room(name, tables, files, enums) for name, tables in files.items()}


def read_room(name: str, tables: dict[str, Any], files: dict[str, Any], enums: dict[str, Enum]) -> Room:
    """Return the contents of a file. End the program if a fabric does not set all values without a default."""
    fabrics = tables.get("fabric", {})
    systems = {}
    for system, about in tables.get("system", {}).items():
        rows = [read_row(system, option, dict(given), files, enums) for option, given in tables[system].items()]
        about = dict(about)
        kind, _, which = about.pop("defaults", "").partition(".")
        defaults = tables[kind][which] if kind else {}
        systems[system] = System(system, name, rows=rows, defaults=defaults, **about)
        for fabric, numbers in fabrics.items():
            needed = {row.name for row in rows if row.default is None}
            if defaults and not needed <= set(numbers) <= {row.name for row in rows}:
                fail(f"{name}.toml", f"fabric.{fabric} must give {sorted(needed)}, and gives {sorted(numbers)}")
    parameters = {
        key: read_row("parameter", about["name"], {k: v for k, v in about.items() if k != "name"} | {"type": "float"},
                      files, enums)
        for key, about in tables.get("parameter", {}).items()
    }  # fmt: skip
    values = {
        key: constant["value"]
        for others in files.values()
        for key, constant in others.get("constant", {}).items()
        if "value" in constant
    }
    records = {key: read_record(key, dict(about)) for key, about in tables.get("record", {}).items()}
    about = tables["file"]
    own = {key: enum for key, enum in enums.items() if enum.room == name}
    text = about.get("about", "").strip()
    return Room(
        name, about["title"], text, tables.get("constant", {}), parameters, own, systems, fabrics, records, values
    )


def read_record(name: str, about: dict[str, Any]) -> Record:
    """Return a record. In the file, each member is a help text, or a table with the keys type, from, c and help."""
    kind, members = about.pop("type", "double"), []
    for member, given in about.pop("members").items():
        more = {"help": given} if isinstance(given, str) else given
        members.append(
            Member(member, more.get("type", kind), more.get("from", member), more.get("c", True), more.get("help", ""))
        )
    return Record(name, members, **about)


def read_row(system: str, name: str, given: dict[str, Any], files: dict[str, Any], enums: dict[str, Enum]) -> Row:
    """Return an option. End the program if a column is invalid.

    An option with the column `same` or `parameter` gets its other columns from that declaration.
    """
    where = f"{system}.{name}"
    if unknown := set(given) - COLUMNS:
        fail(where, f"has the unknown column {sorted(unknown)[0]}")
    if shared := given.pop("same", ""):
        room, declared = next(
            ((room, t[shared.split(".")[0]]) for room, t in files.items() if shared.split(".")[0] in t), ("", {})
        )
        option = shared.split(".")[1]
        if option not in declared:
            fail(where, f"is the same as {shared}, which no file declares")
        return replace(read_row(system, option, dict(declared[option]) | given, files, enums), name=name,
                       owner=f"{room}/{shared}")  # fmt: skip
    if alone := given.pop("parameter", ""):
        declared = next(t["parameter"][alone] for t in files.values() if alone in t.get("parameter", {}))
        given = {k: v for k, v in declared.items() if k != "name"} | given | {"type": "float"}
    if given.get("range") and not RANGE.fullmatch(given["range"]):
        fail(where, f"range: expected '> 1', '>= 0' or 'in [0, 1)', got '{given['range']}'")
    if not given.get("help") and "struct" not in given:
        fail(where, "has no help, the sentence that users read")
    enum = enums[given["enum"]] if "enum" in given else None
    if enum and given["default"] not in enum.words:
        fail(where, f"default: expected one of {list(enum.words)}, got '{given['default']}'")
    kind = given.pop("type", "") or type_of(given)
    return Row(name, system, kind, **given | {"enum": enum})


def type_of(given: dict[str, Any]) -> str:
    """Return the type of an option: enum or struct by its columns, otherwise derived from its default."""
    default = given.get("default")
    if "enum" in given or "struct" in given:
        return "enum" if "enum" in given else "struct"
    if isinstance(default, list):
        return "matrix" if isinstance(default[0], list) else "vector"
    return {bool: "bool", int: "int"}.get(type(default), "float")
