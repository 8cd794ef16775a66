"""The drape of a sheet, compared with the independent simulator PositionBasedDynamics (pypbd, MIT licence)."""

from dataclasses import replace

import numpy as np
import pytest

from ruckle import MATERIALS, ClothSimulation
from sheets import sheet

pbd = pytest.importorskip("pypbd")

COLUMNS, FRAMES, SUBSTEPS, INWARD = 17, 200, 20, 0.075
MATERIAL = replace(MATERIALS["cotton"], stretch=3000.0, damping=0.0, air_drag=0.0, bending=0.0)
# factor of all speeds per frame in both simulators, so that the cloth comes to rest
KEEP = 0.96


def corners(rest: np.ndarray) -> np.ndarray:
    """Return a mask of the vertices in four corner patches, whose size does not depend on the mesh."""
    return (np.abs(rest[:, 0] - 0.5) > 0.374) & (np.abs(rest[:, 2] - 0.5) > 0.374)


def pins_at(rest: np.ndarray, frame: int) -> np.ndarray:
    """Return pinned positions in a frame. The corner patches move inward for a second."""
    return rest - np.sign(rest - 0.5) * [1, 0, 1] * INWARD * min(1.0, (frame + 1) / 60)


def edges_and_shares(rest: np.ndarray, faces: np.ndarray) -> tuple[list, list]:
    """Return edges, and for each edge its stiffness divided by the modulus: area around the edge / squared length."""
    directed = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges, inverse = np.unique(directed, axis=0, return_inverse=True)
    a, b, c = rest[faces].transpose(1, 0, 2)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    around = np.bincount(inverse.ravel(), np.repeat(areas, 3))
    squares = ((rest[edges[:, 0]] - rest[edges[:, 1]]) ** 2).sum(axis=1)
    return edges.tolist(), (around / squares).tolist()


def pypbd_drape(rest: np.ndarray, faces: np.ndarray, masses: np.ndarray) -> np.ndarray:
    simulation = pbd.Simulation.getCurrent()
    simulation.initDefault()
    model = simulation.getModel()
    model.addTriangleModel(list(rest), faces.ravel().tolist())
    particles = model.getParticles()
    pinned = np.flatnonzero(corners(rest))
    for vertex, mass in enumerate(masses.tolist()):
        particles.setMass(vertex, 0.0 if vertex in pinned else mass)
    for (a, b), share in zip(*edges_and_shares(rest, faces), strict=True):
        model.addDistanceConstraint_XPBD(a, b, MATERIAL.stretch * share)
    pbd.TimeManager.getCurrent().setTimeStepSize(1 / 60)
    stepper = simulation.getTimeStep()
    stepper.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, SUBSTEPS)
    stepper.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, 1)
    for frame in range(FRAMES):
        target = pins_at(rest, frame)
        for vertex in pinned.tolist():
            particles.setPosition(vertex, target[vertex])
        stepper.step(model)
        for vertex in range(len(rest)):
            particles.setVelocity(vertex, KEEP * np.asarray(particles.getVelocity(vertex)))
    return np.array([particles.getPosition(v) for v in range(len(rest))])


def our_drape(rest: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    cloth = ClothSimulation(rest, faces, corners(rest), material=MATERIAL, substeps=SUBSTEPS, strain_sweeps=0)
    for frame in range(FRAMES):
        cloth.step(pins=pins_at(rest, frame))
        # `place` sets velocities; it also resets the motion of pins within a frame, which this scene does not have
        cloth.place(cloth.positions, KEEP * cloth.velocities)
    return cloth.positions, cloth.masses


def test_exact_drape_is_that_of_pypbd() -> None:
    rest, faces = sheet(COLUMNS, COLUMNS)
    ours, masses = our_drape(rest, faces)
    theirs = pypbd_drape(rest, faces, masses)
    assert ours[:, 1].min() < -0.2
    assert ours[:, 1].min() == pytest.approx(theirs[:, 1].min(), rel=0.03)
    assert ours[:, 1].mean() == pytest.approx(theirs[:, 1].mean(), rel=0.03)
