"""Fabrics, in SI units."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from ruckle import _core
from ruckle.arguments import choice, mistyped, number

__all__ = ["COARSE_COMPRESSION", "COARSE_LARGEST_STRETCH", "MATERIALS", "Material", "coarse_material", "material_named"]

# Share of its stiffness with which coarse cloth resists shortening: it cannot buckle between its vertices.
COARSE_COMPRESSION = 0.05

# Damping times of coarse cloth, s. Without the second it jitters within its plane, and tracking copies that.
COARSE_BEND_DAMPING, COARSE_EDGE_DAMPING = 1.0, 0.1

# Longest edge over its rest length that coarse cloth is held to. At 1.03 a waving hem is flung up.
COARSE_LARGEST_STRETCH = 1.1


@dataclass(frozen=True, slots=True)
class Material:
    """What a fabric weighs, how it resists stretching and bending, and how it meets air and bodies.

    `dataclasses.replace(ruckle.MATERIALS["cotton"], density=0.2)` makes a heavier cotton.

    Attributes
    ----------
    density : float, kg/m², > 0
    stretch : float, N/m, > 0
        Young's modulus of the cloth times its thickness.
    bending : float, N m, >= 0
        Bending moment per width and curvature, as KES-F measures it: 1 gf cm²/cm is 9.8e-5 N m.
    damping : float, 1/s, >= 0
        Share of its speed that the cloth loses per second.
    bend_damping : float, seconds, >= 0
        Resistance to the rate of bending over resistance to bending. Folds then flow instead of shaking; falling and
        turning cloth loses no speed by it.
    edge_damping : float, seconds, >= 0
        The same of the rate of stretching. Coarse cloth needs it, because it hardly resists shortening.
    air_drag : float, >= 0
        Pressure coefficient of a face that meets the air head on.
    static_friction, dynamic_friction : float, >= 0
        Coulomb coefficients of cloth that sticks to a body and of cloth that slides on it; the first is the larger. On
        meshes the one goes over into the other steadily, within twice the slip that the first would hold.
    thickness : float, metres, >= 0
        Distance that the cloth keeps from bodies.
    least_stretch, largest_stretch : float
        What the principal stretches of every triangle are held between, at most 1 and at least 1.
    """

    density: float
    stretch: float
    bending: float
    damping: float
    bend_damping: float
    edge_damping: float
    air_drag: float
    static_friction: float
    dynamic_friction: float
    thickness: float
    least_stretch: float
    largest_stretch: float

    def core(self) -> _core.ClothMaterial:
        """Return the same as the compiled core takes it."""
        return _core.ClothMaterial(
            **{field.name: number(field.name, getattr(self, field.name)) for field in fields(self)}
        )


def _preset(core: _core.ClothMaterial) -> Material:
    # what float32 keeps of a number is written as the number it was
    return Material(**{field.name: float(f"{getattr(core, field.name):.6g}") for field in fields(Material)})


MATERIALS = {name: _preset(core) for name, core in _core.cloth_materials().items()}
"""Fabrics by name: a typical cotton, and ten that Wang, O'Brien and Ramamoorthi measured (2011)."""


def material_named(material: str | Material) -> Material:
    """Return a material, or the one of this name."""
    if isinstance(material, Material):
        return material
    if not isinstance(material, str):
        raise mistyped("material", "a Material or the name of one", material)
    return MATERIALS[choice("material", material, list(MATERIALS))]


def coarse_material(material: str | Material, largest_stretch: float = COARSE_LARGEST_STRETCH) -> Material:
    """Return a material for coarse cloth, which may shorten freely, stretches a little more and is damped more."""
    return replace(
        material_named(material), least_stretch=0.0, largest_stretch=largest_stretch,
        bend_damping=COARSE_BEND_DAMPING, edge_damping=COARSE_EDGE_DAMPING,
    )  # fmt: skip
