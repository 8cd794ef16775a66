"""The options of simulated cloth, the numbers of a material, and the fabrics; SI units.

Generated from cpp/options/simulation.toml by `make options`: edit that file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from numpy.typing import ArrayLike

from ruckle.parameters import default_values, parameter_table

__all__ = [
    "DEFAULTS",
    "LENGTHS",
    "PARAMETERS",
    "ClothEnergy",
    "ClothParameters",
    "ClothStats",
    "ClothTimings",
    "Material",
]

PARAMETERS = parameter_table("cloth_parameters")
"""The parameters by name, in display order."""

DEFAULTS = default_values(PARAMETERS)
"""Default values by name; None if the default depends on other values."""

LENGTHS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == "length")
"""Names of the parameters that are lengths, which may also be percentages of the height."""


@dataclass(frozen=True, slots=True)
class Material:
    """A fabric: its weight, its stiffness, and its contact with air and bodies.

    Attributes
    ----------
    density : float, kg/m², > 0
        Mass per area.
    stretch : float, N/m, > 0
        Young's modulus of the cloth times its thickness.
    bending : float, N m, >= 0
        Bending moment per width and curvature, as KES-F measures it: 1 gf cm²/cm is 9.8e-5 N m.
    damping : float, 1/s, >= 0
        Share of its speed that the cloth loses per second.
    bend_damping : float, seconds, >= 0
        Resistance to the rate of bending, divided by the resistance to bending: with more, folds flow instead of
        shaking. Use 1 for coarse cloth.
    bend_friction : float, N, >= 0
        Bending moment per width that friction between yarns resists, half of 2HB of KES-F: 1 gf cm/cm is 9.8e-3 N. Use
        100/m times bending for coarse cloth: it then stops swinging. With edges shorter than 30 mm the effect is small.
    edge_damping : float, seconds, >= 0
        Resistance to the rate of stretching, divided by the resistance to stretching. Use 0.1 for coarse cloth, which
        resists compression little.
    air_drag : float, >= 0
        Pressure coefficient of a face that moves through the air at a right angle.
    static_friction : float, >= 0
        Coulomb coefficient of cloth that sticks to a body.
    dynamic_friction : float, in [0, static_friction]
        Coulomb coefficient of cloth that slides on a body.
    thickness : float, metres, >= 0
        Distance that the cloth keeps from bodies.
    least_stretch : float, in [0, 1]
        Lower limit of the principal stretches of every triangle.
    largest_stretch : float, >= 1
        Upper limit of the principal stretches of every triangle.
    """

    density: float
    stretch: float
    bending: float
    damping: float
    bend_damping: float
    bend_friction: float
    edge_damping: float
    air_drag: float
    static_friction: float
    dynamic_friction: float
    thickness: float
    least_stretch: float
    largest_stretch: float


class ClothParameters(TypedDict, total=False):
    """Types of the parameters of `ClothSimulation`."""

    substeps: int
    strain_sweeps: int
    compression: float
    rest_curvature: bool
    attachment_rate: float
    gravity: ArrayLike
    margin: float
    contact_spacing: float
    self_distance: float
    record_substeps: bool
    threads: int


class ClothTimings(TypedDict):
    """Milliseconds that each stage of the last step took, all substeps together, in order."""

    air: float
    edges: float
    bends: float
    self_contact: float
    strain: float
    tracking: float
    bodies: float
    other: float
    total: float


class ClothStats(TypedDict):
    """Properties of the cloth after a step.

    Attributes
    ----------
    largest_speed : float
        Speed of the fastest vertex that is not pinned, m/s.
    settled_share : float
        Share of free vertices slower than 1 mm/s; 1 without free vertices.
    largest_edge_stretch : float
        Largest length of an edge over its rest length.
    tracking_residual : float
        Distance of the tracked moments from their targets, in the last substep before contact, metres.
    contact_residual : float
        The same distance after contact with bodies, metres.
    self_pairs : int
        Pairs of a vertex and a face of the cloth that are near each other.
    dropped_pairs : int
        Pairs that were dropped because the list was full.
    crossings : int
        Pairs of an edge and a face that intersect although self_distance keeps layers apart, such as in cloth that
        started tangled.
    """

    largest_speed: float
    settled_share: float
    largest_edge_stretch: float
    tracking_residual: float
    contact_residual: float
    self_pairs: int
    dropped_pairs: int
    crossings: int


class ClothEnergy(TypedDict):
    """Energies in joules. The gravitational energy is 0 at the origin of coordinates."""

    kinetic: float
    gravity: float
    stretch: float
    bending: float
