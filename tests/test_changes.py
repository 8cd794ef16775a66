"""Parameters and paint that change between the steps of a layer."""

from typing import Any

import numpy as np
import pytest

import ruckle
from wave_cloth import cylinder, swinging

CLOTH = cylinder(12, 16)


def played(frames: int, **parameters: Any) -> tuple[ruckle.Wrinkler, Any]:
    animation = ruckle.sample("sawing")
    wrinkler = ruckle.Wrinkler.for_animation(animation, **parameters)
    for positions in animation.positions[:frames]:
        frame = wrinkler.step(positions)
    return wrinkler, frame


def test_exact_parameters_are_attributes() -> None:
    wrinkler, _ = played(2, tau=1.4)
    assert wrinkler.tau == pytest.approx(1.4)  # type: ignore[attr-defined]
    wrinkler.tau = 1.2
    assert wrinkler.tau == pytest.approx(1.2)  # type: ignore[attr-defined]
    wrinkler.change(r_min="0.4%", amplitude=0.5)
    assert wrinkler.amplitude == 0.5  # type: ignore[attr-defined]
    animation = ruckle.sample("sawing")
    assert wrinkler.step(animation.positions[2]).length_unit == pytest.approx(0.004 * animation.height)


def test_property_changed_wrinkles_approach() -> None:
    wrinkler, before = played(60)
    positions, start = before.positions, before.highest
    heights = [start]
    wrinkler.amplitude = 0.2
    heights += [wrinkler.step(positions).highest for _ in range(60)]
    assert np.abs(np.diff(heights)).max() <= 0.14 * before.length_unit
    assert heights[-1] < 0.5 * start


def test_property_paint_approaches_and_arrives() -> None:
    wrinkler, before = played(60)
    heights = [before.highest]
    wrinkler.paint = np.zeros(before.topology.vertex_count)
    heights += [wrinkler.step(before.positions).highest for _ in range(13)]
    assert heights[1] > 0.5 * heights[0]
    assert heights[-1] == 0.0
    wrinkler.paint = None
    assert wrinkler.step(before.positions).highest > 0.0
    assert wrinkler.paint is None


def test_property_changed_waves_stay_within_calm() -> None:
    field = ruckle.WaveField(CLOTH.topology, CLOTH.positions, calm=0.3)
    faces = np.arange(CLOTH.topology.face_count)
    middle = np.full((len(faces), 3), 1 / 3, np.float32)
    for number in range(10):
        frame = field.step(swinging(CLOTH, number / 30).astype(np.float32))
    start = last = frame.heights(faces, middle)[0]
    field.gain, field.wavelength = 0.2, "9 r_min"
    field.paint = np.full(CLOTH.topology.vertex_count, 0.5)
    assert field.gain == pytest.approx(0.2)  # type: ignore[attr-defined]
    for _ in range(30):
        now = field.step(frame.positions).heights(faces, middle)[0]
        assert np.abs(now - last).max() <= 0.3 * field.length_unit * 1.0001
        last = now
    assert np.abs(last).max() < 0.5 * np.abs(start).max()


def test_reject_what_cannot_change() -> None:
    wrinkler, _ = played(1)
    for name, value, sentence in (
        ("threads", 2, "threads: cannot change after construction; expected 1, got 2"),
        ("tau", 0.5, "tau: expected a finite number above 1, got 0.5"),
        ("r_min", 0.0, "r_min: expected a length above 0, as at construction"),
    ):
        with pytest.raises(ValueError, match=sentence):
            setattr(wrinkler, name, value)
    with pytest.raises(ValueError, match=r"paint: expected a number in \[0, 1\]"):
        wrinkler.paint = np.full(wrinkler.topology.vertex_count, 2.0)
    field = ruckle.WaveField(CLOTH.topology, CLOTH.positions)
    with pytest.raises(ValueError, match=r"sag: cannot change after construction; expected 0.25, got 0.5"):
        field.sag = 0.5
    cloth = ruckle.ClothSimulation(CLOTH.positions, CLOTH.faces)
    with pytest.raises(AttributeError, match="substeps: cannot be set; make a ClothSimulation with another"):
        cloth.substeps = 3
    with pytest.raises(AttributeError, match="has no attribute 'tua'"):
        wrinkler.tua  # noqa: B018


def test_exact_a_changed_state_needs_the_same_parameters() -> None:
    wrinkler, frame = played(10)
    state = wrinkler.state()
    wrinkler.tau = 1.2
    with pytest.raises(ValueError, match="tau"):
        wrinkler.restore(state)
    wrinkler.tau = wrinkler.parameters[2].default
    wrinkler.restore(state)
    assert wrinkler.frame_count == 10
    assert frame.index == 9
