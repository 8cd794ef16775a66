"""Cloth simulation: coarse cloth at run time, fine cloth that tracks it offline, and the bodies that both meet."""

from __future__ import annotations

from ruckle.simulation.body import VARIANTS, Body, Motion, fit_cones, load_body, load_motion, pose_cones
from ruckle.simulation.cloth import ClothFrame, ClothSimulation
from ruckle.simulation.fit import Fit, garment_fit
from ruckle.simulation.garment import GarmentMesh, load_garment_mesh, own_scene, pinned_vertices
from ruckle.simulation.material import MATERIALS, Material
from ruckle.simulation.pair import PairReport, TrainingPair, load_pair, simulate_pair
from ruckle.simulation.parting import parted
from ruckle.simulation.remeshing import boundary_loops, remesh
from ruckle.simulation.scenes import SCENES, Scene, gusty_wind, scene_named
from ruckle.simulation.settling import Settler
from ruckle.simulation.sheet import Sheet, grid_sheet, smooth_attachment
from ruckle.simulation.simulated import Simulated
from ruckle.simulation.tracking import Tracker, harmonics, linear_map

__all__ = [
    "MATERIALS",
    "SCENES",
    "VARIANTS",
    "Body",
    "ClothFrame",
    "ClothSimulation",
    "Fit",
    "GarmentMesh",
    "Material",
    "Motion",
    "PairReport",
    "Scene",
    "Settler",
    "Sheet",
    "Simulated",
    "Tracker",
    "TrainingPair",
    "boundary_loops",
    "fit_cones",
    "garment_fit",
    "grid_sheet",
    "gusty_wind",
    "harmonics",
    "linear_map",
    "load_body",
    "load_garment_mesh",
    "load_motion",
    "load_pair",
    "own_scene",
    "parted",
    "pinned_vertices",
    "pose_cones",
    "remesh",
    "scene_named",
    "simulate_pair",
    "smooth_attachment",
]
