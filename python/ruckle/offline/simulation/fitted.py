"""A shirt and trousers whose meshes are cut from the skin of their wearer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Int32, float32
from ruckle.mesh.closest import closest_points
from ruckle.mesh.topology import Topology
from ruckle.offline.simulation.remeshing import boundary_loops, remesh
from ruckle.offline.simulation.tracking import map_of
from ruckle.simulation.body import Body, Motion, mesh_clearance
from ruckle.simulation.sheet import BLEND, Sheet, smooth_attachment

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Cut", "fitted_sheets", "shirt_cuts", "trouser_cuts"]

# Approximate numbers of vertices of the coarse and the fine mesh.
COARSE_COUNT, FINE_COUNT = 380, 6000

# Number of subdivisions of the skin before it is moved outward, so that the result is round.
HALVINGS = 2

# Smallest distance of cloth from the skin at rest, in metres. Coarse cloth has an additional margin.
LEAST_ROOM = 0.012

# Smallest distance of pinned cloth from the skin at rest, in metres. Pinned cloth moves with the skin.
BAND_ROOM = 0.015

# Rounds of pushing cloth out and smoothing it; width of the smoothing kernel in metres. Smoothing prevents that cloth
# copies folds of the skin.
ROUNDS, WIDTH = 4, 0.03

# Additional rounds that distribute vertices evenly.
SPREADS = 6

# Least sine of the angle between the skin's normal and the normal of a cut. It limits how far boundary vertices are
# pushed within the plane of their cut.
STEEPEST = 0.4

# Points at most this distance in metres from a cutting plane count as points of the plane.
ON_PLANE = 1e-4

# Vertices at most this distance in metres from a cut are moved onto the cut, which avoids thin triangles.
SNAP = 0.015

# Collar: height above the neck joint in m; forward inclination (toward z) in radians. A lower collar would rest on the
# shoulders, which would penetrate it.
COLLAR_HEIGHT, COLLAR_LEAN = 0.06, 0.35

Float64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cut:
    """A plane that bounds a garment.

    Attributes
    ----------
    at : (3,) float, metres
        A point of the plane.
    inward : (3,) float
        Unit normal that points into the garment.
    """

    at: Float64
    inward: Float64


def shirt_cuts(motion: Motion) -> list[Cut]:
    """Return the planes that bound a shirt: at the neck, above the crease of the hips, and before both wrists.

    A hem in the crease of the hips would be pinched. Longer sleeves would slide onto the thumbs, which would lift the
    sleeves.
    """
    up = np.array([0.0, 1.0, 0.0])
    neck, hips = (motion.joints[motion.index(name)] for name in ("Neck", "LeftUpLeg"))
    # the front of the collar is lower than the back
    lean = np.array([0.0, np.cos(COLLAR_LEAN), np.sin(COLLAR_LEAN)])
    cuts = [Cut(neck + COLLAR_HEIGHT * up, -lean), Cut(hips + 0.02 * up, up)]
    for side in ("Left", "Right"):
        elbow, hand = (motion.joints[motion.index(side + name)] for name in ("ForeArm", "Hand"))
        along = (hand - elbow) / np.linalg.norm(hand - elbow)
        cuts.append(Cut(elbow + 0.72 * (hand - elbow), -along))
    return cuts


def trouser_cuts(motion: Motion) -> list[Cut]:
    """Return the planes that bound trousers: at the waist, and above the feet."""
    up = np.array([0.0, 1.0, 0.0])
    waist, foot = (motion.joints[motion.index(name)] for name in ("LowerBack", "LeftFoot"))
    return [Cut(waist + 0.03 * up, -up), Cut(foot + 0.05 * up, up)]


def fitted_sheets(skin: Body, cuts: Sequence[Cut], ease: float) -> tuple[Sheet, Sheet]:
    """Return coarse and fine cloth around a part of a body. The cloth is pinned at the first cut.

    A collar or waistband moves rigidly, with the mean motion of the skin below it. Unlike the skin, it does not
    stretch, and its distance from the skin remains nearly constant.

    Parameters
    ----------
    skin : Body
    cuts : sequence of Cut
        Planes that bound the garment. The largest connected piece between them becomes the garment.
    ease : float, metres
        Approximate distance of the cloth from the skin. At the pinned cut, the distance is `BAND_ROOM`.

    Returns
    -------
    (Sheet, Sheet)
    """
    points, faces = skin.positions.astype(np.float64), skin.faces
    for cut in cuts:
        points, faces = clipped(points, faces, cut)
    points, faces = largest_piece(points, faces)
    # widened before remeshing, because cuffs remeshed directly on the skin would be rings of three vertices
    for _ in range(HALVINGS):
        points, faces = halved(points, faces)
    wide = eased(points, faces, skin, ease, cuts)
    first = cuts[0]
    band = wide[np.abs((wide - first.at) @ first.inward) < ON_PLANE]
    below = map_of(*closest_points(skin.positions, skin.faces, band), skin.faces, len(skin.positions)) @ skin.weights
    shares = float32("weights", below.mean(axis=0))

    def sheet(count: int) -> Sheet:
        # coarse and fine mesh are remeshed separately; subdivided coarse triangles would be too dense in the crotch
        rest, corners = remesh(wide, faces, count)
        attachment = smooth_attachment((rest - first.at) @ first.inward, BLEND)
        return Sheet(rest, corners, attachment, np.tile(shares, (len(rest), 1)))

    return sheet(COARSE_COUNT), sheet(FINE_COUNT)


def clipped(points: Float64, faces: Int32, cut: Cut) -> tuple[Float64, Int32]:
    """Return the part of a mesh on the inner side of a cut. Vertices near the cut are moved onto its plane."""
    heights = (points - cut.at) @ cut.inward
    heights = np.where(np.abs(heights) < SNAP, 0.0, heights)
    points = np.where(
        (heights == 0.0)[:, None], points - ((points - cut.at) @ cut.inward)[:, None] * cut.inward, points
    )
    made: dict[tuple[int, int], int] = {}
    more = list(points)

    def crossing(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in made:
            made[key] = len(more)
            share = heights[a] / (heights[a] - heights[b])
            more.append(points[a] + share * (points[b] - points[a]))
        return made[key]

    kept: list[tuple[int, int, int]] = []
    for face in faces[heights[faces].max(axis=1) > 0.0].tolist():
        ring: list[int] = []
        for a, b in zip(face, face[1:] + face[:1], strict=True):
            ring += [a] if heights[a] >= 0.0 else []
            ring += [crossing(a, b)] if heights[a] * heights[b] < 0.0 else []
        kept += [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
    return compact(np.array(more), np.array(kept))


def compact(points: Float64, faces: NDArray[np.int64]) -> tuple[Float64, Int32]:
    """Return the mesh without unused vertices. Indices in the faces are adapted."""
    used, numbers = np.unique(faces, return_inverse=True)
    return points[used], numbers.reshape(-1, 3).astype(np.int32)


def largest_piece(points: Float64, faces: Int32) -> tuple[Float64, Int32]:
    """Return the connected part of a mesh with the most vertices."""
    import scipy.sparse as sparse
    from scipy.sparse.csgraph import connected_components

    a, b = Topology(faces, len(points)).edges.T
    _, pieces = connected_components(sparse.coo_matrix((np.ones(len(a)), (a, b)), (len(points),) * 2), directed=False)
    return compact(points, faces[pieces[faces[:, 0]] == np.bincount(pieces).argmax()])


def halved(points: Float64, faces: Int32) -> tuple[Float64, Int32]:
    """Return a mesh in which each triangle is divided into four. Old vertices come first, then edge midpoints."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    unique, numbers = np.unique(edges, axis=0, return_inverse=True)
    (a, b, c), (ab, bc, ca) = faces.T, len(points) + numbers.reshape(-1, 3).T
    corners = [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    return np.concatenate([points, points[unique].mean(axis=1)]), np.stack(corners).transpose(2, 0, 1).reshape(
        -1, 3
    ).astype(np.int32)


def eased(points: ArrayLike, faces: Int32, skin: Body, ease: float, cuts: Sequence[Cut]) -> Float64:
    """Return cloth positions (V, 3), metres, that are moved away from the skin and smoothed, so that skin folds vanish.

    Vertices in the plane of a cut remain in this plane.
    """
    rest = np.asarray(points, np.float64)
    a, b = Topology(faces, len(rest)).edges.T
    edge = float(np.linalg.norm(rest[a] - rest[b], axis=1).mean())
    steps, loops = int(np.ceil(2.0 * (WIDTH / edge) ** 2)), boundary_loops(faces)
    rims, mean = _rims(rest, np.concatenate(loops), cuts), _mean_of_neighbors(faces, len(rest))

    def pushed(rest: Float64, room: float) -> Float64:
        distances, outward = mesh_clearance(rest, skin.positions, skin.faces)
        rooms = np.full(len(rest), room)
        rooms[rims[0][0]] = BAND_ROOM
        # boundary vertices move in the plane of their cut, further if the skin is oblique to the plane
        for rim, normal in rims:
            outward[rim] -= (outward[rim] @ normal)[:, None] * normal
            outward[rim] /= np.maximum((outward[rim] ** 2).sum(axis=1, keepdims=True), STEEPEST**2)
        return rest + np.maximum(rooms - distances, 0.0)[:, None] * outward

    for _ in range(ROUNDS):
        rest = pushed(rest, ease)
        for loop in loops:
            rest[loop] = evenly_spaced(rest[loop])
        for _ in range(steps):
            rest = rest + 0.5 * (mean @ rest - rest)
    # the last rounds only restore the smallest distance, in small steps
    for _ in range(SPREADS):
        rest = pushed(rest + 0.5 * (mean @ rest - rest), LEAST_ROOM)
    return rest


def evenly_spaced(loop: Float64) -> Float64:
    """Return K evenly spaced points (K, 3) on a closed polygon with K corners, starting at its first corner."""
    closed = np.concatenate([loop, loop[:1]])
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = np.linspace(0.0, way[-1], len(loop), endpoint=False)
    return np.stack([np.interp(at, way, closed[:, k]) for k in range(3)], axis=1)


def _rims(rest: Float64, boundary: NDArray[np.int64], cuts: Sequence[Cut]) -> list[tuple[NDArray[np.int64], Float64]]:
    """Return for each cut the boundary vertices in its plane, and its normal."""
    heights = np.abs(np.stack([(rest[boundary] - cut.at) @ cut.inward for cut in cuts]))
    return [
        (boundary[(heights.argmin(axis=0) == i) & (heights[i] < ON_PLANE)], cut.inward) for i, cut in enumerate(cuts)
    ]


def _mean_of_neighbors(faces: Int32, count: int) -> csr_array:
    """Return the matrix (V, V) that replaces each inner vertex by the mean of its neighbours.

    Boundary vertices stay fixed.
    """
    import scipy.sparse as sparse

    a, b = Topology(faces, count).edges.T
    rows, columns = np.r_[a, b], np.r_[b, a]
    # boundary vertices are fixed, because a cuff is a ring of few vertices, which would shrink to a point
    rim = np.concatenate(boundary_loops(faces))
    inner = ~np.isin(rows, rim)
    rows, columns = np.r_[rows[inner], rim], np.r_[columns[inner], rim]
    return sparse.csr_array((1.0 / np.bincount(rows, minlength=count)[rows], (rows, columns)), shape=(count, count))
