"""The table of file formats: it contains every reader, and the docstring of `load` lists all its extensions."""

import re
from pathlib import Path

import ruckle
from ruckle.io import FORMATS

FOLDER = Path(ruckle.__file__).parent / "io"


def test_exact_every_reader_is_registered() -> None:
    # a module of ruckle.io is a reader if it has a function read(path, budget, ...)
    readers = {path.stem for path in FOLDER.glob("*.py") if re.search(r"^def read\(", path.read_text(), re.MULTILINE)}
    registered = set(re.findall(r"\b(\w+)\.read\b", (FOLDER / "__init__.py").read_text())) - {"form", "self"}
    assert readers == registered


def test_exact_the_docstring_of_load_lists_every_extension_and_option() -> None:
    assert ruckle.load.__doc__ is not None
    for suffix, form in FORMATS.items():
        assert f"`{suffix}`" in ruckle.load.__doc__
        assert form.help in ruckle.load.__doc__
