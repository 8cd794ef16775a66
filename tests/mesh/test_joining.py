"""`ruckle.join`: several meshes in one animation have the same wrinkles as each mesh alone."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ruckle
from program import swinging
from ruckle import Animation, MeshError


def beside(animation: Animation, distance: float, **changes: Any) -> Animation:
    """Return a copy of an animation that is moved by `distance` along x."""
    return replace(animation, positions=animation.positions + np.float32([distance, 0, 0]), **changes)


def test_join_exact_vertices_and_faces_follow_each_other() -> None:
    sheet = replace(swinging(), uv=np.random.default_rng(1).random((swinging().vertex_count, 2)))
    other = beside(replace(sheet, uv=None), 3.0, name="other", height=5.0)
    joined = ruckle.join([sheet, other])
    assert (joined.name, joined.height, joined.fps) == ("swinging+other", 5.0, sheet.fps)
    for part, first in ((sheet, 0), (other, sheet.vertex_count)):
        np.testing.assert_array_equal(joined.positions[:, first : first + part.vertex_count], part.positions)
    corners = joined.positions[:, joined.faces]
    expected = np.concatenate([part.positions[:, part.faces] for part in (sheet, other)], axis=1)
    np.testing.assert_array_equal(corners, expected)
    np.testing.assert_array_equal(joined.uv, np.concatenate([sheet.uv, np.zeros_like(sheet.uv)]))
    # face corners of an animation with separate texture indices keep their texture coordinates
    separate = replace(sheet, uv=sheet.uv[::-1], uv_faces=sheet.vertex_count - 1 - sheet.faces)
    found = ruckle.join([other, separate])
    np.testing.assert_array_equal(found.uv[found.uv_faces][other.face_count :], sheet.uv[sheet.faces])


def test_join_property_wrinkles_are_those_of_each_mesh() -> None:
    jacket = ruckle.sample("sawing").cut(0, 40)
    outfit = ruckle.join([jacket, beside(jacket, 5.0)])
    alone, together = ([*ruckle.run(one)][-1] for one in (jacket, outfit))
    np.testing.assert_allclose(together.compression[: jacket.face_count], alone.compression, rtol=1e-4)
    faces = np.concatenate([wrinkle.faces for wrinkle in together.wrinkles])
    assert alone.wrinkles
    assert (faces < jacket.face_count).any()
    assert (faces >= jacket.face_count).any()


def test_join_exact_one_is_itself_and_names_are_short() -> None:
    sheet = swinging()
    assert ruckle.join([sheet]) is sheet
    assert ruckle.join([sheet], name="flag").name == "flag"
    assert ruckle.join([beside(sheet, float(k), name=f"part{k}") for k in range(5)]).name == "part0+part1+3_more"


def test_join_exact_bind_pose_and_skeleton_are_kept_where_all_have_them() -> None:
    sheet = swinging()
    posed = replace(sheet, rest_positions=2 * sheet.positions[0])
    np.testing.assert_array_equal(ruckle.join([posed, posed]).rest_positions, np.tile(posed.rest_positions, (2, 1)))
    assert ruckle.join([posed, sheet]).rest_positions is None
    # a part that moves rigidly, such as a buckle, does not need a bind pose: its first frame has the same shape
    turned = sheet.positions[:1] @ np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    rigid = replace(sheet, positions=np.concatenate([sheet.positions[:1], *[turned] * (sheet.frame_count - 1)]))
    expected = np.concatenate([posed.rest_positions, sheet.positions[0]])
    np.testing.assert_array_equal(ruckle.join([posed, rigid]).rest_positions, expected)
    skeleton = ruckle.Skeleton(["hips"], [-1], np.zeros((1, 3)))
    bones = np.tile(np.eye(4)[:3], (sheet.frame_count, 1, 1, 1))
    boned = replace(sheet, skeleton=skeleton, bones=bones)
    assert ruckle.join([boned, boned]).skeleton is skeleton
    assert ruckle.join([boned, replace(boned, bones=2 * bones)]).skeleton is None


@pytest.mark.parametrize(
    ("animations", "error", "sentence"),
    [
        ([], ValueError, "animations: expected at least one, got none"),
        (swinging(), TypeError, "animations: expected a sequence of animations, got Animation"),
        ([swinging(), "a.glb"], TypeError, "animation: expected an Animation, got 'a.glb'"),
        (
            [swinging(), swinging(7)],
            ValueError,
            "animations: expected the frames of swinging, 12 at 25 per second",
        ),
        ([swinging(), replace(swinging(), up="z")], ValueError, "animations: swinging has y up, and swinging z"),
    ],
)
def test_join_reject(animations: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error) as refused:
        ruckle.join(animations)
    assert str(refused.value).startswith(sentence)
    assert not issubclass(error, MeshError)


def test_join_reject_another_rate() -> None:
    sheet = swinging()
    with pytest.raises(ValueError, match="animations: expected the frames of"):
        ruckle.join([sheet, replace(sheet, fps=1.01 * sheet.fps)])
