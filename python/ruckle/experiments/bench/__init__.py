"""`ruckle bench`: benchmarks of speed and quality, which also check the results.

ruckle bench stages     every stage of the samples, and the thesis's Table 8.1
ruckle bench labels     stretch, labels and references, as ratios against peers in the same run
ruckle bench paths      quality and speed of wrinkle paths over garments, against their goals
ruckle bench patterns   modulated patterns, as ratios against Newton's method and a NumPy peer
ruckle bench upsample   learned upsampling, as ratios against a plain read of the operator and against NumPy
ruckle bench poses      wrinkles from examples, against NumPy and a plain read of the same bytes
ruckle bench cloth      frames of simulated cloth, against pypbd if it is installed
ruckle bench truth      every wrinkle method against fine simulations, with limits and controls that must fail
ruckle bench witnesses  cloth at rest against closed forms, other simulators and measured fabrics
ruckle bench waves      goals of wrinkle waves, with the same measurements of paths and patterns
ruckle bench crowd      many characters in one garment, by one thread and by several
ruckle bench surface    update of the surface, and its fine mesh, as ratios against a NumPy peer
ruckle bench bits       hashes of every sample's results, against the published hashes
ruckle bench render     reference, tracing and modeling of the samples, and the thesis's Table 8.1
"""

from __future__ import annotations

import click

from ruckle.experiments.bench.bits import bench_bits
from ruckle.experiments.bench.cloth import bench_cloth
from ruckle.experiments.bench.crowd import bench_crowd
from ruckle.experiments.bench.labels import bench_labels
from ruckle.experiments.bench.paths import bench_paths
from ruckle.experiments.bench.patterns import bench_patterns
from ruckle.experiments.bench.poses import bench_poses
from ruckle.experiments.bench.render import bench_render
from ruckle.experiments.bench.stages import bench_stages
from ruckle.experiments.bench.surface import bench_surface
from ruckle.experiments.bench.truth import bench_truth
from ruckle.experiments.bench.upsample import bench_upsample
from ruckle.experiments.bench.waves import bench_waves
from ruckle.experiments.bench.witnesses import bench_witnesses

__all__ = ["bench"]


@click.group(
    commands=[
        bench_bits, bench_cloth, bench_crowd, bench_labels, bench_paths, bench_patterns, bench_poses, bench_render,
        bench_stages, bench_surface, bench_truth, bench_upsample, bench_waves, bench_witnesses,
    ]
)  # fmt: skip
def bench() -> None:
    """Measure speed and quality, and check the results."""
