"""The quality of viewers' pictures: drafts during motion if fine pictures take long."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

__all__ = ["DRAFT", "FINE", "SLOW", "STILL", "Quality"]


@dataclass(frozen=True)
class Quality:
    """How well a scene is drawn.

    Attributes
    ----------
    samples : int
        Per pixel.
    scale : float
        Pixels of the scene for one of the screen, along each side.
    most_pixels : float
        Number of pixels of the whole scene, at any scale.
    """

    samples: int
    scale: float
    most_pixels: float = inf

    def size(self, width: float, height: float) -> tuple[int, int]:
        """Return the size of the picture that is drawn for `width` x `height` pixels of the screen."""
        scale = min(self.scale, sqrt(self.most_pixels / max(width * height, 1.0)))
        return max(2, round(scale * width)), max(2, round(scale * height))


FINE, DRAFT = Quality(4, 1.0), Quality(1, 0.5, 100_000)

# A driver that needs so many milliseconds for a fine picture draws drafts as long as something moves, and the fine one
# when everything has been still for so many seconds.
SLOW, STILL = 60.0, 0.25
