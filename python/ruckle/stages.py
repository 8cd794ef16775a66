"""The first stages of the pipeline as pure functions: NumPy in, NumPy out, in pipeline order.

    mesh -> stretch -> label -> reference

Real arrays may be float32 or float64 and are worked on in float32; index arrays may be of any integer type. Results
are new C-contiguous arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import choice, found, instance, number, whole_number

__all__ = [
    "PAIRWISE",
    "Labeling",
    "Method",
    "Stretch",
    "Topology",
    "edge_matrices",
    "label_costs",
    "solve_label_sequence",
    "solve_labels",
    "stretch",
    "update_reference",
    "weld",
]

Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]
Labels = NDArray[np.uint8]
Method = Literal["exact", "expansion", "swap", "independent"]

# Of one call; more cost more to start than they save.
MOST_THREADS = 256

PAIRWISE: Float32 = np.array([[0.0, 0.2, 0.4], [0.2, 0.0, 0.2], [0.4, 0.2, 0.0]], dtype=np.float32)
"""(3, 3) label-compatibility costs B of compression, rest and stretch (thesis 4.1.2). Read-only."""
PAIRWISE.flags.writeable = False


def float32(name: str, values: ArrayLike) -> Float32:
    """Return `values` as a C-contiguous float32 array; a copy only where type or layout differ."""
    array = _array_of(name, values, "fiu", "real numbers")
    # what overflows float32 becomes infinite, which the core refuses by name
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def int32(name: str, values: ArrayLike) -> Int32:
    """Return `values` as a C-contiguous int32 array; a copy only where type or layout differ."""
    array = _array_of(name, values, "iu", "integers")
    if array.dtype != np.int32 and array.size:
        bounds = np.iinfo(np.int32)
        least, most = int(array.min()), int(array.max())
        if least < bounds.min or most > bounds.max:
            found = least if least < bounds.min else most
            raise ValueError(f"{name}: {found} does not fit 32 bits")
    return np.ascontiguousarray(array, dtype=np.int32)


def labels_uint8(name: str, values: ArrayLike) -> Labels:
    """Return `values` as a C-contiguous uint8 array of labels."""
    array = _array_of(name, values, "iu", "integer labels")
    if array.dtype != np.uint8 and array.size and not 0 <= int(array.min()) <= int(array.max()) <= 2:
        raise ValueError(f"{name}: labels are 0, 1 and 2, found {int(array.min())} to {int(array.max())}")
    return np.ascontiguousarray(array, dtype=np.uint8)


def triangles(name: str, values: ArrayLike) -> Int32:
    """Return faces as `int32` does; polygons of more corners are refused with what to do about them."""
    faces = int32(name, values)
    if faces.ndim == 2 and faces.shape[1] > 3:
        raise ValueError(
            f"{name}: expected triangles, an array of shape (T, 3), got {faces.shape}; split larger polygons first"
        )
    return faces


def mesh_topology(topology: object) -> _core.Topology:
    """Return a topology as it is; TypeError where it is something else, such as the faces it is made from."""
    return instance("topology", topology, _core.Topology, "ruckle.Topology(faces, vertex_count) makes one")


def _array_of(name: str, values: ArrayLike, kinds: str, expected: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name}: expected {expected} in rows of equal length, got {found(values)}") from error
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name}: expected {expected}, got {found(array if array.dtype != object else values)}")
    return array


class Topology(_core.Topology):
    """Connectivity of a triangle mesh, manifold with boundary, built once.

    Parameters
    ----------
    faces : (T, 3) int
        Vertex indices. Any number of components; vertices without a face are allowed.
    vertex_count : int
        Number of vertices V.

    Attributes
    ----------
    faces : (T, 3) int32
        As given.
    edges : (E, 2) int32
        Vertices of each edge, the lower first; sorted.
    face_edges : (T, 3) int32
        Edge `k` of a face joins its vertices `k` and `k + 1`.
    face_neighbors : (T, 3) int32
        Face across edge `k`; -1 at the boundary.
    edge_faces : (E, 2) int32
        The one or two faces of each edge, the lower first; -1 where there is one.
    vertex_count, face_count, edge_count : int

    Raises
    ------
    MeshError
        No face, an index out of range, a face that names a vertex twice, an edge of more than two faces.
    """

    def __init__(self, faces: ArrayLike, vertex_count: int) -> None:
        super().__init__(triangles("faces", faces), whole_number("vertex_count", vertex_count))


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Principal stretches of every triangle (thesis 4.1.1).

    Attributes
    ----------
    min, max : (T,) float32
        Smaller and larger principal stretch, current length over reference length.
    compression : (T,) float32
        1 / min: 1 is none, grows with compression (the thesis's λ̃_min).
    axis : (T, 2) float32
        Unit axis of the smaller stretch on the *current* triangle, in the frame of `edge_matrices`; its sign
        means nothing. (0, 0) where there is no direction: no deformation, equal stretches, or a collapsed triangle.
    degenerate : (T,) bool
        The triangle or its reference has collapsed; its stretches are 1. None of them, unless given.
    """

    min: Float32
    max: Float32
    compression: Float32
    axis: Float32
    degenerate: NDArray[np.bool_] = None  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        if self.degenerate is None:
            object.__setattr__(self, "degenerate", np.zeros(len(self.max), np.bool_))

    def __len__(self) -> int:
        return len(self.max)

    def __repr__(self) -> str:
        if not len(self):
            return "Stretch(0 triangles)"
        return (
            f"Stretch({len(self)} triangles, min {self.min.min():.3g}, max {self.max.max():.3g}, "
            f"{np.count_nonzero(self.degenerate)} degenerate)"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Labeling:
    """Labels and their energy (4.3).

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
        return (
            f"Labeling({self.labels.shape}: {counts[0]} compression, {counts[1]} rest, {counts[2]} stretch, "
            f"energy {self.energy:.6g})"
        )


def stretch_of(value: object) -> Stretch:
    """Return a `Stretch` as it is; TypeError where it is something else, such as one of its arrays."""
    return instance("stretch", value, Stretch, "ruckle.stretch(reference, current) makes one")


def method_name(value: object) -> Method:
    """Return the name of a way to solve for labels."""
    return cast(Method, choice("method", value, get_args(Method)))


def weld(positions: ArrayLike, faces: ArrayLike) -> Int32:
    """Join vertices that lie at exactly the same place, so that UV seams do not cut the cloth.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
        The animation's first frame.
    faces : (T, 3) int

    Returns
    -------
    (T, 3) int32
        Faces that name, of each group of coincident vertices, the lowest index. Vertices stay apart where joining
        them would collapse a face or give an edge to more than two faces or to two that are wound differently.

    Raises
    ------
    MeshError
        An index out of range or a face that names a vertex twice.
    """
    return _core.weld(float32("positions", positions), triangles("faces", faces))


def edge_matrices(positions: ArrayLike, faces: ArrayLike) -> Float32:
    """Lay every triangle into its own plane, the x axis along its first edge.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    faces : (T, 3) int

    Returns
    -------
    (T, 2, 2) float32, mesh units
        The columns are the edge vectors from vertex 0 to vertices 1 and 2 (thesis 4.1.1).

    Raises
    ------
    ValueError
        A position that is not finite.
    MeshError
        An index out of range.
    """
    return _core.edge_matrices(float32("positions", positions), triangles("faces", faces))


def stretch(reference: ArrayLike, current: ArrayLike) -> Stretch:
    """Measure how each triangle is stretched from its reference to its current shape.

    The singular values of the deformation gradient F = current @ inv(reference) (thesis 4.1, 4.2), and the left
    singular vector of the smaller one.

    Parameters
    ----------
    reference, current : (T, 2, 2) float, mesh units
        Edge matrices.

    Returns
    -------
    Stretch
        Of T triangles.

    Raises
    ------
    ValueError
        Another shape, unequal numbers of triangles, or an entry that is not finite. A collapsed triangle is no error.
    """
    return Stretch(*_core.stretch(float32("reference", reference), float32("current", current)))


def label_costs(
    stretch: Stretch,
    *,
    sigma: float = 0.05,
    alpha: float = 9.0,
    beta: float = 90.0,
    dt: float = 1.0 / 30.0,
) -> Float32:
    """Compute the cost of each label for each triangle (thesis 4.4 to 4.7).

    Parameters
    ----------
    stretch : Stretch
        From the previous to the current frame.
    sigma : float, > 0
        Width of the rest label's well, in units of stretch.
    alpha, beta : float, >= 0
        Decay of the costs of a label that does not dominate, and of one that does.
    dt : float, seconds
        Time between the two frames. The stretches are raised to the power (1/30)/dt, so that labels depend on the
        motion and not on its sampling.

    Returns
    -------
    (T, 3) float32
        Costs of compression, rest and stretch; all 0 for a degenerate triangle, which prefers no label.

    Raises
    ------
    ValueError
        `sigma`, `alpha`, `beta` or `dt` out of range, or a stretch that is not finite.
    """
    field = stretch_of(stretch)
    return _core.label_costs(
        float32("compression", field.compression),
        float32("max", field.max),
        np.ascontiguousarray(field.degenerate),
        sigma=number("sigma", sigma),
        alpha=number("alpha", alpha),
        beta=number("beta", beta),
        dt=number("dt", dt),
    )


def solve_labels(
    costs: ArrayLike,
    topology: _core.Topology,
    *,
    previous: ArrayLike | None = None,
    pairwise: ArrayLike = PAIRWISE,
    method: Method = "exact",
) -> Labeling:
    """Label one frame: minimise the sum of unary costs and of pairwise costs between neighbours (thesis 4.3).

    Parameters
    ----------
    costs : (T, 3) float
        Any finite costs; +inf forbids a label.
    topology : Topology
        Whose face neighbours are linked.
    previous : (T,) int, optional
        Labels of the previous frame, linked to this one with the same pairwise costs.
    pairwise : (3, 3) float
        Symmetric costs between neighbours' labels.
    method : str
        ``"exact"``: the optimum by one minimum cut, for pairwise costs that are submodular in some order of the
        labels (B(k, m) >= B(k, l) + B(l, m) for one middle label l). ``"expansion"``: alpha-expansion from the
        cheapest labels, for metrics. ``"swap"``: alpha-beta swap from the cheapest labels. ``"independent"``: the
        cheapest label of each triangle alone.

    Returns
    -------
    Labeling
        labels (T,) uint8 and their energy.

    Raises
    ------
    ValueError
        The pairwise costs do not allow the method; the message says why and what to use.
    """
    labels, energy = _core.solve_labels(
        float32("costs", costs),
        mesh_topology(topology),
        previous=None if previous is None else labels_uint8("previous", previous),
        pairwise=float32("pairwise", pairwise),
        method=method_name(method),
    )
    return Labeling(labels, energy)


def solve_label_sequence(
    costs: ArrayLike,
    topology: _core.Topology,
    *,
    pairwise: ArrayLike = PAIRWISE,
    method: Method = "exact",
    threads: int = 1,
) -> Labeling:
    """Label all frames of an animation at once, each linked to the frame before and after (thesis 4.1.2).

    Parameters
    ----------
    costs : (F, T, 3) float
        As in `solve_labels`, for F frames.
    topology : Topology
    pairwise : (3, 3) float
        Symmetric costs between neighbours' labels, in space and in time.
    method : str
        As in `solve_labels`.
    threads : int
        Threads that share the work; the result is the same for any number.

    Returns
    -------
    Labeling
        labels (F, T) uint8 and their energy.

    Raises
    ------
    ValueError
        The pairwise costs do not allow the method; the message says why and what to use.
    """
    labels, energy = _core.solve_label_sequence(
        float32("costs", costs),
        mesh_topology(topology),
        pairwise=float32("pairwise", pairwise),
        method=method_name(method),
        threads=whole_number("threads", threads, 1, MOST_THREADS),
    )
    return Labeling(labels, energy)


def update_reference(
    reference: ArrayLike,
    current: ArrayLike,
    labels: ArrayLike,
    *,
    relaxation: float = 0.05,
    dt: float = 1.0 / 30.0,
) -> Float32:
    """Adapt the reference triangles to a new frame (thesis 4.2).

    Stretch: where both principal stretches exceed 1 the reference becomes the current triangle. Compression: it
    relaxes toward the current triangle, B inv((1 - ρ) Σ + ρ I) Aᵀ current with F = A Σ Bᵀ. Rest: unchanged.

    Parameters
    ----------
    reference, current : (T, 2, 2) float, mesh units
        Edge matrices.
    labels : (T,) int
        0 compression, 1 rest, 2 stretch.
    relaxation : float, in [0, 1]
        ρ per 1/30 s.
    dt : float, seconds
        Time since the previous frame: ρ = 1 - (1 - relaxation)^(30 dt).

    Returns
    -------
    (T, 2, 2) float32, mesh units
        Edge matrices of the new reference triangles.

    Raises
    ------
    ValueError
        Unequal numbers of triangles, a label above 2, `relaxation` or `dt` out of range.
    """
    return _core.update_reference(
        float32("reference", reference),
        float32("current", current),
        labels_uint8("labels", labels),
        relaxation=number("relaxation", relaxation),
        dt=number("dt", dt),
    )
