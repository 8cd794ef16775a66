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
        Number in the source, such as "3.3" or "table-8.1" of Peters's thesis. For other papers, the number starts with
        the first author, as in "hadap-5".
    title : str
        Subject in a few words.
    claim : str
        The claim of the source text, in one sentence.
    module : str
        Module of `package` that measures and draws the figure.
    function : str
        The module's function that returns its `Drawing`.
    options : mapping
        Keyword arguments of `function`.
    package : str
        Full name of the package that contains `module`.
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
        """Name for readers: "Figure 3.3", "Table 8.1" or "Hadap 5"."""
        kind, _, number = self.number.rpartition("-")
        return f"{kind.capitalize() or 'Figure'} {number}"
