"""Wrinkles from pose databases on the graphics card: the buffer of the shaders is equal to the result of the CPU."""

from typing import Any

import numpy as np
import pytest

from posed_arm import database, moving_arm
from rendering import open_renderer
from ruckle import PoseSynthesizer, Stack, Wrinkler
from ruckle.scene.fine_cloth import FineCloth
from ruckle.scene.posed_cloth import CardSynthesizer, PosedCloth
from ruckle.view import Camera

MOVING = moving_arm()


@pytest.mark.parametrize(("merge", "strength"), [("energy", 1.0), ("paper", 0.5), ("window", 2.0)])
def test_exact_positions_and_normals_are_those_of_the_processor(merge: Any, strength: float) -> None:
    layer = PoseSynthesizer(database(), merge=merge, strength=strength)
    with open_renderer(64, 48) as renderer, renderer._device.current():
        card = CardSynthesizer(renderer._device, database(), merge=merge, strength=strength)
        for index in (0, 7, 13):
            frame = layer.step(MOVING.positions[index], bones=MOVING.bones[index])  # type: ignore[index]
            card.synthesize(MOVING.positions[index], frame.angles)
            found, normals = card.read()
            expected = frame.shape.positions
            assert np.abs(found - expected).max() < 1e-5 * np.ptp(expected, axis=0).max()
            assert (normals * frame.normals).sum(axis=1).min() > 0.9999


def test_exact_cloth_without_a_turn_keeps_its_details_upright() -> None:
    flat = np.zeros_like(MOVING.positions[0])
    layer = PoseSynthesizer(database())
    frame = layer.step(flat, bones=MOVING.bones[3])  # type: ignore[index]
    with open_renderer(64, 48) as renderer, renderer._device.current():
        card = CardSynthesizer(renderer._device, database())
        card.synthesize(flat, frame.angles)
        assert np.abs(card.read()[0] - frame.shape.positions).max() < 1e-6


def test_property_pictures_are_those_of_the_mesh_of_the_processor() -> None:
    frame = PoseSynthesizer(database()).step(MOVING.positions[9], bones=MOVING.bones[9])  # type: ignore[index]
    camera = Camera.framing(frame.positions, aspect=4 / 3, azimuth=30)
    with open_renderer(320, 240, samples=1, base="flat") as renderer:
        found = renderer.render(frame, camera=camera).astype(int)
        assert isinstance(renderer._cloth, PosedCloth)
        # The CPU computes a shape with a further layer. This layer does not have wrinkles in its first frame, so the
        # pictures must be nearly equal.
        still = Stack([PoseSynthesizer(database()), Wrinkler(MOVING.faces, MOVING.vertex_count, r_min=0.005)])
        expected = renderer.render(
            still.step(MOVING.positions[9], bones=MOVING.bones[9]),
            camera=camera,  # type: ignore[index]
        ).astype(int)
        assert isinstance(renderer._cloth, FineCloth)
    assert expected.std() > 5
    assert np.abs(found - expected).mean() < 1.0


def test_property_trust_is_left_to_the_processor() -> None:
    frame = PoseSynthesizer(database(), trust=0.1).step(MOVING.positions[9], bones=MOVING.bones[9])  # type: ignore[index]
    with open_renderer(64, 48) as renderer:
        renderer.render(frame)
        assert isinstance(renderer._cloth, FineCloth)


def test_exact_pictures_with_and_without_wrinkles_take_turns_and_make_nothing_anew() -> None:
    layer = PoseSynthesizer(database())
    first, second = (layer.step(MOVING.positions[k], bones=MOVING.bones[k]) for k in (3, 9))  # type: ignore[index]
    camera = Camera.framing(first.positions, aspect=4 / 3)
    with open_renderer(64, 48) as renderer:
        made = []
        for shown in (first, first.coarse, second, second.coarse):
            picture = renderer.render(shown, camera=camera)
            made.append(renderer._cloth)
            with open_renderer(64, 48) as fresh:
                np.testing.assert_array_equal(picture, fresh.render(shown, camera=camera))
        assert (made[0], made[1]) == (made[2], made[3])
        assert made[0] is not made[1]
