"""The laboratory for learned upsampling: it shows the result of training, and its sliders change the picture."""

from typing import Any

import numpy as np
import pytest

from learning import blown_pair
from ruckle import Garment, Trainer
from ruckle.experiments.laboratory import DetailLaboratory
from ruckle.offline.upsampling import Locality

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def laboratory() -> DetailLaboratory:
    trainer = Trainer(Garment.of(blown_pair(0.0)), tests=12)
    for angle in (0.0, 1.0):
        trainer.add_pair(blown_pair(angle))
    return DetailLaboratory(trainer, blown_pair(0.5))


def test_exact_frames_are_the_operator_s(laboratory: DetailLaboratory) -> None:
    chosen = laboratory.trainer.choose().penalties
    assert laboratory.locality == chosen
    operator = laboratory.trainer.operator(chosen, detail=0.7)
    found = laboratory.upsample(0.7)
    np.testing.assert_allclose(found[20], operator @ laboratory.pair.coarse.positions[20], atol=1e-5)
    errors = laboratory._errors(found)
    # both errors differ slightly, because the trainer uses fewer harmonics than there are vertices
    gain = laboratory.trainer.gain(chosen, 0.7)
    left = laboratory.trainer.fit(chosen, laboratory.motion).error(gain)
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(left, rel=0.05)
    ratio = left / laboratory._linear_error
    assert laboratory.draw(0.7).seen.startswith(f"{ratio:.2f} of interpolation's error on")


def test_exact_still_picture(laboratory: DetailLaboratory) -> None:
    drawing = laboratory.draw(1.0, locality=Locality(0.03, 0.5), frame=3)
    assert drawing.png().startswith(PNG)
    assert drawing.parameters == f"frame 3, detail 1, {Locality(0.03, 0.5)}"


def test_exact_sliders_steer_the_picture(laboratory: DetailLaboratory) -> None:
    widgets = pytest.importorskip("ipywidgets")
    row, sentence, picture = laboratory.widget().children
    controls: dict[str, Any] = {c.description: c for column in row.children for c in column.children}
    assert isinstance(picture, widgets.Image)
    seen = {bytes(picture.value)}
    for description, value in {"detail": 0.9, "frame": 11, "strength": 0.1, "reach, edges": 1.5}.items():
        controls[description].value = value
        seen.add(bytes(picture.value))
    assert len(seen) == 5
    assert sentence.value == ""


def test_reject_what_cannot_be_judged(laboratory: DetailLaboratory) -> None:
    for frame in (-1, 40):
        with pytest.raises(ValueError, match=rf"^frame: expected an integer in \[0, 39\], got {frame}$"):
            DetailLaboratory(laboratory.trainer, laboratory.pair, frame=frame)
        with pytest.raises(ValueError, match=r"^frame: "):
            laboratory.draw(frame=frame)
    alone = Trainer(laboratory.trainer.garment, tests=12, harmonics=laboratory.trainer.harmonics)
    alone.add_pair(blown_pair(0.0))
    with pytest.raises(
        ValueError, match=r"^trainer: expected a prior and motions of at least two origins, .* smooth and 1$"
    ):
        DetailLaboratory(alone, laboratory.pair)
