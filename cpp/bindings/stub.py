"""Write python/ruckle/_core.pyi, the types of the compiled core, from the signatures that pybind11 has found.

python cpp/bindings/stub.py [--check]

Requires the installed package ruckle, pybind11-stubgen and ruff. With --check, the script does not write the file; it
ends with an error if the file is out of date.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import ruckle

STUB = Path(__file__).resolve().parents[2] / "python" / "ruckle" / "_core.pyi"
HEADER = '''"""Types of the compiled core.

Generated from the compiled module by `make stub`: edit cpp/bindings.
"""
'''


def generated() -> str:
    """Return the stub of the compiled module."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pybind11_stubgen", "ruckle._core", "-o", folder, "--exit-code"]
        command += ["--ignore-invalid-expressions", ".*accessor.*"]  # for __reduce__, which is removed below
        package = {"PYTHONPATH": str(Path(ruckle.__file__).parents[1])}
        subprocess.run(command, check=True, env=package, stdout=subprocess.DEVNULL)
        text = (Path(folder) / "ruckle" / "_core.pyi").read_text(encoding="utf-8")
    text = re.sub(r'^""".*?"""\n', HEADER, text, flags=re.DOTALL)
    text = re.sub(r"^__all__.*\n", "", text, flags=re.MULTILINE)
    # arrays of structs
    text = re.sub(r"numpy\.dtypes\.VoidDType\b.*", "numpy.dtype[numpy.void]", text)
    # removes methods that only Python calls
    text = re.sub(r"    def __(?:reduce|repr)__.*\n        \.\.\.\n", "", text)
    text = text.replace("typing.SupportsInt | typing.SupportsIndex", "int")
    text = text.replace("typing.SupportsFloat | typing.SupportsIndex", "float")
    text = re.sub(r"collections\.abc\.Sequence(?!\[)", "collections.abc.Sequence[typing.Any]", text)
    text = text.replace("dict[str, object]", "dict[str, typing.Any]")
    text = text.replace("import numpy.dtypes\n", "").replace("ruckle._core.", "")
    for words in (["check", "--select", "I", "--fix", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *words, "--stdin-filename", str(STUB), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main() -> None:
    """Write the stub. With --check, end with an error if the existing stub is different."""
    text = generated()
    if "--check" not in sys.argv[1:]:
        STUB.write_text(text, encoding="utf-8")
    elif STUB.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{STUB.name} is out of date; run `make stub`")


if __name__ == "__main__":
    main()
