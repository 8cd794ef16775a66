"""The mask of an animation: where it is 0, the cloth is not changed by any layer, on the CPU and the graphics card."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle.mesh.mask import Mask
from ruckle.mesh.topology import topology_of


@pytest.fixture(scope="module")
def half() -> Any:
    """Return a sample whose left half is masked: the mask is 0 where x is at most 0."""
    animation = ruckle.sample("sawing").cut(0, 60)
    return replace(animation, mask=(animation.positions[0, :, 0] > 0.0).astype(np.float32))


def last(layer: Any, animation: Any) -> Any:
    for positions in animation.positions:
        frame = layer.step(positions)
    return frame


def layers(animation: Any) -> list[Any]:
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=1.2)
    patterns = ruckle.animation_patterns(animation, "noise", wavelength="5%")
    modulator = ruckle.Modulator.for_animation(animation, patterns)
    return [wrinkler, ruckle.WaveField.for_animation(animation), modulator]


def flat_points(frame: Any, fine: Any) -> Any:
    corners = frame.positions[frame.topology.faces[fine.coarse_faces]]
    return np.einsum("nk,nkc->nc", fine.barycentric, corners)


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize("base", ["flat", "curved"])
def test_exact_masked_faces_remain_flat(half: Any, kind: int, base: Any) -> None:
    frame = last(layers(half)[kind], half)
    fine = ruckle.displace(frame, base=base)
    masked = (frame.mask[frame.topology.faces] == 0.0).all(axis=1)[fine.coarse_faces]
    distances = np.linalg.norm(fine.positions - flat_points(frame, fine), axis=1)
    assert masked.any()
    assert distances[masked].max() < 1e-6 * half.height
    assert distances[~masked].max() > 1e-3 * half.height


def test_exact_edges_with_one_masked_end_keep_their_levels(half: Any) -> None:
    # a mask of 0 at a single vertex flattens no edge, so that the curved base is divided as without a mask
    topology, counts = topology_of(half), []
    for masked in ([], [0], [half.vertex_count - 1], np.arange(half.vertex_count)):
        frame = ruckle.CoarseFrame(half.positions[0], topology)
        frame.mask = np.ones(half.vertex_count, np.float32)
        frame.mask[masked] = 0.0
        counts.append(ruckle.displace(frame, base="curved").vertex_count)
    assert counts[0] == counts[1] == counts[2] > 1.5 * counts[3]


def test_exact_details_are_outside_of_the_mask(half: Any) -> None:
    for layer in layers(half):
        frame = last(layer, half)
        faces = frame.details.faces
        assert len(faces) > 3
        assert (frame.mask[frame.topology.faces[faces]].max(axis=1) > 0.0).all()


def test_property_a_mask_of_ones_changes_nothing(half: Any) -> None:
    bare, ones = replace(half, mask=None), replace(half, mask=np.ones(half.vertex_count, np.float32))
    for layer, other in zip(layers(bare), layers(ones), strict=True):
        first, second = ruckle.displace(last(layer, bare)), ruckle.displace(last(other, ones))
        assert first.positions.tobytes() == second.positions.tobytes()
        assert first.normals.tobytes() == second.normals.tobytes()


def test_property_normals_are_those_of_the_masked_heights() -> None:
    # heights are a tilted plane over a flat square; the mask decreases along x
    class Tilted(ruckle.HeightFrame):
        def heights(self, faces: Any, barycentric: Any) -> Any:
            points = self.points(faces, barycentric)
            return 0.1 + 0.2 * points[:, 1], np.tile([0.0, 0.2, 0.0], (len(faces), 1))

    positions = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    topology = ruckle.Topology([[0, 1, 2], [0, 2, 3]], 4)
    frame = Tilted(positions, topology, length_unit=0.1)
    frame.mask = np.array([0, 1, 1, 0], np.float32)
    fine = ruckle.displace(frame, base="curved")
    x, y, z = fine.positions.T
    np.testing.assert_allclose(z, x * (0.1 + 0.2 * y), atol=1e-6)
    slopes = np.stack([-(0.1 + 0.2 * y), -0.2 * x, np.ones(len(x))], axis=1)
    expected = slopes / np.linalg.norm(slopes, axis=1, keepdims=True)
    np.testing.assert_allclose(fine.normals, expected, atol=1e-5)


class Copied(ruckle.HeightFrame):
    """The same heights as in another frame, but without a shader, so that the CPU displaces the mesh."""

    def __init__(self, other: Any) -> None:
        super().__init__(other.positions, other.topology, faces=other.faces, length_unit=other.length_unit)
        self.other, self.mask = other, other.mask

    def heights(self, faces: Any, barycentric: Any) -> Any:
        return self.other.heights(faces, barycentric)


def test_property_the_card_draws_the_surface_of_the_cpu(half: Any) -> None:
    pytest.importorskip("moderngl")
    frame = last(layers(half)[0], half)
    renderer = ruckle.Renderer(320, 240)
    mask, differences, pictures = frame.mask, [], []
    for frame.mask in (mask, None):
        card, cpu = (renderer.render(one).astype(int) for one in (frame, Copied(frame)))
        differences.append(np.abs(card - cpu).mean())
        pictures.append(card)
    # the CPU shades vertices and the graphics card shades pixels, so pictures differ slightly also without a mask
    assert differences[0] < 1.1 * differences[1]
    assert np.abs(pictures[0] - pictures[1]).max() > 50


def test_exact_a_mask_survives_saving_cutting_and_joining(half: Any, tmp_path: Path) -> None:
    half.save(tmp_path / "half.npz")
    again = ruckle.load(tmp_path / "half.npz")
    assert again.mask.tobytes() == half.mask.tobytes()
    assert half.cut(0, 2).mask.tobytes() == half.mask.tobytes()
    joined = ruckle.join([half, replace(half, mask=None)])
    np.testing.assert_array_equal(joined.mask, np.concatenate([half.mask, np.ones(half.vertex_count)]))


def test_exact_a_joined_vertex_takes_the_smallest_number() -> None:
    own, joined = np.array([[0, 1, 2], [3, 4, 5]], np.int32), np.array([[0, 1, 2], [1, 0, 5]], np.int32)
    mask = Mask.of(np.array([1, 1, 1, 0, 0.5, 1], np.float32), own, joined)
    assert mask is not None
    assert mask.vertices.tolist() == [0.5, 0, 1, 0, 0.5, 1]
    assert mask.faces.tolist() == [1, 1]


def test_reject_masks_of_another_length_or_range(half: Any) -> None:
    with pytest.raises(ValueError, match="mask: expected a number for each of"):
        replace(half, mask=[1.0])
    wrong = np.ones(half.vertex_count)
    wrong[3] = 1.5
    with pytest.raises(ValueError, match=r"mask: vertex 3 has 1.5, allowed are 0 to 1"):
        replace(half, mask=wrong)
    frame = ruckle.CoarseFrame(half.positions[0], half.faces)
    frame.mask = np.full(half.vertex_count, 2.0, np.float32)
    with pytest.raises(ValueError, match=r"mask: expected numbers in \[0, 1\], got 2"):
        ruckle.displace(frame)
