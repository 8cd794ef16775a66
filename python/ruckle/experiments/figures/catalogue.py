"""Catalogue of all figures that are drawn from our data, with functions that choose and draw figures."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from ruckle.experiments.figures.entry import Entry
from ruckle.experiments.figures.hadap1999.catalogue import HADAP_1999
from ruckle.experiments.figures.kavan2011.catalogue import KAVAN_2011
from ruckle.experiments.figures.peters2015.catalogue import PETERS_2015
from ruckle.experiments.figures.truth.catalogue import TRUTH
from ruckle.experiments.figures.wang2010.catalogue import WANG_2010
from ruckle.experiments.figures.waves.catalogue import WAVES

if TYPE_CHECKING:
    from ruckle.experiments.figures.drawing import Drawing

__all__ = ["CATALOGUE", "choose", "draw"]

CATALOGUE = (*PETERS_2015, *HADAP_1999, *WANG_2010, *KAVAN_2011, *WAVES, *TRUTH)


def choose(numbers: Sequence[str]) -> list[Entry]:
    """Return the entries with the given numbers, in the catalogue's order; all entries if `numbers` is empty.

    Parameters
    ----------
    numbers : sequence of str
        Numbers of figures or tables, such as "3.3" or "table-8.1".

    Raises
    ------
    ValueError
        A number is unknown. The message names the most similar number, or all numbers.
    """
    known = [entry.number for entry in CATALOGUE]
    for number in numbers:
        if number not in known:
            near = get_close_matches(number, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"allowed are {', '.join(known)}"
            raise ValueError(f"figure: no figure is called '{number}'; {hint}")
    return [entry for entry in CATALOGUE if not numbers or entry.number in numbers]


def draw(entry: Entry) -> Drawing:
    """Measure and draw one figure.

    Parameters
    ----------
    entry : Entry
        An element of `CATALOGUE`.

    Returns
    -------
    Drawing
        A matplotlib figure, a caption and the source of its inputs.

    Raises
    ------
    GraphicsError
        The figure is rendered and OpenGL is missing. The message names the package to install.
    ModuleNotFoundError
        matplotlib is not installed, or the figure is rendered and moderngl is not installed.
    """
    function = getattr(import_module(f"{entry.package}.{entry.module}"), entry.function)
    drawing: Drawing = function(**entry.options)
    return drawing
