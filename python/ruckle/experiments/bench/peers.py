"""Peers for comparisons in the same run: NumPy in double precision, and others.

The peers are not part of the package, because one of them uses the GPL. They are in the folder `tests/benchmarks` of
the source tree.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import click

__all__ = ["load_peer", "peers_option"]

peers_option = click.option(
    "--peers",
    type=click.Path(path_type=Path),
    default=Path("tests/benchmarks"),
    show_default=True,
    help="Folder with scripts that measure other libraries.",
)


def load_peer(folder: Path, name: str) -> ModuleType | None:
    """Import a module from a folder of peers; return None, with a note on standard error, if the file is missing."""
    if not (folder / f"{name}.py").is_file():
        click.echo(f"no peer: {folder} holds no {name}.py; run this in the source tree", err=True)
        return None
    sys.path.insert(0, str(folder.resolve()))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)
