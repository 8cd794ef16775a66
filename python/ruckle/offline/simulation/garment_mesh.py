"""Scenes from files of a user: a garment, its pins, and a body that wears it."""

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

# Approximate number of vertices of a garment's fine mesh.
FINE_COUNT = 7000

# Distance in metres to which cloth is pushed out of a body: cloth thickness plus the margin of coarse cloth.
ROOM = 0.012
# Number of times that cloth is pushed out.
PASSES = 3

# A face belongs to a lining if the cosine between its normal and the direction out of the body is below this value.
LINING = -0.2

# Seconds that are simulated if cloth does not have a wearer.
DURATION = 10

# Arrays of an NPZ file whose names begin with this text are vertex groups.
GROUP = "group_"


@dataclass(frozen=True, slots=True, eq=False)
class GarmentMesh:
    """Mesh of a garment, at the resolution of a game.

    Attributes
    ----------
    name : str
    rest : (V, 3) float32, mesh units: metres
    faces : (T, 3) int32
    weights : (V, J) float32, optional
        Bone weights of every vertex.
    groups : mapping of str to (V,) bool
        Named sets of vertices.
    """

    name: str
    rest: Float32
    faces: Int32
    weights: Float32 | None
    groups: dict[str, NDArray[np.bool_]]

    def following(self, body: Body) -> Float32:
        """Return bone weights (V, J) for a body: the weights of the garment, or the weights of the nearest skin.

        The garment's weights are used only if they have the same number of bones as the body.
        """
        if self.weights is not None and self.weights.shape[1] == body.weights.shape[1]:
            return self.weights
        nearest = map_of(*closest_points(body.positions, body.faces, self.rest), body.faces, len(body.positions))
        return np.asarray(nearest @ body.weights, np.float32)


def load_garment_mesh(path: str | os.PathLike[str]) -> GarmentMesh:
    """Read a garment from any format of `ruckle.load`: its rest pose, or its first frame if that is missing.

    NPZ files may contain skin_weights (V, J), and vertex groups as arrays group_NAME (V,) with values above 0.5 for
    members. A group of an OBJ file consists of the vertices of all faces that follow its `g` line.

    Raises
    ------
    FormatError
        The file cannot be read, or an array has a wrong shape.
    MeshError
        The mesh in the file cannot be used.
    """
    source = as_path("path", path)
    mesh = load(source)
    rest = mesh.positions[0] if mesh.rest_positions is None else mesh.rest_positions
    weights, groups = None, {}
    if source.suffix.lower() == ".npz":
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
    """Return a garment without faces that are folded toward the body, such as the turned-in ends of sleeves.

    The two layers of a folded cuff are closer than layers of simulated cloth can be. Only the largest connected piece
    is kept. If all faces point toward the body, the garment is not changed.

    Parameters
    ----------
    garment : GarmentMesh
    body : Body
        The wearer, at rest.

    Raises
    ------
    MeshError
        The garment is not a manifold mesh.
    """
    rest = garment.rest.astype(np.float64)
    corners = rest[garment.faces]
    _, outward = mesh_clearance(corners.mean(axis=1), body.positions, body.faces)
    crosses = face_crosses(rest, garment.faces)
    turned = (crosses * outward).sum(axis=1) < LINING * np.linalg.norm(crosses, axis=1)
    # a face with at least two neighbours in the lining is the fold itself, and is also removed
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
        Names of groups, or boundary loops: ``"loop:highest"`` and ``"loop:lowest"`` by their mean height (y),
        ``"loop:0"`` for the loop with the most vertices, ``"loop:1"`` for the second, and so on.

    Raises
    ------
    ValueError
        A group or loop does not exist; the message lists the existing ones.
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
            allowed = f"expected one of {', '.join(known)}" if known else "the mesh has no groups and no boundary"
            raise ValueError(f"pin: {allowed}, got '{pin}'")
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
    """Return a scene of a user's garment: its mesh as coarse cloth, and a remeshed finer mesh of the same surface.

    This function requires scipy.

    Parameters
    ----------
    garment : GarmentMesh
    motion : Motion, optional
        Motion of the wearer. Without a motion, pins do not move.
    body : Body, optional
        The body, which the cloth must not enter. Required with a motion, unless the garment has weights.
    pins : sequence of str
        See `pinned_vertices`. Without pins, only friction holds the cloth on the body, or the cloth falls.
    fit : bool
        True pushes cloth that starts inside the body, or within 12 mm of it, out of it before the simulation, in both
        meshes.
    limbs : sequence of str
        Joints, such as shoulders, whose limbs are rotated away from the body if they intersect it; see `parted`.
    fine_count : int
        Approximate number of vertices of the fine mesh, at least that of the garment.

    Raises
    ------
    ValueError
        A pin or joint is unknown. A body is given without a motion, or with other bones than the motion. Limbs are
        given without a body. A motion is given without a body, and the garment does not have weights for the motion's
        bones. The garment starts inside the body (the message names the place). `fine_count` is too small.
    MeshError
        The faces are not a manifold mesh.

    Warns
    -----
    UserWarning
        The body bends at other places than the motion, so it is probably another body.
    """
    whole_number("fine_count", fine_count, len(garment.rest))
    pinned = pinned_vertices(garment, pins)
    if limbs and body is None:
        raise ValueError("body: limbs are rotated away from the body; give the file of the body, too")
    if motion is None:
        if body is not None:
            raise ValueError("motion: the body needs a motion; give the file of a motion, too")
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
    # a fine vertex is pinned if the barycentric weights of the pinned corners of its coarse face have the sum 1
    also = np.asarray(to_fine @ pinned.astype(np.float64)) > 1.0 - 1e-6
    positions = positions if body is None or not fit else _outside(positions, body)
    fine = _sheet(positions, faces, also, np.asarray(to_fine @ weights, np.float32))
    empty = np.empty((0, 8), np.float32), np.empty(0, np.int64)
    scene = Scene(garment.name, moves, warm, coarse, fine, *empty)
    return scene if body is None else scene.against_mesh(body)


def _outside(rest: Float32, body: Body) -> Float32:
    points = rest.astype(np.float64)
    # repeated, because cloth that is pushed out of one body part may then be in another part
    for _ in range(PASSES):
        distances, outward = mesh_clearance(points, body.positions, body.faces)
        points += np.maximum(ROOM - distances, 0.0)[:, None] * outward
    return float32("rest", points)


def _weights(garment: GarmentMesh, motion: Motion, body: Body | None) -> Float32:
    weights = garment.weights if body is None else garment.following(body)
    if weights is None:
        raise ValueError(
            "body: the garment has no skin_weights for the motion's bones; give the body whose weights it uses"
        )
    if weights.shape[1] != len(motion.names):
        raise ValueError(f"motion: has {len(motion.names)} bones, but the weights are for {weights.shape[1]} bones")
    return weights


def _sheet(rest: Float32, faces: Int32, pinned: NDArray[np.bool_], weights: Float32) -> Sheet:
    """Return a sheet with an attachment that decreases smoothly with the distance from the pinned vertices."""
    attachment = smooth_attachment(geodesic_distances(rest, faces, pinned), BLEND)
    return Sheet(float32("rest", rest), faces, attachment, weights)


def geodesic_distances(rest: ArrayLike, faces: Int32, sources: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the distance (V,) along edges from each vertex to the nearest source, metres; infinite without sources."""
    import scipy.sparse as sparse
    from scipy.sparse.csgraph import dijkstra

    points = np.asarray(rest)
    if not sources.any():
        return np.full(len(points), np.inf)
    a, b = Topology(faces, len(points)).edges.T
    lengths = np.linalg.norm(points[a] - points[b], axis=1)
    graph = sparse.coo_matrix((lengths, (a, b)), (len(points), len(points)))
    return np.asarray(dijkstra(graph, directed=False, indices=np.flatnonzero(sources), min_only=True))
