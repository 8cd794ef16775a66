"""Write the options of paths and waves for JavaScript: a table for sliders, and types for TypeScript."""

from __future__ import annotations

import json
from typing import Any

from table import RANGE, Room, Row

# For each layer of the web kit: names of its JavaScript table, its TypeScript type, its room and its system.
LAYERS = (
    ("PATH_OPTIONS", "PathOptions", "paths", "WrinklerOptions"),
    ("WAVE_OPTIONS", "WaveOptions", "waves", "WaveOptions"),
)
TYPES = {"float": "number", "int": "number", "uint64": "number", "bool": "boolean"}


def module(rooms: dict[str, Room]) -> str:
    """Return the text of options.mjs."""
    lines = ["// The options of wrinkle paths and waves.", "//"]
    lines += ["// Generated from the tables in cpp/options by `make options`: edit those files.", ""]
    for table, type_name, room, system in LAYERS:
        # omit `threads`, because the WebAssembly module has only one thread
        rows = [row for row in rooms[room].systems[system].rows if row.type in TYPES and row.name != "threads"]
        lines += ["/**", f" * @typedef {{object}} {type_name} {rooms[room].title}"]
        lines += [f" * @property {{{js_type(row)}}} [{row.name}] {described(row)}" for row in rows]
        lines += [
            " */",
            "",
            "/** @type {Record<string, import('./core.mjs').Option>} */",
            f"export const {table} = {{",
        ]
        lines += [f"  {row.name}: {json.dumps(entry(row, rooms[room]), ensure_ascii=False)}," for row in rows]
        lines += ["};", ""]
    return "\n".join(lines)


def js_type(row: Row) -> str:
    """Return the TypeScript type of an option. A length may be a text such as "1%" (of the height)."""
    return "number | string" if row.is_length else TYPES[row.type]


def described(row: Row) -> str:
    """Return the description of an option: meaning, unit, range and default."""
    unit = f"{row.unit}, " if row.unit else ""
    default = row.derived or json.dumps(row.default)
    return f"{row.help} ({unit}{row.range + ', ' if row.range else ''}default: {default})"


def entry(row: Row, room: Room) -> dict[str, Any]:
    """Return one option as an entry of the JavaScript table."""
    found = RANGE.fullmatch(row.range)
    low = found and (found["least"] or found["bound"])
    high = found and found["most"]
    return {
        "type": row.type,
        "length": row.is_length,
        "group": row.group,
        "unit": row.unit,
        "help": row.help,
        "derived": row.derived,
        "default": row.default,
        "least": number(low, room),
        "most": number(high, room),
        "slider": row.slider,
    }


def number(text: str | None, room: Room) -> float | None:
    """Return one end of a range, a number or the name of a constant, as a number; None if the range is unlimited."""
    if not text or "^" in text:
        return None
    return room.values[text] if text in room.values else float(text)
