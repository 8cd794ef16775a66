"""Sliders and menus in a notebook, with a picture that they update."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

from ruckle.experiments.figures.drawing import STRONG, Drawing

__all__ = ["Column", "panel", "widgets"]

# Dots per inch of the picture.
LIVE_RESOLUTION = 90


class Column(NamedTuple):
    """A column of controls (ipywidgets), by name.

    Attributes
    ----------
    controls : dict of ipywidgets
    words, width : str
        Width of the descriptions, and width of the column, as CSS lengths.
    """

    controls: dict[str, Any]
    words: str = "4em"
    width: str = "18em"


def widgets() -> Any:
    """Import ipywidgets and return the module.

    Raises
    ------
    ModuleNotFoundError
        ipywidgets is not installed.
    """
    try:
        import ipywidgets
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'sliders need ipywidgets, which is not installed: pip install "ruckle[notebook]"', name="ipywidgets"
        ) from error
    return ipywidgets


def panel(columns: Sequence[Column], draw: Callable[[dict[str, Any]], Drawing]) -> Any:
    """Return controls for the inputs of `draw`, with the picture. A ValueError of `draw` is shown above the picture."""
    ipywidgets = widgets()
    controls = {name: control for column in columns for name, control in column.controls.items()}
    picture, sentence = ipywidgets.Image(format="png"), ipywidgets.HTML()

    def follow(_: object = None) -> None:
        try:
            picture.value = draw({name: control.value for name, control in controls.items()}).png(LIVE_RESOLUTION)
            sentence.value = ""
        except ValueError as refusal:
            sentence.value = f'<span style="color:{STRONG}">{escape(str(refusal), quote=False)}</span>'

    for column in columns:
        for control in column.controls.values():
            control.style.description_width, control.layout.width = column.words, column.width
            control.observe(follow, names="value")
    follow()
    row = [ipywidgets.VBox(list(column.controls.values())) for column in columns]
    return ipywidgets.VBox([ipywidgets.HBox(row, layout={"flex_flow": "row wrap"}), sentence, picture])
