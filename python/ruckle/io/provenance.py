"""Provenance of a result: version of ruckle, source, and parameters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ruckle import _core
from ruckle.mesh.animation import Animation

__all__ = ["provenance", "source_hash"]


def source_hash(animation: Animation) -> str:
    """Return the SHA-256 of an animation's positions, faces and frame rate, as 64 hexadecimal digits.

    Equal motions have equal hashes, also if they are from different files or programs.
    """
    digest = hashlib.sha256()
    for array, kind in ((animation.positions, "<f4"), (animation.faces, "<i4"), (np.array(animation.fps), "<f8")):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array, kind).data)
    return digest.hexdigest()


def provenance(animation: Animation, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the provenance that files store: `version`, `source`, `source_hash`, and `parameters` as JSON."""
    return {
        "version": _core.__version__,
        "source": animation.name,
        "source_hash": source_hash(animation),
        "parameters": json.dumps(dict(parameters), sort_keys=True, default=str),
    }
