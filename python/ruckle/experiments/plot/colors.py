"""Colours of labels and of compression, distinguishable for colour-blind readers and in black-and-white print."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb
from numpy.typing import ArrayLike, NDArray

__all__ = ["COMPRESSION_MAP", "INK", "LABELS", "MUTED", "PAPER", "blushing", "compression_colors", "label_colors"]

Float64 = NDArray[np.float64]

# The hues of Peters's thesis: blue for compression, green for rest, red for stretch. Rest is pale, because some readers
# cannot distinguish red from green, but can distinguish light from dark.
LABELS = {"compression": "#2f6db5", "rest": "#c6dcc0", "stretch": "#d2492f"}

# Colours of text, and of secondary text.
INK = "#20262e"
MUTED = "#6c7682"

# A ramp from paper through orange and plum of matplotlib's magma, with uniformly decreasing lightness. Magma's yellow
# is excluded because it looks muddy in shade. Its darkest part is excluded because shading is invisible there.
PAPER = "#f5f1e8"
_FROM, _TO = 0.22, 0.84
COMPRESSION_MAP: Colormap = LinearSegmentedColormap.from_list(
    "compression",
    [
        (0.0, PAPER),
        *(
            (_FROM + (share - _FROM) * (1 - _FROM) / (_TO - _FROM), colormaps["magma_r"](share))
            for share in np.linspace(_FROM, _TO, 64)
        ),
    ],
)

# Largest share of red in the colour of cloth, so that paths remain visible; compression with this largest share.
BLUSH, BLUSH_TOP = 0.42, 2.0


def label_colors(labels: ArrayLike) -> Float64:
    """Return the RGB colour (T, 3), 0 to 1, of each label (T,): 0 compression, 1 rest, 2 stretch."""
    palette = np.array([to_rgb(color) for color in LABELS.values()])
    colors: Float64 = palette[np.asarray(labels)]
    return colors


def compression_colors(compression: ArrayLike, top: float) -> Float64:
    """Return the colour of each compression value.

    Parameters
    ----------
    compression : (T,) float
    top : float, > 1
        Compression at the upper end of the colour map. The lower end is 1.

    Returns
    -------
    (T, 3) float64
        RGB from 0 to 1.
    """
    shares = (np.asarray(compression, np.float64) - 1.0) / (top - 1.0)
    colors: Float64 = np.asarray(COMPRESSION_MAP(np.clip(shares, 0.0, 1.0)), np.float64)[:, :3]
    return colors


def blushing(compression: ArrayLike, cloth: ArrayLike) -> Float64:
    """Return colours (T, 3), RGB from 0 to 1, of cloth that becomes red with compression.

    `cloth` is its base colour.
    """
    blush = compression_colors(compression, BLUSH_TOP) - compression_colors([1.0], BLUSH_TOP)
    colors: Float64 = np.clip(np.asarray(cloth) + BLUSH * blush, 0.0, 1.0)
    return colors
