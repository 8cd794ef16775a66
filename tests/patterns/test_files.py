"""Pattern files: writing, reading, and clear error messages for files that cannot be used."""

from pathlib import Path

import numpy as np
import pytest

from meshes import tube
from patterned_cloth import crossed, mixed_grid
from ruckle import FormatError, load_patterns, save_patterns


def test_exact_files_keep_grid_heights_and_names(tmp_path: Path) -> None:
    patterns, path = crossed(mixed_grid()), tmp_path / "cloth.pattern.npz"
    on = patterns[0].grid
    save_patterns(patterns, path)
    found = load_patterns(path, on.topology)
    np.testing.assert_array_equal(found[0].grid.edge_parts, on.edge_parts)
    np.testing.assert_array_equal(found[0].grid.rest, on.rest)
    for one, other in zip(found, patterns, strict=True):
        np.testing.assert_array_equal(one.heights, other.heights)
        assert one.name == other.name
    assert found[0].grid is found[1].grid
    larger = load_patterns(path, on.topology, 2 * on.rest)
    np.testing.assert_array_equal(larger[0].grid.rest, 2 * on.rest)


def test_reject_files(tmp_path: Path) -> None:
    patterns, path = crossed(mixed_grid()), tmp_path / "a.npz"
    topology, on_rest = patterns[0].grid.topology, patterns[0].grid.rest
    save_patterns(patterns, path)
    with np.load(path) as stored:
        arrays = dict(stored)
    with pytest.raises(ValueError, match="its patterns belong to another mesh"):
        load_patterns(path, tube().topology)
    for rest, message in ((np.zeros((3, 3)), r"expected an array of shape"), (np.nan * on_rest, "expected finite")):
        with pytest.raises(ValueError, match=f"^rest: {message}"):
            load_patterns(path, topology, rest)
    for changed, message in (
        ({**arrays, "heights": arrays["heights"][:, :-1]}, r"is damaged \(heights: expected one for each of"),
        ({**arrays, "edge_parts": arrays["edge_parts"] * 0 + 3}, r"is damaged \(edge_parts: expected powers of two"),
        ({**arrays, "format_version": np.int32(99)}, "has format version 99; this ruckle reads up to 1"),
        ({"positions": np.zeros(3)}, "is no pattern file; it has no format_version"),
    ):
        np.savez(path, **changed)
        with pytest.raises(FormatError, match=rf"a\.npz: {message}"):
            load_patterns(path, topology)
    for content in (path.read_bytes()[:100], b"no archive"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"a\.npz: is not an NPZ archive"):
            load_patterns(path, topology)
