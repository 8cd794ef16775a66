"""Write a program that compiles and runs the example of each public C++ header: header_examples.py RESULT."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

HEADERS = Path(__file__).resolve().parents[1] / "include" / "ruckle"
RUN = """template <class Example>
void run() {
    Example example;
    try {
        example.run();
    } catch (const ruckle::FileError&) {
        // the inputs contain no file
    }
}

"""
START, INDENT = "// Example:", "//     "


def example(header: Path) -> Iterator[str]:
    """Yield the lines of a header's example, which follow the line `// Example:`."""
    head = header.read_text(encoding="utf-8").partition("#pragma once")[0].splitlines()
    if START not in head:
        sys.exit(f"{header}: has no example before #pragma once")
    found = head[head.index(START) + 1 :]
    for line in found:
        if not line.startswith(INDENT):
            break
        yield line.removeprefix(INDENT)


def program() -> str:
    """Return the text of the C++ program."""
    bodies, calls = [], []
    for header in sorted(HEADERS.rglob("*.h")):
        if header.name.startswith("ruckle_c"):
            continue
        name = header.relative_to(HEADERS).with_suffix("").as_posix().replace("/", "_")
        bodies.append(f"struct {name}_example : ruckle::tests::ExampleInputs {{\n    void run() {{\n")
        bodies.extend(f"        {line}\n" for line in example(header))
        bodies.append("    }\n};\n\n")
        calls.append(f"    run<{name}_example>();\n")
    return "".join(['#include "example_inputs.h"\n\n', *bodies, RUN, "int main() {\n", *calls, "}\n"])


Path(sys.argv[1]).write_text(program(), encoding="utf-8")
