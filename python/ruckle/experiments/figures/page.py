"""The index page: every figure with the claim of the source text, its caption, and its inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from ruckle.errors import GraphicsError
from ruckle.experiments.figures.catalogue import draw
from ruckle.experiments.figures.entry import Entry
from ruckle.io.replacing import replacing

__all__ = ["PAGE", "write_figures"]

PAGE = "index.html"

_HEAD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ruckle: figures on our data</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #20262e; background: #fbfaf7; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.05rem; margin: 0 0 .3rem; }
nav a { color: #2f6db5; margin-right: .7rem; white-space: nowrap; }
section { background: white; border: 1px solid #e4e0d6; border-radius: .5rem; padding: 1rem 1.2rem; margin: 1.2rem 0; }
img { max-width: 100%; display: block; margin: .6rem auto; }
p { margin: .3rem 0; }
.parameters, .absent { color: #6c7682; font-size: .88rem; }
</style>
<h1>Figures on our data</h1>
<p>Those with a number alone are of C. Peters, <i>A Method for Real-Time Dynamic Cloth Wrinkling</i>, 2015, on the
samples that ship with ruckle; others begin with the first author of their paper: Hadap et al. 1999, Wang et al. 2010,
Kavan et al. 2011. Those called Truth compare every layer with fine simulations. Tests assert the claims on what is
measured for the pictures.</p>
"""


def write_figures(
    folder: Path, entries: Sequence[Entry], advance: Callable[[Entry, str | None], object] | None = None
) -> dict[str, str]:
    """Draw figures into a folder, and write an index page of these figures. Existing files are replaced.

    Pictures of the previous index page that the new page does not show are deleted.

    Parameters
    ----------
    folder : Path
        Folder, which is created if missing.
    entries : sequence of Entry
    advance : callable, optional
        Function that is called after each figure with its entry, and with the reason if the figure could not be drawn.

    Returns
    -------
    dict
        Reasons of the figures that could not be drawn, by figure number.

    Raises
    ------
    ModuleNotFoundError
        A package other than moderngl is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    old = _pictures(folder / PAGE)
    absent: dict[str, str] = {}
    sections = []
    for entry in entries:
        reason = None
        try:
            drawing = draw(entry)
        except (GraphicsError, ModuleNotFoundError) as error:
            if isinstance(error, ModuleNotFoundError) and error.name != "moderngl":
                raise
            reason = absent[entry.number] = str(error)
            sections.append(_section(entry, f'<p class="absent">Not drawn: {escape(reason)}</p>'))
        else:
            picture = f"figure_{entry.number}.png"
            old.discard(picture)
            with replacing(folder / picture) as file:
                file.write(drawing.png())
            sections.append(
                _section(
                    entry,
                    f'<img src="{picture}" alt="{escape(entry.title)}">\n<p>{escape(drawing.seen)}</p>\n'
                    f'<p class="parameters">{escape(drawing.parameters)}</p>',
                )
            )
        if advance is not None:
            advance(entry, reason)
    links = "\n".join(f'<a href="#{entry.number}">{entry.name}</a>' for entry in entries)
    page = f"{_HEAD}<nav>\n{links}\n</nav>\n" + "\n".join(sections) + "</html>\n"
    with replacing(folder / PAGE) as file:
        file.write(page.encode())
    for picture in old:
        (folder / picture).unlink(missing_ok=True)
    return absent


def _pictures(page: Path) -> set[str]:
    """Return the names of the pictures that an existing index page shows; empty if there is no page."""
    text = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
    return set(re.findall(r'<img src="(figure_[\w.-]+\.png)"', text))


def _section(entry: Entry, content: str) -> str:
    return (
        f'<section id="{entry.number}">\n<h2>{entry.name}: {escape(entry.title)}</h2>\n'
        f"<p><i>{escape(entry.claim)}</i></p>\n{content}\n</section>\n"
    )
