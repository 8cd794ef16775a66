"""The garments by name. Six of them have the triangle counts of Table 8.1 in the thesis of Peters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .collar import Collar
from .form import Form
from .garments import Bodice, Dress, Overalls, Shirt, Skirt, Trousers
from .lattice import Mesh
from .sewn import both_sides, outline, pocket, rectangle
from .skeleton import rest
from .solid import Blend, Ellipsoid, Limb, Part

__all__ = ["GARMENTS"]


COLLAR = 0.010
"""Maximum distance between neck and collar, metres."""


STAND = [
    (0.0, -0.008),
    (-0.001, -0.004),
    (-0.006, 0.012),
    (-0.010, 0.026),
    (-0.009, 0.033),
    (-0.004, 0.036),
    (0.001, 0.033),
]
FALL = [(0.006, 0.024), (0.012, 0.014), (0.018, 0.004), (0.025, -0.006), (0.032, -0.016)]
TURNED_DOWN = Collar([*STAND, *FALL], 0.004, gap=0.012, fall=5, point=0.045)
"""Collar of a shirt: a stand around the neck, and a fall that rests on the shoulders."""

NECKBAND = Collar([(0.001, -0.006), (0.0, 0.002), (-0.004, 0.011), (-0.010, 0.018)], 0.005)
"""Ribbed neckband of a sweatshirt."""

ROLL = Collar([(0.001, -0.006), (-0.001, 0.008), (-0.007, 0.024), (-0.009, 0.036), (-0.010, 0.044)], 0.007)
"""Roll neck of a sweater."""

BINDING = Collar([(0.001, -0.006), (0.0, 0.001), (-0.003, 0.007)], 0.003)
"""A narrow band along a neckline."""


def torso(ease: float, waist: float = 0.0) -> list[tuple[float, float, float, float]]:
    """Return the torso's cross-sections at a distance `ease` from the body, plus `waist` at the waist, metres."""
    # a collar is closer to the neck than other cloth is to the body
    collar = min(ease, COLLAR)
    return [
        (0.72, 0.185 + ease, 0.130 + ease, -0.005),
        (0.88, 0.180 + ease, 0.125 + ease, -0.010),
        (1.08, 0.145 + ease + waist, 0.102 + ease + waist, 0.000),
        (1.22, 0.158 + ease, 0.112 + ease, 0.000),
        (1.32, 0.160 + ease, 0.115 + ease, -0.008),
        (1.39, 0.140 + ease, 0.100 + ease, -0.020),
        (1.44, 0.090 + ease, 0.075 + ease, -0.025),
        (1.48, 0.062 + collar, 0.062 + collar, -0.022),
        (1.60, 0.056 + collar, 0.060 + collar, -0.012),
    ]


def shoulder(ease: float) -> Limb:
    """Return the limb from the neck to the shoulder joint, at a distance `ease` from the body."""
    return Limb([(0.03, 1.425, -0.025), (0.16, 1.395, -0.022)], [0.050 + ease, 0.055 + ease], 0.06)


def arm(ease: float, cuff: float) -> Limb:
    """Return a sleeve at a distance `ease` from the arm, with the radius `cuff` at the wrist, metres."""
    points = [rest(name).tolist() for name in ("left_shoulder", "left_elbow", "left_wrist")]
    return Limb(points, [0.055 + ease, 0.045 + ease, cuff], 0.085)


def thigh_and_shin(ease: float) -> Limb:
    """Return a trouser leg at a distance `ease` from the leg, metres."""
    points = [rest(name).tolist() for name in ("left_hip", "left_knee", "left_ankle")]
    return Limb(points, [0.088 + ease, 0.062 + ease, 0.055 + ease], 0.12)


def gathered(ease: float, band: float) -> Limb:
    """Return a sleeve at a distance `ease` from the arm. A cuff with the radius `band` gathers it; metres."""
    shoulder_joint, elbow, wrist = (rest(f"left_{name}") for name in ("shoulder", "elbow", "wrist"))
    points = [shoulder_joint, elbow, *(elbow + share * (wrist - elbow) for share in (0.74, 0.80, 1.0))]
    radii = [0.055 + ease, 0.045 + ease, 0.040 + 0.9 * ease, band + 0.003, band]
    return Limb([point.tolist() for point in points], radii, 0.085)


def gathered_torso(ease: float, waist: float, hem: float, band: float) -> list[tuple[float, float, float, float]]:
    """Return cross-sections of a torso, gathered by a band of height `band` that begins at height `hem`, metres."""
    sections = torso(ease, waist)
    heights = [row[0] for row in sections]
    a, b, c = (float(np.interp(hem + 1.6 * band, heights, column)) for column in list(zip(*sections, strict=True))[1:])
    tight = (a - 0.002, b - 0.002, c)
    rows = [(hem, *tight), (hem + band, *tight), (hem + 1.6 * band, a, b, c)]
    return [*rows, *(row for row in sections if row[0] > hem + 1.7 * band)]


def jacket() -> Mesh:
    """Return the jacket of "sawing": long, wide at the waist, with a collar and pockets."""
    form = Form(torso(0.030, waist=0.015), [shoulder(0.016), arm(0.022, 0.055)])
    bodice = Bodice(columns=4, side=2, rows=4, neck=2)
    pockets = pocket(0.075, 0.83, 0.155, 0.17, flap=0.045)
    sleeve = [10, 10, *[9] * 7]
    return Shirt(
        form, 0.78, 7, bodice, sleeve, neck_height=1.505, is_buttoned=True, patches=pockets, collar=TURNED_DOWN
    ).mesh()


def flannel_shirt() -> Mesh:
    """Return the shirt of "chopping", with a collar, chest pockets and gathered cuffs."""
    form = Form(torso(0.024, waist=0.012), [shoulder(0.012), gathered(0.020, 0.039)])
    sleeve = [9, 9, 9, 9, *[7] * 5]
    pockets = pocket(0.060, 1.105, 0.090, 0.115, flap=0.034)
    shirt = Shirt(
        form,
        0.79,
        7,
        Bodice(neck=2),
        sleeve,
        neck_height=1.495,
        cuff_band=0.055,
        is_buttoned=True,
        patches=pockets,
        collar=TURNED_DOWN,
    )
    return shirt.mesh()


def sweater() -> Mesh:
    """Return the sweater of "fist_pumping": short, close to the body, with ribbed bands."""
    form = Form(gathered_torso(0.022, 0.0, 0.86, 0.05), [shoulder(0.008), gathered(0.014, 0.039)])
    return Shirt(
        form,
        0.86,
        6,
        Bodice(neck=2),
        [9, 9, 9, *[7] * 5],
        cuff_band=0.05,
        hem_band=0.05,
        neck_height=1.505,
        collar=ROLL,
    ).mesh()


def sweatshirt() -> Mesh:
    """Return the sweatshirt of "stretching", with ribbed bands."""
    form = Form(gathered_torso(0.028, 0.014, 0.83, 0.05), [shoulder(0.012), gathered(0.022, 0.039)])
    return Shirt(
        form,
        0.83,
        7,
        Bodice(neck=2),
        [*[9] * 6, *[8] * 3],
        cuff_band=0.05,
        hem_band=0.05,
        neck_height=1.49,
        collar=NECKBAND,
    ).mesh()


def skirt() -> Mesh:
    """Return the skirt of "jumping_jack", from the waist to above the knee."""
    # height, half width, half depth and centre z of the cross-sections, metres, from the hem upward
    sections = [
        (0.55, 0.315, 0.275, 0.0),
        (0.80, 0.225, 0.185, 0.0),
        (0.92, 0.185, 0.135, -0.005),
        (1.05, 0.15, 0.11, 0.0),
    ]
    return Skirt(Form(sections, []), 0.55, 1.05, [13, 13, 12, 12, 11, 10, 10, 10, 9]).mesh()


def overalls() -> Mesh:
    """Return the overalls of "shoveling"."""
    limbs = [shoulder(0.012), arm(0.018, 0.05), thigh_and_shin(0.016)]
    form = Form(torso(0.024, waist=0.015), limbs, floor=0.85)
    chest, hips = (
        rectangle(-0.085, 1.125, 0.085, 1.235),
        outline([(0.11, 0.80), (0.22, 0.80), (0.22, 0.90), (0.15, 0.99)]),
    )
    patches = [chest, *both_sides(hips)]
    return Overalls(form, 5, Bodice(neck=2), 2, [*[10] * 7, *[9] * 2], 0.12, patches=patches, collar=BINDING).mesh()


def tracksuit() -> Mesh:
    """Return the hooded sweatshirt and the trousers of "walking", two pieces in one mesh."""
    sections = [
        (0.80, 0.198, 0.148, -0.010),
        (0.84, 0.202, 0.152, -0.010),
        (0.87, 0.226, 0.176, -0.008),
        (1.02, 0.205, 0.160, -0.002),
        *((height, width, depth, centre) for height, width, depth, centre in torso(0.034)[3:]),
    ]
    body = Form(sections, [shoulder(0.018), gathered(0.023, 0.039)], ceiling=1.56)
    hood = Ellipsoid((0.0, 1.655, -0.030), (0.120, 0.134, 0.145))
    throat = Limb([(0.0, 1.47, -0.010), (0.0, 1.61, 0.028)], [0.088, 0.086])
    form = Blend([Part(body, 0.0), Part(throat, 0.03), Part(hood, 0.05)])
    bodice = Bodice(columns=4, side=2, rows=4, neck=2)
    sleeve = [*[9] * 4, *[8] * 6]
    pouch = outline([(-0.165, 0.87), (0.165, 0.87), (0.165, 0.93), (0.10, 1.05), (-0.10, 1.05), (-0.165, 0.93)])
    top = Shirt(
        form, 0.80, 7, bodice, sleeve, cuff=0.240, cuff_band=0.05, hem_band=0.05, hood=6, patches=[pouch]
    ).mesh()
    legs = Form(torso(-0.006), [Limb(thigh_and_shin(0.0).points, [0.084, 0.066, 0.064], 0.05)], floor=0.84)
    return together(top, Trousers(legs, 1.0, 4, 8, 2, [*[10] * 6, *[9] * 3], 0.09).mesh())


def together(first: Mesh, second: Mesh) -> Mesh:
    """Return two garments as one mesh. Their sewing patterns are side by side."""
    shift = np.array([first.uv[:, 0].max() - second.uv[:, 0].min() + 0.1, 0.0])
    return Mesh(
        np.concatenate([first.positions, second.positions]),
        np.concatenate([first.faces, second.faces + np.int32(len(first.positions))]),
        np.concatenate([first.uv, second.uv + shift]),
        np.concatenate([first.uv_faces, second.uv_faces + np.int32(len(first.uv))]),
        [*first.patches, *(patch + shift for patch in second.patches)],
    )


def dress() -> Mesh:
    """Return the dress of "dancing": close above the waist, wide below."""
    sections = [
        (0.48, 0.400, 0.380, 0.0),
        (0.75, 0.275, 0.245, 0.0),
        (0.92, 0.200, 0.155, -0.005),
        (1.00, 0.172, 0.125, -0.003),
        (1.08, 0.160, 0.117, 0.0),
        *((height, width, depth, centre) for height, width, depth, centre in torso(0.018)[3:]),
    ]
    form = Form(sections, [shoulder(0.010), arm(0.012, 0.04)])
    return Dress(form, 0.48, 1.07, [16, 15, 14, 13, 12, 11, 10, 10], 3, Bodice(4, 2, 4, 2), 1.485, BINDING).mesh()


GARMENTS: dict[str, Callable[[], Mesh]] = {
    "sawing": jacket,
    "chopping": flannel_shirt,
    "fist_pumping": sweater,
    "stretching": sweatshirt,
    "jumping_jack": skirt,
    "shoveling": overalls,
    "walking": tracksuit,
    "dancing": dress,
}
