"""Principal strains at vertices, compared with values calculated by hand and with float64 matrices."""

import numpy as np
import pytest

import ruckle
from meshes import grid, rotation, tube


def test_exact_a_stretched_sheet_has_its_stretches() -> None:
    mesh = grid()
    flat = np.asarray(mesh.positions, np.float64) * [1, 1, 0]
    turn = rotation(np.array([1.0, 2.0, 0.5]), 0.7)
    along, across = np.array([0.6, 0.8, 0.0]), np.array([-0.8, 0.6, 0.0])
    stretch = 0.7 * np.outer(along, along) + 1.2 * np.outer(across, across)
    topology = ruckle.Topology(mesh.faces, len(flat))
    strain = ruckle.vertex_strain(topology, flat, flat @ stretch.T @ turn.T)
    np.testing.assert_allclose(strain.least, -0.3, atol=2e-5)
    np.testing.assert_allclose(strain.greatest, 0.2, atol=2e-5)
    np.testing.assert_allclose(np.abs(strain.least_direction @ (turn @ along)), 1.0, atol=1e-5)
    np.testing.assert_allclose(np.abs(strain.greatest_direction @ (turn @ across)), 1.0, atol=1e-5)


def test_property_strain_turns_with_the_cloth_and_ignores_units() -> None:
    mesh = tube()
    rest = np.asarray(mesh.positions, np.float64)
    moved = rest + 0.1 * np.sin(3.0 * rest[:, [1, 2, 0]])
    turn = rotation(np.array([0.3, 1.0, 0.2]), 1.1)
    topology = ruckle.Topology(mesh.faces, len(rest))
    one = ruckle.vertex_strain(topology, rest, moved)
    other = ruckle.vertex_strain(topology, 20.0 * rest, 20.0 * moved @ turn.T + 3.0)
    np.testing.assert_allclose(other.least, one.least, atol=1e-4)
    np.testing.assert_allclose(other.greatest, one.greatest, atol=1e-4)
    clear = one.greatest - one.least > 0.02
    aligned = np.abs((other.least_direction * (one.least_direction @ turn.T)).sum(axis=1))
    assert clear.sum() > 20
    assert aligned[clear].min() > 0.999
    assert np.abs((one.least_direction * one.greatest_direction).sum(axis=1)).max() < 1e-5


def test_degenerate_cloth_has_no_strain() -> None:
    mesh = grid()
    topology = ruckle.Topology(mesh.faces, len(mesh.positions) + 1)
    rest = np.vstack([np.asarray(mesh.positions), [[0.0, 0.0, 0.0]]])
    for cloth in (rest, np.zeros_like(rest)):
        strain = ruckle.vertex_strain(topology, rest, cloth)
        assert np.abs(strain.least).max() < 1e-6
        assert np.isfinite(strain.least_direction).all()


def test_reject_positions_of_another_mesh() -> None:
    mesh = grid()
    topology = ruckle.Topology(mesh.faces, len(mesh.positions))
    for rest, message in (
        (mesh.positions[:-1], "expected an array of shape"),
        (np.nan * mesh.positions, "expected finite numbers"),
    ):
        with pytest.raises(ValueError, match=f"^rest: {message}"):
            ruckle.vertex_strain(topology, rest, mesh.positions)
    with pytest.raises(ValueError, match="positions"):
        ruckle.vertex_strain(topology, mesh.positions, np.asarray(mesh.positions)[:-1])
