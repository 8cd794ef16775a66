"""Garments that are cut from the skin of who wears them: a shirt, and trousers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Int32, float32
from ruckle.mesh.topology import Topology
from ruckle.simulation.body import Body, Motion, mesh_clearance
from ruckle.simulation.remeshing import boundary_loops, remesh
from ruckle.simulation.sheet import Sheet, smooth_attachment

__all__ = ["Cut", "fitted_sheets", "shirt_cuts", "trouser_cuts"]

# About how many vertices the coarse mesh gets; each halving of its edges has four times as many.
COARSE_COUNT, HALVINGS = 380, 2

# m: how far cloth keeps from the skin everywhere, at rest; coarse cloth has a margin of its own
LEAST_ROOM = 0.012

# Rounds of pushing out and smoothing, and how wide each smooths, m: folds of the skin are no folds of a garment.
ROUNDS, WIDTH = 4, 0.03

# m: vertices so near to a cut are moved onto it, instead of leaving slivers beside it
SNAP = 0.015

Float64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cut:
    """A plane at which a garment ends.

    Attributes
    ----------
    at : (3,) float, metres
    inward : (3,) float
        Unit vector; the garment is on this side.
    """

    at: Float64
    inward: Float64


def shirt_cuts(motion: Motion) -> list[Cut]:
    """Return where a shirt ends: at the neck, below the hips, and before both wrists."""
    up = np.array([0.0, 1.0, 0.0])
    neck, hips = (motion.joints[motion.index(name)] for name in ("Neck", "LeftUpLeg"))
    cuts = [Cut(neck - 0.01 * up, -up), Cut(hips - 0.04 * up, up)]
    for side in ("Left", "Right"):
        elbow, hand = (motion.joints[motion.index(side + name)] for name in ("ForeArm", "Hand"))
        along = (hand - elbow) / np.linalg.norm(hand - elbow)
        cuts.append(Cut(elbow + 0.85 * (hand - elbow), -along))
    return cuts


def trouser_cuts(motion: Motion) -> list[Cut]:
    """Return where trousers end: at the waist, and above the feet."""
    up = np.array([0.0, 1.0, 0.0])
    waist, foot = (motion.joints[motion.index(name)] for name in ("LowerBack", "LeftFoot"))
    return [Cut(waist + 0.03 * up, -up), Cut(foot + 0.05 * up, up)]


def fitted_sheets(skin: Body, cuts: Sequence[Cut], ease: float, bone: int) -> tuple[Sheet, Sheet]:
    """Return a garment around a part of a body, coarse and fine, pinned at its first cut.

    Parameters
    ----------
    skin : Body
    cuts : sequence of Cut
        Of what they leave, the largest piece is taken.
    ease : float, metres
        How far the cloth is from the skin, about.
    bone : int
        What the first cut is pinned to: a collar or a waistband does not stretch as the skin does.

    Returns
    -------
    (Sheet, Sheet)
        The coarse vertices are the first of the fine ones.
    """
    points, faces = skin.positions.astype(np.float64), skin.faces
    for cut in cuts:
        points, faces = clipped(points, faces, cut)
    points, faces = largest_piece(points, faces)
    # at its width before it is meshed: on the skin, cuffs would be rings of three vertices
    wide = eased(points, faces, skin, ease)
    coarse, coarse_faces = remesh(wide, faces, max(COARSE_COUNT, len(points)))
    fine, fine_faces = coarse.astype(np.float64), coarse_faces
    for _ in range(HALVINGS):
        fine, fine_faces = halved(fine, fine_faces)
    rest = float32("rest", eased(fine, fine_faces, skin, ease))
    attachment = smooth_attachment((rest - cuts[0].at) @ cuts[0].inward, 0.03)
    weights = np.zeros((len(rest), skin.weights.shape[1]), np.float32)
    weights[:, bone] = 1.0
    few = len(coarse)
    return Sheet(rest[:few], coarse_faces, attachment[:few], weights[:few]), Sheet(
        rest, fine_faces, attachment, weights
    )


def clipped(points: Float64, faces: Int32, cut: Cut) -> tuple[Float64, Int32]:
    """Return the part of a mesh on the inner side of a cut; vertices that are near are moved onto it."""
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
    """Return a mesh without the vertices that no face has."""
    used, numbers = np.unique(faces, return_inverse=True)
    return points[used], numbers.reshape(-1, 3).astype(np.int32)


def largest_piece(points: Float64, faces: Int32) -> tuple[Float64, Int32]:
    """Return the connected part of a mesh that has the most vertices."""
    import scipy.sparse as sparse
    from scipy.sparse.csgraph import connected_components

    a, b = Topology(faces, len(points)).edges.T
    _, pieces = connected_components(sparse.coo_matrix((np.ones(len(a)), (a, b)), (len(points),) * 2), directed=False)
    return compact(points, faces[pieces[faces[:, 0]] == np.bincount(pieces).argmax()])


def halved(points: Float64, faces: Int32) -> tuple[Float64, Int32]:
    """Return a mesh with every edge cut in two: the old vertices first, then the middles."""
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    unique, numbers = np.unique(edges, axis=0, return_inverse=True)
    (a, b, c), (ab, bc, ca) = faces.T, len(points) + numbers.reshape(-1, 3).T
    corners = [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    return np.concatenate([points, points[unique].mean(axis=1)]), np.stack(corners).transpose(2, 0, 1).reshape(
        -1, 3
    ).astype(np.int32)


def eased(points: ArrayLike, faces: Int32, skin: Body, ease: float) -> Float64:
    """Return cloth (V, 3), metres, at some distance from the skin that it is on or near, without the skin's folds."""
    import scipy.sparse as sparse

    rest = np.asarray(points, np.float64)
    a, b = Topology(faces, len(rest)).edges.T
    rows, columns = np.r_[a, b], np.r_[b, a]
    mean = sparse.coo_matrix((1.0 / np.bincount(rows)[rows], (rows, columns)), (len(rest),) * 2).tocsr()
    # rims keep their length
    edge = float(np.linalg.norm(rest[a] - rest[b], axis=1).mean())
    steps = int(np.ceil(2.0 * (WIDTH / edge) ** 2))
    inner = np.ones((len(rest), 1))
    inner[np.concatenate(boundary_loops(faces))] = 0.0
    for number in range(ROUNDS):
        distances, outward = mesh_clearance(rest, skin.positions, skin.faces)
        # the last time only as far as it must
        wanted = LEAST_ROOM if number == ROUNDS - 1 else ease
        rest = rest + np.maximum(wanted - distances, 0.0)[:, None] * outward
        for _ in range(steps if number < ROUNDS - 1 else 0):
            rest = rest + 0.5 * inner * (mean @ rest - rest)
    return rest
