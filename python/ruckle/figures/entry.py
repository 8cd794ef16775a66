"""What a catalogue of figures holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Entry"]


@dataclass(frozen=True)
class Entry:
    """One figure or table.

    Attributes
    ----------
    number : str
        As in its text, such as "3.3" or "table-8.1" of the thesis; "hadap-5" of Hadap et al. 1999.
    title : str
    claim : str
        What the text says with it, in one sentence.
    module : str
        Module of `package` that measures and draws it.
    function : str
        The module's function that returns its `Drawing`.
    options : mapping
        That function's arguments.
    package : str
    """

    number: str
    title: str
    claim: str
    module: str
    function: str = "draw"
    options: Mapping[str, object] = field(default_factory=dict)
    package: str = "ruckle.figures.peters2015"

    @property
    def name(self) -> str:
        """As the figure is called in a text: "Figure 3.3"."""
        kind, _, number = self.number.rpartition("-")
        return f"{kind.capitalize() or 'Figure'} {number}"
