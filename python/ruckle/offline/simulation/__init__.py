"""Simulation of pairs for training: coarse cloth of a game, and fine cloth that tracks it. Scenes and garments."""

from __future__ import annotations

from ruckle.offline.simulation.fit import Fit, garment_fit
from ruckle.offline.simulation.garment_mesh import GarmentMesh, load_garment_mesh, own_scene, pinned_vertices
from ruckle.offline.simulation.pair import PairReport, TrainingPair, load_pair, simulate_pair
from ruckle.offline.simulation.parting import parted
from ruckle.offline.simulation.remeshing import boundary_loops, remesh
from ruckle.offline.simulation.scenes import SCENES, Scene, gusty_wind, scene_named
from ruckle.offline.simulation.settling import Settler
from ruckle.offline.simulation.skinned import SkinnedScene, open_skinned, simulate_skinned, skinned_scene
from ruckle.offline.simulation.tracking import Tracker, harmonics, linear_map
from ruckle.offline.simulation.truth_scene import TruthScene, load_truth, truth_of_pair

__all__ = [
    "SCENES",
    "Fit",
    "GarmentMesh",
    "PairReport",
    "Scene",
    "Settler",
    "SkinnedScene",
    "Tracker",
    "TrainingPair",
    "TruthScene",
    "boundary_loops",
    "garment_fit",
    "gusty_wind",
    "harmonics",
    "linear_map",
    "load_garment_mesh",
    "load_pair",
    "load_truth",
    "open_skinned",
    "own_scene",
    "parted",
    "pinned_vertices",
    "remesh",
    "scene_named",
    "simulate_pair",
    "simulate_skinned",
    "skinned_scene",
    "truth_of_pair",
]
