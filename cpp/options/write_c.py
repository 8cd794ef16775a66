"""Write the options of all rooms for C, their conversions to and from C++, and the layout of every struct of C."""

from __future__ import annotations

import re
from pathlib import Path

from table import ROOT, Record, Room, Row, System
from write_cpp import record_headers, said

NOTE = "Generated from the tables in cpp/options by `make options`: edit those files."
C_TYPES = {"float": "float", "int": "int32_t", "uint64": "uint64_t", "bool": "int32_t", "enum": "int32_t"}

STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\n\} \1;", re.DOTALL)
MEMBER = re.compile(r"((?:const )?\w+(?: ?\*(?: ?const)?\*?)?) ?((?:\w+(?:\[\d+\])?(?:, )?)+);")


def systems_in_c(rooms: dict[str, Room]) -> list[tuple[Room, System]]:
    """Return the option structs that have a C interface, each with its room (TOML file)."""
    return [
        (room, system) for room in rooms.values() for system in room.systems.values() if system.c or system.c_struct
    ]


def records_in_c(room: Room) -> list[Record]:
    """Return the records (structs of results) of a room that have a struct in C."""
    return [record for record in room.records.values() if record.c]


def c_struct(system: System) -> str:
    """Return the name of a system's struct in C."""
    return system.c_struct or f"{system.c}_options"


def c_rows(system: System) -> list[Row]:
    """Return the options of a system that are members of its struct in C."""
    return [row for row in system.rows if row.c]


def header(rooms: dict[str, Room]) -> str:
    """Return the text of ruckle_c_options.h."""
    lines = [
        "/* ruckle_c_options: options, timings and counts of every system for C. A part of ruckle_c.h.",
        " *",
        " * Set all options with SYSTEM_default_options, then change some. SYSTEM_get_parameter describes each option:",
        " * name, unit, range, default and meaning. Indices follow the order of the members.",
        " *",
        f" * {NOTE} */",
        "/* clang-format off */",
        '#include "ruckle/ruckle_c.h"',
        "",
        "#ifndef RUCKLE_RUCKLE_C_OPTIONS_H",
        "#define RUCKLE_RUCKLE_C_OPTIONS_H",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
    ]
    shown = []
    structs = {system.name: c_struct(system) for _, system in systems_in_c(rooms)}
    for room, system in systems_in_c(rooms):
        if room.name not in shown:
            lines += [f"/* --- {room.title} --- */", ""]
            for record in records_in_c(room):
                members = [(f"    {C_TYPES.get(m.type, m.type)} {m.name};", m.help) for m in record.members if m.c]
                lines += [
                    f"/* {record.help} */",
                    f"typedef struct {record.c} {{",
                    *commented(members),
                    f"}} {record.c};",
                    "",
                ]
        shown.append(room.name)
        for row in c_rows(system):
            if row.enum and row.enum.c not in shown:
                shown.append(row.enum.c)
                words = [
                    (f"    {row.enum.c_word(word)} = {i},", meaning)
                    for i, (word, meaning) in enumerate(row.enum.words.items())
                ]
                words[-1] = (words[-1][0].rstrip(","), words[-1][1])
                lines += [f"typedef enum {row.enum.c} {{", *commented(words), f"}} {row.enum.c};", ""]
        name = c_struct(system)
        members = [(f"    {declared(row, structs)};", c_comment(room, row)) for row in c_rows(system)]
        lines += [f"typedef struct {name} {{", *commented(members), f"}} {name};", ""]
        if system.c:
            lines += [
                f"RUCKLE_API void {system.c}_default_options({name}* options);",
                f"RUCKLE_API int32_t {system.c}_parameter_count(void);",
                f"/* RUCKLE_NULL_ARGUMENT, RUCKLE_OUT_OF_RANGE: index in [0, {system.c}_parameter_count) */",
                f"RUCKLE_API ruckle_status {system.c}_get_parameter(int32_t index, ruckle_parameter* parameter);",
                "",
            ]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def declared(row: Row, structs: dict[str, str]) -> str:
    """Return the declaration of an option as a member of a C struct. `structs`: names of systems in C."""
    if row.type == "matrix":
        return f"float {row.name}[{len(row.default) * len(row.default[0])}]"
    if row.type == "vector":
        return f"float {row.name}[{len(row.default)}]"
    return f"{structs[row.struct] if row.struct else C_TYPES[row.type]} {row.name}"


def c_comment(room: Room, row: Row) -> str:
    """Return the comment of an option's member in C: unit and range, or allowed values; RUCKLE_UNSET; note."""
    words = {"bool": "0 or 1", "enum": f"a {row.enum.c}" if row.enum else ""}.get(row.type, said(room, row))
    if row.type == "matrix":
        words = f"({len(row.default)}, {len(row.default[0])})"
    words = ", ".join(word for word in (words, "or RUCKLE_UNSET" if row.derived else "") if word)
    return "; ".join(word for word in (words, row.note) if word)


def commented(rows: list[tuple[str, str]]) -> list[str]:
    """Return lines of code with their comments, which are aligned in a column."""
    width = max((len(code) for code, comment in rows if comment), default=0)
    return [f"{code:{width}} /* {comment} */" if comment else code for code, comment in rows]


def conversions_header(rooms: dict[str, Room]) -> str:
    """Return the text of c_options.h."""
    lines = [
        "// c_options: converts options between their structs in C and C++.",
        "//",
        f"// {NOTE}",
        "// clang-format off",
        "#pragma once",
        "",
    ]
    lines += includes(rooms)
    lines += ['#include "ruckle/ruckle_c.h"', "", "namespace ruckle::c {", ""]
    for _, system in systems_in_c(rooms):
        lines += [
            f"{c_struct(system)} to_c(const {system.name}& core);",
            f"{system.name} to_core(const {c_struct(system)}& given);",
        ]
        if system.c:
            lines += [
                "// Sets `chosen` to the given options, or to the defaults if `given` is NULL.",
                "// Returns RUCKLE_BAD_OPTION and sets the error message if an enumeration has an invalid value.",
                f"ruckle_status choose(const {c_struct(system)}* given, {system.name}& chosen);",
            ]
        lines.append("")
    lines += [
        f"{record.c} to_c(const {record.name}& found);" for room in rooms.values() for record in records_in_c(room)
    ]
    return "\n".join([*lines, "", "}  // namespace ruckle::c", ""])


def includes(rooms: dict[str, Room]) -> list[str]:
    """Return the #include lines for all structs of options and records in the C interface."""
    shown = dict.fromkeys(room.name for room, _ in systems_in_c(rooms))
    return [
        *(f'#include "ruckle/{room}/parameters.h"' for room in shown),
        *(f'#include "{h}"' for h in record_headers(rooms)),
    ]


def conversions(rooms: dict[str, Room]) -> str:
    """Return the text of c_options.cpp."""
    lines = [
        f"// {NOTE}",
        "// clang-format off",
        '#include "c_options.h"',
        "",
        "#include <algorithm>",
        "#include <iterator>",
        "",
    ]
    lines += ['#include "c_call.h"', "", "namespace ruckle::c {", ""]
    for _, system in systems_in_c(rooms):
        name = c_struct(system)
        lines += [f"{name} to_c(const {system.name}& core) {{", f"    {name} given{{}};"]
        lines += [f"    {statement}" for row in c_rows(system) for statement in to_c(row)]
        lines += [
            "    return given;",
            "}",
            "",
            f"{system.name} to_core(const {name}& given) {{",
            f"    {system.name} core;",
        ]
        lines += [f"    {statement}" for row in c_rows(system) for statement in to_core(row)]
        lines += ["    return core;", "}", ""]
        if system.c:
            lines += choose(system)
    for record in (record for room in rooms.values() for record in records_in_c(room)):
        members = ", ".join(f".{m.name} = found.{m.source}" for m in record.members if m.c)
        lines += [f"{record.c} to_c(const {record.name}& found) {{", f"    return {{{members}}};", "}", ""]
    lines += ["}  // namespace ruckle::c", ""]
    for _, system in systems_in_c(rooms):
        if system.c:
            lines += exported(system)
    return "\n".join(lines)


def to_c(row: Row) -> list[str]:
    """Return the statement that copies an option from the C++ struct to the C struct."""
    left, right = f"given.{row.name}", f"core.{row.name}"
    if row.type in ("matrix", "vector"):
        first = f"&{right}[0][0]" if row.type == "matrix" else f"{right}.data()"
        count = len(row.default) * (len(row.default[0]) if row.type == "matrix" else 1)
        return [f"std::copy_n({first}, {count}, {left});"]
    right = f"{right}.value_or(RUCKLE_UNSET)" if row.derived else right
    right = f"static_cast<std::int32_t>({right})" if row.enum else f"to_c({right})" if row.struct else right
    return [f"{left} = {right};"]


def to_core(row: Row) -> list[str]:
    """Return the statement that copies an option from the C struct to the C++ struct."""
    left, right = f"core.{row.name}", f"given.{row.name}"
    if row.type in ("matrix", "vector"):
        first = f"&{left}[0][0]" if row.type == "matrix" else f"{left}.data()"
        count = len(row.default) * (len(row.default[0]) if row.type == "matrix" else 1)
        return [f"std::copy_n({right}, {count}, {first});"]
    if row.derived:
        right = f"set({right})"
    elif row.enum:
        right = f"static_cast<{row.enum.name}>({right})"
    elif row.struct or row.type == "bool":
        right = f"to_core({right})" if row.struct else f"{right} != 0"
    return [f"{left} = {right};"]


def choose(system: System) -> list[str]:
    """Return the lines of the C++ function `choose`, which checks and converts options from C."""
    lines = [f"ruckle_status choose(const {c_struct(system)}* given, {system.name}& chosen) {{"]
    lines += [f"    chosen = {system.name}{{}};", "    if (!given) {", "        return RUCKLE_OK;", "    }"]
    for row in c_rows(system):
        if row.enum:
            last = len(row.enum.words) - 1
            sentence = f"{row.name}: expected a {row.enum.c}, 0 {'or' if last == 1 else 'to'} {last}, got %d"
            lines += [
                "    // checked before the cast, because the C++ enumeration must have a declared value",
                f"    if (given->{row.name} < 0 || given->{row.name} > {last}) {{",
                f'        return fail(RUCKLE_BAD_OPTION, "{sentence}", given->{row.name});',
                "    }",
            ]
    return [*lines, "    chosen = to_core(*given);", "    return RUCKLE_OK;", "}", ""]


def exported(system: System) -> list[str]:
    """Return the lines that define a system's C functions for defaults and for descriptions of options."""
    return [
        f"void {system.c}_default_options({c_struct(system)}* options) {{",
        "    if (options) {",
        f"        *options = ruckle::c::to_c(ruckle::{system.name}{{}});",
        "    }",
        "}",
        "",
        f"int32_t {system.c}_parameter_count(void) {{",
        f"    return static_cast<int32_t>(std::size(ruckle::{system.table}));",
        "}",
        "",
        f"ruckle_status {system.c}_get_parameter(int32_t index, ruckle_parameter* parameter) {{",
        f"    return ruckle::c::describe(ruckle::{system.table}, index, parameter);",
        "}",
        "",
    ]


def members(texts: dict[str, str]) -> str:
    """Return the text of c_members.cpp: a table with type, offset and size of all members of C structs.

    `texts` is a dictionary from the names of the C headers to their texts.
    """
    lines = [
        "// Layout of all C structs: type, offset and size of each member.",
        "//",
        "// Generated from the headers ruckle_c*.h by `make options`.",
        "// clang-format off",
    ]
    lines += [
        "#include <cstddef>",
        "#include <iterator>",
        "",
        *(f'#include "ruckle/{name}"' for name in texts),
        "",
        "namespace {",
        "",
    ]
    lines.append("constexpr ruckle_member all_members[] = {")
    for source in texts.values():
        for structure, body in STRUCT.findall(re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)):
            if structure == "ruckle_member":
                continue
            lines.append(f'    {{"{structure}", "", "struct", 0, sizeof({structure})}},')
            for kind, name in members_of(structure, body):
                at = f"offsetof({structure}, {name}), sizeof({structure}::{name})"
                lines.append(f'    {{"{structure}", "{name}", "{kind}", {at}}},')
    lines += ["};", "", "}  // namespace", "", "const ruckle_member* ruckle_members(int32_t* count) {"]
    lines += [
        "    if (count) {",
        "        *count = static_cast<int32_t>(std::size(all_members));",
        "    }",
        "    return all_members;",
        "}",
    ]
    return "\n".join([*lines, ""])


def members_of(structure: str, body: str) -> list[tuple[str, str]]:
    """Return type and name of each member of a struct, from the text between its braces.

    The program ends with a message if a declaration cannot be read.
    """
    found = []
    for declaration in filter(None, (" ".join(one.split()) for one in body.split(";"))):
        if function := re.fullmatch(r".*\(\*(\w+)\)\(.*\)", declaration):
            found.append(("function", function[1]))
            continue
        match = MEMBER.fullmatch(f"{declaration};")
        if not match:
            raise SystemExit(f"{structure}: cannot read the member '{declaration}'")
        names = [name.partition("[")[0] for name in match[2].split(", ")]
        found += [(match[1].replace(" *", "*").replace("* ", "*"), name) for name in names]
    return found


def headers(generated: str) -> dict[str, str]:
    """Return a dictionary from the names of all C headers to their texts. `generated`: new ruckle_c_options.h."""
    folder = ROOT / "cpp" / "include" / "ruckle"
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("ruckle_c*.h"))}
    return found | {"ruckle_c_options.h": generated}


def paths() -> tuple[Path, Path, Path, Path]:
    """Return the paths of the files whose texts this module generates."""
    return (
        ROOT / "cpp/include/ruckle/ruckle_c_options.h",
        ROOT / "cpp/src/c_options.h",
        ROOT / "cpp/src/c_options.cpp",
        ROOT / "cpp/src/c_members.cpp",
    )
