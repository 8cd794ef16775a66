"""Static scenes with known results, for any cloth simulator: a cantilever, a sheet under tension, and a draped disc."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Int32
from ruckle.mesh.geometry import triangle_areas
from ruckle.simulation.parameters import Material
from ruckle.simulation.sheet import grid_faces

__all__ = [
    "GRAVITY",
    "WitnessScene",
    "bending_length",
    "cantilever",
    "disc_drape",
    "elastica_fall",
    "hem_measures",
    "hinge_stiffness",
    "peirce_length",
    "sheet_wavelength",
    "tensioned_sheet",
    "wavelength_along",
]

Float64 = NDArray[np.float64]

GRAVITY = 9.81

# In metres: radii of the sample and of its support in the drape test of G. E. Cusick (1968; ISO 9073-9).
SAMPLE_RADIUS, SUPPORT_RADIUS = 0.15, 0.09

# In metres: size of the sheet under tension along x and z; then its relative stretch along x and its relative
# shortening along z.
LENGTH, WIDTH = 0.20, 0.40
STRETCH, SHORTENING = 0.03, 0.025

# In metres: amplitude of random initial heights, because an exactly flat sheet does not buckle.
NOISE = 2e-4


@dataclass(frozen=True, eq=False)
class WitnessScene:
    """Cloth that comes to rest while its pinned vertices move slowly to their final positions.

    Attributes
    ----------
    name : str
    rest : (V, 3) float64, metres
    faces : (T, 3) int32
    pinned : (V,) bool
    start, end : (V, 3) float64, metres
        Initial positions of all vertices; final positions of the pinned vertices. The other rows of `end` are
        unused.
    material : Material
        Only density, stretch and bending are used.
    seconds : float
        Duration of the simulation. The pinned vertices arrive after half of this time.
    gravity : float, m/s²
    measure : function of the final positions
        The function returns measured values by name: metres or counts.
    """

    name: str
    rest: Float64
    faces: Int32
    pinned: NDArray[np.bool_]
    start: Float64
    end: Float64
    material: Material
    seconds: float
    gravity: float
    measure: Callable[[Float64], dict[str, float]]

    def pins_at(self, time: float) -> Float64:
        """Return positions (V, 3) at a time in seconds. Only the rows of pinned vertices are meaningful."""
        share = min(1.0, 2.0 * time / self.seconds)
        return self.start + (self.end - self.start) * share


def cantilever(material: Material, *, spacing: float = 0.005, length: float | None = None) -> WitnessScene:
    """Return a strip that is clamped at one end; the scene measures how far the other end sags.

    Parameters
    ----------
    material : Material
    spacing : float, metres
        Edge of the mesh.
    length : float, metres, optional
        Free length. The default is twice the bending length; the end then sags by nearly half of the free length.
    """
    free = 2.0 * bending_length(material) if length is None else length
    columns, rows = max(4, round(free / spacing)), max(3, round(0.5 * free / spacing))
    step = free / (columns + 0.5)
    # A hinge represents half a cell on each side. Hinges of the last pinned column begin at the clamp, at x = 0.
    x, z = np.meshgrid(step * (np.arange(columns + 2) - 0.5), step * np.arange(rows))
    rest = np.stack([x.ravel(), 0.0 * x.ravel(), z.ravel()], axis=1)
    end = rest[:, 0] > free - 0.5 * step
    return WitnessScene(
        "cantilever", rest, grid_faces(columns + 2, rows), rest[:, 0] < 0.75 * step, rest, rest, material, 3.0, GRAVITY,
        lambda found: {"fall": float(-found[end, 1].mean()), "reach": float(found[end, 0].mean())},
    )  # fmt: skip


def bending_length(material: Material) -> float:
    """Return the bending length of F. T. Peirce (1930) in metres: (bending stiffness / weight per area)^⅓."""
    return float((material.bending / (material.density * GRAVITY)) ** (1.0 / 3.0))


def peirce_length(length: float, fall: float, reach: float) -> float:
    """Return the bending length of a strip whose end sags by `fall` at horizontal distance `reach`, all in metres.

    c = L (cos(θ/2) / (8 tan θ))^⅓, where θ is the angle between chord and horizontal (Peirce 1930).
    """
    slope = max(fall, 1e-9) / max(reach, 1e-9)
    return float(length * (np.cos(0.5 * np.arctan(slope)) / (8.0 * slope)) ** (1.0 / 3.0))


def elastica_fall(material: Material, length: float) -> float:
    """Return how far the end of a clamped strip sags under its own weight, in metres.

    The strip is Euler's elastica, solved by shooting: B θ'' = -w (L - s) cos θ, θ(0) = 0, θ'(L) = 0. B is the bending
    stiffness and w the weight per area.
    """
    load = material.density * GRAVITY / material.bending

    def end(slope: float, count: int = 400) -> tuple[float, float]:
        step, angle, rate, fall = length / count, 0.0, slope, 0.0
        for index in range(count):
            # midpoint rule
            half_angle = angle + 0.5 * step * rate
            half_rate = rate - 0.5 * step * load * (length - index * step) * np.cos(angle)
            rate -= step * load * (length - (index + 0.5) * step) * np.cos(half_angle)
            angle += step * half_rate
            fall += step * np.sin(half_angle)
        return rate, fall

    low, high = 0.0, np.pi / length + load * length**2
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if end(middle)[0] > 0.0 else (middle, high)
    return end(low)[1]


def tensioned_sheet(material: Material, *, spacing: float = 0.0075) -> WitnessScene:
    """Return a sheet that is stretched along x while its long edges approach each other.

    The scene measures the wavelength of the folds. All four edges are pinned in the plane, and gravity is zero.
    """
    columns, rows = round(LENGTH / spacing) + 1, round(WIDTH / spacing) + 1
    x, z = np.meshgrid(np.linspace(0.0, LENGTH, columns), np.linspace(0.0, WIDTH, rows))
    rest = np.stack([x.ravel(), 0.0 * x.ravel(), z.ravel()], axis=1)
    pinned = (np.minimum(rest[:, 0], LENGTH - rest[:, 0]) < 1e-9) | (np.minimum(rest[:, 2], WIDTH - rest[:, 2]) < 1e-9)
    start = rest * [1.0 + STRETCH, 1.0, 1.0]
    end = start * [1.0, 1.0, 1.0 - SHORTENING]
    start[:, 1] += NOISE * np.random.default_rng(1).normal(size=len(rest)) * ~pinned
    middle = np.abs(rest[:, 0] - 0.5 * LENGTH) < 0.51 * LENGTH / (columns - 1)

    def measure(found: Float64) -> dict[str, float]:
        line = found[middle].reshape(rows, -1, 3).mean(axis=1)
        return {"wavelength": wavelength_along(line[:, 1], WIDTH / (rows - 1)), "height": float(np.ptp(line[:, 1]))}

    return WitnessScene(
        "sheet in tension", rest, grid_faces(columns, rows), pinned, start, end, material, 4.0, 0.0, measure
    )


def sheet_wavelength(material: Material) -> float:
    """Return the closed-form wavelength of a sheet under tension, metres.

    λ = 2 √π (B / T)^¼ √L, where T is the tension per width (E. Cerda, L. Mahadevan, *Geometry and Physics of
    Wrinkling*, 2003, equation 7).
    """
    tension = material.stretch * STRETCH
    return float(2.0 * np.sqrt(np.pi) * (material.bending / tension) ** 0.25 * np.sqrt(LENGTH * (1.0 + STRETCH)))


def wavelength_along(heights: Float64, spacing: float) -> float:
    """Return the mean wavelength of heights (n,) along a line, from the mean frequency weighted by energy."""
    count = 8 * len(heights)
    energies = np.abs(np.fft.rfft((heights - heights.mean()) * np.hanning(len(heights)), count)) ** 2
    rates = np.fft.rfftfreq(count, spacing)
    return float(energies[1:].sum() / (energies[1:] * rates[1:]).sum())


def disc_drape(material: Material, *, spacing: float = 0.01) -> WitnessScene:
    """Return a disc of 300 mm over a support of 180 mm, as in Cusick's test; the scene measures the hem.

    Vertices over the support are pinned. The scene does not have contacts.
    """
    from scipy.spatial import Delaunay

    flat = _disc_points(spacing)
    faces = Delaunay(flat).simplices
    first, second = flat[faces[:, 1]] - flat[faces[:, 0]], flat[faces[:, 2]] - flat[faces[:, 0]]
    twice = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    faces = np.where((twice > 0.0)[:, None], faces[:, ::-1], faces)[np.abs(twice) > 1e-3 * spacing**2]
    rest = np.stack([flat[:, 0], 0.0 * flat[:, 0], flat[:, 1]], axis=1)
    radii = np.linalg.norm(flat, axis=1)
    pinned, rim = radii < SUPPORT_RADIUS + 0.25 * spacing, radii > SAMPLE_RADIUS - 0.25 * spacing
    start = rest.copy()
    start[:, 1] += NOISE * np.random.default_rng(1).normal(size=len(rest)) * ~pinned
    around = np.argsort(np.arctan2(flat[rim, 1], flat[rim, 0]))
    hem = np.flatnonzero(rim)[around]
    corners = np.ascontiguousarray(faces, np.int32)
    return WitnessScene(
        "disc", rest, corners, pinned, start, rest, material, 4.0, GRAVITY, lambda found: hem_measures(found[hem])
    )


def _disc_points(spacing: float) -> Float64:
    """Return vertices (V, 2) of concentric rings with equal spacing in metres; each ring has another start angle."""
    inside = max(2, round(SUPPORT_RADIUS / spacing))
    outside = max(2, round((SAMPLE_RADIUS - SUPPORT_RADIUS) / spacing))
    # the radii include the edge of the support
    radii = np.interp(
        np.arange(1, inside + outside + 1), [0, inside, inside + outside], [0, SUPPORT_RADIUS, SAMPLE_RADIUS]
    )
    found = [np.zeros((1, 2))]
    for ring, radius in enumerate(radii, 1):
        # With a multiple of six, triangles are almost equilateral. The golden angle prevents aligned seams between
        # rings.
        angles = 2.0 * np.pi * np.arange(6 * ring) / (6 * ring) + 2.39996 * ring
        found.append(radius * np.stack([np.cos(angles), np.sin(angles)], axis=1))
    return np.concatenate(found)


def hem_measures(hem: Float64) -> dict[str, float]:
    """Return the depth, the drape coefficient and the number of nodes of an ordered hem (H, 3).

    The drape coefficient is the fraction of the ring between support and flat sample that the shadow of the draped
    sample covers (Cusick 1968). The number of nodes is the dominant frequency of the hem's distance from the axis.
    """
    x, z = hem[:, 0], hem[:, 2]
    shadow = 0.5 * abs(float((x * np.roll(z, -1) - np.roll(x, -1) * z).sum()))
    support = np.pi * SUPPORT_RADIUS**2
    radii = np.hypot(x, z)
    energies = np.abs(np.fft.rfft(radii - radii.mean())) ** 2
    return {
        "depth": float(-hem[:, 1].mean()),
        "drape coefficient": (shadow - support) / (np.pi * SAMPLE_RADIUS**2 - support),
        "nodes": float(np.argmax(energies[2:]) + 2),
    }


def hinge_stiffness(scene: WitnessScene) -> float:
    """Return the constant k of hinges with energy ½ k l θ² that bend like a plate of the material's stiffness, in N.

    The mesh is rolled into a cylinder, for several directions of the axis. On average over the directions, its energy
    equals the energy of the plate.
    """
    from ruckle.mesh.topology import Topology

    topology = Topology(scene.faces, len(scene.rest))
    edges, sides = np.asarray(topology.edges), np.asarray(topology.edge_faces)
    inner = (sides >= 0).all(axis=1)
    edges, sides = edges[inner], sides[inner]
    radius, ratios = 20.0 * float(np.ptp(scene.rest[:, 0])), []
    area = triangle_areas(scene.rest, scene.faces).sum()
    lengths = np.linalg.norm(scene.rest[edges[:, 0]] - scene.rest[edges[:, 1]], axis=1)
    for angle in np.radians(np.arange(0.0, 180.0, 15.0)):
        turn = (scene.rest @ [np.cos(angle), 0.0, np.sin(angle)]) / radius
        rolled = scene.rest + np.outer(radius * (1.0 - np.cos(turn)), [0.0, 1.0, 0.0])
        corners = rolled[scene.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        bends = np.linalg.norm(normals[sides[:, 0]] - normals[sides[:, 1]], axis=1)
        ratios.append(float((lengths * bends**2).sum()) * radius**2 / area)
    return float(scene.material.bending / np.mean(ratios))
