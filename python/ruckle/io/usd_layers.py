"""Checks the layers of a USD stage before USD opens them. They must be regular files in the folder of the main file.

A stage is composed of the layers to which its files refer: sublayers, references, payloads, value clips and members of
packages. Subfolders are allowed. Textures are not layers, and USD does not open them.
"""

from __future__ import annotations

import glob
import os
import re
import warnings
from collections import deque
from pathlib import Path
from typing import Any

from ruckle.errors import FormatError
from ruckle.io.library_process import LibraryProcess

__all__ = ["SUFFIXES", "open_stage"]

SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")

# For the time limit: estimated nanoseconds per opened layer.
LAYER_TIME = 1e6

# Largest number of skipped layers that a warning lists by name.
SHOWN = 3

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def open_stage(usd: LibraryProcess) -> dict[str, Any]:
    """Open the file of a process with all layers of its stage. Return the up axis, unit, times and meshes of the stage.

    Missing layers and layers of other formats are skipped. A warning names the first of them.

    Raises
    ------
    FormatError
        A layer is outside the folder, is not a regular file, is damaged, or exceeds the budget.
    """
    root = os.path.abspath(usd.path)
    waiting, known, left_out = deque([root]), {root}, list[str]()
    usd.budget.count(usd.path)
    while waiting:
        usd.budget.spend(LAYER_TIME, str(usd.path))
        answer = usd.ask("layer", identifier=waiting.popleft())
        named = deque(answer["named"])
        while named:
            written, identifier, file, is_numbered = named.popleft()
            if identifier in known:
                continue
            known.add(identifier)
            found = _inside(usd.path, Path(root).parent, written, file)
            if is_numbered:
                pattern = re.sub("#+", "*", glob.escape(found.name))
                named.extend((str(one), str(one), str(one), False) for one in found.parent.glob(pattern))
            elif not found.exists():
                left_out.append(f"{written!r:.80}")
            elif found.suffix.lower() not in SUFFIXES:
                left_out.append(f"{written!r:.80}")
                usd.ask("mute", identifier=identifier)
            else:
                usd.budget.count(found)
                waiting.append(identifier)
    if left_out:
        warnings.warn(
            f"{usd.path}: left out {', '.join(left_out[:SHOWN])}, which do not exist or are not USD files", stacklevel=2
        )
    stage: dict[str, Any] = answer.get("stage") or usd.ask("compose")
    return stage


def _inside(path: Path, folder: Path, written: str, file: str) -> Path:
    """Return the path of a layer's file. FormatError if it is outside the folder, an expression, or not usable."""
    folder = folder.resolve()
    named = f"{path}: names the layer {written!r:.80}"
    if not file:
        raise FormatError(f"{named}, an expression; expressions are not supported")
    try:
        found = (folder / file).resolve()
        found.exists()
    except (OSError, ValueError, RuntimeError) as error:
        # the path is too long, contains a NUL character, or a loop of symbolic links
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(f"{named}, which is not a usable path ({reason})") from error
    if SCHEME.match(written) or not found.is_relative_to(folder):
        raise FormatError(f"{named}, which is not in the folder of the file")
    return found
