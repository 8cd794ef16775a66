# SPDX-License-Identifier: GPL-3.0-or-later
# A copy of python/ruckle/c_structures.py by `make options`: edit that file.
"""The structs of the C interface as ctypes classes, read from the loaded library.

The library describes its own structs (`ruckle_members` in `ruckle_c.h`), so no layout is copied here. This file needs
only Python's standard library.
"""

from __future__ import annotations

import ctypes
from typing import Any

__all__ = ["structures"]

SCALARS: dict[str, Any] = {
    "char": ctypes.c_char,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "int16_t": ctypes.c_int16,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint8_t": ctypes.c_uint8,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
}


class _Member(ctypes.Structure):
    _fields_ = (
        ("structure", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("offset", ctypes.c_int32),
        ("size", ctypes.c_int32),
    )


def structures(library: ctypes.CDLL) -> dict[str, Any]:
    """Return every struct of a library's interface as a class of ctypes.

    Parameters
    ----------
    library : ctypes.CDLL
        The library; it must export `ruckle_members`.

    Returns
    -------
    dict from names, such as "ruckle_options", to classes

    Raises
    ------
    OSError
        ctypes lays out a struct differently from the library's compiler.
    """
    members = library.ruckle_members
    members.restype = ctypes.POINTER(_Member)
    count = ctypes.c_int32()
    rows = members(ctypes.byref(count))
    found: dict[str, Any] = {}
    for row in rows[: count.value]:
        structure, name = row.structure.decode(), row.name.decode()
        if name:
            found[structure].append((name, _kind(row.type.decode(), row.size, found), row.offset))
        else:
            found = {key: _class(key, value) for key, value in found.items()}
            found[structure] = [("", None, row.size)]
    return {key: _class(key, value) for key, value in found.items()}


def _class(structure: str, rows: Any) -> Any:
    """Return the ctypes class of a struct. `rows` are its size and members; if `rows` is a class, return `rows`."""
    if not isinstance(rows, list):
        return rows
    (_, _, size), *members = rows
    made: Any = type(structure, (ctypes.Structure,), {"_fields_": [(name, kind) for name, kind, _ in members]})
    for name, _, offset in members:
        found = getattr(made, name).offset
        if found != offset:
            raise OSError(f"{structure}.{name}: is at byte {offset} of the library's struct, not {found}")
    if ctypes.sizeof(made) != size:
        raise OSError(f"{structure}: has {size} bytes in the library, not {ctypes.sizeof(made)}")
    return made


def _kind(type_name: str, size: int, found: dict[str, Any]) -> Any:
    """Return the ctypes type of a member of `size` bytes; an array if they are several of its type.

    Pointers to structs and functions become `c_void_p`. `found` contains the classes of earlier structs.
    """
    name = type_name.removeprefix("const ")
    if name == "char*":
        one: Any = ctypes.c_char_p
    elif name == "char*const*":
        one = ctypes.POINTER(ctypes.c_char_p)
    elif name.endswith("*"):
        pointed = name.rstrip("*")
        one = ctypes.POINTER(SCALARS[pointed]) if pointed in SCALARS else ctypes.c_void_p
    elif name == "function":
        one = ctypes.c_void_p
    else:
        one = SCALARS[name] if name in SCALARS else found[name]
    length = size // ctypes.sizeof(one)
    return one if length == 1 else length * one
