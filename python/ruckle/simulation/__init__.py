"""Cloth simulation: coarse cloth at run time, fine cloth that tracks it offline, and the bodies that both meet."""

from __future__ import annotations

from ruckle.simulation.cloth import ClothFrame, ClothSimulation, ClothState
from ruckle.simulation.material import MATERIALS, Material

__all__ = ["MATERIALS", "ClothFrame", "ClothSimulation", "ClothState", "Material"]
