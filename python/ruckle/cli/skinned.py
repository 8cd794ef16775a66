"""`ruckle simulate GARMENT --skinned`: simulate fine cloth of skinned garments that does not track coarse cloth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from ruckle.cli.console import Voice, section
from ruckle.offline.simulation.skinned import SELF_DISTANCE, open_skinned, simulate_skinned
from ruckle.offline.simulation.truth_scene import load_truth

__all__ = ["simulate_all_skinned"]


def simulate_all_skinned(
    garment: str,
    motions: Sequence[Path | None],
    variants: Sequence[str],
    output: Path,
    voice: Voice,
    *,
    body: Path | None,
    pins: Sequence[str],
    soft_pins: Sequence[str],
    edge: float,
    self_distance: float,
    **options: Any,
) -> None:
    """Simulate a garment in every motion and variant, and write OUTPUT/NAME.npz, if this file does not exist.

    Parameters
    ----------
    garment : str
        Name of a sample garment, or a path.
    motions : sequence of path, or None for the garment's own
    variants : sequence of str
    output : path
    voice : Voice
    body, pins, soft_pins, edge
        See `open_skinned`.
    self_distance : float, metres
        Distance that is kept between layers of the cloth; 0 means the default of `simulate_skinned`.
    **options
        Other options of `simulate_skinned`.
    """
    rows, reports = [], []
    for motion, variant in product(motions, variants):
        skinned = open_skinned(garment, motion, body, pins=pins, soft_pins=soft_pins, variant=variant, edge=edge)
        scene = skinned.scene
        path = output / f"{scene.name}.npz"
        if path.exists():
            voice.note(f"{path} is complete")
            report = load_truth(path).report
        else:
            frames = options.get("frames")
            count = scene.frame_count if frames is None else min(scene.frame_count, scene.warm + frames)
            with voice.progress(path.name, count) as advance:
                made = simulate_skinned(
                    skinned, self_distance=self_distance or SELF_DISTANCE, progress=lambda _: advance(1), **options
                )
            made.save(path)
            report = made.report
        reports.append({"file": str(path), **report})
        strains = " ".join(f"{strain:.3f}" for strain in report["edge_strain"])
        rows.append([str(path), f"{report['seconds']:.0f}", str(report["crossings"]), strains])
    voice.say(section("scenes", ["<file", ">seconds", ">crossings", ">strain p1 p99 least largest"], rows))
    voice.report(reports)
