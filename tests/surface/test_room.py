"""Several layers of cloth: wrinkles end before the next layer, on the CPU and the graphics card."""

from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import grid, squeezed_sheet
from layer_piercing import layers_of, pierced
from ruckle.surface.raised import RaisedMesh
from shared_data import shared_cases

GAP, HIGH = 0.03, 0.1


class Bumps(ruckle.HeightFrame):
    """High folds on the faces of the lower sheet."""

    lower = 160
    sign = 1.0

    def heights(self, faces: Any, barycentric: Any) -> Any:
        x = self.points(faces, barycentric)[:, 0]
        on = self.sign * (faces < self.lower)
        slope = np.zeros((len(faces), 3))
        slope[:, 0] = on * HIGH * 6.0 * np.cos(12.0 * x)
        return on * HIGH * (1.0 + 0.5 * np.sin(12.0 * x)), slope

    @property
    def height_range(self) -> tuple[float, float]:
        return (1.5 * HIGH, 0.0) if self.sign > 0.0 else (0.0, 1.5 * HIGH)


def sheets(shift: float = 0.5, gap: float = GAP, *, sign: float = 1.0) -> Bumps:
    """Return a frame of two sheets with 1 x 0.8 mesh units. The upper sheet is `gap` above the lower one.

    The upper sheet starts at x = `shift`. `sign` is the sign of the heights.
    """
    points, faces = grid(10, 8)
    lower = 0.1 * points
    upper = lower + np.float32([shift, 0.013, gap])
    positions = np.concatenate([lower, upper]).astype(np.float32)
    topology = ruckle.Topology(np.concatenate([faces, faces + len(points)]), len(positions))
    frame = Bumps(positions, topology, length_unit=0.05)
    frame.sign = sign
    return frame


def lower_points(fine: Any) -> Any:
    return fine.positions[fine.coarse_faces < Bumps.lower].astype(float)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("gap", [0.003, 0.03, 0.08])
def test_exact_heights_end_before_the_next_layer(gap: float, sign: float) -> None:
    frame = sheets(gap=sign * gap, sign=sign)
    x, _, z = lower_points(ruckle.displace(frame, base="flat")).T
    z = sign * z
    assert z[x > 0.5].max() < gap
    assert z[x > 0.7].max() > 0.3 * gap
    # far from the upper sheet, the heights are not limited
    free = x < 0.2
    np.testing.assert_allclose(z[free], HIGH * (1.0 + 0.5 * np.sin(12.0 * x[free])), atol=1e-6)
    assert pierced(frame, edge_length=0.02) == 0


def test_exact_distant_layers_and_single_ones_change_nothing() -> None:
    fine = ruckle.displace(sheets(gap=1.0), base="flat")
    x, _, z = lower_points(fine).T
    np.testing.assert_allclose(z, HIGH * (1.0 + 0.5 * np.sin(12.0 * x)), atol=1e-6)
    points, faces = grid(4, 4)
    mesh = RaisedMesh(ruckle.Topology(faces, len(points)), 1)
    assert len(mesh.core.crowding) == 0


def test_property_normals_are_those_of_the_limited_heights() -> None:
    surface = ruckle.Surface(sheets().topology, base="flat")
    surface.update(sheets())
    random = np.random.default_rng(0)
    faces = np.arange(Bumps.lower, dtype=np.int32)
    weights = random.dirichlet([2, 2, 2], len(faces))
    steps = np.array([[1, -1, 0], [0, 1, -1]]) * 1e-3
    here = surface.evaluate(faces, weights.astype(np.float32))
    for step in steps:
        ends = [surface.evaluate(faces, (weights + sign * step).astype(np.float32)).positions for sign in (1, -1)]
        along = (ends[0] - ends[1]).astype(float)
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        assert np.abs((along * here.normals).sum(axis=1)).max() < 0.02


def test_property_nothing_jumps_as_a_hem_slides_over_folds() -> None:
    def at(shift: float) -> Any:
        surface = ruckle.Surface(sheets().topology, base="flat")
        surface.update(sheets(shift))
        faces = np.arange(Bumps.lower, dtype=np.int32)
        return surface.evaluate(faces, np.full((len(faces), 3), 1 / 3, np.float32)).heights

    shifts = np.linspace(0.3, 0.5, 81)
    heights = np.array([at(shift) for shift in shifts])
    assert np.ptp(heights, axis=0).max() > 0.5 * HIGH
    whole = np.abs(np.diff(heights, axis=0)).max()
    finer = np.array([at(shift) for shift in np.linspace(0.3, 0.325, 81)])
    # with an eighth of the step, the change per step is much smaller, so the limit is continuous
    assert np.abs(np.diff(finer, axis=0)).max() < 0.4 * whole


def test_property_the_same_bits_for_any_thread_count() -> None:
    first, second = (ruckle.displace(sheets(), threads=threads) for threads in (1, 3))
    assert first.positions.tobytes() == second.positions.tobytes()


@pytest.mark.parametrize("kind", ["paths", "waves", "patterns"])
def test_exact_no_layer_pierces_the_sleeve_over_it(kind: str) -> None:
    animation = ruckle.load(shared_cases("files") / "two_layers.gltf")
    if kind == "paths":
        layer: Any = ruckle.Wrinkler.for_animation(animation)
    elif kind == "waves":
        layer = ruckle.WaveField.for_animation(animation)
    else:
        patterns = ruckle.animation_patterns(animation, "noise", wavelength="5%")
        layer = ruckle.Modulator.for_animation(animation, patterns)
    for positions in animation.positions[:19]:
        frame = layer.step(positions, 1.0 / animation.fps)
    assert layers_of(frame.topology).max() == 1
    fine = ruckle.displace(frame, base="flat")
    assert np.abs(fine.heights).max() > 1e-3 * animation.height
    assert pierced(frame) == 0


def patched_sheet(gap: float) -> ruckle.Animation:
    """Return an animation of a compressed sheet under a small patch of cloth, `gap` above the sheet."""
    sheet = squeezed_sheet(frames=20)
    middle = np.linalg.norm(sheet.positions[0] - sheet.positions[0].mean(axis=0), axis=1) < 1.6
    patch = sheet.faces[middle[sheet.faces].all(axis=1)]
    used, faces = np.unique(patch, return_inverse=True)
    above = sheet.positions[:, used] + np.float32([0.0, 0.0, gap])
    positions = np.concatenate([sheet.positions, above], axis=1)
    faces = np.concatenate([sheet.faces, faces.reshape(-1, 3) + sheet.vertex_count])
    return ruckle.Animation(positions, faces, fps=sheet.fps, height=sheet.height)


def test_property_the_card_draws_the_surface_of_the_cpu() -> None:
    pytest.importorskip("moderngl")
    renderer, pictures = ruckle.Renderer(240, 200), []
    for gap in (0.15, 3.0):
        animation = patched_sheet(gap)
        layer = ruckle.Wrinkler.for_animation(animation)
        for positions in animation.positions:
            frame = layer.step(positions, 1.0 / animation.fps)
        highest = 1.5 * max(float(wrinkle.curve["height"].max()) for wrinkle in frame.wrinkles)

        class Copied(ruckle.HeightFrame):
            """The same heights without a shader, so that the CPU displaces the mesh."""

            height_range = (highest, 0.0)
            of = frame

            def heights(self, faces: Any, barycentric: Any) -> Any:
                return self.of.heights(faces, barycentric)

        copied = Copied(frame.positions, frame.topology, faces=frame.faces, length_unit=frame.length_unit)
        pictures.append([renderer.render(one, mode="height").astype(int) for one in (frame, copied)])
    (card, cpu), (free, free_cpu) = pictures
    # with and without the limit, the pictures of CPU and graphics card differ equally little; the limit changes the
    # picture
    assert np.abs(card - cpu).mean() < 1.1 * np.abs(free - free_cpu).mean() + 0.02
    assert np.abs(card - free).mean() > 4.0 * np.abs(card - cpu).mean()
