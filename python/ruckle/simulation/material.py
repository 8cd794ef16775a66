"""Materials of cloth in SI units."""

from __future__ import annotations

from dataclasses import asdict, replace

from ruckle import _core
from ruckle.arguments import choice, mistyped, number
from ruckle.simulation.parameters import Material

__all__ = [
    "COARSE_COMPRESSION",
    "COARSE_LARGEST_STRETCH",
    "MATERIALS",
    "Material",
    "coarse_material",
    "core_numbers",
    "material_named",
]

# Factor of the compression stiffness of coarse cloth. Coarse cloth cannot buckle between its vertices, so it must
# shorten instead.
COARSE_COMPRESSION = 0.05

# Damping times of coarse cloth in seconds. Without the edge damping, coarse cloth vibrates in its plane, and fine cloth
# that tracks the coarse cloth vibrates, too.
COARSE_BEND_DAMPING, COARSE_EDGE_DAMPING = 1.0, 0.1

# Bending friction of coarse cloth over its bending stiffness, 1/m: twice that of cotton broadcloth (Matsudaira and
# others 2015), because the small folds that coarse cloth lacks rub, too. A larger value flattens folds, and coarse
# cloth moves in jerks, which fine cloth copies; with a smaller one, a skirt swings longer.
COARSE_FRICTION_CURVATURE = 100.0

# Strain limit of coarse cloth: longest allowed edge / rest length. With 1.03, a swinging hem is thrown upward.
COARSE_LARGEST_STRETCH = 1.1


MATERIALS = {name: Material(**numbers) for name, numbers in _core.cloth_materials().items()}
"""Fabrics by name: a cotton shirting, and ten fabrics measured by Wang, O'Brien and Ramamoorthi (2011)."""


def core_numbers(material: Material) -> dict[str, float]:
    """Return the numbers of a material by name, for the core; TypeError if one is not a number."""
    return {name: number(name, value) for name, value in asdict(material).items()}


def material_named(material: str | Material) -> Material:
    """Return `material` unchanged if it is a Material; otherwise the fabric in `MATERIALS` with this name.

    Raise ValueError for an unknown name.
    """
    if isinstance(material, Material):
        return material
    if not isinstance(material, str):
        raise mistyped("material", "a Material or the name of one", material)
    return MATERIALS[choice("material", material, list(MATERIALS))]


def coarse_material(material: str | Material, largest_stretch: float = COARSE_LARGEST_STRETCH) -> Material:
    """Return a material for coarse cloth: no lower strain limit, a higher upper limit, more damping, and friction."""
    fabric = material_named(material)
    return replace(
        fabric, least_stretch=0.0, largest_stretch=largest_stretch, bend_damping=COARSE_BEND_DAMPING,
        bend_friction=COARSE_FRICTION_CURVATURE * fabric.bending, edge_damping=COARSE_EDGE_DAMPING,
    )  # fmt: skip
