"""Write the options of a room for Python: tables, defaults, and types for type checkers.

The generated modules read the tables from the compiled library.
"""

from __future__ import annotations

import textwrap

from table import Enum, Record, Room, Row, System
from write_cpp import said

NUMBERS = {"double": "float", "float": "float", "int": "int"}
TYPES = {"float": "float", "int": "int", "uint64": "int", "bool": "bool", "matrix": "ArrayLike", "vector": "ArrayLike"}


def module(room: Room) -> str:
    """Return the text of parameters.py of a room."""
    systems = list(room.systems.values())
    shown = [system for system in systems if system.c]
    enums = {row.enum.name: row.enum for system in systems for row in system.rows if row.enum}
    own = [enum for enum in enums.values() if enum.room == room.name]
    typed = [line for system in systems for line in typed_dicts(system)]
    named = [line for system in systems if system.dataclass for line in numbers(room, system)]
    tables = ["PARAMETERS", *(["DEFAULTS"] if shown else []), *(["LENGTHS"] if shown else [])]
    tables += ["SLIDERS"] if sliders(systems) else []
    records = [record for record in room.records.values() if record.python]
    typed += [line for record in records for line in record_types(record)]
    names = {*tables, *(record.python for record in records), *(enum.python for enum in own)}
    names |= {name for system in systems for name in (system.python, system.animation, system.dataclass) if name}
    body = "\n".join(typed)
    lines = [
        f'"""{room.title[0].upper()}{room.title[1:]}.',
        "",
        f"Generated from cpp/options/{room.name}.toml by `make options`: edit that file.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        *(["from dataclasses import dataclass"] if named else []),
        *typing_imports(own, bool(typed)),
        *(["from numpy.typing import ArrayLike", ""] if "ArrayLike" in body else []),
        *(f"from ruckle.{e.room}.parameters import {e.python}" for e in enums.values() if e.room != room.name),
        f"from ruckle.parameters import {'default_values, ' if shown else ''}parameter_table",
        "",
        listed(sorted(names, key=lambda name: (not name.isupper(), name))),
        "",
    ]
    for enum in own:
        words = ", ".join(f'"{word}"' for word in enum.words)
        lines += [f"{enum.python} = Literal[{words}]", ""]
    names = ", ".join(f'"{s.table}"' for s in (shown or systems))
    lines += [f"PARAMETERS = parameter_table({names})", '"""The parameters by name, in display order."""']
    if shown:
        lines += ["", "DEFAULTS = default_values(PARAMETERS)"]
        lines += ['"""Default values by name; None if the default depends on other values."""', ""]
        lines += ['LENGTHS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == "length")']
        lines += ['"""Names of the parameters that are lengths, which may also be percentages of the height."""']
    return "\n".join([*lines, *sliders(systems), *named, *typed, ""])


def sliders(systems: list[System]) -> list[str]:
    """Return the lines of the Python table of sliders (ends and scale of each); an empty list without sliders."""
    rows = [row for system in systems for row in system.rows if row.slider is not None]
    if not rows:
        return []
    lines = ["", "SLIDERS: dict[str, tuple[float, float, bool]] = {"]
    for row in rows:
        ends = {"low": 0.0, "high": 1.0, "even_ratios": False} | (row.slider or {})
        lines.append(f'    "{row.name}": ({ends["low"]}, {ends["high"]}, {ends["even_ratios"]}),')
    lines += ["}", '"""Low and high end of the slider of each option, and True for a logarithmic scale."""']
    return lines


def typing_imports(own: list[Enum], is_typed: bool) -> list[str]:
    """Return the import statement for the module typing and an empty line; an empty list if it is not necessary."""
    names = [*(["Literal"] if own else []), *(["TypedDict"] if is_typed else [])]
    return [f"from typing import {', '.join(names)}", ""] if names else []


def listed(names: list[str]) -> str:
    """Return the statement that sets __all__, in the layout that ruff would choose."""
    line = "__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]"
    return line if len(line) <= 120 else "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]"


def python_type(row: Row, *, percent: bool) -> str:
    """Return the type annotation of an option. If `percent` is True, lengths may be texts such as "1%"."""
    if row.enum:
        return row.enum.python
    kind = TYPES[row.type]
    if row.is_length and percent:
        return "float | str" + (" | None" if row.derived and not row.height_percent else "")
    return kind + (" | None" if row.derived else "")


def typed_dicts(system: System) -> list[str]:
    """Return the lines of the TypedDicts of a system's keyword arguments.

    In the first TypedDict, lengths are numbers; in the second, they may also be percentages.
    """
    rows = [row for row in system.rows if row.type != "struct"]
    if not (system.python or system.animation):
        return []
    common = [row for row in rows if not row.is_length]
    lengths = [row for row in rows if row.is_length]
    is_split = bool(system.python and system.animation and lengths)
    lines = []
    if is_split:
        lines += ["", "", "class _Common(TypedDict, total=False):"]
        lines += [f"    {row.name}: {python_type(row, percent=False)}" for row in common]
    for name, percent in ((system.python, False), (system.animation, True)):
        if name:
            base, own = ("_Common", lengths) if is_split else ("TypedDict", rows)
            of = system.of if not percent or not system.python else system.of.rstrip("`") + ".for_animation`"
            may = ", whose lengths may be percentages" if percent and lengths else ""
            lines += [
                "",
                "",
                f"class {name}({base}, total=False):",
                f'    """Types of the parameters of {of}{may}."""',
                "",
            ]
            lines += [f"    {row.name}: {python_type(row, percent=percent)}" for row in own]
    return lines


def record_types(record: Record) -> list[str]:
    """Return the lines of the TypedDict of a record, such as timings or counts."""
    said_ones = [m for m in record.members if m.help]
    lines = ["", "", f"class {record.python}(TypedDict):"]
    if said_ones:
        lines += [f'    """{record.help}', "", "    Attributes", "    ----------"]
        for member in record.members:
            lines += [f"    {member.name} : {NUMBERS[member.type]}"]
            lines += wrapped(f"{member.help[:1].upper()}{member.help[1:]}.")
        lines.append('    """')
    else:
        lines.append(f'    """{record.help}"""')
    return [*lines, "", *(f"    {member.name}: {NUMBERS[member.type]}" for member in record.members)]


def wrapped(sentence: str) -> list[str]:
    """Return the indented lines of a description in a docstring."""
    return textwrap.wrap(sentence, 120, initial_indent=8 * " ", subsequent_indent=8 * " ")


def numbers(room: Room, system: System) -> list[str]:
    """Return the lines of the dataclass of a system, such as `Material`, with one number per option."""
    lines = ["", "", "@dataclass(frozen=True, slots=True)", f"class {system.dataclass}:"]
    lines += [f'    """{system.of}', "", "    Attributes", "    ----------"]
    for row in system.rows:
        about = ", ".join(word for word in ("float", said(room, row)) if word)
        lines += [f"    {row.name} : {about}", *wrapped(row.help)]
    return [*lines, '    """', "", *(f"    {row.name}: float" for row in system.rows)]
