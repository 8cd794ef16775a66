"""Labels triangles as compressed, resting or stretched (thesis 4.1.2, 4.1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import MOST_THREADS, whole_number
from ruckle.arrays import Float32, Labels, float32, labels_uint8, small_integers
from ruckle.field.parameters import PARAMETERS, LabelCostParameters, Method
from ruckle.field.stretch import Stretch, stretch_of
from ruckle.mesh.topology import mesh_topology
from ruckle.parameters import options_of, with_parameters

__all__ = ["PAIRWISE", "Labeling", "Method", "label_costs", "method_name", "solve_label_sequence", "solve_labels"]


PAIRWISE: Float32 = PARAMETERS["pairwise"].default
"""(3, 3) label-compatibility costs B for compression, rest and stretch (thesis 4.1.2). Read-only."""


@dataclass(frozen=True, slots=True, eq=False)
class Labeling:
    """Labels of triangles, and the energy of the labeling (equation 4.3).

    Attributes
    ----------
    labels : (T,) or (F, T) uint8
        0 compression, 1 rest, 2 stretch.
    energy : float
        Sum of the unary and pairwise costs.
    """

    labels: Labels
    energy: float

    def __repr__(self) -> str:
        counts = np.bincount(self.labels.ravel(), minlength=3)
        if len(counts) > 3:
            return f"Labeling({self.labels.shape}: {len(counts)} labels, energy {self.energy:.6g})"
        return (
            f"Labeling({self.labels.shape}: {counts[0]} compression, {counts[1]} rest, {counts[2]} stretch, "
            f"energy {self.energy:.6g})"
        )


def method_name(value: object) -> Method:
    """Return `value` if it is the name of a labeling method; otherwise raise TypeError or ValueError."""
    return cast(Method, PARAMETERS["method"].read(value))


COSTS = {name: PARAMETERS[name] for name in LabelCostParameters.__annotations__}


@with_parameters(COSTS, {name: parameter.default for name, parameter in COSTS.items()})
def label_costs(stretch: Stretch, **parameters: Unpack[LabelCostParameters]) -> Float32:
    """Compute the cost of each label for each triangle (equations 4.4 to 4.7).

    Parameters
    ----------
    stretch : Stretch
        Stretch from the previous frame to the current frame.
    **parameters
        Parameters, listed below.

    Returns
    -------
    (T, 3) float32
        Costs of compression, rest and stretch. All are 0 for a degenerate triangle, so that no label is preferred.

    Raises
    ------
    ValueError
        A parameter is out of its range, or a stretch is not finite.
    TypeError
        `stretch` is not a Stretch.
    """
    field = stretch_of(stretch)
    return _core.label_costs(
        float32("compression", field.compression),
        float32("max", field.max),
        np.ascontiguousarray(field.degenerate),
        options_of(COSTS, parameters),
    )


def solve_labels(
    costs: ArrayLike,
    topology: _core.Topology,
    *,
    previous: ArrayLike | None = None,
    pairwise: ArrayLike = PAIRWISE,
    edge_weights: ArrayLike | None = None,
    method: Method | None = None,
) -> Labeling:
    """Label one frame: minimise the sum of unary costs and of pairwise costs between neighbours (thesis 4.3).

    Parameters
    ----------
    costs : (T, L) float
        Costs of L labels, at most 255; wrinkle paths use 3. The costs are finite. If L is 3, +inf forbids a label.
    topology : Topology
        Mesh whose neighbouring faces have pairwise costs.
    previous : (T,) int, optional
        Labels of the previous frame. If given, each triangle also has a pairwise cost with its previous label.
    pairwise : (L, L) float
        Symmetric costs between the labels of neighbours.
    edge_weights : (E,) float, >= 0, optional
        Factor of the pairwise cost at each edge of `Topology.edges`; factors of boundary edges are ignored. Pairwise
        costs with the previous frame do not get a factor.
    method : str, optional
        Default: ``"exact"`` for three labels without `edge_weights`; otherwise ``"expansion"`` if the pairwise costs
        satisfy the triangle inequality, else ``"swap"``. ``"exact"``: the optimum, computed by one minimum cut. The
        pairwise costs B must be submodular for some order of the labels (B(k, m) >= B(k, l) + B(l, m) for one middle
        label l). Costs are rounded, so the energy exceeds the optimum slightly. The excess per triangle and per pair is
        less than 2^-18 times the smaller of two numbers: the largest pairwise cost, and the largest difference of two
        finite costs of a triangle. If the ratio of these numbers is above 2^36, an error is raised. ``"expansion"``:
        alpha-expansion from the cheapest labels; the pairwise costs must be a metric. ``"swap"``: alpha-beta swap from
        the cheapest labels. ``"independent"``: the cheapest label of each triangle. If L is not 3, or with
        `edge_weights`, ``"exact"`` is not allowed, and pairwise costs must be at least 0 with zeros on the diagonal.

    Returns
    -------
    Labeling
        Labels (T,) uint8, and their energy.

    Raises
    ------
    ValueError
        An array has a wrong shape, or a cost or label is not allowed. Or the method cannot solve these pairwise costs,
        or they are too large; the message then contains the reason and a method that can solve them.
    TypeError
        `topology` is not a Topology.

    Examples
    --------
    >>> costs = [[0.1, 1.0, 1.0], [0.6, 0.5, 1.0]]  # alone, the second triangle would rest
    >>> ruckle.solve_labels(costs, ruckle.Topology([[0, 1, 2], [0, 2, 3]], 4))
    Labeling((2,): 2 compression, 0 rest, 0 stretch, energy 0.7)
    """
    unary, links = float32("costs", costs), float32("pairwise", pairwise)
    many = edge_weights is not None or (unary.ndim == 2 and unary.shape[1] != 3)
    chosen = _first_allowed(links, many) if method is None else method_name(method)
    if many:
        labels, energy = _core.solve_many_labels(
            unary,
            mesh_topology(topology),
            previous=None if previous is None else small_integers("previous", previous),
            pairwise=links,
            edge_weights=None if edge_weights is None else float32("edge_weights", edge_weights),
            method=chosen,
        )
        return Labeling(labels, energy)
    labels, energy = _core.solve_labels(
        unary,
        mesh_topology(topology),
        previous=None if previous is None else labels_uint8("previous", previous),
        pairwise=links,
        method=chosen,
    )
    return Labeling(labels, energy)


def _first_allowed(pairwise: Float32, many: bool) -> Method:
    """Return the default method of `solve_labels`; `many` means edge weights, or more or fewer than three labels.

    If `many`, return "expansion" if the pairwise costs satisfy the triangle inequality, otherwise "swap".
    """
    if not many:
        return method_name(PARAMETERS["method"].default)
    if pairwise.ndim != 2 or pairwise.shape[0] != pairwise.shape[1]:
        return "swap"
    # the triangle inequality: B(k, m) <= B(k, l) + B(l, m) for every l
    detours = pairwise[:, :, None] + pairwise[None, :, :]
    return "expansion" if (pairwise[:, None, :] <= detours * (1 + 1e-6)).all() else "swap"


def solve_label_sequence(
    costs: ArrayLike,
    topology: _core.Topology,
    *,
    pairwise: ArrayLike = PAIRWISE,
    method: Method = PARAMETERS["method"].default,
    threads: int = 1,
) -> Labeling:
    """Label all frames of an animation together, with pairwise costs between successive frames (thesis 4.1.2).

    Parameters
    ----------
    costs : (F, T, 3) float
        Costs for F frames, as in `solve_labels`.
    topology : Topology
    pairwise : (3, 3) float
        Symmetric costs between the labels of neighbouring triangles, and of one triangle in successive frames.
    method : str
        Labeling method, see `solve_labels`.
    threads : int
        Number of threads. It does not change the result.

    Returns
    -------
    Labeling
        Labels (F, T) uint8, and their energy.

    Raises
    ------
    ValueError
        An array has a wrong shape, or a cost is not allowed. Or the method cannot solve these pairwise costs; the
        message then contains the reason and a method that can solve them.
    TypeError
        `topology` is not a Topology.
    """
    labels, energy = _core.solve_label_sequence(
        float32("costs", costs),
        mesh_topology(topology),
        pairwise=float32("pairwise", pairwise),
        method=method_name(method),
        threads=whole_number("threads", threads, 1, MOST_THREADS),
    )
    return Labeling(labels, energy)
