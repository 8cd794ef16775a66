"""`ruckle bench witnesses`: static cloth against closed forms, other simulators, and measured fabrics.

MuJoCo's flex and Newton's VBD simulate the same scenes if they are installed: `pip install "ruckle[witnesses]"`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ruckle.experiments.bench.report import (
    csv_option,
    json_option,
    machine,
    new_table,
    print_table,
    write_csv,
)
from ruckle.experiments.bench.witness_scenes import (
    WitnessScene,
    bending_length,
    cantilever,
    disc_drape,
    elastica_fall,
    peirce_length,
    sheet_wavelength,
    tensioned_sheet,
)
from ruckle.experiments.bench.witness_simulators import POISSON, SIMULATORS, available, by_ruckle
from ruckle.simulation.material import MATERIALS, Material

__all__ = ["MEASURED", "bench_witnesses", "fabric_rows", "scene_rows"]

# N/m: stretch stiffness of the scenes, and largest stretch stiffness of fabrics. Stiffer cloth requires shorter time
# steps in every simulator. From 20 to 82 N/m, the drape coefficient of one fabric rises by a tenth.
SOFT, SOFT_FABRIC = 20.0, 100.0

CLOSED_FORM = "closed form"

# Simulators that run only the first spacing of a scene, because VBD takes minutes on a CPU.
SLOW = ("Newton VBD",)

# Material of the scenes that all simulators run.
WITNESS = replace(MATERIALS["swimwear"], stretch=SOFT)

# Conversion of units of the Kawabata system: N m per gf cm²/cm, and kg/m² per mg/cm².
KAWABATA_BENDING, KAWABATA_WEIGHT = 9.80665e-5, 1e-2

MEASURED = {
    "cotton broad": (0.118, 12.38, 0.829, 2),
    "polyester tropical": (0.077, 11.65, 0.507, 5),
    "wool tropical": (0.067, 16.29, 0.498, 5),
    "polyester faille": (0.019, 10.43, 0.283, 7),
}
"""Woven fabrics by name: bending stiffness in gf cm²/cm, weight in mg/cm², drape coefficient, and number of nodes.

The source measured with KES-F and Cusick's test: M. Matsudaira, T. Masuda, M. Wada, H. Yokura, *Shape Factor of Flared
Skirts Compared with That of Circular Fabrics*, Journal of Textile Engineering 61(6), 2015, tables 1 and 2.
"""


def cusick_coefficient(material: Material) -> float:
    """Return the drape coefficient predicted by Cusick's regression for woven fabrics.

    DC = 35.6 C - 3.61 C² - 2.59 A + 0.0461 A² + 17.0 percent, with the bending length C in cm and the shear A in
    degrees under 2 gf/cm (G. E. Cusick, *The Dependence of Fabric Drape on Bending and Shear Stiffness*, 1965).
    """
    length = 100.0 * bending_length(material)
    # shear angle from the shear modulus of isotropic cloth; 2 gf/cm are 1.96 N/m
    shear = 57.3 * 1.96 / (material.stretch / (2.0 * (1.0 + POISSON)))
    return 0.01 * (35.6 * length - 3.61 * length**2 - 2.59 * shear + 0.0461 * shear**2 + 17.0)


def scenes(spacings: Sequence[float], material: Material = WITNESS) -> list[tuple[WitnessScene, dict[str, float]]]:
    """Return static scenes, each with its values in closed form; sheet and disc are repeated for each spacing (m)."""
    strip = cantilever(material)
    # a narrow strip also bends across its width, so it is softer than a plate
    narrow = replace(material, bending=(1.0 - POISSON**2) * material.bending)
    fall = {"fall": elastica_fall(narrow, 2.0 * bending_length(material))}
    wave = {"wavelength": sheet_wavelength(material)}
    return [
        (strip, fall),
        *((tensioned_sheet(material, spacing=spacing), wave) for spacing in spacings),
        *((disc_drape(material, spacing=spacing), dict[str, float]()) for spacing in spacings),
    ]


def scene_rows(spacings: Sequence[float], simulators: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each measured value of each scene, with the closed form and the result of each simulator."""
    seen: set[str] = set()
    for scene, known in scenes(spacings):
        first = scene.name not in seen
        seen.add(scene.name)
        found = {
            name: scene.measure(SIMULATORS[name][1](scene)) if first or name not in SLOW else {} for name in simulators
        }
        for figure in scene.measure(scene.start):
            yield {
                "scene": scene.name, "vertices": len(scene.rest), "figure": figure,
                CLOSED_FORM: known.get(figure), **{name: values.get(figure) for name, values in found.items()},
            }  # fmt: skip


def fabric_rows(names: Sequence[str], *, spacing: float = 0.01) -> Iterator[dict[str, Any]]:
    """Yield a row for each fabric: bending length from Peirce's cantilever, and drape from Cusick's disc.

    Parameters
    ----------
    names : sequence of str
        Names in `MATERIALS` or `MEASURED`.
    spacing : float, metres
        Edge length of the disc's mesh.
    """
    for name in names:
        known: dict[str, Any] = {"published drape": None, "published nodes": None}
        if name in MEASURED:
            bending, weight, drape, nodes = MEASURED[name]
            material = replace(
                MATERIALS["cotton"], bending=KAWABATA_BENDING * bending, density=KAWABATA_WEIGHT * weight
            )
            known = {"published drape": drape, "published nodes": nodes}
        else:
            material = MATERIALS[name]
        soft = replace(material, stretch=min(material.stretch, SOFT_FABRIC))
        strip, disc = cantilever(soft), disc_drape(soft, spacing=spacing)
        hanging, draped = strip.measure(by_ruckle(strip)), disc.measure(by_ruckle(disc))
        length = bending_length(material)
        yield {
            "fabric": name, "bending length": length, "by cantilever": peirce_length(2.0 * length, **hanging),
            "drape": draped["drape coefficient"], "nodes": draped["nodes"],
            "Cusick 1965": cusick_coefficient(material),
            **known,
        }  # fmt: skip


@click.command("witnesses")
@click.option("--spacing", "spacings", type=float, multiple=True, default=(0.02, 0.014, 0.01), show_default=True,
              metavar="METRES", help="Length of edges of the sheet and the disc; may be repeated.")  # fmt: skip
@click.option("--alone", is_flag=True, help="Do not run other simulators.")
@click.option("--fabrics/--no-fabrics", default=True, show_default=True, help="Also test every fabric.")
@csv_option
@json_option
def bench_witnesses(
    spacings: tuple[float, ...], alone: bool, fabrics: bool, csv_path: Path | None, as_json: bool
) -> None:
    """Compare cloth at rest with closed-form solutions, other simulators and measured fabrics."""
    simulators = [name for name in SIMULATORS if available(name)]
    for name in SIMULATORS:
        if name not in simulators:
            click.echo(f"no {name}: 'pip install \"ruckle[witnesses]\"' installs it", err=True)
    rows = list(scene_rows(spacings, simulators[:1] if alone else simulators))
    draped = list(fabric_rows([*MATERIALS, *MEASURED])) if fabrics else []
    if csv_path:
        write_csv(csv_path, rows)
    if as_json:
        click.echo(json.dumps({**machine(), "rows": rows, "fabrics": draped}))
        return
    for title, lines in (("still scenes, lengths in mm", rows), ("fabrics, lengths in mm", draped)):
        if lines:
            table = new_table(title, list(lines[0]))
            for line in lines:
                table.add_row(*(_text(name, value, line) for name, value in line.items()))
            print_table(table)


def _text(heading: str, value: Any, row: dict[str, Any]) -> str:
    """Return a value as text of a table cell: lengths in mm, ratios with two digits, counts unchanged."""
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    figure = row.get("figure", heading)
    if "nodes" in figure:
        return f"{value:.0f}"
    if "drape" in figure or "Cusick" in figure:
        return f"{value:.2f}"
    return f"{1e3 * value:.1f}"
