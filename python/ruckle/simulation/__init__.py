"""Cloth simulation at run time: coarse cloth, its materials, and the bodies that touch the cloth."""

from __future__ import annotations

from ruckle.simulation.body import VARIANTS, Body, Motion, fit_cones, load_body, load_motion, pose_cones
from ruckle.simulation.cloth import ClothFrame, ClothSimulation
from ruckle.simulation.material import MATERIALS, Material
from ruckle.simulation.sheet import Sheet, grid_sheet, smooth_attachment
from ruckle.simulation.simulated import Simulated

__all__ = [
    "MATERIALS",
    "VARIANTS",
    "Body",
    "ClothFrame",
    "ClothSimulation",
    "Material",
    "Motion",
    "Sheet",
    "Simulated",
    "fit_cones",
    "grid_sheet",
    "load_body",
    "load_motion",
    "pose_cones",
    "smooth_attachment",
]
