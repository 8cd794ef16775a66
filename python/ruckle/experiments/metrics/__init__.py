"""Quality measures of a run, for tables, sweeps and acceptance tests."""

from ruckle.experiments.metrics.crossings import find_crossings
from ruckle.experiments.metrics.depth import depths_inside, winding_numbers
from ruckle.experiments.metrics.labels import energy_gap, label_boundaries, label_changes, label_shares
from ruckle.experiments.metrics.paths import (
    PathMetrics,
    compressed_coverage,
    crest_change,
    direction_errors,
    line_angles,
    measure_paths,
    path_drift,
    path_points,
    segment_distances,
    turning_angles,
)
from ruckle.experiments.metrics.perimeter import perimeter_ratio
from ruckle.experiments.metrics.poking import PokeThrough, poke_through
from ruckle.experiments.metrics.surface import (
    Flicker,
    SurfaceChange,
    measure_flicker,
    measure_surface_change,
    normal_turns,
)
from ruckle.experiments.metrics.times import StageTimes, stage_times
from ruckle.experiments.metrics.truth import Fidelity, Folds, Truth, bare_surfaces, layer_surfaces

__all__ = [
    "Fidelity",
    "Flicker",
    "Folds",
    "PathMetrics",
    "PokeThrough",
    "StageTimes",
    "SurfaceChange",
    "Truth",
    "bare_surfaces",
    "compressed_coverage",
    "crest_change",
    "depths_inside",
    "direction_errors",
    "energy_gap",
    "find_crossings",
    "label_boundaries",
    "label_changes",
    "label_shares",
    "layer_surfaces",
    "line_angles",
    "measure_flicker",
    "measure_paths",
    "measure_surface_change",
    "normal_turns",
    "path_drift",
    "path_points",
    "perimeter_ratio",
    "poke_through",
    "segment_distances",
    "stage_times",
    "turning_angles",
    "winding_numbers",
]
