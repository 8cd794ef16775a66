"""Draw a sheet of rendered garments: coarse, wrinkled and enlarged. Without files, draw the packaged samples.

python examples/render_sheet.py                                           all samples
python examples/render_sheet.py ../shared/data/sequences/*.npz --samples  these files, and the samples first
python examples/render_sheet.py sawing jeans.npz --tau 1.25 -o sheet.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import ruckle
from ruckle.film import SheetCell, draw_cell, draw_render_sheet, film_writer


def cell(name: str, *, pane: int, tau: float, r_min: str) -> SheetCell | None:
    """Draw one garment; None if the file does not contain an animation."""
    try:
        animation = ruckle.sample(name) if name in ruckle.samples() else ruckle.load(name)
    except ruckle.FormatError as error:
        print(f"left out: {error}")
        return None
    drawn = draw_cell(animation, pane, tau=tau, r_min=r_min)
    print(f"{drawn.title}: {drawn.caption}")
    return drawn


def main() -> None:
    """Draw the sheet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("garments", nargs="*", metavar="FILE|SAMPLE")
    parser.add_argument("--samples", action="store_true", help="draw all samples, before the files")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/render_sheet.png"))
    parser.add_argument("--tau", type=float, default=1.4)
    parser.add_argument("--r-min", default="0.5%")
    parser.add_argument("--pane", type=int, default=400, help="side of one picture in pixels")
    parser.add_argument("--columns", type=int, default=2, help="number of garments side by side")
    options = parser.parse_args()
    names = [*(ruckle.samples() if options.samples or not options.garments else []), *options.garments]
    cells = [cell(name, pane=options.pane, tau=options.tau, r_min=options.r_min) for name in names]
    sheet = draw_render_sheet([drawn for drawn in cells if drawn], columns=options.columns)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with film_writer(options.output, size=(sheet.shape[1], sheet.shape[0]), fps=1.0) as picture:
        picture.append(sheet)
        picture.finish()
    print(options.output)


if __name__ == "__main__":
    main()
