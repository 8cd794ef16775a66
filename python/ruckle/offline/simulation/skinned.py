"""Simulation of free fine cloth for a skinned garment, whose coarse mesh only follows bones.

The simulation shows the folds of the garment. The fine cloth is pinned at collar or waist, softly attached at cuffs and
buttons, and does not track the coarse mesh. Wrinkle layers on the skinned mesh (paths, patterns, waves...) are compared
with this cloth in rest coordinates. This module requires scipy (extra `ruckle[simulation]`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import positive_number
from ruckle.arrays import Float32, Int32, float32
from ruckle.mesh.animation import Animation
from ruckle.mesh.closest import closest_points
from ruckle.mesh.geometry import triangle_areas
from ruckle.mesh.topology import Topology
from ruckle.offline.simulation.flesh import compressed_skins
from ruckle.offline.simulation.garment_mesh import (
    GarmentMesh,
    geodesic_distances,
    load_garment_mesh,
    pinned_vertices,
    without_linings,
)
from ruckle.offline.simulation.pair import edge_strains
from ruckle.offline.simulation.parting import parted
from ruckle.offline.simulation.remeshing import boundary_loops, remesh
from ruckle.offline.simulation.scenes import (
    ARMS,
    FINE_MARGIN,
    HOLD,
    LEAD,
    LEGS,
    SHIRT_LIMBS,
    Scene,
    with_mittens,
    with_room_behind_knees,
    without_arms,
    worn,
)
from ruckle.offline.simulation.tracking import linear_map
from ruckle.offline.simulation.truth_scene import TruthScene
from ruckle.offline.simulation.wearers import SKINNED_SAMPLES, sample_garment, sample_hips, sample_motion, sample_wearer
from ruckle.simulation.body import Body, Motion, load_body, load_motion, mesh_clearance, require_wearer
from ruckle.simulation.cloth import ClothSimulation
from ruckle.simulation.material import Material, material_named
from ruckle.simulation.sheet import BLEND, Sheet, smooth_attachment

__all__ = ["SkinnedScene", "default_pins", "open_skinned", "simulate_skinned", "skinned_scene"]

EDGE = 0.010
"""Mean edge length of the fine mesh, metres. With 14 mm, slopes of the folds are 14 % smaller."""

SELF_DISTANCE = 0.004
"""Distance between layers of cloth, metres. Without a distance, cloth tears at armpits."""

# Attachment weight of soft pins. These pins are springs of angular frequency 30 1/s, which gravity stretches by 11 mm.
SOFT = 0.5

# Factor on the air drag of cotton. Drag is relative to air that moves with the wearer, because in still air fast
# motions would inflate the cloth.
AIR = 10.0

# In metres, for a wearer of 1.75 m: height of the pinned region below the highest boundary vertex; height of a hem,
# which is not attached; largest circumference of a cuff; largest circumference of a buttonhole.
COLLAR, HEM, CUFF, BUTTONHOLE = 0.10, 0.06, 0.26, 0.08

# Distance in metres in addition to cloth thickness and margin, so that the cloth starts without contact.
ROOM = 0.001

# Largest distance in metres by which a pin is moved out of the body.
DEEPEST_PIN = 0.02

# Rounds of smoothing that make the coarse mesh round; factor of the displacement in each round.
ROUNDING, STEP = 8, 0.5

# Rounds of pushing cloth out of the body; rounds that spread each displacement to neighbours.
PUSHES, SPREADS = 6, 3

# A limb is covered by a garment if more than this fraction of the garment's area is on it.
DRESSED = 0.03


@dataclass(frozen=True, slots=True, eq=False)
class SkinnedScene:
    """A skinned garment with its free fine cloth and its wearer.

    Attributes
    ----------
    scene : Scene
        Scene whose coarse sheet is the skinned mesh and whose fine sheet is the free cloth.
    start : (N, 3) float32, metres
        Fine vertices on the coarse rest mesh, before they are smoothed and pushed out of the body. They give the point
        of the coarse mesh that corresponds to each fine vertex.
    height : float, metres
        Height of the wearer.
    """

    scene: Scene
    start: Float32
    height: float


def open_skinned(
    garment: str,
    motion: str | Path | None = None,
    body: str | Path | None = None,
    *,
    pins: Sequence[str] = (),
    soft_pins: Sequence[str] = (),
    variant: str = "plain",
    edge: float = EDGE,
) -> SkinnedScene:
    """Return the scene of a sample garment, or of a garment's file with files of its motion and body.

    Parameters
    ----------
    garment : str
        A name in `SKINNED_SAMPLES`, or a path.
    motion, body : path, optional
        Only for a garment's file; ignored for a sample. If `motion` is missing, the garment's file must contain the
        motion.
    pins, soft_pins : sequence of str
        See `skinned_scene`.
    variant : str
        A name in `ruckle.simulation.VARIANTS`.
    edge : float, metres

    Raises
    ------
    ValueError
        A garment's file is given without a body.
    FormatError
        A file cannot be read.
    """
    if garment in SKINNED_SAMPLES:
        mesh, wearer, moves = sample_garment(garment), sample_wearer(), sample_motion(garment)
    else:
        if body is None:
            raise ValueError("body: free cloth needs the body under it; give the file of the body")
        mesh, wearer = load_garment_mesh(garment), load_body(body)
        moves = load_motion(garment if motion is None else motion)
    own = garment in SKINNED_SAMPLES or motion is None or Path(motion).stem == mesh.name
    words = [mesh.name, *([] if own else [Path(str(motion)).stem]), *([] if variant == "plain" else [variant])]
    return skinned_scene(
        replace(mesh, name="_".join(words)), moves.variant(variant), wearer, pins=pins, soft_pins=soft_pins, edge=edge,
        cones=sample_hips(moves) if garment in SKINNED_SAMPLES else None,
    )  # fmt: skip


def skinned_scene(
    garment: GarmentMesh,
    motion: Motion,
    body: Body,
    *,
    pins: Sequence[str] = (),
    soft_pins: Sequence[str] = (),
    edge: float = EDGE,
    cones: tuple[Float32, NDArray[np.int64]] | None = None,
) -> SkinnedScene:
    """Return free fine cloth of a skinned garment on its wearer.

    Sleeves and arms are rotated away from the body, and hands are replaced by their convex hulls. If the garment does
    not cover the arms, the body's arms are removed.

    Parameters
    ----------
    garment : GarmentMesh
    motion : Motion
        Motion of the coarse mesh and of the body.
    body : Body
    pins, soft_pins : sequence of str
        Names as for `pinned_vertices`. If both are empty, `default_pins` are used.
    edge : float, metres
        Mean edge length of the fine mesh.
    cones : (C, 8) float, metres, and (C,) int, optional
        Rounded cones at rest that fill a hole in the body, and the bone that moves each cone.

    Raises
    ------
    ValueError
        Body and motion have different bones, or there is no pinned vertex.
    MeshError
        The faces are not a manifold mesh.
    """
    require_wearer(motion, body)
    weights = garment.following(body)
    cloth = without_linings(replace(garment, weights=weights), body)
    if pins or soft_pins:
        pinned, soft = pinned_vertices(cloth, pins), pinned_vertices(cloth, soft_pins)
    else:
        pinned, soft = default_pins(cloth)
    if not pinned.any():
        raise ValueError("pins: without pins, free cloth falls off its wearer; give a loop or a group")
    moves, wearer = _dressed(worn(motion), body, garment, weights)
    coarse = Sheet(garment.rest, garment.faces, np.ones(len(garment.rest), np.float32), weights)
    area = float(triangle_areas(cloth.rest.astype(np.float64), cloth.faces).sum())
    count = round(2.0 * area / (np.sqrt(3.0) * positive_number("edge", edge) ** 2))
    start, faces = remesh(cloth.rest, cloth.faces, count)
    to_fine = linear_map(cloth.rest, cloth.faces, start)
    rest = _rounded(start.astype(np.float64), faces)
    rest = _outside(rest, faces, wearer, material_named("cotton").thickness + FINE_MARGIN + ROOM)
    # a fine vertex is pinned (or softly attached) if the barycentric weights of the pinned (or softly attached) corners
    # of its coarse face have the sum 1
    held, followed = (np.asarray(to_fine @ mask.astype(float)) > 1.0 - 1e-6 for mask in (pinned, soft))
    attachment = smooth_attachment(geodesic_distances(rest, faces, held), BLEND)
    loose = SOFT * smooth_attachment(geodesic_distances(rest, faces, followed), BLEND)
    assert cloth.weights is not None
    fine_weights = np.asarray(to_fine @ cloth.weights, np.float32)
    fine = Sheet(float32("rest", rest), faces, np.maximum(attachment, loose.astype(np.float32)), fine_weights)
    rounded, owners = cones or (np.empty((0, 8), np.float32), np.empty(0, np.int64))
    # the distance is enough for two layers of cloth between two parts of the body
    room = 2.0 * (material_named("cotton").thickness + FINE_MARGIN) + SELF_DISTANCE + ROOM
    scene = Scene(
        garment.name, moves, LEAD + HOLD, coarse, fine, rounded, owners, body=wearer, fine_margin=FINE_MARGIN,
        skins=compressed_skins(moves, wearer, room),
    )  # fmt: skip
    return SkinnedScene(scene, start, float(np.ptp(body.positions[:, 1])))


def default_pins(garment: GarmentMesh) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return two masks (V,): pinned vertices, and vertices that are softly attached to the wearer.

    Pinned is the boundary within 10 cm below the highest boundary vertex: a collar or a waist. Softly attached are the
    rest of boundary loops with pinned vertices, above the lowest 6 cm (an open front with buttons), and other loops
    with a circumference of 8 to 26 cm (cuffs). Lengths are for a wearer of 1.75 m and are not scaled. Without boundary,
    both masks are False.
    """
    rest = garment.rest.astype(np.float64)
    pinned, soft = (np.zeros(len(rest), bool) for _ in range(2))
    loops = boundary_loops(garment.faces)
    if not loops:
        return pinned, soft
    top = max(float(rest[loop, 1].max()) for loop in loops)
    for loop in loops:
        high = rest[loop, 1] > top - COLLAR
        pinned[loop[high]] = True
        girth = float(np.linalg.norm(rest[loop] - rest[np.roll(loop, 1)], axis=1).sum())
        if high.any():
            # the open front below the collar is attached by buttons, except at the hem
            soft[loop[~high & (rest[loop, 1] > rest[loop, 1].min() + HEM)]] = True
        elif BUTTONHOLE < girth < CUFF:
            soft[loop] = True
    return pinned, soft


def simulate_skinned(
    skinned: SkinnedScene,
    *,
    material: str | Material = "cotton",
    substeps: int | None = None,
    frames: int | None = None,
    threads: int = 1,
    self_distance: float = SELF_DISTANCE,
    air: float = AIR,
    progress: Callable[[int], None] | None = None,
) -> TruthScene:
    """Simulate the free fine cloth of a skinned garment.

    Parameters
    ----------
    skinned : SkinnedScene
    material : str or Material
    substeps : int, optional
        Substeps per frame; default: `Scene.substeps`, computed from the speed of the body.
    frames : int, optional
        Largest number of frames to keep after the warm-up frames; default: all.
    threads : int
        Number of threads; it does not affect the result.
    self_distance : float, metres
        Distance between layers. It is ignored if layers of the garment intersect at the start. The report contains the
        value that was used.
    air : float
        Factor on the material's air drag, relative to air that moves with the wearer.
    progress : function of the number of frames done, optional

    Raises
    ------
    MeshError
        The cloth becomes unstable; the message names the frame.
    """
    scene, sheet, fabric = skinned.scene, skinned.scene.fine, material_named(material)
    fabric = replace(fabric, air_drag=fabric.air_drag * air)
    steps = scene.substeps() if substeps is None else substeps
    kept = scene.frame_count - scene.warm
    kept = kept if frames is None else min(kept, frames)
    # if layers intersected at the start, contact between layers would tear them
    apart = 0.0 if self_distance > 0.0 and _is_tangled(sheet) else self_distance
    cloth = ClothSimulation(
        sheet.rest, sheet.faces, sheet.attachment, material=fabric, substeps=steps, strain_sweeps=1,
        margin=scene.fine_margin, self_distance=apart, threads=threads,
    )  # fmt: skip
    assert scene.body is not None
    cloth.collide_with(scene.body.faces, len(scene.body.positions))
    bones, fps = scene.motion.bones, scene.motion.fps
    before = sheet.pins(bones[0])
    cloth.place(before)
    positions, crossings, begun = [], 0, time.perf_counter()
    for frame in range(scene.warm + kept):
        skin = scene.body_at(frame)
        pins = _pins_outside(sheet.pins(bones[frame]), sheet.attachment, skin, scene.body.faces)
        result = cloth.step(1.0 / fps, pins=pins, body=skin, cones=scene.cones_at(frame), wind=(pins - before) * fps)
        before = pins
        if frame >= scene.warm:
            positions.append(result.positions)
            crossings = max(crossings, result.stats["crossings"])
        if progress is not None:
            progress(frame + 1)
    seconds = time.perf_counter() - begun
    fine = float32("positions", positions)
    shown = bones[scene.warm : scene.warm + kept]
    coarse = Animation(
        np.array([scene.coarse.pins(bone) for bone in shown]), scene.coarse.faces, fps=fps, name=scene.name,
        height=skinned.height, rest_positions=scene.coarse.rest, skeleton=scene.motion.skeleton,
        bones=shown.astype(np.float32),
    )  # fmt: skip
    holders, weights = closest_points(scene.coarse.rest, scene.coarse.faces, skinned.start)
    report = {
        "material": material if isinstance(material, str) else "own",
        "substeps": steps,
        "self_distance": apart,
        "air": air,
        "crossings": crossings,
        "edge_strain": edge_strains(sheet.rest, sheet.faces, fine),
        "seconds": round(seconds, 1),
    }
    return TruthScene(
        coarse, sheet.rest, sheet.faces, holders.astype(np.int32), np.clip(weights, 0.0, 1.0).astype(np.float32),
        sheet.attachment, fine, scene.body, report,
    )  # fmt: skip


def _pins_outside(pins: Float32, attachment: Float32, skin: Float32 | None, faces: Int32) -> Float32:
    """Return pins (N, 3) that are moved out of the body's skin (B, 3), by at most DEEPEST_PIN.

    Only attached vertices (`attachment` above 0) move. Skinned cuffs can be inside twisted wrists. Without skin, the
    pins are not changed.
    """
    if skin is None:
        return pins
    followed = np.flatnonzero(attachment > 0.0)
    distances, outward = mesh_clearance(pins[followed], skin, faces)
    room = material_named("cotton").thickness + FINE_MARGIN + ROOM
    moved = pins.copy()
    moved[followed] += np.clip(room - distances, 0.0, DEEPEST_PIN)[:, None] * outward
    return moved


def _is_tangled(sheet: Sheet) -> bool:
    """Return True if faces of the cloth intersect at rest."""
    still = np.ones(len(sheet.rest), np.float32)
    cloth = ClothSimulation(sheet.rest, sheet.faces, still, substeps=1, strain_sweeps=0, self_distance=SELF_DISTANCE)
    return cloth.step().stats["crossings"] > 0


def _dressed(motion: Motion, body: Body, garment: GarmentMesh, weights: Float32) -> tuple[Motion, Body]:
    """Return a motion and a body with enough space for the garment.

    If the garment covers the arms, arms are moved away from the trunk and hands are replaced by their hulls. Otherwise
    the body's arms are removed. If it covers the legs, knee bends are limited.
    """
    areas = triangle_areas(garment.rest.astype(np.float64), garment.faces)

    def dressed(parts: Sequence[tuple[str, str]]) -> bool:
        bones = [motion.index(first) for first, _ in parts if first in motion.names]
        on_limb = weights[garment.faces].mean(axis=1)[:, bones].sum(axis=1) > 0.5
        return bool(areas[on_limb].sum() > DRESSED * areas.sum())

    if dressed(ARMS):
        motion, body = parted(motion, body, SHIRT_LIMBS), with_mittens(body, motion)
    elif {first for first, _ in ARMS} <= set(motion.names):
        body = without_arms(body, motion)
    return (with_room_behind_knees(motion, body) if dressed(LEGS) else motion), body


def _rounded(points: NDArray[np.float64], faces: Int32) -> NDArray[np.float64]:
    """Return fine vertices (N, 3) after `ROUNDING` rounds of smoothing. Boundary vertices are not moved.

    Before, the vertices are on the flat triangles of the coarse mesh.
    """
    spread, inside = _neighbours(faces, len(points))
    for _ in range(ROUNDING):
        points = np.where(inside[:, None], points + STEP * (spread(points) - points), points)
    return points


def _outside(points: NDArray[np.float64], faces: Int32, body: Body, room: float) -> NDArray[np.float64]:
    """Return points that are pushed, in `PUSHES` rounds, to at least `room` metres outside of a body.

    Each push also moves the neighbourhood. Points in narrow places can remain closer.
    """
    spread, _ = _neighbours(faces, len(points))
    for _ in range(PUSHES):
        distances, outward = mesh_clearance(points, body.positions, body.faces)
        needed = np.maximum(room - distances, 0.0)[:, None] * outward
        pushed, moved = needed, np.abs(needed).sum(axis=1, keepdims=True) > 0.0
        for _ in range(SPREADS):
            pushed = np.where(moved, needed, spread(pushed))
        points = points + pushed
    return points


def _neighbours(
    faces: Int32, count: int
) -> tuple[Callable[[NDArray[np.float64]], NDArray[np.float64]], NDArray[np.bool_]]:
    """Return a function that averages vertex values over neighbours, and a mask (V,) of inner vertices."""
    import scipy.sparse as sparse

    topology = Topology(faces, count)
    a, b = topology.edges.T
    both = np.concatenate([a, b]), np.concatenate([b, a])
    adjacent = sparse.csr_array((np.ones(2 * len(a)), both), shape=(count, count))
    valences = np.asarray(adjacent.sum(axis=1)).ravel()[:, None]
    inside = np.ones(count, bool)
    inside[topology.edges[(np.asarray(topology.edge_faces) < 0).any(axis=1)].ravel()] = False
    return lambda values: np.asarray(adjacent @ values) / valences, inside
