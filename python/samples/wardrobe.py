"""The six garments by name, each with the triangle count of the thesis's Table 8.1."""

from __future__ import annotations

from collections.abc import Callable

from .form import Form, Limb
from .garments import Bodice, Overalls, Shirt, Skirt
from .lattice import Mesh
from .skeleton import rest

__all__ = ["GARMENTS"]


def torso(ease: float, waist: float = 0.0) -> list[tuple[float, float, float, float]]:
    """Return the torso's cross-sections with `ease` metres of air; `waist` more around the waist."""
    return [
        (0.72, 0.185 + ease, 0.130 + ease, -0.005),
        (0.88, 0.180 + ease, 0.125 + ease, -0.010),
        (1.08, 0.145 + ease + waist, 0.102 + ease + waist, 0.000),
        (1.22, 0.158 + ease, 0.112 + ease, 0.000),
        (1.32, 0.160 + ease, 0.115 + ease, -0.008),
        (1.39, 0.140 + ease, 0.100 + ease, -0.020),
        (1.44, 0.090 + ease, 0.075 + ease, -0.025),
        (1.48, 0.062 + ease, 0.062 + ease, -0.022),
        (1.60, 0.056 + ease, 0.060 + ease, -0.012),
    ]


def shoulder(ease: float) -> Limb:
    """Return the yoke from the neck to the shoulder joint."""
    return Limb([(0.03, 1.425, -0.025), (0.16, 1.395, -0.022)], [0.050 + ease, 0.055 + ease], 0.06)


def arm(ease: float, cuff: float) -> Limb:
    """Return a sleeve with `ease` metres of air and the radius `cuff` at the wrist."""
    points = [rest(name).tolist() for name in ("left_shoulder", "left_elbow", "left_wrist")]
    return Limb(points, [0.055 + ease, 0.045 + ease, cuff], 0.085)


def thigh_and_shin(ease: float) -> Limb:
    """Return a trouser leg with `ease` metres of air."""
    points = [rest(name).tolist() for name in ("left_hip", "left_knee", "left_ankle")]
    return Limb(points, [0.088 + ease, 0.062 + ease, 0.055 + ease], 0.12)


def jacket() -> Mesh:
    """Return the sawing figure's jacket: long, wide at the waist."""
    form = Form(torso(0.030, waist=0.015), [shoulder(0.016), arm(0.022, 0.055)])
    bodice = Bodice(columns=4, side=2, rows=4, neck=2)
    return Shirt(form, 0.78, 7, bodice, [10, 10, *[9] * 7]).mesh()


def flannel_shirt() -> Mesh:
    """Return the chopping figure's shirt."""
    form = Form(torso(0.024, waist=0.012), [shoulder(0.012), arm(0.018, 0.050)])
    return Shirt(form, 0.79, 7, Bodice(), [9, 9, 9, 8, *[7] * 5]).mesh()


def sweater() -> Mesh:
    """Return the fist pumping figure's sweater: short, close to the body."""
    form = Form(torso(0.018), [shoulder(0.008), arm(0.012, 0.047)])
    return Shirt(form, 0.86, 6, Bodice(), [9, 9, 8, *[7] * 5]).mesh()


def sweatshirt() -> Mesh:
    """Return the stretching figure's sweatshirt."""
    form = Form(torso(0.024, waist=0.018), [shoulder(0.012), arm(0.020, 0.046)])
    return Shirt(form, 0.83, 7, Bodice(), [*[9] * 5, *[8] * 4]).mesh()


def skirt() -> Mesh:
    """Return the jumping figure's skirt, from the waist to above the knee."""
    sections = [
        (0.55, 0.315, 0.275, 0.0),
        (0.80, 0.225, 0.185, 0.0),
        (0.92, 0.185, 0.135, -0.005),
        (1.05, 0.15, 0.11, 0.0),
    ]
    return Skirt(Form(sections, []), 0.55, 1.05, [13, 13, 12, 12, 11, 10, 10, 10, 9]).mesh()


def overalls() -> Mesh:
    """Return the shoveling figure's overalls."""
    limbs = [shoulder(0.012), arm(0.018, 0.05), thigh_and_shin(0.016)]
    form = Form(torso(0.024, waist=0.015), limbs, floor=0.85)
    return Overalls(form, 5, Bodice(), 2, [*[10] * 6, *[9] * 3], 0.12).mesh()


GARMENTS: dict[str, Callable[[], Mesh]] = {
    "sawing": jacket,
    "chopping": flannel_shirt,
    "fist_pumping": sweater,
    "stretching": sweatshirt,
    "jumping_jack": skirt,
    "shoveling": overalls,
}
