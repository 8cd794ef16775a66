"""Custom scenes: a garment's file, its pins, and a body that wears it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import whole_number
from ruckle.arrays import Float32, Int32, float32
from ruckle.io import load
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.obj import read_groups
from ruckle.io.reading import as_path
from ruckle.mesh.closest import closest_points
from ruckle.mesh.geometry import connected_roots, face_crosses
from ruckle.mesh.topology import Topology
from ruckle.offline.simulation.parting import parted
from ruckle.offline.simulation.remeshing import boundary_loops, remesh
from ruckle.offline.simulation.scenes import HOLD, Scene, standing, worn
from ruckle.offline.simulation.tracking import linear_map, map_of
from ruckle.simulation.body import Body, Motion, mesh_clearance, require_wearer, shaped
from ruckle.simulation.sheet import BLEND, Sheet, smooth_attachment

__all__ = ["GarmentMesh", "geodesic_distances", "load_garment_mesh", "own_scene", "pinned_vertices", "without_linings"]

# Approximate vertex count of a garment's fine mesh.
FINE_COUNT = 7000

# m: room kept by cloth that is pushed out of a body, for its thickness and for the margin of coarse cloth
ROOM = 0.012
PASSES = 3

# Cosine between the normal of a face and the way out of the body, below which it belongs to a lining.
LINING = -0.2

# Seconds of simulation for cloth without a wearer.
DURATION = 10

# Prefix of the arrays of an NPZ file that are groups of vertices.
GROUP = "group_"


@dataclass(frozen=True, slots=True, eq=False)
class GarmentMesh:
    """Cloth as a game uses it.

    Attributes
    ----------
    name : str
    rest : (V, 3) float32, mesh units: metres
    faces : (T, 3) int32
    weights : (V, J) float32, optional
        Shares of the bones in every vertex.
    groups : mapping of str to (V,) bool
        Named sets of vertices.
    """

    name: str
    rest: Float32
    faces: Int32
    weights: Float32 | None
    groups: dict[str, NDArray[np.bool_]]

    def following(self, body: Body) -> Float32:
        """Return shares of a body's bones (V, J) float32: the garment's own, or else those of the nearest skin."""
        if self.weights is not None and self.weights.shape[1] == body.weights.shape[1]:
            return self.weights
        nearest = map_of(*closest_points(body.positions, body.faces, self.rest), body.faces, len(body.positions))
        return np.asarray(nearest @ body.weights, np.float32)


def load_garment_mesh(path: str | os.PathLike[str]) -> GarmentMesh:
    """Read a garment of any format that `ruckle.load` reads: its rest pose, or its first frame.

    NPZ files may have skin_weights (V, J), and groups of vertices as arrays group_NAME (V,) of numbers, whose
    members are above a half. A group of an OBJ file is all vertices of the faces after its `g`.

    Raises
    ------
    FormatError
        A file that cannot be read, or an array of another shape.
    """
    source = as_path("path", path)
    mesh = load(source)
    rest = mesh.positions[0] if mesh.rest_positions is None else mesh.rest_positions
    weights, groups = None, {}
    if source.suffix == ".npz":
        archive = Archive(source, Budget())
        if "skin_weights" in archive.names:
            weights = shaped(archive, "skin_weights", "f", (len(rest), None)).astype(np.float32)
        for name in sorted(name for name in archive.names if name.startswith(GROUP)):
            groups[name.removeprefix(GROUP)] = shaped(archive, name, "biuf", (len(rest),)) > 0.5
    elif source.suffix.lower() == ".obj":
        for name, members in read_groups(source, Budget()).items():
            groups[name] = np.isin(np.arange(len(rest)), members)
    return GarmentMesh(source.stem, np.asarray(rest, np.float32), mesh.faces, weights, groups)


def without_linings(garment: GarmentMesh, body: Body) -> GarmentMesh:
    """Return a garment without the faces that are turned inside, towards the body, as at the ends of sleeves.

    Both layers of a turned cuff are nearer to each other than layers of simulated cloth. The largest piece remains; a
    garment that is turned inside as a whole is left as it is.

    Parameters
    ----------
    garment : GarmentMesh
    body : Body
        The wearer, at rest.
    """
    rest = garment.rest.astype(np.float64)
    corners = rest[garment.faces]
    _, outward = mesh_clearance(corners.mean(axis=1), body.positions, body.faces)
    crosses = face_crosses(rest, garment.faces)
    turned = (crosses * outward).sum(axis=1) < LINING * np.linalg.norm(crosses, axis=1)
    # a face between two of the lining is its fold
    around = np.asarray(Topology(garment.faces, len(rest)).face_neighbors)
    turned |= (turned[around] & (around >= 0)).sum(axis=1) >= 2
    if turned.all():
        return garment
    faces = garment.faces[~turned]
    roots = connected_roots(faces[:, [0, 1, 1, 2]].reshape(-1, 2), len(rest))[faces[:, 0]]
    names, counts = np.unique(roots, return_counts=True)
    faces = faces[roots == names[counts.argmax()]]
    used, compact = np.unique(faces, return_inverse=True)
    weights = None if garment.weights is None else garment.weights[used]
    groups = {name: members[used] for name, members in garment.groups.items()}
    return GarmentMesh(garment.name, garment.rest[used], compact.reshape(-1, 3).astype(np.int32), weights, groups)


def pinned_vertices(garment: GarmentMesh, pins: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask (V,) of the pinned vertices of a garment.

    Parameters
    ----------
    garment : GarmentMesh
    pins : sequence of str
        Names of its groups, or loops of its boundary: ``"loop:highest"``, ``"loop:lowest"``, or ``"loop:0"`` for the
        one with the most vertices, ``"loop:1"`` for the next.

    Raises
    ------
    ValueError
        No group or loop has this name; lists the existing ones.
    """
    loops = boundary_loops(garment.faces)
    by_height = sorted(loops, key=lambda loop: float(garment.rest[loop, 1].mean()))
    known: dict[str, NDArray[np.bool_]] = dict(garment.groups)
    ends = {"lowest": by_height[0], "highest": by_height[-1]} if loops else {}
    for name, loop in {**dict(zip(map(str, range(len(loops))), loops, strict=True)), **ends}.items():
        known[f"loop:{name}"] = np.isin(np.arange(len(garment.rest)), loop)
    pinned = np.zeros(len(garment.rest), bool)
    for pin in pins:
        if pin not in known:
            raise ValueError(f"pin: expected one of {', '.join(known) or 'no name, for nothing has one'}, got '{pin}'")
        pinned |= known[pin]
    return pinned


def own_scene(
    garment: GarmentMesh,
    motion: Motion | None = None,
    body: Body | None = None,
    *,
    pins: Sequence[str] = (),
    fit: bool = False,
    limbs: Sequence[str] = (),
    fine_count: int = FINE_COUNT,
) -> Scene:
    """Return a scene of a custom garment: the garment as coarse cloth, and a finer mesh on its surface.

    Parameters
    ----------
    garment : GarmentMesh
    motion : Motion, optional
        Motion of the wearer. Without one the pins do not move.
    body : Body, optional
        The cloth remains outside of it; required for a motion, unless the garment has weights.
    pins : sequence of str
        As for `pinned_vertices`. Unpinned cloth is held on the body by friction alone, or falls.
    fit : bool
        First push cloth that begins inside of the body out of it, at both resolutions.
    limbs : sequence of str
        Joints, such as shoulders, whose limbs are turned off the body if they intersect it; see `parted`.
    fine_count : int
        Approximate vertex count of the fine mesh.

    Raises
    ------
    ValueError
        A pin or joint is unknown. Or a body comes without a motion, or with other bones than the motion's. Or limbs
        come without a body. Or the motion's bones have no weights. Or the garment begins inside of the body; names the
        place.
    MeshError
        The faces are not a manifold mesh.
    """
    whole_number("fine_count", fine_count, len(garment.rest))
    pinned = pinned_vertices(garment, pins)
    if limbs and body is None:
        raise ValueError("body: limbs are turned off it; give its file, too")
    if motion is None:
        if body is not None:
            raise ValueError("motion: a body moves by one; give the file of a motion, too")
        moves, warm, weights = standing(HOLD + DURATION * 60), HOLD, np.ones((len(garment.rest), 1), np.float32)
    else:
        if body is not None:
            require_wearer(motion, body)
        moves, warm = worn(motion), 2 * HOLD
        moves = moves if body is None else parted(moves, body, limbs)
        weights = _weights(garment, motion, body)
    rest = garment.rest if body is None or not fit else _outside(garment.rest, body)
    coarse = _sheet(rest, garment.faces, pinned, weights)
    positions, faces = remesh(rest, garment.faces, fine_count)
    to_fine = linear_map(rest, garment.faces, positions)
    # fine vertices between two pinned vertices of a rim, and inside of a triangle of pinned ones
    also = np.asarray(to_fine @ pinned.astype(np.float64)) > 1.0 - 1e-6
    positions = positions if body is None or not fit else _outside(positions, body)
    fine = _sheet(positions, faces, also, np.asarray(to_fine @ weights, np.float32))
    empty = np.empty((0, 8), np.float32), np.empty(0, np.int64)
    scene = Scene(garment.name, moves, warm, coarse, fine, *empty)
    return scene if body is None else scene.against_mesh(body)


def _outside(rest: Float32, body: Body) -> Float32:
    points = rest.astype(np.float64)
    # cloth pushed out of one side may enter another
    for _ in range(PASSES):
        distances, outward = mesh_clearance(points, body.positions, body.faces)
        points += np.maximum(ROOM - distances, 0.0)[:, None] * outward
    return float32("rest", points)


def _weights(garment: GarmentMesh, motion: Motion, body: Body | None) -> Float32:
    weights = garment.weights if body is None else garment.following(body)
    if weights is None:
        raise ValueError("body: the garment has no skin_weights for the motion's bones; give the body that it follows")
    if weights.shape[1] != len(motion.names):
        raise ValueError(f"motion: has {len(motion.names)} bones, but there are weights for {weights.shape[1]}")
    return weights


def _sheet(rest: Float32, faces: Int32, pinned: NDArray[np.bool_], weights: Float32) -> Sheet:
    """Return cloth whose attachment decreases with the distance from its pins."""
    attachment = smooth_attachment(geodesic_distances(rest, faces, pinned), BLEND)
    return Sheet(float32("rest", rest), faces, attachment, weights)


def geodesic_distances(rest: ArrayLike, faces: Int32, sources: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the distance of vertices (V,) from the nearest source along edges, metres; infinite without any."""
    import scipy.sparse as sparse
    from scipy.sparse.csgraph import dijkstra

    points = np.asarray(rest)
    if not sources.any():
        return np.full(len(points), np.inf)
    a, b = Topology(faces, len(points)).edges.T
    lengths = np.linalg.norm(points[a] - points[b], axis=1)
    graph = sparse.coo_matrix((lengths, (a, b)), (len(points), len(points)))
    return np.asarray(dijkstra(graph, directed=False, indices=np.flatnonzero(sources), min_only=True))
