"""Files that need far more memory than their size are rejected before allocation, unless the caller allows more."""

import io
import json
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gltf_writer import TRIANGLE, Writer, skinned_triangle, still_triangle
from program import invoke, swinging
from ruckle import FormatError, describe, load, sample_gltf
from ruckle.io.budget import Budget, OverBudgetError
from ruckle.io.results import load_run

# Largest memory in bytes while a file is rejected, including the memory for reading the file itself.
MEMORY_LIMIT = 60e6

# Number of frames of a sheet of 16 vertices without motion, for which the unpacked size is above 40 MB.
FRAMES = 410_000

# Part of the usual budget, for faster tests: 40 MB and 0.5 s.
SMALL = 0.25


def deflated(size: int) -> bytes:
    """Return an NPZ archive with valid headers, whose positions are `size` bytes of zeros."""
    frames, stream = size // 36, io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("positions.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": (frames, 3, 3)})
        for _ in range(frames // 10_000):
            member.write(bytes(360_000))
    return stream.getvalue()


def repeated_joints(count: int, seconds: float = 60.0) -> bytes:
    writer = skinned_triangle([[1, 0, 0, 0]] * 3)
    writer.root["skins"][0]["joints"] = [1] * count
    writer.animate(1, "translation", [0.0, seconds], [[0, 0, 0]] * 2)
    return writer.glb()


def morphed(targets: int, seconds: float) -> bytes:
    writer = Writer()
    corners = writer.accessor(TRIANGLE)
    writer.mesh({"attributes": {"POSITION": corners}, "targets": [{"POSITION": corners}] * targets})
    writer.add("nodes", {"mesh": 0})
    writer.animate(0, "translation", [0.0, seconds], [[0, 0, 0]] * 2)
    return writer.glb()


def repeated_primitives(count: int) -> bytes:
    writer = Writer()
    corners = writer.accessor(TRIANGLE)
    indices = [writer.accessor([0, 1, 2], "u1") for _ in range(2)]
    writer.mesh(*({"attributes": {"POSITION": corners}, "indices": indices[k % 2], "mode": 4} for k in range(count)))
    writer.add("nodes", {"mesh": 0})
    return writer.glb()


BOMBS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "zeros": ("a.npz", lambda: deflated(200_000_000), r"array 'positions' of shape .*: would take .* MB"),
    "joints": ("a.glb", lambda: repeated_joints(60_000), r"60000 joints and 1 nodes: would take about"),
    "morphs": ("a.glb", lambda: morphed(5_000, 10_000.0), r"300001 frames of 3 vertices, .*: would take about"),
    "primitives": ("a.glb", lambda: repeated_primitives(27_000), r"would take about"),
    "years": ("a.glb", lambda: morphed(0, 1e9), r"1e\+09 s at 30 fps: would take 480,000 MB"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_reject_files_that_would_unpack_to_too_many_bytes(tmp_path: Path, bomb: str) -> None:
    name, make, message = BOMBS[bomb]
    path = tmp_path / name
    path.write_bytes(make())
    assert path.stat().st_size < 2_500_000
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=rf"a\.\w+: .*{message}"):
            load(path)
        assert tracemalloc.get_traced_memory()[1] < MEMORY_LIMIT + 40 * path.stat().st_size
    finally:
        tracemalloc.stop()


def test_exact_scenery_of_many_nodes_is_read(tmp_path: Path) -> None:
    writer = still_triangle()
    for k in range(1, 5_000):
        # a long chain of nodes; the mesh is used in each node
        writer.add("nodes", {"mesh": 0, "translation": [0, 0.5, 0]})
        writer.root["nodes"][k - 1]["children"] = [k]
    assert load(writer.save(tmp_path / "a.glb")).height == 1 + 0.5 * 4_999


@pytest.mark.parametrize("suffix", [".npz", ".glb"])
def test_exact_a_larger_budget_reads_what_was_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    if suffix == ".npz":
        still = np.tile(swinging().positions[:1], (FRAMES, 1, 1))
        np.savez_compressed(path, positions=still, faces=swinging().faces, fps=24.0, height=1.0)
    else:
        path.write_bytes(repeated_joints(15_000, 20.0))
    with pytest.raises(FormatError, match=r"far more than usual .* kB; .* set the budget to (\d+)") as refused:
        load(path, budget=SMALL)
    needed = int(str(refused.value).split("set the budget to ")[1].split()[0])
    assert load(path, budget=needed).frame_count == (FRAMES if suffix == ".npz" else 601)
    if suffix == ".npz":
        assert describe(path, budget=needed)["animation"] is not None
        assert invoke("info", path, "--read-budget", SMALL).exit_code == 2
        assert invoke("info", path, "--read-budget", needed).exit_code == 0


def test_exact_every_reader_has_a_budget(tmp_path: Path) -> None:
    swinging().save(tmp_path / "a.npz")
    swinging().save(tmp_path / "a.pc2")
    still_triangle().save(tmp_path / "b.glb")
    for name in ("a.npz", "a.pc2", "a.obj", "b.glb"):
        with pytest.raises(FormatError, match="would take"):
            load(tmp_path / name, budget=1e-9)
        with pytest.raises(ValueError, match="budget: expected a finite number above 0, got 0"):
            load(tmp_path / name, budget=0)
    for read, name in ((load_run, "a.npz"), (lambda path, **budget: sample_gltf(path, [0.0], **budget), "b.glb")):
        with pytest.raises(FormatError, match="would take"):
            read(tmp_path / name, budget=1e-9)


def test_exact_a_file_counts_once_however_often_it_is_read(tmp_path: Path) -> None:
    # many entries use the same file as their buffer, but its bytes increase the budget only once
    content, count = bytes(4 * 10**6), 400
    (tmp_path / "a.bin").write_bytes(content)
    root = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(content), "uri": "a.bin"}] * count,
        "bufferViews": [{"buffer": k, "byteLength": 36} for k in range(count)],
        "accessors": [{"bufferView": k, "componentType": 5126, "count": 3, "type": "VEC3"} for k in range(count)],
        "meshes": [{"primitives": [{"attributes": {"POSITION": k}} for k in range(count)]}],
        "nodes": [{"mesh": 0}],
    }
    (tmp_path / "a.gltf").write_text(json.dumps(root))
    with pytest.raises(FormatError, match=r"buffers\[\d+\]: would take"):
        load(tmp_path / "a.gltf")


@pytest.mark.parametrize("name", ["a.npz", "a.glb", "a.obj", "a.pc2", "a.mdd"])
def test_reject_what_is_no_regular_file(tmp_path: Path, name: str) -> None:
    swinging().save(tmp_path / "b.pc2")
    os.mkfifo(tmp_path / name)
    options = {"mesh": tmp_path / "b.obj"} if name in ("a.pc2", "a.mdd") else {}
    with pytest.raises(FormatError, match=rf"{name}: cannot be read \(is not a regular file\)"):
        load(tmp_path / name, **options)


def test_reject_frame_rates_that_give_too_many_frames() -> None:
    with pytest.raises(ValueError, match=r"fps: gives 944,892,806 frames, expected at most 65,536"):
        swinging().at_rate(2.0**31)
    assert swinging().at_rate(1000).frame_count == 441


def test_exact_listing_and_reading_share_one_budget(tmp_path: Path) -> None:
    swinging().save(tmp_path / "a.npz")
    # this budget is just enough to open the six arrays once
    enough = 1e6 / 2e9
    load(tmp_path / "a.npz", budget=enough)
    assert "would take" in describe(tmp_path / "a.npz", budget=enough)["problem"]
    assert describe(tmp_path / "a.npz", budget=2 * enough)["animation"] is not None


@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_exact_the_limits_of_memory_and_time(factor: float) -> None:
    # limits of SECURITY.md: 160 MB and 2 s for every file, or 100 times the size and 1.5 us per byte for larger files
    for size, nanoseconds in ((0, 2e9), (10_000_000, 1.5e10)):
        budget = Budget(factor)
        budget.count_bytes(size)
        budget.hold(factor * max(160_000_000, 100 * size), "a")
        budget.spend(factor * nanoseconds, "a")
        with pytest.raises(OverBudgetError, match=r"a: would take .* MB"):
            budget.hold(1.0, "a")
        with pytest.raises(OverBudgetError, match="a: would take about"):
            budget.spend(1e3, "a")


def test_exact_compressed_meshes_count_as_their_decoded_bytes() -> None:
    # at most 10 times their own bytes, so that compressed zeros do not allow arbitrary sizes
    for decoded, counted in ((3_000_000, 10_000_000), (7_000_000, 14_000_000), (10**12, 17_000_000)):
        budget = Budget()
        budget.count_bytes(8_000_000)
        budget.count_decoded(1_000_000, decoded)
        assert budget.size == 100 * counted
