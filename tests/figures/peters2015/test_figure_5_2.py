"""Figure 5.2: independent and coherent paths.

"Wrinkle paths generated independently per frame vary significantly in both direction and length [...]; our temporally
coherent wrinkle paths change gradually across all modalities."
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.clips import still_sample
from ruckle.figures.peters2015.coherent_paths import Coherence, measure
from ruckle.mesh.animation import Animation
from ruckle.samples import sample, samples


def check_coherence(found: Coherence) -> None:
    assert found.drift_ratio > 3.0
    assert found.height_ratio > 3.0
    # gradually: most of the time less than a width, and never a wrinkle at its full height from nothing
    assert np.nanmedian(found.coherent_changes.drift) < 0.5
    assert found.coherent_changes.height.max() < 0.5


@pytest.fixture(scope="module", params=samples())
def coherence(request: pytest.FixtureRequest) -> Coherence:
    return measure(sample(request.param))


def test_property_coherent_paths_change_gradually(coherence: Coherence) -> None:
    check_coherence(coherence)


def test_property_on_real_motion(sequence: Animation) -> None:
    check_coherence(measure(sequence, tau=1.25))


def test_reject_independent_paths_do_not_pass_for_coherent(coherence: Coherence) -> None:
    clip, found = coherence.independent, coherence.independent_changes
    swapped = Coherence(clip, clip, found, found)
    with pytest.raises(AssertionError):
        check_coherence(swapped)


def test_degenerate_a_still_garment_does_not_change() -> None:
    found = measure(still_sample("sawing"))
    assert found.independent_changes.height.max() == 0.0
    assert np.isnan(found.coherent_changes.drift).all()
