"""The colours of labels and of compression, distinguishable for colour-blind readers and in print."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb
from numpy.typing import ArrayLike, NDArray

__all__ = ["COMPRESSION_MAP", "INK", "LABELS", "MUTED", "PAPER", "blushing", "compression_colors", "label_colors"]

Float64 = NDArray[np.float64]

# The thesis's hues: blue compression, green rest, red stretch. Rest is pale, so that the three also differ in
# lightness: one reader in twelve cannot distinguish red from green, but can distinguish dark from light.
LABELS = {"compression": "#2f6db5", "rest": "#c6dcc0", "stretch": "#d2492f"}

# Colours of text, and of less important text.
INK = "#20262e"
MUTED = "#6c7682"

# From paper through magma's orange and plum, with evenly falling lightness. Without magma's yellow, which looks muddy
# in shade, and without its darkest part, in which shading is invisible.
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

# Largest share of red in cloth, which shows compression without hiding paths; and the compression that it stands for.
BLUSH, BLUSH_TOP = 0.42, 2.0


def label_colors(labels: ArrayLike) -> Float64:
    """Return the colour (T, 3), RGB from 0 to 1, of each label (T,): 0 compression, 1 rest, 2 stretch."""
    palette = np.array([to_rgb(color) for color in LABELS.values()])
    colors: Float64 = palette[np.asarray(labels)]
    return colors


def compression_colors(compression: ArrayLike, top: float) -> Float64:
    """Return the colour of each compression.

    Parameters
    ----------
    compression : (T,) float
    top : float, > 1
        Compression at the upper end of the colour map, whose lower end is 1.

    Returns
    -------
    (T, 3) float64
        RGB from 0 to 1.
    """
    shares = (np.asarray(compression, np.float64) - 1.0) / (top - 1.0)
    colors: Float64 = np.asarray(COMPRESSION_MAP(np.clip(shares, 0.0, 1.0)), np.float64)[:, :3]
    return colors


def blushing(compression: ArrayLike, cloth: ArrayLike) -> Float64:
    """Return colours (T, 3) of cloth of one colour (3,) that turns red with compression; RGB from 0 to 1."""
    blush = compression_colors(compression, BLUSH_TOP) - compression_colors([1.0], BLUSH_TOP)
    colors: Float64 = np.clip(np.asarray(cloth) + BLUSH * blush, 0.0, 1.0)
    return colors
