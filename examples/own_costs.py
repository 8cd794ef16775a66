"""Label a garment with your own unary and pairwise costs, and compare the solvers that accept these costs.

python examples/own_costs.py [SAMPLE]
"""

from __future__ import annotations

import argparse
from itertools import pairwise

import numpy as np

import ruckle
from ruckle.field.label import Method

PAIRWISE: dict[str, np.ndarray] = {
    "the thesis's": ruckle.PAIRWISE,
    "Potts: any two labels differ alike": 0.2 * (1 - np.eye(3)),
    "quadratic: opposites cost four times as much": np.array([[0, 0.1, 0.4], [0.1, 0, 0.1], [0.4, 0.1, 0]]),
}
METHODS: tuple[Method, ...] = ("exact", "expansion", "swap", "independent")


def area_change_costs(stretch: ruckle.Stretch) -> np.ndarray:
    """Return costs (T, 3) of compression, rest and stretch that depend only on the change of a triangle's area."""
    growth = np.log(stretch.min * stretch.max)
    return np.stack([0.2 + 10 * growth, 10 * np.abs(growth), 0.2 - 10 * growth], axis=1)


def main() -> None:
    """Label the frame with the largest deformation of a sample with every method, and print the energies."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sample", nargs="?", default="sawing", choices=ruckle.samples(), help="one of the samples")
    animation = ruckle.sample(parser.parse_args().sample)

    topology = ruckle.Topology(ruckle.weld(animation.positions[0], animation.faces), animation.vertex_count)
    matrices = [ruckle.edge_matrices(positions, topology.faces) for positions in animation.positions]
    motions = [ruckle.stretch(before, after) for before, after in pairwise(matrices)]
    liveliest = max(motions, key=lambda motion: float(np.abs(np.log(motion.min * motion.max)).sum()))
    costs = area_change_costs(liveliest)

    for name, link_costs in PAIRWISE.items():
        print(name)
        for method in METHODS:
            try:
                labeling = ruckle.solve_labels(costs, topology, pairwise=link_costs, method=method)
            except ValueError as refusal:
                print(f"  {method:12s} {refusal}")
                continue
            shrink, keep, grow = np.bincount(labeling.labels, minlength=3)
            print(f"  {method:12s} energy {labeling.energy:9.4f}, {shrink:4d} shrink, {keep:4d} keep, {grow:4d} grow")


if __name__ == "__main__":
    main()
