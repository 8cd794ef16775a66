"""Write the options of a room as C++: enumerations, structs and tables."""

from __future__ import annotations

from typing import Any

from table import RANGE, Enum, Room, Row, System

TYPES = {"float": "float", "int": "int", "uint64": "std::uint64_t", "bool": "bool", "vector": "Vector3"}
KINDS = {"float": "number", "int": "integer", "uint64": "integer", "bool": "flag", "enum": "choice", "matrix": "matrix",
         "vector": "vector"}  # fmt: skip
ZEROS = {"double": "0.0", "float": "0.0f", "int": "0"}


def header(room: Room) -> str:
    """Return the text of parameters.h of a room."""
    lines = [f"// parameters: {room.title}."]
    if room.about:
        lines += ["//", *(f"// {line}".rstrip() for line in room.about.splitlines())]
    lines += ["//", f"// Generated from cpp/options/{room.name}.toml by `make options`: edit that file."]
    lines += ["//", *example(room)]
    lines += [
        "// clang-format off",
        "#pragma once",
        "",
        "#include <array>",
        "#include <cstdint>",
        "#include <optional>",
        "",
    ]
    lines += [f'#include "ruckle/{used}/parameters.h"' for used in room.used_rooms()]
    lines += ['#include "ruckle/parameter.h"', '#include "ruckle/types.h"', "", "namespace ruckle {", ""]
    for constant in room.constants.values():
        lines += [f"// {constant['help']}", constant["cpp"], ""]
    for enum in room.enums.values():
        lines += [*enumeration(enum), ""]
    for name, row in room.parameters.items():
        lines += [f"inline constexpr Parameter {name} = {{", *parameter(room, row, 4), "};", ""]
    for system in room.systems.values():
        lines += [*struct(room, system), ""]
        lines += shared_options(system)
    for system in room.systems.values():
        lines += [*table(room, system), ""]
    for record in room.records.values():
        if not record.header:
            members = [(f"    {m.type} {m.name} = {ZEROS[m.type]};", m.help) for m in record.members]
            lines += [f"// {record.help}", f"struct {record.name} {{", *commented(members), "};", ""]
    if room.fabrics:
        lines += [*fabrics(room), ""]
    return "\n".join([*lines, "}  // namespace ruckle", ""])


def example(room: Room) -> list[str]:
    """Return the lines of a comment with an example, which sets the first option of type float."""
    system, row = next((s, r) for s in room.systems.values() for r in s.rows if isinstance(r.default, float))
    return [
        "// Example:",
        f"//     ruckle::{system.name} options;",
        f"//     options.{row.name} = {cpp_value(row, row.default)};",
    ]


def enumeration(enum: Enum) -> list[str]:
    """Return the lines that declare an enumeration and the array of its words."""
    words = ", ".join(f'"{word}"' for word in enum.words)
    return [
        *([f"// {enum.help}"] if enum.help else []),
        f"enum class {enum.name}{f' : {enum.base}' if enum.base else ''} {{",
        *(f"    {word},  // {meaning}" for word, meaning in enum.words.items()),
        "};",
        f"inline constexpr const char* {words_of(enum)}[] = {{{words}}};",
    ]


def words_of(enum: Enum) -> str:
    """Return the name of the C++ array of an enumeration's words."""
    return f"{snake(enum.name)}_words"


def cpp_type(row: Row) -> str:
    """Return the C++ type of an option."""
    if row.type == "enum":
        assert row.enum
        return row.enum.name
    if row.type in ("matrix", "struct"):
        return row.cpp or row.struct
    return "std::optional<float>" if row.derived else TYPES[row.type]


def cpp_value(row: Row, default: Any) -> str:
    """Return the C++ expression that initialises an option in its struct."""
    if row.owner:
        return f"{row.owner.split('/')[1].replace('.', '{}.')}"
    if row.cpp_default:
        return row.cpp_default
    if row.type == "enum":
        return f"{cpp_type(row)}::{default}"
    if row.type == "matrix":
        return "{{" + ", ".join("{" + ", ".join(number(one) for one in line) + "}" for line in default) + "}}"
    if row.type == "vector":
        return "{" + ", ".join(number(one) for one in default) + "}"
    if row.type == "bool":
        return str(default).lower()
    return number(default) if row.type == "float" else str(default)


def number(value: float) -> str:
    """Return a float32 literal."""
    return f"{float(value)!r}f"


def struct(room: Room, system: System) -> list[str]:
    """Return the lines that declare the struct of a system's options, and the types of its matrices."""
    lines = []
    for row in system.rows:
        if row.cpp and row.type == "matrix" and not row.owner:
            rows, columns = len(row.default), len(row.default[0])
            lines += [f"using {row.cpp} = std::array<std::array<float, {columns}>, {rows}>;", ""]
    lines.append(f"struct {system.name} {{")
    members = []
    for row in system.rows:
        default = system.defaults.get(row.name, row.default)
        is_empty = row.derived or row.type == "struct"
        value = "{}" if is_empty else f" = {cpp_value(row, default)}"
        members.append((f"    {cpp_type(row)} {row.name}{value};", said(room, row)))
    return [*lines, *commented(members), "};"]


def shared_options(system: System) -> list[str]:
    """Return the lines of C++ functions, one per struct to which options of the system belong.

    The function returns such a struct with the values of the system's options.
    """
    lines = []
    for owner in dict.fromkeys(row.owner.split("/")[1].split(".")[0] for row in system.rows if row.owner):
        lines += [f"// Returns {owner} with the values that `options` contains."]
        lines += [f"inline {owner} shared_{snake(owner)}(const {system.name}& options) {{", f"    {owner} shared;"]
        for row in system.rows:
            if row.owner.partition("/")[2].startswith(f"{owner}."):
                lines.append(f"    shared.{row.owner.rpartition('.')[2]} = options.{row.name};")
        lines += ["    return shared;", "}", ""]
    return lines


def snake(name: str) -> str:
    """Convert a name from UpperCamel to snake_case."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")


def commented(members: list[tuple[str, str]]) -> list[str]:
    """Return lines of struct members with their comments, which are aligned in a column."""
    width = max((len(member) for member, comment in members if comment), default=0)
    return [f"{member:{width}}  // {comment}" if comment else member for member, comment in members]


def said(room: Room, row: Row) -> str:
    """Return unit and range of an option as text, for example "seconds, >= 0". Names of constants become numbers."""
    found = RANGE.fullmatch(row.range)
    allowed = row.range
    if found:
        for name in found.groups():
            if name in room.values:
                allowed = allowed.replace(name, f"{room.values[name]:g}")
    if row.ceiling:
        bound = allowed.split(" ")[-1]
        allowed = f"in {'[' if '=' in allowed else '('}{bound}, {row.ceiling}]"
    return ", ".join(word for word in (row.unit, allowed) if word)


def text(value: str) -> str:
    """Return a C++ string literal."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def bound(value: str) -> str:
    """Return a C++ expression of type double for one end of a range: a number, a power of two or a constant."""
    if value.startswith("2^"):
        return f"0x1p{value[2:]}"
    return repr(float(value)) if value.lstrip("-")[0].isdigit() else value


def cpp_range(row: Row) -> str:
    """Return the C++ expression of an option's Range."""
    found = RANGE.fullmatch(row.range)
    assert found
    if found["sign"]:
        return f"{'at_least' if found['sign'] == '>=' else 'above'}({bound(found['bound'])})"
    ends = f".least = {bound(found['least'])}, .most = {bound(found['most'])}"
    ends += ", .with_least = false" if found["open"] == "(" else ""
    return f"{{{ends}{', .with_most = false' if found['close'] == ')' else ''}}}"


def parameter(room: Room, row: Row, indent: int, default: Any = None) -> list[str]:
    """Return the lines that initialise the members of a C++ `Parameter`, one member per line."""
    fields = {"name": text(row.name)}
    for name in ("group", "unit"):
        fields |= {name: text(getattr(row, name))} if getattr(row, name) else {}
    fields |= {"range": cpp_range(row)} if row.range else {}
    for name in ("ceiling", "derived"):
        fields |= {name: text(getattr(row, name))} if getattr(row, name) else {}
    fields |= {"height_percent": row.height_percent} if row.height_percent else {}
    fields |= {"choices": words_of(row.enum)} if row.enum else {}
    fields["help"] = text(row.help)
    fields["kind"] = f"ParameterKind::{'length' if row.is_length else KINDS[row.type]}"
    if row.cpp_default:
        fields["default_value"] = f"shortest_decimal({row.cpp_default})"
    elif default is not None and row.type in ("float", "int", "uint64", "bool"):
        fields["default_value"] = repr(float(default))
    elif row.enum:
        fields["default_value"] = repr(float(list(row.enum.words).index(default)))
    return [f"{' ' * indent}.{name} = {value}," for name, value in fields.items()]


def table(room: Room, system: System) -> list[str]:
    """Return the lines of the C++ table that describes a system's options."""
    rows = [row for row in system.rows if row.type != "struct"]
    others = dict.fromkeys(cpp_type(row) for row in rows if row.type in ("enum", "matrix", "vector"))
    lines = [f"inline constexpr Option<{', '.join([system.name, *others])}> {system.table}[] = {{"]
    for row in rows:
        default = system.defaults.get(row.name, row.default)
        lines += [f"    {{&{system.name}::{row.name}, {{", *parameter(room, row, 8, default), "    }},"]
    return [*lines, "};"]


def fabrics(room: Room) -> list[str]:
    """Return the lines of the C++ array of fabrics, which are named materials of simulated cloth."""
    (system,) = (system for system in room.systems.values() if system.defaults)
    lines = ["struct NamedMaterial {", "    const char* name;", f"    {system.name} material;", "};"]
    lines += ["", "inline constexpr NamedMaterial cloth_materials[] = {"]
    for name, numbers in room.fabrics.items():
        values = [f".{row.name} = {number(numbers.get(row.name, row.default))}" for row in system.rows]
        half = (len(values) + 1) // 2
        lines += [f"    {{{text(name)}, {{{', '.join(values[:half])},", f"        {', '.join(values[half:])}}}}},"]
    return [*lines, "};"]


def all_tables(rooms: dict[str, Room]) -> str:
    """Return the text of tables.h. With its functions, the Python bindings find tables by name and convert records."""
    lines = ["// tables: all tables of options by name.", "//"]
    lines += ["// Generated from cpp/options/*.toml by the build: edit those files."]
    lines += [
        "#pragma once",
        "",
        "#include <stdexcept>",
        "#include <string>",
        "",
        '#include "options.h"',
    ]
    lines += [f'#include "ruckle/{name}/parameters.h"' for name in rooms]
    lines += [f'#include "{header}"' for header in record_headers(rooms)]
    lines += ["", "namespace ruckle::bindings {", "", "inline Rows rows_named(const std::string& name) {"]
    for room in rooms.values():
        for system in room.systems.values():
            lines += [f'    if (name == "{system.table}") {{', f"        return rows_of({system.table});", "    }"]
    lines += ['    throw std::invalid_argument("no table of options is called " + name);', "}", ""]
    records = [(room, record) for room in rooms.values() for record in room.records.values()]
    for _, record in records:
        lines += [f"struct {record.python}Dict : py::dict {{}};"]
    for _, record in records:
        lines += [
            "",
            f"inline {record.python}Dict dict_of(const {record.name}& found) {{",
            f"    {record.python}Dict result;",
        ]
        lines += [f'    result["{m.name}"] = found.{m.source};' for m in record.members]
        lines += ["    return result;", "}"]
    lines += ["", "}  // namespace ruckle::bindings", "", "namespace pybind11::detail {", ""]
    for room, record in records:
        lines += [
            "template <>",
            f"struct handle_type_name<ruckle::bindings::{record.python}Dict> {{",
            f'    static constexpr auto name = const_name("ruckle.{room.name}.parameters.{record.python}");',
            "};",
        ]
    return "\n".join([*lines, "", "}  // namespace pybind11::detail", ""])


def record_headers(rooms: dict[str, Room]) -> list[str]:
    """Return the headers that declare the C++ structs of records, if these structs are not generated."""
    found = [record.header for room in rooms.values() for record in room.records.values() if record.header]
    return list(dict.fromkeys(found))
