"""Procedural tiles of fabrics: heights and brightness of threads, stitches and grain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["felt", "jersey", "knit", "leather", "satin", "shirting", "twill", "weave"]

Float64 = NDArray[np.float64]

# Number of texels along a side of a tile.
SIDE = 256


def _places() -> tuple[Float64, Float64]:
    y, x = (np.mgrid[0:SIDE, 0:SIDE] + 0.5) / SIDE
    return x, y


def _noise(seed: int, widest: int, finest: int) -> Float64:
    """Return periodic noise with standard deviation 1, with `widest` (fewest) to `finest` (most) waves per side."""
    spectrum = np.fft.rfft2(np.random.default_rng(seed).normal(size=(SIDE, SIDE)))
    waves = np.hypot(np.fft.fftfreq(SIDE, 1 / SIDE)[:, None], np.fft.rfftfreq(SIDE, 1 / SIDE)[None])
    found: Float64 = np.fft.irfft2(spectrum * ((waves >= widest) & (waves <= finest)), (SIDE, SIDE))
    scaled: Float64 = found / found.std()
    return scaled


def weave(threads: int = 32, step: int = 1) -> tuple[Float64, Float64]:
    """Return heights and brightness of a weave with uneven threads.

    With `step` 1 (plain weave), every second warp thread is above a weft thread. Otherwise, two warp threads are above
    it and the next two below. The pattern shifts by `step` warp threads from one weft thread to the next.
    """
    x, y = _places()
    # threads are not exactly straight, and their thickness varies
    across = threads * x + 0.10 * _noise(1, 1, 6)
    along = threads * y + 0.10 * _noise(2, 1, 6)
    period = 2 if step == 1 else 4
    over = (np.floor(across) + step * np.floor(along)) % period < period / 2
    warp, weft = (np.sqrt(np.clip(1 - (2 * (place % 1.0) - 1) ** 2, 0, 1)) for place in (across, along))
    heights = np.where(over, 0.4 + warp, 0.4 + weft) * np.where(over, weft**0.3, warp**0.3)
    return heights, 0.75 + 0.25 * heights / heights.max() + 0.05 * _noise(3, 2, 40)


def shirting() -> tuple[Float64, Float64]:
    """Return a plain weave with stripes of dyed warp threads, as in shirts."""
    heights, brightness = weave(threads=36)
    x, _ = _places()
    is_dyed = np.clip(8.0 * (0.36 - np.abs(2.0 * x - 1.0)) + 0.5, 0.0, 1.0)
    return heights, brightness * (1.0 - 0.42 * is_dyed)


def jersey() -> tuple[Float64, Float64]:
    """Return a fine stocking stitch, as in T-shirts."""
    return knit(columns=20, rows=28, uneven=0.10)


def knit(columns: int = 8, rows: int = 10, uneven: float = 0.05) -> tuple[Float64, Float64]:
    """Return a stocking stitch: columns of V shapes. Each V has two slanted legs of twisted yarn."""
    x, y = _places()
    column = (columns * x + uneven * _noise(4, 1, 4)) % 1.0 - 0.5
    # shift rows by the distance from the middle of a column, which gives the V shape
    along = (rows * y + 0.9 * np.abs(column) + uneven * _noise(5, 1, 4)) % 1.0 - 0.5
    yarn = np.cos(2.0 * np.pi * (np.abs(column) - 0.25)).clip(0.0)
    body = np.cos(np.pi * along).clip(0.0) ** 0.7
    twist = 0.06 * np.sin(2 * np.pi * (3 * along + 4 * np.abs(column)))
    heights = body * (0.35 + yarn**0.6) + twist * body
    return heights, 0.45 + 0.55 * heights / heights.max() + 0.03 * _noise(6, 8, 90)


def twill(threads: int = 24) -> tuple[Float64, Float64]:
    """Return three-one twill: diagonal ridges of dyed warp threads with light weft threads between them."""
    x, y = _places()
    across, along = threads * x + 0.12 * _noise(7, 1, 8), threads * y + 0.08 * _noise(8, 1, 8)
    diagonal = (across + along) / 4 % 1.0
    ridge = np.clip(np.cos(2 * np.pi * (diagonal - 0.5)) + 0.45, 0, None) ** 0.7
    warp = np.sqrt(np.clip(1 - (2 * (across % 1.0) - 1) ** 2, 0, 1))
    is_weft = diagonal < 0.22
    heights = ridge * (0.5 + 0.5 * warp) + 0.2 * is_weft
    # indigo dyes some threads more than others, which gives streaks along the warp
    slubs = np.repeat(np.random.default_rng(9).normal(size=threads), SIDE // threads + 1)[:SIDE]
    uneven = (1 + 0.06 * slubs + 0.10 * _noise(9, 1, 30)).clip(0.3)
    return heights, np.where(is_weft, 2.4, 0.80) * (0.8 + 0.2 * warp) * uneven


def felt() -> tuple[Float64, Float64]:
    """Return felted wool: disordered fibres in several shades."""
    fibres = _noise(10, 4, 30) + 0.8 * _noise(11, 30, 80)
    return fibres, (1 + 0.10 * _noise(12, 1, 12) + 0.14 * _noise(13, 20, 90)).clip(0.2)


def satin() -> tuple[Float64, Float64]:
    """Return satin: long, nearly smooth threads along the tile's width."""
    _, y = _places()
    heights = np.abs(np.sin(np.pi * (48 * y + 0.1 * _noise(14, 1, 6)))) ** 0.5
    return heights, np.ones_like(heights)


def leather() -> tuple[Float64, Float64]:
    """Return leather grain: uneven cells with furrows between them (Worley 1996: second minus first distance)."""
    x, y = _places()
    cells = 15
    shift = np.random.default_rng(5).uniform(0.1, 0.9, size=(2, cells, cells))
    x, y = cells * (x + 0.004 * _noise(15, 4, 20)), cells * y
    distances = []
    for i, j in np.ndindex(3, 3):
        column, row = np.floor(x).astype(int) + i - 1, np.floor(y).astype(int) + j - 1
        across, upward = shift[:, row % cells, column % cells]
        distances.append(np.hypot(column + across - x, row + upward - y))
    first, second = np.sort(distances, axis=0)[:2]
    grain = np.sqrt(np.minimum((second - first) / 0.5, 1.0)) + 0.08 * _noise(16, 1, 12)
    return grain, 0.8 + 0.2 * grain / grain.max()
