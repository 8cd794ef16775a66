"""Simulators of one static scene: ruckle, MuJoCo's flex and Newton's VBD. Each function returns the final positions.

`mujoco` and `newton` are optional (extra `ruckle[witnesses]`). Both have the Apache licence.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.bench.witness_scenes import WitnessScene, hinge_stiffness
from ruckle.simulation import ClothSimulation

__all__ = ["POISSON", "SIMULATORS", "available", "by_mujoco", "by_newton", "by_ruckle"]

Float64 = NDArray[np.float64]

# Poisson's ratio of a lattice of equal edges, such as our cloth.
POISSON = 1.0 / 3.0

# In 1/s: rate of velocity damping, with which all three simulators come to rest.
DAMPING = 6.0

FRAMES_PER_SECOND = 60


def by_ruckle(scene: WitnessScene) -> Float64:
    """Return the final positions (V, 3) of ruckle's cloth in metres. The cloth does not limit strain."""
    free = replace(
        scene.material, damping=DAMPING, air_drag=0.0, least_stretch=0.0, largest_stretch=10.0, edge_damping=0.0
    )
    cloth = ClothSimulation(
        scene.rest, scene.faces, scene.pinned, material=free, strain_sweeps=0, substeps=_substeps(scene),
        gravity=[0.0, -scene.gravity, 0.0],
    )  # fmt: skip
    cloth.place(scene.start)
    for frame in range(round(scene.seconds * FRAMES_PER_SECOND)):
        cloth.step(1.0 / FRAMES_PER_SECOND, pins=scene.pins_at((frame + 1) / FRAMES_PER_SECOND))
    return cloth.positions.astype(np.float64)


def _substeps(scene: WitnessScene) -> int:
    """Return the number of substeps per frame with which one sweep reaches 95 % of the stiffness, in [16, 256]."""
    spacing = float(np.sqrt(_area(scene) / len(scene.rest)))
    # a sweep adds (inverse masses × substep²) to the compliance of an edge
    square = 0.05 * scene.material.density * spacing**2 / (2.0 * scene.material.stretch)
    return int(np.clip(np.ceil(1.0 / (FRAMES_PER_SECOND * np.sqrt(square))), 16, 256))


def by_mujoco(scene: WitnessScene) -> Float64:
    """Return the final positions (V, 3) of MuJoCo's flex with its discrete integrator, in metres."""
    import mujoco  # type: ignore[import-not-found]

    # a plate of this thickness has both stiffnesses: stretch E t, and bending E t³ / 12 (1 - ν²)
    material = scene.material
    thickness = float(np.sqrt(12.0 * (1.0 - POISSON**2) * material.bending / material.stretch))
    area = _area(scene)
    points = " ".join(f"{value:.9g}" for value in scene.rest.ravel())
    corners = " ".join(str(corner) for corner in scene.faces.ravel().tolist())
    held = " ".join(str(vertex) for vertex in np.flatnonzero(scene.pinned).tolist())
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.004" integrator="discrete" gravity="0 {-scene.gravity} 0"/>
        <worldbody><flexcomp name="cloth" type="direct" dim="2" mass="{material.density * area}" radius="0.0005"
        point="{points}" element="{corners}"><edge damping="0"/>
        <contact selfcollide="none" contype="0" conaffinity="0"/>
        <elasticity young="{material.stretch / thickness}" poisson="{POISSON}" thickness="{thickness}" damping="0.01"
        elastic2d="both"/><pin id="{held}"/></flexcomp></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    # a free vertex has three slide joints, in vertex order; pinned vertices are fixed to the world
    moved = (scene.start - scene.rest)[~scene.pinned]
    data.qpos[:] = moved.ravel()
    step = model.opt.timestep
    model.dof_damping[:] = 0.5 * DAMPING * material.density * area / len(scene.rest)
    for index in range(round(scene.seconds / step)):
        model.flex_vert[scene.pinned] = scene.pins_at((index + 1) * step)[scene.pinned]
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_flex(model, data)
    return np.asarray(data.flexvert_xpos, np.float64).copy()


def by_newton(scene: WitnessScene) -> Float64:
    """Return the final positions (V, 3) of Newton's vertex block descent (VBD) in metres, on the CPU."""
    # standard output is redirected, because Warp prints the name of every kernel that it loads
    with contextlib.redirect_stdout(io.StringIO()):
        return _descend(scene)


def _descend(scene: WitnessScene) -> Float64:
    import newton  # type: ignore[import-not-found]
    import warp as wp  # type: ignore[import-not-found]

    material = scene.material
    lame = material.stretch * POISSON / (1.0 - POISSON**2)
    shear = material.stretch / (2.0 * (1.0 + POISSON))
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y, gravity=(0.0, -NEWTON_UNITS * scene.gravity, 0.0))
    builder.add_cloth_mesh(
        pos=wp.vec3(0.0, 0.0, 0.0), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0.0, 0.0, 0.0),
        vertices=[wp.vec3(*point) for point in (NEWTON_UNITS * scene.rest).tolist()],
        indices=scene.faces.ravel().tolist(), density=material.density / NEWTON_UNITS**2, tri_ke=shear, tri_ka=lame,
        tri_kd=0.0, edge_ke=NEWTON_UNITS * hinge_stiffness(scene), edge_kd=0.0, particle_radius=0.1,
    )  # fmt: skip
    for vertex in np.flatnonzero(scene.pinned).tolist():
        builder.particle_mass[vertex] = 0.0
    builder.color(include_bending=True)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverVBD(model, iterations=NEWTON_SWEEPS)
    now, after, control = model.state(), model.state(), model.control()
    now.particle_q.assign((NEWTON_UNITS * scene.start).astype(np.float32))
    step = 1.0 / (FRAMES_PER_SECOND * NEWTON_SUBSTEPS)
    keep = np.float32(1.0 - DAMPING * step)
    for index in range(round(scene.seconds / step)):
        positions = now.particle_q.numpy()
        positions[scene.pinned] = NEWTON_UNITS * scene.pins_at((index + 1) * step)[scene.pinned]
        now.particle_q.assign(positions)
        now.particle_qd.assign(now.particle_qd.numpy() * keep)
        now.clear_forces()
        solver.step(now, after, control, None, step)
        now, after = after, now
    return np.asarray(now.particle_q.numpy(), np.float64) / NEWTON_UNITS


# Newton simulates in centimetres, because it treats triangles of a few square millimetres as degenerate.
NEWTON_UNITS = 100.0

# Substeps per frame and sweeps per substep of VBD. With 5 substeps, a strip hangs straight down, because ten sweeps do
# not propagate bending through stiff triangles.
NEWTON_SUBSTEPS, NEWTON_SWEEPS = 20, 10

SIMULATORS: dict[str, tuple[str | None, Callable[[WitnessScene], Float64]]] = {
    "ruckle": (None, by_ruckle),
    "MuJoCo flex": ("mujoco", by_mujoco),
    "Newton VBD": ("newton", by_newton),
}
"""Simulators by name, each with the name of the module that it imports."""


def available(name: str) -> bool:
    """Return True if the module of a simulator is installed."""
    module = SIMULATORS[name][0]
    return module is None or find_spec(module) is not None


def _area(scene: WitnessScene) -> float:
    corners: Any = scene.rest[scene.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return float(0.5 * np.linalg.norm(across, axis=1).sum())
