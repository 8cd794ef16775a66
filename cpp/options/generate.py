"""Write all files that repeat the options: C++ and C structs, tables, conversions, types of Python and JavaScript.

python cpp/options/generate.py [--check | --tables FILE]

The TOML files in this folder declare each option once. The script requires only Python's standard library. With
--check, the script does not write files; it fails with a list of the files that are out of date. With --tables, the
script only writes the tables for the Python bindings; the build calls it so.
"""

from __future__ import annotations

import sys
from pathlib import Path

import write_c
import write_cpp
import write_python
import write_web
from table import ROOT, read_rooms

COMMAND = "make options"
COPY = f"# A copy of python/ruckle/c_structures.py by `{COMMAND}`: edit that file.\n"


def generated() -> dict[Path, str]:
    """Return a dictionary from the path of each generated file to its text."""
    rooms = read_rooms()
    files = {ROOT / f"cpp/include/ruckle/{name}/parameters.h": write_cpp.header(room) for name, room in rooms.items()}
    files |= {ROOT / f"python/ruckle/{name}/parameters.py": write_python.module(room) for name, room in rooms.items()}
    header = write_c.header(rooms)
    texts = (
        header,
        write_c.conversions_header(rooms),
        write_c.conversions(rooms),
        write_c.members(write_c.headers(header)),
    )
    files |= dict(zip(write_c.paths(), texts, strict=True))
    # Blender's add-on works without the Python package, so it contains a copy of this module
    reader = (ROOT / "python/ruckle/c_structures.py").read_text(encoding="utf-8")
    files[ROOT / "examples/blender/ruckle_wrinkles/structures.py"] = (
        f"# SPDX-License-Identifier: GPL-3.0-or-later\n{COPY}{reader}"
    )
    files[ROOT / "examples/web/kit/options.mjs"] = write_web.module(rooms)
    return files


def outdated() -> list[Path]:
    """Return the paths of generated files that are out of date."""
    return [path for path, text in generated().items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def main() -> None:
    """Write all files that are out of date and print their paths. With --check, fail with their paths instead."""
    if "--tables" in sys.argv[1:]:
        Path(sys.argv[2]).write_text(write_cpp.all_tables(read_rooms()), encoding="utf-8")
        return
    files = outdated()
    if "--check" in sys.argv[1:]:
        if files:
            raise SystemExit(
                f"out of date: {', '.join(str(path.relative_to(ROOT)) for path in files)}; run `{COMMAND}`"
            )
        return
    texts = generated()
    for path in files:
        path.write_text(texts[path], encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
