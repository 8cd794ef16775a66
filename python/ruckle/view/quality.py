"""Picture quality of the viewer: reduced quality during motion, if full quality is slow."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

__all__ = ["DRAFT", "FINE", "SLOW", "STILL", "Quality"]


@dataclass(frozen=True)
class Quality:
    """Quality settings of a scene.

    Attributes
    ----------
    samples : int
        Samples per pixel.
    scale : float
        Pixels of the drawn picture per pixel of the screen, along each side.
    most_pixels : float
        Maximum number of pixels of the drawn picture.
    """

    samples: int
    scale: float
    most_pixels: float = inf

    def size(self, width: float, height: float) -> tuple[int, int]:
        """Return the picture size for an area of `width` x `height` screen pixels."""
        scale = min(self.scale, sqrt(self.most_pixels / max(width * height, 1.0)))
        return max(2, round(scale * width)), max(2, round(scale * height))


FINE, DRAFT = Quality(4, 1.0), Quality(1, 0.5, 100_000)

# If a full-quality picture takes more than SLOW ms, reduced quality is used during motion. Full quality follows STILL
# seconds after the last motion.
SLOW, STILL = 60.0, 0.25
