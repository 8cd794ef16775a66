"""Labels that viewers show for modes and comparisons."""

from __future__ import annotations

from ruckle.scene.modes import ModeName
from ruckle.view.exhibit import Comparison

__all__ = ["COMPARISON_WORDS", "MODE_WORDS"]

MODE_WORDS: dict[ModeName, str] = {
    "shaded": "cloth",
    "normals_only": "normals only",
    "geometry_only": "geometry only",
    "wireframe": "wireframe",
    "height": "height",
    "factors": "factors of patterns",
    "labels": "labels",
    "compression": "compression field",
}
COMPARISON_WORDS: dict[Comparison, str] = {"after": "wrinkled", "before": "coarse", "both": "side by side"}
