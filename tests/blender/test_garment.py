"""The add-on's garment, without Blender: the library by ctypes, exact scrubbing, masks, texture coordinates."""

import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle
from ruckle import _core

EXAMPLE = Path(__file__).parents[2] / "examples" / "blender"
# its own package imports Blender
PACKAGE = ModuleType("ruckle_wrinkles")
PACKAGE.__path__ = [str(EXAMPLE / "ruckle_wrinkles")]
sys.modules.setdefault("ruckle_wrinkles", PACKAGE)

from ruckle_wrinkles.garment import Garment, Look, corner_values  # noqa: E402  # of the package above
from ruckle_wrinkles.library import VERSION, Library  # noqa: E402

# the compiled core of the package holds the interface for C, too
LIBRARY = Library(_core.__file__)
ANIMATION = ruckle.sample("sawing").cut(0, 24)
LOOK = Look(0.012, tau=1.2)
DT = 1 / 60


def garment(mask: NDArray[Any] | None = None, look: Look = LOOK) -> Garment:
    return Garment(LIBRARY, ANIMATION.positions[0], ANIMATION.faces, look, mask)


def play(one: Garment, numbers: Any) -> dict[int, Any]:
    return {number: one.frame(number, ANIMATION.positions[number], DT) for number in numbers}


def test_garment_exact_is_what_the_package_makes() -> None:
    one = garment()
    found = play(one, range(24))[23]
    wrinkler = ruckle.Wrinkler(one.faces, ANIMATION.vertex_count, r_min=0.012, tau=1.2)
    frame = [wrinkler.step(positions, DT) for positions in ANIMATION.positions][-1]
    surface = ruckle.Surface(wrinkler.topology, base="curved")
    surface.update(frame, edge_levels=one._levels)
    fine = surface.displace()
    assert frame.wrinkles
    np.testing.assert_array_equal(found.faces, fine.faces)
    np.testing.assert_array_equal(found.positions, fine.positions)


def test_garment_exact_scrubbing() -> None:
    one = garment()
    seen = play(one, range(24))
    for number in (5, 23, 0, 12):
        again = play(one, [number])[number]
        np.testing.assert_array_equal(again.positions, seen[number].positions)
        np.testing.assert_array_equal(again.faces, seen[0].faces)
    # from a frame that was seen the next goes on
    half = garment()
    play(half, range(12))
    play(half, [3])
    np.testing.assert_array_equal(play(half, range(12, 24))[23].positions, seen[23].positions)


def test_garment_exact_masks() -> None:
    whole, count = play(garment(), range(24))[23], ANIMATION.vertex_count
    flat = play(garment(look=Look(0.012, amplitude=0.0, tau=1.2)), range(24))[23]
    for share in (0.0, 0.5, 1.0):
        found = play(garment(np.full(count, share, np.float32)), range(24))[23]
        expected = flat.positions + share * (whole.positions - flat.positions)
        np.testing.assert_allclose(found.positions, expected, atol=1e-6)
    assert np.abs(whole.positions - flat.positions).max() > 1e-3


def test_garment_exact_texture_coordinates() -> None:
    one = garment()
    fine = play(one, [0])[0]
    uv = ANIMATION.uv[ANIMATION.uv_faces]
    surface = ruckle.Surface(ruckle.Topology(one.faces, ANIMATION.vertex_count), base="curved")
    surface.update(ruckle.CoarseFrame(ANIMATION.positions[0], surface.topology), edge_levels=one._levels)
    expected = surface.displace().corner_values(ANIMATION.uv, ANIMATION.uv_faces)
    np.testing.assert_allclose(corner_values(fine, one.faces, uv), expected, atol=1e-6)


def test_garment_reject_with_the_library_s_sentence() -> None:
    with pytest.raises(ValueError, match=r"tau: expected a finite number above 1, got 0\.5"):
        garment(look=Look(0.01, tau=0.5))
    one = garment()
    with pytest.raises(ValueError, match="vertices"):
        one.frame(0, ANIMATION.positions[0][:-1].copy(), DT)
    assert ruckle.__version__ == VERSION


def test_build_exact_the_extension_carries_its_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    monkeypatch.delitem(sys.modules, "build", raising=False)
    import build

    (tmp_path / "libruckle_c.so").write_bytes(b"library")
    words = ["build.py", f"linux-x64={tmp_path / 'libruckle_c.so'}", "-o", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    build.main()
    with zipfile.ZipFile(tmp_path / "ruckle_wrinkles-0.1.0.zip") as extension:
        names = set(extension.namelist())
        manifest = build.tomllib.loads(extension.read("blender_manifest.toml").decode())
    assert {"__init__.py", "garment.py", "library.py", "LICENSE"} < names
    assert {wheel.removeprefix("./") for wheel in manifest["wheels"]} < names
    assert len(manifest["tagline"]) <= 64
    assert manifest["platforms"] == ["linux-x64"]
