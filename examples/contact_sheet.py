"""Draw a contact sheet of wrinkle paths. Each row is a garment: a packaged sample or a file.

python examples/contact_sheet.py                                   all samples
python examples/contact_sheet.py ../shared/data/sequences/*.npz    these files
python examples/contact_sheet.py sawing jeans.npz --tau 1.25 --back -o sheet.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import ruckle
from ruckle.experiments.plot import Projection, SheetRow, check_picture, draw_contact_sheet


def row(name: str, *, tau: float, r_min: str, count: int) -> SheetRow | None:
    """Run one garment; None if the file does not contain an animation."""
    try:
        animation = ruckle.sample(name) if name in ruckle.samples() else ruckle.load(name)
    except ruckle.FormatError as error:
        print(f"left out: {error}")
        return None
    if animation.frame_count < 2:
        print(f"left out: {name}: does not move")
        return None
    frames = list(ruckle.run(animation, tau=tau, r_min=r_min))
    alive = sum(len(frame.wrinkles) for frame in frames) / len(frames)
    print(f"{animation.name}: {alive:.1f} wrinkles on average")
    return SheetRow.of(animation, frames, count, caption=f"τ {tau:g}, r {r_min}\n{alive:.1f} wrinkles on average")


def main() -> None:
    """Draw the sheet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("garments", nargs="*", default=ruckle.samples(), metavar="FILE|SAMPLE")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/contact_sheet.png"))
    parser.add_argument("--tau", type=float, default=1.4)
    parser.add_argument("--r-min", default="0.5%")
    parser.add_argument("--count", type=int, default=5, help="number of frames to draw of each garment")
    parser.add_argument("--back", action="store_true", help="show garments from behind")
    options = parser.parse_args()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    check_picture(options.output)
    found = (row(name, tau=options.tau, r_min=options.r_min, count=options.count) for name in options.garments)
    rows = [garment for garment in found if garment]
    if not rows:
        parser.error("garments: expected at least one animation, got none")
    projection = Projection(azimuth=202.0) if options.back else Projection()
    draw_contact_sheet(rows, projection=projection).savefig(options.output, dpi="figure")
    print(options.output)


if __name__ == "__main__":
    main()
