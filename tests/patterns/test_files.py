"""Pattern files: what is written is read, and what cannot be used is refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from meshes import tube
from patterned_cloth import crossed, mixed_grid
from ruckle import FormatError, load_patterns, save_patterns


def test_exact_files_keep_grid_heights_and_names(tmp_path: Path) -> None:
    patterns = crossed(mixed_grid())
    save_patterns(tmp_path / "cloth.pattern.npz", patterns)
    found = load_patterns(tmp_path / "cloth.pattern.npz", patterns[0].grid.topology)
    assert [pattern.name for pattern in found] == [pattern.name for pattern in patterns]
    np.testing.assert_array_equal(found[0].grid.edge_parts, patterns[0].grid.edge_parts)
    np.testing.assert_array_equal(found[0].grid.rest, patterns[0].grid.rest)
    for one, other in zip(found, patterns, strict=True):
        np.testing.assert_array_equal(one.heights, other.heights)
    assert found[0].grid is found[1].grid
    other = load_patterns(tmp_path / "cloth.pattern.npz", patterns[0].grid.topology, 2 * patterns[0].grid.rest)
    np.testing.assert_array_equal(other[0].grid.rest, 2 * patterns[0].grid.rest)


def test_reject_other_meshes(tmp_path: Path) -> None:
    patterns = crossed(mixed_grid())
    save_patterns(tmp_path / "cloth.pattern.npz", patterns)
    with pytest.raises(ValueError, match="its patterns belong to another mesh"):
        load_patterns(tmp_path / "cloth.pattern.npz", tube().topology)


def test_reject_damaged_files(tmp_path: Path) -> None:
    patterns = crossed(mixed_grid())
    topology = patterns[0].grid.topology
    save_patterns(tmp_path / "sound.npz", patterns)
    with np.load(tmp_path / "sound.npz") as stored:
        arrays = dict(stored)
    np.savez(tmp_path / "short.npz", **{**arrays, "heights": arrays["heights"][:, :-1]})
    np.savez(tmp_path / "parts.npz", **{**arrays, "edge_parts": arrays["edge_parts"] * 0 + 3})
    np.savez(tmp_path / "later.npz", **{**arrays, "format_version": np.int32(99)})
    np.savez(tmp_path / "other.npz", positions=np.zeros(3))
    content = (tmp_path / "sound.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(content[: len(content) // 2])
    (tmp_path / "text.npz").write_text("no archive")
    for name, message in (
        ("short.npz", r"short.npz: is damaged \(heights: expected one for each of"),
        ("parts.npz", r"parts.npz: is damaged \(edge_parts: expected powers of two"),
        ("later.npz", "later.npz: has format version 99; this ruckle reads up to 1"),
        ("other.npz", "other.npz: is no pattern file; it has no format_version"),
        ("cut.npz", "cut.npz: is not an NPZ archive"),
        ("text.npz", "text.npz: is not an NPZ archive"),
    ):
        with pytest.raises(FormatError, match=message):
            load_patterns(tmp_path / name, topology)
