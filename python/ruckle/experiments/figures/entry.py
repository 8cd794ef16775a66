"""An entry of a catalogue of figures."""

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
        As in its text, such as "3.3" or "table-8.1" of the thesis; with the first author elsewhere, as "hadap-5".
    title : str
        The subject, in a few words.
    claim : str
        The claim of the text, in one sentence.
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
    package: str = "ruckle.experiments.figures.peters2015"

    @property
    def name(self) -> str:
        """The name on a page: "Figure 3.3", "Table 8.1", "Hadap 5"."""
        kind, _, number = self.number.rpartition("-")
        return f"{kind.capitalize() or 'Figure'} {number}"
