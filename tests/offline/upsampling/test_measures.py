"""Measures against true cloth, for the true cloth itself, flat cloth, and detail that is rotated or scaled."""

import numpy as np
import pytest

from learning import all_harmonics, garment
from ruckle.offline.upsampling import Comparisons

CLOTH = garment((7, 5), (37, 25))
COARSE = np.repeat(CLOTH.coarse_rest[None], 6, axis=0)


def waves(along: int, height: float = 0.01) -> np.ndarray:
    """Return frames (6, N, 3) of cloth with waves along an axis. Only the half of the cloth with larger x has waves."""
    fine = np.repeat(CLOTH.fine_rest[None], 6, axis=0).copy()
    phase = 2 * np.pi * (6 * CLOTH.fine_rest[:, along] + np.arange(6)[:, None] / 6)
    fine[:, :, 2] += height * np.sin(phase) * (CLOTH.fine_rest[:, 0] > 0.75)
    return fine


@pytest.fixture(scope="module")
def comparisons() -> Comparisons:
    return Comparisons(CLOTH, all_harmonics(CLOTH), CLOTH.linear_map.toarray())


def test_exact_the_truth_is_perfect(comparisons: Comparisons) -> None:
    found = comparisons.of(COARSE, waves(0), waves(0), every=2)
    assert (found.error, found.ratio, found.energy) == (0.0, 0.0, 1.0)
    assert found.angle == pytest.approx(0.0, abs=1e-3)
    assert (found.precision, found.recall) == (1.0, 1.0)
    assert found.coherence == pytest.approx((1.0,) * 4)
    assert str(found).startswith("ratio 0.000 (0.00 mm), energy 1.00, angle 0.0°, precision 1.00, recall 1.00")


def test_exact_flat_cloth_has_the_linear_error_and_no_energy(comparisons: Comparisons) -> None:
    found = comparisons.of(COARSE, waves(0), CLOTH.linear(COARSE))
    assert found.ratio == pytest.approx(1.0)
    assert found.energy == pytest.approx(0.0, abs=1e-4)
    assert (found.precision, found.recall) == (0.0, 0.0)


def test_exact_directions_and_energies(comparisons: Comparisons) -> None:
    turned = comparisons.of(COARSE, waves(0), waves(1))
    assert turned.angle > 75.0
    # both surfaces have waves in the same half; precision and recall do not depend on the direction of waves
    assert min(turned.precision, turned.recall) > 0.7
    half = comparisons.of(COARSE, waves(0), waves(0, 0.005))
    assert half.energy == pytest.approx(0.5, rel=1e-4)
    assert half.ratio == pytest.approx(0.5, rel=1e-4)
    assert half.angle == pytest.approx(0.0, abs=0.1)
    assert half.coherence == pytest.approx((1.0,) * 4, abs=1e-4)
