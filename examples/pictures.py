"""Redraw the pictures of README.md and docs/gallery.md.

python examples/pictures.py                        all pictures, in half an hour
python examples/pictures.py looks sawing.gif       pictures whose names begin with one of these words
python examples/pictures.py --into out/pictures    into another folder than examples/
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from ruckle.film.caption import captioned

EXAMPLES = Path(__file__).resolve().parent

# Arguments of `ruckle render` for each picture.
RENDERED = {
    "sawing.gif": "sawing --before-after --look jersey --color #7a90ae --size 600x400 --frames 40:130 --rate 15",
    "sawing.png": "sawing --paths --before-after --frame 83 --size 1440x960",
    "layers/paths.png": "sawing --paths --frame 83 --size 360x480",
    "layers/waves.png": "sawing --frame 83 --size 360x480",
    "layers/patterns.png": "shoveling --pattern strokes --frame 104 --size 360x480",
    "looks/cotton.png": "chopping --look cotton --frame 71 --size 480x640",
    "looks/jersey.png": "sawing --look jersey --frame 83 --size 480x640",
    "looks/knit.png": "fist_pumping --look knit --frame 60 --size 480x640",
    "looks/denim.png": "shoveling --look denim --frame 104 --size 480x640",
    "looks/wool.png": "sawing --look wool --frame 60 --size 480x640",
    "looks/leather.png": "sawing --look leather --frame 60 --size 480x640",
    "looks/silk.png": "dancing --look silk --frame 161 --size 480x640",
}
# Arguments of `ruckle sweep` for the picture sweep.png.
SWEPT = "sawing chopping fist_pumping stretching jumping_jack shoveling --tau 1.15:1.45:7 --r-min 0.25%,0.5%,1%"
# Picture -> example that draws it.
SCRIPTS = {name: f"{Path(name).stem}.py" for name in ("parameters.png", "patterns.png", "poses.png", "cloth.png")}
# Picture -> pictures that are put side by side in it.
JOINED = {"looks.png": [name for name in RENDERED if name.startswith("looks/")]}


def draw(name: str, into: Path) -> None:
    """Draw one picture into a folder."""
    picture = into / name
    picture.parent.mkdir(parents=True, exist_ok=True)
    if name in JOINED:
        parts = [np.asarray(Image.open(into / part).convert("RGB").resize((240, 320))) for part in JOINED[name]]
        Image.fromarray(np.concatenate(parts, axis=1)).save(picture, optimize=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / picture.name
        if name in RENDERED:
            command = ["-m", "ruckle", "render", *RENDERED[name].split(), "-q", "-o", str(made)]
        elif name in SCRIPTS:
            command = [str(EXAMPLES / SCRIPTS[name]), str(made)]
        elif name == "sweep.png":
            made = Path(folder) / "heat_map.png"
            command = ["-m", "ruckle", "sweep", *SWEPT.split(), "--workers", "1", "-q", "-o", folder]
        else:
            command = ["-m", "ruckle", "run", "sawing", "-q", "-o", f"{folder}/run.npz", "--picture", str(made)]
        subprocess.run([sys.executable, *command], check=True)
        picture.write_bytes(made.read_bytes())
    if name in RENDERED and "--before-after" not in RENDERED[name]:
        pane = captioned(np.asarray(Image.open(picture).convert("RGB")), picture.stem)
        Image.fromarray(pane).save(picture, optimize=True)


def main() -> None:
    """Draw the chosen pictures. Joined pictures come last, because they consist of others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="draw only pictures whose names begin with NAME  [default: all]"
    )
    parser.add_argument("--into", type=Path, default=EXAMPLES, metavar="FOLDER")
    options = parser.parse_args()
    for name in [*RENDERED, "sawing_labels.png", "sweep.png", *SCRIPTS, *JOINED]:
        if not options.names or name.startswith(tuple(options.names)):
            draw(name, options.into)
            print(options.into / name)


if __name__ == "__main__":
    main()
