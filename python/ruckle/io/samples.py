"""The packaged garment animations. Six of them imitate the motions in figures of the thesis (Peters 2015).

The wearer is a coarse figure of 1.75 m. The animations have 60 frames per second and are in metres, with Y up and the
figure facing +Z. Frame 0 is a neutral standing pose, except in `walking`, where it is a step. The triangle counts of
the first six are from Table 8.1 of the thesis:

=============== ========= ===================================== ==========================
name            triangles garment                               motion
=============== ========= ===================================== ==========================
sawing          734       long jacket                           hand saw across a bench
chopping        602       shirt                                 axe from overhead
fist_pumping    534       sweater                               right fist up, bouncing
stretching      628       sweatshirt                            arms up, bends and twists
jumping_jack    356       flared skirt, coarsely simulated      three jumping jacks
shoveling       602       sleeveless overalls                   dig, lift, throw
walking         1338      hooded sweatshirt and trousers        three cycles on the spot, a loop
dancing         632       dress, coarsely simulated             sways, a turn on the spot
=============== ========= ===================================== ==========================

The files `garments/NAME.npz` next to this module were written by the `samples` script of the repository:

=================== ===================== =================================================================
array               shape, type           meaning
=================== ===================== =================================================================
faces               (T, 3) uint16         corners counterclockwise seen from outside; manifold with boundary
uv, uv_faces        (U, 2) float32,       texture coordinates in [0, 1]; the mirrored halves are next to each other;
                    (T, 3) uint16         seams are at the centre of the back and below the sleeves
fps, height         float32               frames per second; height of the figure, metres
rest_positions      (V, 3) float32        skinned garments: metres, equal to frame 0 except in `walking`
joint_indices       (V, 4) uint8          skinned garments: columns of `bone_matrices`
joint_weights       (V, 4) float32        skinned garments: sum to 1
bone_matrices       (F, B, 3, 4) float32  skinned garments: rest to posed, rigid
steps, origin, step (F, V, 3) uint16,     simulated garments: positions are origin + step * n, metres; `steps` contains
                    (3,), () float32      the second differences over frames of the integers n, modulo 65536
patch_points,       (P, 2) float32, (K,)  outlines of sewn-on patches, one after another, in texture coordinates;
patch_counts        uint8                 number of points of each outline
buttons             (B, 2) float32        centres of the buttons, texture coordinates
=================== ===================== =================================================================

`garments/wearer.npz` contains the figure under the garments, in parts: trunk, legs, trousers, boots, soles, and the
garments' collars. Its positions at rest are stored as `origin`, `step` and `steps`. `face_steps` (T, 3) contains
differences of the first corners between consecutive faces, and of the other corners from the first corner. `parts` (T,)
is the part of each face. `joint_indices` (V, 7) and `joint_weights` (7, V) with values 0 to 4095 define the skin.
`joints` (J, 3) are rest positions, and `parents` (J,) their parent joints. Further arrays exist for every sample:

============ ====================== ==================================================================
NAME_visible (T / 8,) uint8         one bit per face, 1 if it is drawn: the garment does not always cover it
NAME_turns   (F, J, 2, 3) int16     first two rows of each joint's rotation from rest, 32767 for 1
NAME_hips    (F, 3) float32         position of joint 0, metres
============ ====================== ==================================================================
"""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import choice
from ruckle.mesh.animation import Animation
from ruckle.mesh.colors import FaceColors
from ruckle.mesh.sewing import Sewing
from ruckle.mesh.skinning import linear_blend_skinning

__all__ = ["sample", "sample_body", "samples"]

NAMES = ("sawing", "chopping", "fist_pumping", "stretching", "jumping_jack", "shoveling", "walking", "dancing")
"""Names of the samples: (a) to (f) of Table 8.1, which are also figures 8.5 to 8.10, and then two more."""

LOOP = "walking"
"""The sample whose first frame is in the middle of a motion. Only this animation therefore has rest positions."""

PART_COLORS = (
    (0.584, 0.479, 0.381),
    (0.584, 0.479, 0.381),
    (0.030, 0.034, 0.044),
    (0.060, 0.032, 0.020),
    (0.014, 0.012, 0.011),
    (0.195, 0.279, 0.423),
)
"""Linear red, green and blue of the figure's parts: the default `body` of `ruckle.view.Look` for the skin, dark
trousers, brown boots, and the default `cloth` of `ruckle.view.Look` for the collars.
"""


COLLARS = 5
"""Index of the part of the figure that is drawn like the garment's cloth."""


def samples() -> list[str]:
    """Return the names of the packaged garment animations.

    Returns
    -------
    list of str
        Names for `sample`.

    Examples
    --------
    >>> ruckle.samples()
    ['sawing', 'chopping', 'fist_pumping', 'stretching', 'jumping_jack', 'shoveling', 'walking', 'dancing']
    """
    return list(NAMES)


def sample(name: str) -> Animation:
    """Return the packaged garment animation called `name`.

    Parameters
    ----------
    name : one of the names in `samples()`

    Returns
    -------
    Animation at 60 fps in metres, with texture coordinates and the figure's height of 1.75 m

    Raises
    ------
    ValueError
        No sample has this name. The message lists the existing names.
    TypeError
        `name` is not a string.

    Notes
    -----
    The motions imitate figures 8.5 to 8.10 of Peters 2015. Our own code made the garments and motions.

    Examples
    --------
    >>> ruckle.sample("sawing")
    Animation('sawing': 225 frames at 60 fps (3.73 s), 389 vertices, 734 faces, uv, height 1.75)
    """
    with stored_sample(choice("name", name, NAMES)) as arrays:
        return Animation(
            _simulated(arrays) if "steps" in arrays else _skinned(arrays),
            arrays["faces"].astype(np.int32),
            fps=float(arrays["fps"]),
            uv=arrays["uv"],
            uv_faces=arrays["uv_faces"].astype(np.int32),
            name=name,
            height=float(arrays["height"]),
            rest_positions=arrays["rest_positions"] if name == LOOP else None,
            sewing=_sewing(arrays),
        )


def sample_body(name: str) -> Animation:
    """Return the figure under a packaged garment as an animation, for drawing.

    Parameters
    ----------
    name : one of the names in `samples()`

    Returns
    -------
    Animation of the garment's frames in metres, without parts that the garment always covers. Under shirts, the figure
    wears trousers.

    Raises
    ------
    ValueError, TypeError
        Raised as by `sample`.

    Examples
    --------
    >>> animation, body = ruckle.sample("sawing"), ruckle.sample_body("sawing")
    >>> pictures = ruckle.film.shoot(animation, ruckle.film.Shot(size=(640, 360)), body=body)
    """
    choice("name", name, NAMES)
    with stored_sample("wearer") as arrays:
        visible = visible_faces(arrays, name)
        used, faces = np.unique(figure_faces(arrays)[visible], return_inverse=True)
        positions = linear_blend_skinning(
            figure_positions(arrays)[used],
            arrays["joint_indices"][used],
            figure_weights(arrays)[used],
            bone_matrices_of(arrays["joints"], arrays["parents"], arrays[f"{name}_turns"], arrays[f"{name}_hips"]),
        )
        parts = arrays["parts"][visible]
    faces = faces.reshape(-1, 3).astype(np.int32)
    shades = np.repeat(np.array(PART_COLORS, np.float32)[parts][:, None], 3, axis=1)
    colors = replace(FaceColors.plain(len(faces)), corners=shades, is_cloth=parts == COLLARS)
    return Animation(positions, faces, fps=60.0, name=f"who wears {name}", height=1.75, colors=colors)


def visible_faces(arrays: np.lib.npyio.NpzFile, name: str) -> NDArray[np.bool_]:
    """Return a mask (T,) of the figure's faces that are drawn under a sample."""
    return np.unpackbits(arrays[f"{name}_visible"], count=len(arrays["parts"])).astype(bool)


def figure_positions(arrays: np.lib.npyio.NpzFile) -> NDArray[np.float32]:
    """Return the rest positions (V, 3) of the figure, metres."""
    positions: NDArray[np.float32] = arrays["origin"] + arrays["step"] * arrays["steps"].astype(np.float32)
    return positions


def figure_faces(arrays: np.lib.npyio.NpzFile) -> NDArray[np.int64]:
    """Return the faces (T, 3) of the figure."""
    steps = arrays["face_steps"].copy()
    steps[:, 0] = np.cumsum(steps[:, 0], dtype=np.uint16)
    steps[:, 1:] += steps[:, :1]
    return steps.astype(np.int64)


def figure_weights(arrays: np.lib.npyio.NpzFile) -> NDArray[np.float32]:
    """Return the skin weights (V, 7) of the figure. Each row has the sum 1."""
    levels = arrays["joint_weights"].T.astype(np.float32)
    weights: NDArray[np.float32] = levels / levels.sum(axis=1, keepdims=True)
    return weights


def stored_sample(name: str) -> np.lib.npyio.NpzFile:
    """Load the packaged file `garments/NAME.npz`."""
    source = resources.files("ruckle") / "garments" / f"{name}.npz"
    arrays: np.lib.npyio.NpzFile = np.load(BytesIO(source.read_bytes()))
    return arrays


def bone_matrices_of(
    joints: NDArray[np.float32], parents: NDArray[np.int8], turns: NDArray[np.int16], hips: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return matrices (F, J, 3, 4) from rest to each frame. Parents must precede their children."""
    rows = turns / 32767
    rotations = np.concatenate([rows, np.cross(rows[:, :, :1], rows[:, :, 1:])], axis=2)
    positions = np.repeat(hips[:, None].astype(np.float64), len(joints), axis=1)
    for joint, parent in enumerate(parents[1:], start=1):
        positions[:, joint] = positions[:, parent] + rotations[:, parent] @ (joints[joint] - joints[parent])
    shifts = positions - np.einsum("fjab,jb->fja", rotations, joints)
    return np.concatenate([rotations, shifts[..., None]], axis=3)


def _sewing(arrays: np.lib.npyio.NpzFile) -> Sewing:
    """Return the patches and buttons of a garment."""
    ends = np.cumsum(arrays["patch_counts"], dtype=np.int64)
    return Sewing(tuple(np.split(arrays["patch_points"], ends[:-1])), arrays["buttons"])


def _skinned(arrays: np.lib.npyio.NpzFile) -> NDArray[np.float32]:
    """Return the positions (F, V, 3) of a garment that is skinned to bones."""
    return linear_blend_skinning(
        arrays["rest_positions"], arrays["joint_indices"], arrays["joint_weights"], arrays["bone_matrices"]
    )


def _simulated(arrays: np.lib.npyio.NpzFile) -> NDArray[np.float32]:
    """Return the positions (F, V, 3) of a simulated garment, which are stored as integer steps."""
    steps = np.cumsum(np.cumsum(arrays["steps"], axis=0, dtype=np.uint16), axis=0, dtype=np.uint16)
    positions: NDArray[np.float32] = arrays["origin"] + arrays["step"] * steps.astype(np.float32)
    return positions
