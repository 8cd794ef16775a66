"""Damaged files of every format: an animation or one of our two errors, never gigabytes."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gltf_writer import Writer
from ruckle.errors import LONGEST, FormatError, MeshError
from ruckle.io import describe, load
from ruckle.mesh.animation import Animation

# Peak of Python and NumPy allocations; the sound files take less than one megabyte.
MEMORY_LIMIT = 300e6


def garment() -> Animation:
    """Return three frames of two triangles with indexed texture coordinates."""
    positions = np.random.default_rng(0).normal(size=(3, 4, 3))
    uv = np.random.default_rng(1).random((5, 2))
    return Animation(positions, [[0, 1, 2], [2, 1, 3]], fps=24, uv=uv, uv_faces=[[0, 1, 2], [2, 1, 4]], name="shirt")


def saved(name: str) -> Callable[[Path], bytes]:
    """Return a maker of the garment's file of one format; an OBJ file comes to lie beside caches."""

    def make(folder: Path) -> bytes:
        path = folder / name
        garment().save(path)
        return path.read_bytes()

    return make


def plain_npz(_: Path) -> bytes:
    """Return an archive without compression, where damage reaches the NPY headers."""
    animation = garment()
    stream = io.BytesIO()
    np.savez(stream, positions=animation.positions, faces=animation.faces, fps=24.0, height=1.0, name="shirt")
    return stream.getvalue()


def obj(folder: Path) -> bytes:
    garment().save(folder / "shirt.pc2")
    return (folder / "shirt.obj").read_bytes()


def character() -> Writer:
    """Return a document with skin, morph target, sparse accessor, strip, matrix and all interpolations."""
    writer = Writer()
    vertices = np.random.default_rng(2).normal(size=(5, 3))
    places = writer.view(np.array([1], "<u2").tobytes())
    values = writer.view(np.array([1, 2, 3], "<f4").tobytes())
    sparse = {"count": 1, "indices": {"bufferView": places, "componentType": 5123}, "values": {"bufferView": values}}
    attributes = {
        "POSITION": writer.accessor(vertices, sparse=sparse),
        "TEXCOORD_0": writer.accessor(vertices[:, :2]),
        "JOINTS_0": writer.accessor([[0, 1, 0, 0]] * 5, "u1"),
        "WEIGHTS_0": writer.accessor([[128, 127, 0, 0]] * 5, "u1", normalized=True),
    }
    strip = {"attributes": attributes, "indices": writer.accessor([0, 1, 2, 3, 4], "u2"), "mode": 5}
    writer.mesh({**strip, "targets": [{"POSITION": writer.accessor(vertices)}]}, name="shirt")
    writer.add("nodes", {"mesh": 0, "skin": 0, "name": "shirt"})
    writer.add("nodes", {"children": [2], "rotation": [0, 0, 0, 1]})
    writer.add("nodes", {"matrix": np.eye(4).ravel().tolist()})
    writer.add(
        "skins", {"joints": [1, 2], "inverseBindMatrices": writer.accessor(np.eye(4).reshape(1, 16).repeat(2, 0))}
    )
    writer.add("scenes", {"nodes": [0, 1]})
    times = writer.accessor([0.0, 0.1])
    samplers = [
        {"input": times, "output": writer.accessor([[0, 0, 0, 1], [0, 0.6, 0, 0.8]])},
        {"input": times, "output": writer.accessor(np.ones((6, 3))), "interpolation": "CUBICSPLINE"},
        {"input": times, "output": writer.accessor([0.0, 1.0]), "interpolation": "STEP"},
    ]
    targets = [(1, "rotation"), (1, "scale"), (0, "weights")]
    channels = [
        {"sampler": sampler, "target": {"node": node, "path": path}} for sampler, (node, path) in enumerate(targets)
    ]
    writer.add("animations", {"samplers": samplers, "channels": channels})
    return writer


FILES: dict[str, Callable[[Path], bytes]] = {
    "shirt.npz": saved("shirt.npz"),
    "plain.npz": plain_npz,
    "shirt.pc2": saved("shirt.pc2"),
    "shirt.mdd": saved("shirt.mdd"),
    "shirt.obj": obj,
    "shirt.glb": lambda _: character().glb(),
    "shirt.gltf": lambda _: character().gltf(),
}


@pytest.fixture(params=FILES)
def sound(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, bytes]:
    """Return the path of a sound file of each format, and its content."""
    path = tmp_path / request.param
    content = FILES[request.param](tmp_path)
    path.write_bytes(content)
    assert load(path).face_count in (2, 3)
    return path, content


def check(path: Path, content: bytes) -> bool:
    """Load and describe one content; return whether it was refused. Every other outcome fails the test."""
    path.write_bytes(content)
    tracemalloc.start()
    try:
        animation: Animation | None = load(path)
        message = ""
    except (FormatError, MeshError) as error:
        animation, message = None, str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < MEMORY_LIMIT
    refused = animation is None
    # the sentence names the file itself, or the one beside it that it needs
    assert not refused or str(path.parent) in message
    assert len(message) <= LONGEST
    assert animation is None or np.isfinite(animation.positions).all()
    # a description also reads entries that loading passes by, and refuses where those are damaged
    with contextlib.suppress(FormatError):
        assert ("problem" in describe(path)) == refused
    return refused


def test_reject_truncated_files(sound: tuple[Path, bytes]) -> None:
    path, content = sound
    lengths = range(0, len(content) - 1, max(1, len(content) // 150))
    refused = [check(path, content[:length]) for length in lengths]
    # text may end early and still be a mesh; a binary file may not
    assert all(refused) or path.suffix == ".obj"
    assert refused[0]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_property_changed_bytes(sound: tuple[Path, bytes], data: st.DataObject) -> None:
    path, content = sound
    damaged = bytearray(content)
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8)):
        damaged[place] = data.draw(st.integers(0, 255))
    check(path, bytes(damaged))


NUMBERS = st.sampled_from([-1, 0, 1, 2, 3, 7, 255, 2**31, 2**63, 10**30, 0.5, 1e308, float("nan"), float("inf")])
NESTED = json.loads("[" * 900 + "]" * 900)
WRONG: st.SearchStrategy[Any] = NUMBERS | st.sampled_from(
    [None, True, "", "x", "x" * 100_000, [], {}, [0], [[]], NESTED, {"a": 1}]
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_property_changed_json_values(tmp_path: Path, data: st.DataObject) -> None:
    writer = character()
    for _ in range(data.draw(st.integers(1, 3))):
        target: Any = writer.root
        while True:
            keys = list(target) if isinstance(target, dict) else list(range(len(target)))
            key = data.draw(st.sampled_from(keys))
            child = target[key]
            if not isinstance(child, (dict, list)) or not child or data.draw(st.integers(0, 9)) == 0:
                break
            target = child
        if data.draw(st.booleans()):
            target[key] = copy.deepcopy(data.draw(WRONG))
        elif isinstance(target, dict):
            del target[key]
    check(tmp_path / "a.glb", writer.glb())
