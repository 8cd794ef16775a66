"""The core as WebAssembly: its results have the same bits as the results of the Python package."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ruckle
from ruckle.experiments.bench.bits import DISPLACED, published, settings

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="needs Node: apt install nodejs")


def test_exact_samples_give_the_hashes_of_the_table(core: Path, tmp_path: Path) -> None:
    for name in ruckle.samples():
        animation = ruckle.sample(name)
        ruckle.weld(animation.positions[0], animation.faces).astype(np.int32).tofile(tmp_path / f"{name}.faces")
        animation.positions.tofile(tmp_path / f"{name}.positions")
        if animation.rest_positions is not None:
            animation.rest_positions.tofile(tmp_path / f"{name}.rest")
    rows = []
    for sample, tau, r_min in settings():
        animation = ruckle.sample(sample)
        radius = float(r_min.removesuffix("%")) / 100 * animation.height
        rows.append(
            {
                "faces": str(tmp_path / f"{sample}.faces"),
                "positions": str(tmp_path / f"{sample}.positions"),
                "rest": None if animation.rest_positions is None else str(tmp_path / f"{sample}.rest"),
                "vertexCount": animation.vertex_count,
                "dt": 1 / animation.fps,
                "displaced": DISPLACED,
                "options": {"tau": tau, "r_min": radius},
            }
        )
    (tmp_path / "settings.json").write_text(json.dumps(rows))
    command = ["node", Path(__file__).with_name("hash_samples.mjs"), core, tmp_path / "settings.json"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = [dict(zip(("wrinkles", "meshes"), line.split(), strict=True)) for line in printed.splitlines()]
    assert dict(zip(map(str, settings()), found, strict=True)) == published()
