"""The laboratory for label costs: it solves the same problem as the stages, and its sliders change the picture."""

from typing import Any

import numpy as np
import pytest

from program import spawn
from ruckle import PAIRWISE, Animation, label_costs, run, sample
from ruckle.experiments.laboratory import LabelLaboratory, LabelSettings

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def laboratory() -> LabelLaboratory:
    return LabelLaboratory(sample("chopping"))


def parts(widget: Any) -> list[Any]:
    return [widget, *(part for child in getattr(widget, "children", ()) for part in parts(child))]


def named(widget: Any, description: str) -> Any:
    (found,) = (part for part in parts(widget) if getattr(part, "description", None) == description)
    return found


def test_exact_default_labels_are_the_wrinklers(laboratory: LabelLaboratory) -> None:
    np.testing.assert_array_equal(LabelSettings().pairwise, PAIRWISE)
    frames = list(run(laboratory.animation, r_min=0.0))
    outcome = laboratory.solve(LabelSettings())
    np.testing.assert_array_equal(outcome.labels, [frame.labels for frame in frames[1:]])
    assert "exact: mean energy" in repr(outcome)


def test_exact_own_costs_decide(laboratory: LabelLaboratory) -> None:
    own = LabelLaboratory(laboratory.animation, costs=lambda stretch, **_: np.tile([1.0, 1.0, 0.0], (len(stretch), 1)))
    assert (own.solve(LabelSettings()).labels == 2).all()
    same = LabelLaboratory(laboratory.animation, costs=lambda stretch, **costs: label_costs(stretch, **costs))
    np.testing.assert_array_equal(same.solve(LabelSettings()).labels, laboratory.solve(LabelSettings()).labels)


def test_exact_still_picture(laboratory: LabelLaboratory) -> None:
    drawing = laboratory.draw(LabelSettings(sigma=0.1))
    assert drawing.png().startswith(PNG)
    assert drawing._repr_png_().startswith(PNG)
    assert "sigma=0.1" in drawing.parameters
    assert laboratory.draw(LabelSettings(sigma=0.1), frame=1).seen == drawing.seen


def test_exact_sliders_steer_the_picture(laboratory: LabelLaboratory) -> None:
    widgets = pytest.importorskip("ipywidgets")
    panel = laboratory.widget()
    (picture,) = (part for part in parts(panel) if isinstance(part, widgets.Image))
    (sentence,) = (part for part in parts(panel) if isinstance(part, widgets.HTML))
    seen = {bytes(picture.value)}
    # in this order, the costs after each change satisfy the condition of the exact method
    moves = {"sigma": 0.1, "compression–stretch": 1.0, "compression–rest": 0.5, "rest–stretch": 0.5, "frame": 20}
    for description, value in moves.items():
        named(panel, description).value = value
        assert bytes(picture.value).startswith(PNG)
        seen.add(bytes(picture.value))
    assert len(seen) == 1 + len(moves)
    named(panel, "compression–stretch").value = 0.6
    assert "use method=" in sentence.value
    named(panel, "method").value = "expansion"
    assert sentence.value == ""


def test_reject_short_animations_and_absent_frames(laboratory: LabelLaboratory) -> None:
    animation = laboratory.animation
    short = Animation(animation.positions[:2], animation.faces, fps=30, name="short", height=1.75)
    with pytest.raises(ValueError, match=r"^animation: expected at least 3 frames at 30 fps, got 2$"):
        LabelLaboratory(short)
    for call in (lambda frame: LabelLaboratory(animation, frame=frame), lambda frame: laboratory.draw(frame=frame)):
        for frame in (0, 119):
            with pytest.raises(ValueError, match=rf"^frame: expected an integer in \[1, 118\], got {frame}$"):
                call(frame)
    with pytest.raises(ValueError, match=r"use method=\"expansion\""):
        laboratory.solve(LabelSettings(compression_stretch=0.3))


def test_reject_sliders_without_ipywidgets() -> None:
    code = (
        "import sys; sys.modules['ipywidgets'] = None\n"
        "import ruckle; from ruckle.experiments.laboratory import LabelLaboratory\n"
        "LabelLaboratory(ruckle.sample('jumping_jack')).widget()"
    )
    ended = spawn(code=code)
    assert ended.stderr.endswith('sliders need ipywidgets, which is not installed: pip install "ruckle[notebook]"\n')


def test_exact_default_costs_are_decimal_numbers() -> None:
    assert "compression_rest=0.2, rest_stretch=0.2, compression_stretch=0.4" in repr(LabelSettings())
