"""Missing files: all readers raise a FileNotFoundError, which is also a FormatError, with one sentence."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from meshes import triangle
from program import refusal
from ruckle.offline.pose_space.posed_garments import load_held_out
from ruckle.offline.simulation import load_garment_mesh, load_pair
from ruckle.offline.simulation.truth_scene import load_truth
from ruckle.simulation import load_body, load_motion


def animation() -> ruckle.Animation:
    mesh = triangle()
    return ruckle.Animation(mesh.positions[None], mesh.topology.faces, uv=mesh.positions[:, :2])


READERS: dict[str, Callable[[Path], Any]] = {
    **dict.fromkeys((".npz", ".glb", ".gltf", ".vrm", ".obj", ".ply", ".pc2", ".mdd"), ruckle.load),
    **{f"describe{suffix}": ruckle.describe for suffix in (".npz", ".glb", ".obj", ".pc2")},
    "nothing": ruckle.load,
    "run.npz": ruckle.load_run,
    "settings.toml": ruckle.load_settings,
    "patterns.npz": lambda path: ruckle.load_patterns(path, triangle().topology),
    **{
        f"paint{suffix}": lambda path: ruckle.load_paint(path, animation())
        for suffix in (".npz", ".npy", ".glb", ".png")
    },
    "model.npz": ruckle.load_model,
    "poses.npz": ruckle.load_poses,
    "plan.npz": ruckle.load_plan,
    "pair": load_pair,
    "body.npz": load_body,
    "motion.npz": load_motion,
    "garment.npz": load_garment_mesh,
    "truth.npz": load_truth,
    "held_out.npz": load_held_out,
    "mask.png": lambda path: ruckle.make_mask(animation(), [str(path)]),
    "folder/a.obj": ruckle.load,
    "a_*.obj": ruckle.load,
    "cache.obj": lambda path: ruckle.load(path, cache=path.with_suffix(".pc2")),
}


@pytest.mark.parametrize("name", READERS)
def test_reject_missing_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / (f"a{name}" if name.startswith(".") else name)
    with pytest.raises(FileNotFoundError) as raised:
        READERS[name](path)
    error = raised.value
    assert isinstance(error, ruckle.FormatError)
    assert error.filename is not None
    assert error.filename.startswith(str(path.with_suffix("")))
    assert str(error).startswith(f"{error.filename}: no ")
    assert "\n" not in str(error)
    same = pickle.loads(pickle.dumps(error))
    assert (type(same), str(same), same.filename) == (type(error), str(error), error.filename)


def test_reject_a_cache_without_a_mesh(tmp_path: Path) -> None:
    np.zeros(10).tofile(tmp_path / "a.pc2")
    with pytest.raises(FileNotFoundError, match=r"a\.pc2: holds no faces, and there is no a\.obj beside it"):
        ruckle.load(tmp_path / "a.pc2")


def test_reject_missing_files_of_commands() -> None:
    assert refusal("run", "none.npz", "-o", "a.npz") == "none.npz: no such file\n"
