"""The C interface of garments: fine positions from any source, to which wrinkle paths and waves are added."""

from ctypes import byref, c_float, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from c_library import LIBRARY, STRUCTS, address, call
from layers import BentLayer
from learning import random_model
from ruckle.mesh.topology import topology_of
from upsampler_in_c import UpsamplerInC

Array = Any


class GarmentInC:
    """A garment with paths and waves through the C interface.

    If `r_min` is 0, the garment does not have these layers.
    """

    def __init__(self, rest: Array, faces: Array, r_min: float) -> None:
        self._rest, self._indices = rest.astype(np.float32), faces.astype(np.int32)
        mesh = STRUCTS["ruckle_garment_mesh"](
            self._rest.ctypes.data,
            0,
            len(rest),
            self._indices.ctypes.data,
            4,
            len(faces),
            0,
        )
        paths, waves = STRUCTS["ruckle_options"](), STRUCTS["ruckle_wave_options"]()
        LIBRARY.ruckle_default_options(byref(paths))
        LIBRARY.ruckle_waves_default_options(byref(waves))
        paths.r_min = waves.r_min = r_min
        given = (byref(paths), byref(waves)) if r_min else (None, None)
        self.handle = c_void_p()
        call("ruckle_garment_create", byref(mesh), *given, byref(self.handle))

    def set_shape(self, faces: Array, holders: Array, barycentric: Array) -> None:
        self._shape = [np.ascontiguousarray(faces, np.int32), np.ascontiguousarray(holders, np.int32)]
        weights = np.ascontiguousarray(barycentric, np.float32)
        arrays = [address(array) for array in (*self._shape, weights)]
        call(
            "ruckle_garment_set_shape",
            self.handle,
            byref(STRUCTS["ruckle_garment_shape"](len(holders), len(faces), *arrays)),
        )

    def step(self, positions: Array, fine: Array, dt: float) -> None:
        """Step to the next frame with coarse and fine positions.

        Rows of fine positions may have more than three numbers.
        """
        coarse, fine = np.ascontiguousarray(positions, np.float32), np.ascontiguousarray(fine, np.float32)
        given = c_void_p(coarse.ctypes.data), 0, c_void_p(fine.ctypes.data), 4 * fine.shape[1]
        call("ruckle_garment_step_shape", self.handle, *given, c_float(dt))

    def displaced(self, edge_length: float = 0.0) -> tuple[Array, Array, Array]:
        """Return the positions, the faces and the coarse face of each vertex of the displaced fine mesh."""
        mesh, options = STRUCTS["ruckle_fine_mesh"](), STRUCTS["ruckle_surface_options"]()
        LIBRARY.ruckle_default_surface_options(byref(options))
        options.edge_length = edge_length
        call("ruckle_garment_displace", self.handle, byref(options), byref(mesh))

        shapes = {
            "positions": (mesh.vertex_count, 3),
            "faces": (mesh.face_count, 3),
            "coarse_faces": (mesh.vertex_count,),
        }
        positions, faces, holders = (np.ctypeslib.as_array(getattr(mesh, name), shapes[name]).copy() for name in shapes)
        return positions, faces, holders

    def __del__(self) -> None:
        LIBRARY.ruckle_garment_destroy(self.handle)


def lifted(points: Array) -> Array:
    """Return the points of a cloth, moved up and down by waves and stretched by 2 %."""
    return 1.02 * points + 0.004 * np.sin(90.0 * points[:, [1, 2, 0]])


def test_exact_a_garment_with_fine_cloth_is_a_stack() -> None:
    animation = ruckle.sample("jumping_jack")
    rest, r_min = animation.positions[0], 0.005 * animation.height
    topology = topology_of(animation)
    shape = BentLayer(topology, lifted)
    paths = ruckle.Wrinkler(topology, rest=rest, r_min=r_min)
    stack = ruckle.Stack([shape, paths, ruckle.WaveField(topology, rest, r_min=r_min)])
    garment = GarmentInC(rest, topology.faces, r_min)
    garment.set_shape(shape.mesh.faces, shape.mesh.coarse_faces, shape.mesh.barycentric)
    for positions in animation.positions[:80]:
        frame = stack.step(positions, 1 / animation.fps)
        garment.step(positions, frame.parts[0].shape.positions, 1 / animation.fps)
    assert len(frame.parts[1].wrinkles) > 0
    expected = ruckle.displace(frame, base="flat", edge_length=0.5 * r_min)
    positions, faces, coarse_faces = garment.displaced(0.5 * r_min)
    assert expected.heights.max() > 0.001
    np.testing.assert_array_equal(faces, expected.faces)
    np.testing.assert_array_equal(coarse_faces, expected.coarse_faces)
    np.testing.assert_allclose(positions, expected.positions, atol=1e-6)


def test_exact_clones_share_the_mesh_of_fine_cloth() -> None:
    animation = ruckle.sample("jumping_jack")
    topology = topology_of(animation)
    shape = BentLayer(topology, lifted)
    garment = GarmentInC(animation.positions[0], topology.faces, 0.005 * animation.height)
    garment.set_shape(shape.mesh.faces, shape.mesh.coarse_faces, shape.mesh.barycentric)
    clone = object.__new__(GarmentInC)
    clone.handle = c_void_p()
    call("ruckle_garment_clone", garment.handle, byref(clone.handle))
    for positions in animation.positions[:20]:
        fine = shape.step(positions).shape.positions
        garment.step(positions, fine, 1 / 60)
        # each row has four numbers, as in the results of a pose synthesizer
        clone.step(positions, np.pad(fine, ((0, 0), (0, 1))), 1 / 60)
    for one, other in zip(garment.displaced(), clone.displaced(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_exact_an_upsampler_moves_a_garment(tmp_path: Path) -> None:
    random_model(pairs=1).save(tmp_path / "a.npz")
    upsampler = UpsamplerInC((tmp_path / "a.npz").read_bytes())
    coarse = np.random.default_rng(4).normal(size=(12, 3)).astype(np.float32)
    garment = GarmentInC(coarse, upsampler.array("coarse_faces"), 0.0)
    garment.set_shape(*map(upsampler.array, ("fine_faces", "holders", "barycentric")))
    fine = upsampler.step(coarse, 0.1, 1.0)
    garment.step(coarse, fine, 0.1)
    positions, faces, _ = garment.displaced()
    np.testing.assert_array_equal(positions[: len(fine)], fine)
    np.testing.assert_array_equal(faces, upsampler.array("fine_faces"))


def test_reject_mistakes_of_shapes() -> None:
    faces = np.array([[0, 1, 2]], np.int32)
    rest = np.eye(3, dtype=np.float32)
    garment = GarmentInC(rest, faces, 0.1)
    with pytest.raises(RuntimeError, match="expected a garment with a shape layer"):
        garment.step(rest, rest, 0.1)
    with pytest.raises(RuntimeError, match="coarse_faces"):
        garment.set_shape(faces, np.full(3, 7), np.eye(3))
    garment.set_shape(faces, np.zeros(3), np.eye(3))
    with pytest.raises(RuntimeError, match="finite"):
        garment.step(rest, np.full((3, 3), np.nan), 0.1)
    garment.step(rest, rest, 0.1)
    with pytest.raises(RuntimeError, match="has a shape layer; call ruckle_garment_step_shape"):
        call("ruckle_garment_step", garment.handle, c_void_p(rest.ctypes.data), 0, c_float(0.1))
    with pytest.raises(RuntimeError, match="a table cannot contain its shape layer"):
        call("ruckle_garment_make_table", garment.handle, None, byref(STRUCTS["ruckle_table"]()))


def test_exact_a_garment_without_its_shape_steps_like_one_that_never_had_a_shape() -> None:
    animation = ruckle.sample("jumping_jack")
    topology, rest, r_min = topology_of(animation), animation.positions[0], 0.005 * animation.height
    shape = BentLayer(topology, lifted)
    plain, removed = (GarmentInC(rest, topology.faces, r_min) for _ in range(2))
    removed.set_shape(shape.mesh.faces, shape.mesh.coarse_faces, shape.mesh.barycentric)
    removed.step(rest, shape.step(rest).shape.positions, 1 / 60)
    call("ruckle_garment_set_shape", removed.handle, None)
    with pytest.raises(RuntimeError, match="expected a garment with a shape layer"):
        removed.step(rest, rest, 0.1)
    for garment in (plain, removed):
        for positions in animation.positions[:40].astype(np.float32):
            call("ruckle_garment_step", garment.handle, c_void_p(positions.ctypes.data), 0, c_float(1 / 60))
    for one, other in zip(plain.displaced(), removed.displaced(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(plain.displaced()[0]) > animation.vertex_count
