"""Samples of a joint on one side of the body, made from the joint on the other side by reflection."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ruckle.arguments import instance
from ruckle.arrays import Int32
from ruckle.pose_space.database import PoseDatabase, PoseJoint
from ruckle.pose_space.skin import CoarseSkin

__all__ = ["mirror_joint", "mirrored_vertices"]

# Two vertices are a mirror pair if the reflection of one is within this distance of the other, in mean edge lengths.
NEAREST = 0.5


def mirrored_vertices(rest: ArrayLike, *, edge_length: float, axis: int = 0, at: float = 0.0) -> Int32:
    """Return the index of each vertex's mirror image.

    Parameters
    ----------
    rest : (V, 3) float, mesh units
    edge_length : float, mesh units
        Mean edge length.
    axis : int
        Coordinate (0, 1 or 2) whose sign changes.
    at : float, mesh units
        Position of the mirror plane on this axis.

    Returns
    -------
    (V,) int32

    Raises
    ------
    ValueError
        A vertex does not have a mirror image within half an edge, or two vertices have the same mirror image.
    """
    points = np.asarray(rest, np.float64)
    reflected = points.copy()
    reflected[:, axis] = 2 * at - reflected[:, axis]
    partners, gaps = np.empty(len(points), np.int32), np.empty(len(points))
    for start in range(0, len(points), 512):
        part = slice(start, start + 512)
        squares = ((reflected[part, None] - points) ** 2).sum(axis=2)
        partners[part], gaps[part] = squares.argmin(axis=1), np.sqrt(squares.min(axis=1))
    if gaps.max() > NEAREST * edge_length:
        raise ValueError(
            f"rest: vertex {int(gaps.argmax())} has no mirror image, the nearest vertex is {gaps.max():.3g} away; "
            f"expected one within {NEAREST * edge_length:.3g}"
        )
    if len(np.unique(partners)) < len(partners):
        raise ValueError("rest: two vertices have the same mirror image; the mesh is not symmetric")
    return partners


def mirror_joint(database: PoseDatabase, joint: str, *, name: str, axis: int = 0, at: float = 0.0) -> PoseDatabase:
    """Return a database with one more joint, which is the mirror image of another joint.

    For symmetric garments, this saves half of the samples.

    Details are in the axes of the rest pose, so they are reflected with the garment. A mirrored rotation has the
    opposite angle about the mirrored axis.

    Parameters
    ----------
    database : PoseDatabase
    joint : str
        Name of the sampled joint.
    name : str
        Name of its partner on the other side of the skeleton.
    axis : int
        Coordinate (0, 1 or 2) whose sign changes.
    at : float, mesh units
        Position of the plane of symmetry on this axis.

    Returns
    -------
    PoseDatabase
        It does not have skin weights if the coarse mesh is not symmetric.

    Raises
    ------
    ValueError
        The joint does not exist, the partner already has samples, or the mesh is not symmetric.
    """
    source = instance("database", database, PoseDatabase).joint(joint)
    child = database.skeleton.index(name)
    if name in [known.name for known in database.joints]:
        raise ValueError(f"name: '{name}' already has samples")
    rest = database.binding.up(database.binding.rest) + database.rest_details
    partners = mirrored_vertices(rest, edge_length=database.edge_length, axis=axis, at=at)
    vertices = partners[source.vertices]
    order = np.argsort(vertices)
    flip = np.ones(3)
    flip[axis] = -1
    # a reflected rotation has the opposite angle about the reflected axis
    axes = source.axes * flip
    angles, samples = (
        tuple(-angle[::-1] for angle in source.angles),
        np.arange(source.sample_count).reshape(source.grid),
    )
    if source.kind == "ball" and np.linalg.det(axes) < 0:
        # the second axis changes its sign, so that the three axes remain right-handed
        axes, angles = axes * np.array([[1], [-1], [1]]), (angles[0], source.angles[1], angles[2])
        samples = samples[::-1, :, ::-1]
    else:
        samples = samples[tuple(slice(None, None, -1) for _ in source.grid)]
    details = source.details[samples.ravel()][:, order] * flip.astype(np.int16)
    parent = child
    for _ in database.skeleton.way(source.parent_bone, source.child_bone):
        parent = int(database.skeleton.parents[parent])
    mirrored = PoseJoint(
        name, parent, child, source.kind, axes, angles, vertices[order],
        source.weights[order], details.astype(np.int16), source.step,
        None if source.fitted is None else source.fitted[order],
    )  # fmt: skip
    return replace(
        database, joints=(*database.joints, mirrored), skin=_mirrored_skin(database, source, mirrored, axis, at)
    )


def _mirrored_skin(
    database: PoseDatabase, source: PoseJoint, mirrored: PoseJoint, axis: int, at: float
) -> CoarseSkin | None:
    """Return the coarse skin in which the new side mirrors the sampled side.

    None if the database does not have a skin, or if the coarse mesh is not symmetric.
    """
    rest, faces = database.binding.rest, database.binding.topology.faces
    edge = float(np.linalg.norm(rest[faces] - rest[faces[:, [1, 2, 0]]], axis=2).mean())
    try:
        partners = mirrored_vertices(rest, edge_length=edge, axis=axis, at=at)
    except ValueError:
        return None
    if database.skin is None:
        return None
    weights, distances = database.skin.weights.copy(), database.skin.distances.copy()
    swapped = np.arange(weights.shape[1])
    pairs = ((source.child_bone, mirrored.child_bone), (source.parent_bone, mirrored.parent_bone))
    for one, other in pairs:
        swapped[[one, other]] = other, one
    # a vertex gets mirrored weights if its mirror image follows the sampled joint more than the vertex itself does
    far = weights[partners, source.child_bone] > weights[:, source.child_bone]
    weights[far], distances[far] = weights[partners[far]][:, swapped], distances[partners[far]]
    return CoarseSkin(weights, distances)
