"""Files of wrinkle lines: OBJ lines and USD curves contain all wrinkles, and a file appears only when complete."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ruckle import Animation, Frame, run, sample
from ruckle.io.lines import line_writer

FIRST = 9_998  # the number of digits in the file names changes after 9,999


@pytest.fixture(scope="module")
def animation() -> Animation:
    """Return the first 40 frames of a sample: from the rest pose to its first wrinkles."""
    whole = sample("sawing")
    return Animation(whole.positions[:40], whole.faces, fps=24.0, name="saw / 1", height=whole.height)


@pytest.fixture(scope="module")
def frames(animation: Animation) -> list[Frame]:
    found = list(run(animation, tau=1.25))
    assert (len(found[0].wrinkles), len(found[-1].wrinkles) > 2) == (0, True)
    return found


def write(path: Path, animation: Animation, frames: list[Frame]) -> None:
    with line_writer(path, animation, first_frame=FIRST) as writer:
        for frame in frames:
            writer.append(frame)
        writer.finish()


def read_obj(path: Path) -> dict[str, Any]:
    """Return the polyline of each object in an OBJ file by its name. The parser uses only the rules of the format."""
    vertices: list[list[float]] = []
    found: dict[str, Any] = {}
    for line in path.read_text().splitlines():
        match line.split():
            case ["o", name]:
                current = name
            case ["v", *numbers]:
                vertices.append([float(number) for number in numbers])
            case ["l", *indices]:
                found[current] = np.array([vertices[int(index) - 1] for index in indices])
    return found


def test_obj_exact_holds_every_wrinkle(tmp_path: Path, animation: Animation, frames: list[Frame]) -> None:
    write(tmp_path / "lines", animation, frames)
    files = sorted((tmp_path / "lines").iterdir())
    assert [file.name for file in files] == [f"saw_1_{FIRST + k:05d}.obj" for k in range(len(frames))]
    for file, expected in zip(files, [frame.wrinkles for frame in frames], strict=True):
        found = read_obj(file)
        assert list(found) == [f"wrinkle_{wrinkle.id}" for wrinkle in expected]
        for wrinkle in expected:
            np.testing.assert_allclose(found[f"wrinkle_{wrinkle.id}"], wrinkle.visible_line, rtol=1e-8)


@pytest.mark.parametrize("suffix", ["usda", "usdc", "usd"])
def test_usd_exact_holds_every_wrinkle(tmp_path: Path, animation: Animation, frames: list[Frame], suffix: str) -> None:
    Usd, UsdGeom = (pytest.importorskip(f"pxr.{module}") for module in ("Usd", "UsdGeom"))
    path = tmp_path / f"lines.{suffix}"
    write(path, animation, frames)
    stage = Usd.Stage.Open(str(path))
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (FIRST, FIRST + len(frames) - 1)
    assert (stage.GetTimeCodesPerSecond(), UsdGeom.GetStageUpAxis(stage)) == (24.0, "Y")
    curves = UsdGeom.BasisCurves(stage.GetDefaultPrim())
    assert (curves.GetTypeAttr().Get(), curves.GetWidthsInterpolation()) == ("linear", "vertex")
    primvars = {name: UsdGeom.PrimvarsAPI(curves).GetPrimvar(name) for name in ("id", "age", "height")}
    assert {name: primvar.GetInterpolation() for name, primvar in primvars.items()} == {
        "id": "uniform", "age": "uniform", "height": "vertex",
    }  # fmt: skip
    for k, expected in enumerate(frame.wrinkles for frame in frames):
        time = FIRST + k
        counts = np.array(curves.GetCurveVertexCountsAttr().Get(time), int)
        assert counts.tolist() == [len(wrinkle) for wrinkle in expected]
        assert list(primvars["id"].Get(time)) == [wrinkle.id for wrinkle in expected]
        np.testing.assert_allclose(primvars["age"].Get(time), [wrinkle.age for wrinkle in expected])
        starts = np.cumsum([0, *counts])
        attributes = curves.GetPointsAttr(), curves.GetWidthsAttr(), primvars["height"]
        points, widths, heights = (np.array(attribute.Get(time)) for attribute in attributes)
        for wrinkle, start, stop in zip(expected, starts[:-1], starts[1:], strict=True):
            np.testing.assert_allclose(points[start:stop], wrinkle.visible_line, atol=1e-6)
            np.testing.assert_array_equal(widths[start:stop], wrinkle.width)
            np.testing.assert_array_equal(heights[start:stop], wrinkle.height)
        if expected:
            low, high = np.array(curves.GetExtentAttr().Get(time))
            assert (low <= points.min(axis=0)).all()
            assert (high >= points.max(axis=0)).all()
