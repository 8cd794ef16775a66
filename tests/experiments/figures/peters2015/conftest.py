"""Fixtures for tests of the figures in the thesis (Peters 2015): motions of real garments."""

from pathlib import Path

import pytest

from ruckle import Animation, load, samples
from ruckle.experiments.figures.clips import RATE, Clip, play, play_sample
from shared_data import sequence_files


def _loaded(path: Path) -> Animation:
    animation = load(path)
    return animation.at_rate(RATE)


@pytest.fixture(scope="session", params=[*samples(), *sequence_files()], ids=lambda of: getattr(of, "stem", of))
def clip(request: pytest.FixtureRequest) -> Clip:
    """Return wrinkles with default parameters for each packaged sample and each shared garment."""
    return play_sample(request.param) if request.param in samples() else play(_loaded(request.param))


@pytest.fixture(scope="session", params=sequence_files(), ids=lambda path: path.stem)
def sequence(request: pytest.FixtureRequest) -> Animation:
    """Return each shared motion-captured garment at 30 frames per second. Without the files, the tests are skipped."""
    return _loaded(request.param)
