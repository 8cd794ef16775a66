"""Types of the compiled core.

Generated from the compiled module by `make stub`: edit cpp/bindings.
"""

from __future__ import annotations

import collections.abc
import typing

import numpy
import numpy.typing

import ruckle.paths.parameters
import ruckle.patterns.parameters
import ruckle.pose_space.parameters
import ruckle.simulation.parameters
import ruckle.upsampling.parameters
import ruckle.waves.parameters

class Topology:
    def __init__(self, faces: numpy.typing.NDArray[numpy.int32], vertex_count: int) -> None: ...
    @property
    def edge_count(self) -> int: ...
    @property
    def edge_faces(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def edges(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def face_count(self) -> int: ...
    @property
    def face_edges(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def face_neighbors(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def vertex_count(self) -> int: ...

class HeightSource:
    def heights(
        self, faces: numpy.typing.NDArray[numpy.int32], barycentric: numpy.typing.NDArray[numpy.float32]
    ) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]: ...

class PathHeights(HeightSource):
    def __init__(self, topology: Topology, *, threads: int) -> None: ...
    def area_gains(self) -> numpy.typing.NDArray[numpy.float32]: ...
    def update(
        self,
        positions: numpy.typing.NDArray[numpy.float32],
        rest: numpy.typing.NDArray[numpy.float32],
        offsets: numpy.typing.NDArray[numpy.int32],
        samples: numpy.typing.NDArray[numpy.void],
        *,
        edge_length: float,
        earlier_offsets: numpy.typing.NDArray[numpy.int32] | None = None,
        earlier_samples: numpy.typing.NDArray[numpy.void] | None = None,
        share: float | None = None,
    ) -> None: ...
    @property
    def curve_points(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def face_offsets(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def face_openings(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def face_points(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def smoothing(self) -> numpy.typing.NDArray[numpy.float32]: ...

class SampledHeights(HeightSource):
    def __init__(
        self,
        topology: Topology,
        *,
        bends: numpy.typing.NDArray[numpy.float32] | None,
        edge_length: float,
        height_range: typing.Annotated[collections.abc.Sequence[float], "FixedSize(2)"] | None = None,
    ) -> None: ...

class WaveField:
    def __init__(
        self,
        topology: Topology,
        rest: numpy.typing.NDArray[numpy.float32],
        paint: numpy.typing.NDArray[numpy.float32] | None,
        options: dict[str, typing.Any],
    ) -> None: ...
    def reset(self) -> None: ...
    def restore(self, state: bytes) -> None: ...
    def set_options(self, options: dict[str, typing.Any]) -> None: ...
    def set_paint(self, paint: numpy.typing.NDArray[numpy.float32] | None) -> None: ...
    def state(self) -> bytes: ...
    def step(
        self,
        positions: numpy.typing.NDArray[numpy.float32],
        dt: float,
        remaining: numpy.typing.NDArray[numpy.float32] | None,
    ) -> tuple[
        numpy.typing.NDArray[numpy.float32], ruckle.waves.parameters.WaveTimings, ruckle.waves.parameters.WaveStats
    ]: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def options(self) -> dict[str, typing.Any]: ...
    @property
    def rest(self) -> numpy.typing.NDArray[numpy.float32]: ...

class WaveHeights(HeightSource):
    def __init__(self, field: WaveField) -> None: ...
    def area_gains(self) -> numpy.typing.NDArray[numpy.float32]: ...
    def copy(self) -> WaveHeights: ...
    def mix(self, later: numpy.typing.NDArray[numpy.float32], share: float) -> None: ...
    def rest_texels(self) -> numpy.typing.NDArray[numpy.float32]: ...
    def shares_rest(self, other: WaveHeights) -> bool: ...
    def update(
        self,
        positions: numpy.typing.NDArray[numpy.float32],
        vertices: numpy.typing.NDArray[numpy.float32],
        *,
        edge_length: float,
    ) -> None: ...
    @property
    def edge_length(self) -> float: ...
    @property
    def profile(self) -> tuple[float, float, float, float]: ...
    @property
    def share(self) -> float: ...
    @property
    def vertex_count(self) -> int: ...

class PatternGrid:
    def __init__(
        self,
        topology: Topology,
        rest: numpy.typing.NDArray[numpy.float32],
        *,
        spacing: float,
        edge_parts: numpy.typing.NDArray[numpy.int32] | None,
    ) -> None: ...
    def gradients(self, heights: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]: ...
    def slopes(self, heights: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def barycentric(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def cell_offsets(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def edge_parts(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def face_parts(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def rest(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def topology(self) -> Topology: ...

class Moments:
    @property
    def bend(self) -> tuple[float, float]: ...
    @property
    def highest(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def mean_square(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def pattern_count(self) -> int: ...
    @property
    def planes(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def rest(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def steepness(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def upright(self) -> numpy.typing.NDArray[numpy.float32]: ...

class Modulator:
    def __init__(
        self,
        grid: PatternGrid,
        heights: numpy.typing.NDArray[numpy.float32],
        paint: numpy.typing.NDArray[numpy.float32] | None,
        options: dict[str, typing.Any],
    ) -> None: ...
    def reset(self) -> None: ...
    def restore(self, state: bytes) -> None: ...
    def state(self) -> bytes: ...
    def step(
        self,
        positions: numpy.typing.NDArray[numpy.float32],
        dt: float,
        reference: numpy.typing.NDArray[numpy.float32] | None,
        remaining: numpy.typing.NDArray[numpy.float32] | None,
    ) -> tuple[
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        ruckle.patterns.parameters.ModulatorTimings,
        ruckle.patterns.parameters.ModulatorStats,
    ]: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def heights(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def moments(self) -> Moments: ...
    @property
    def r_min(self) -> float: ...

class PatternHeights(HeightSource):
    def __init__(self, grid: PatternGrid, heights: numpy.typing.NDArray[numpy.float32]) -> None: ...
    def copy(self) -> PatternHeights: ...
    def pattern_texels(self) -> numpy.typing.NDArray[numpy.float32]: ...
    def shares_patterns(self, other: PatternHeights) -> bool: ...
    def update(
        self, positions: numpy.typing.NDArray[numpy.float32], factors: numpy.typing.NDArray[numpy.float32]
    ) -> None: ...
    @property
    def edge_length(self) -> float: ...
    @property
    def pattern_count(self) -> int: ...

class FineMesh:
    @property
    def barycentric(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def coarse_faces(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def face_coarse_faces(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def heights(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def normals(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float32]: ...

class Refinement:
    def __init__(
        self,
        topology: Topology,
        faces: numpy.typing.NDArray[numpy.int32],
        coarse_faces: numpy.typing.NDArray[numpy.int32],
        barycentric: numpy.typing.NDArray[numpy.float32],
    ) -> None: ...
    def area_gains(
        self, positions: numpy.typing.NDArray[numpy.float32], coarse_positions: numpy.typing.NDArray[numpy.float32]
    ) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def topology(self) -> Topology: ...

class Surface:
    def __init__(self, mesh: Topology | Refinement, *, threads: int) -> None: ...
    def displace(
        self,
        heights: numpy.typing.NDArray[numpy.float32] | None = None,
        gradients: numpy.typing.NDArray[numpy.float32] | None = None,
    ) -> FineMesh: ...
    def evaluate(
        self,
        faces: numpy.typing.NDArray[numpy.int32],
        barycentric: numpy.typing.NDArray[numpy.float32],
        heights: numpy.typing.NDArray[numpy.float32] | None = None,
        gradients: numpy.typing.NDArray[numpy.float32] | None = None,
    ) -> tuple[
        numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]
    ]: ...
    def locate(
        self, faces: numpy.typing.NDArray[numpy.int32], barycentric: numpy.typing.NDArray[numpy.float32]
    ) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]: ...
    def order(
        self,
        toward_eye: typing.Annotated[collections.abc.Sequence[float], "FixedSize(3)"],
        *,
        vertices_per_draw: int,
        corners: numpy.typing.NDArray[numpy.int32],
    ) -> list[tuple[int, int, bool]]: ...
    def plan(self) -> FineMesh: ...
    def update(
        self,
        positions: numpy.typing.NDArray[numpy.float32],
        sources: collections.abc.Sequence[HeightSource],
        *,
        edge_length: float,
        curved: bool,
        base_level: int,
        viewpoint: numpy.typing.NDArray[numpy.float32] | None,
        edge_levels: numpy.typing.NDArray[numpy.int32] | None,
        coarse_positions: numpy.typing.NDArray[numpy.float32] | None,
        mask: numpy.typing.NDArray[numpy.float32] | None = None,
    ) -> None: ...
    def write_texels(self, texels: numpy.typing.NDArray[numpy.uint32]) -> list[int]: ...
    @property
    def corner_normals(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def crowding(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def edge_levels(self) -> numpy.typing.NDArray[numpy.int32]: ...
    @property
    def levels(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def vertex_normals(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def vertex_roundness(self) -> numpy.typing.NDArray[numpy.float32]: ...

class Snapshot:
    @property
    def current(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def field(
        self,
    ) -> tuple[
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.bool],
    ]: ...
    @property
    def labels(self) -> numpy.typing.NDArray[numpy.uint8]: ...
    @property
    def motion(
        self,
    ) -> tuple[
        numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.bool]
    ]: ...
    @property
    def r_min(self) -> float: ...
    @property
    def reference(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def rest(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def stats(self) -> ruckle.paths.parameters.Stats: ...
    @property
    def timings(self) -> ruckle.paths.parameters.Timings: ...
    @property
    def wrinkles(
        self,
    ) -> tuple[
        numpy.typing.NDArray[numpy.void],
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.void],
    ]: ...

class StepClock:
    def __init__(self, interval: float, offset: float) -> None: ...
    def advance(self, dt: float, steps: bool) -> None: ...
    def is_due(self, dt: float) -> bool: ...
    def reset(self) -> None: ...
    def step_time(self, dt: float) -> float: ...
    @property
    def blends(self) -> bool: ...
    @property
    def interval(self) -> float: ...
    @interval.setter
    def interval(self, arg1: float) -> None: ...
    @property
    def share(self) -> float: ...
    @property
    def times(self) -> tuple[float, float, float, float, float, bool]: ...
    @times.setter
    def times(self, arg1: tuple[float, float, float, float, float, bool]) -> None: ...

class Crowd:
    @staticmethod
    def offset(index: int) -> float: ...
    def __init__(
        self,
        distances: typing.Annotated[collections.abc.Sequence[float], "FixedSize(2)"],
        intervals: typing.Annotated[collections.abc.Sequence[float], "FixedSize(3)"],
    ) -> None: ...
    def interval(self, distance: float) -> float: ...
    def plan(
        self, members: collections.abc.Sequence[tuple[float, float, int, bool, bool]], dt: float, budget_us: float
    ) -> list[bool]: ...
    def reset(self) -> None: ...
    @property
    def costs(self) -> typing.Annotated[list[float], "FixedSize(2)"]: ...

class Wrinkler:
    def __init__(self, topology: Topology, options: dict[str, typing.Any]) -> None: ...
    def reset(self) -> None: ...
    def restore(self, state: bytes) -> None: ...
    def set_options(self, options: dict[str, typing.Any]) -> None: ...
    def set_rest(self, positions: numpy.typing.NDArray[numpy.float32] | None) -> None: ...
    def state(self) -> bytes: ...
    def step(
        self,
        positions: numpy.typing.NDArray[numpy.float32],
        dt: float,
        remaining: numpy.typing.NDArray[numpy.float32] | None = None,
        labels: numpy.typing.NDArray[numpy.uint8] | None = None,
    ) -> Snapshot: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def topology(self) -> Topology: ...

class ClothSimulation:
    def __init__(
        self,
        rest: numpy.typing.NDArray[numpy.float32],
        faces: numpy.typing.NDArray[numpy.int32],
        attachment: numpy.typing.NDArray[numpy.float32] | None,
        material: dict[str, float],
        options: dict[str, typing.Any],
    ) -> None: ...
    def collide_with(self, faces: numpy.typing.NDArray[numpy.int32], vertex_count: int) -> None: ...
    def place(
        self, positions: numpy.typing.NDArray[numpy.float32], velocities: numpy.typing.NDArray[numpy.float32] | None
    ) -> None: ...
    def restore(self, state: bytes) -> None: ...
    def state(self) -> bytes: ...
    def step(
        self,
        dt: float,
        pins: numpy.typing.NDArray[numpy.float32] | None,
        wind: numpy.typing.NDArray[numpy.float32] | None,
        cones: numpy.typing.NDArray[numpy.float32] | None,
        body: numpy.typing.NDArray[numpy.float32] | None,
        targets: numpy.typing.NDArray[numpy.float64] | None,
        extra_damping: float,
    ) -> numpy.typing.NDArray[numpy.float32]: ...
    def track(self, tests: numpy.typing.NDArray[numpy.float32]) -> None: ...
    @property
    def energy(self) -> ruckle.simulation.parameters.ClothEnergy: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def masses(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def stats(self) -> ruckle.simulation.parameters.ClothStats: ...
    @property
    def substep_positions(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def timings(self) -> ruckle.simulation.parameters.ClothTimings: ...
    @property
    def velocities(self) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def vertex_count(self) -> int: ...

class Simulated:
    def __init__(
        self,
        rest: numpy.typing.NDArray[numpy.float32],
        faces: numpy.typing.NDArray[numpy.int32],
        attachment: numpy.typing.NDArray[numpy.float32] | None,
        weights: numpy.typing.NDArray[numpy.float32],
        cones: numpy.typing.NDArray[numpy.float32],
        cone_bones: numpy.typing.NDArray[numpy.int32],
        body: numpy.typing.NDArray[numpy.float32],
        body_faces: numpy.typing.NDArray[numpy.int32],
        body_weights: numpy.typing.NDArray[numpy.float32],
        material: dict[str, float],
        options: dict[str, typing.Any],
    ) -> None: ...
    def reset(self) -> None: ...
    def restore(self, state: bytes) -> None: ...
    def state(self) -> bytes: ...
    def step(
        self, bones: numpy.typing.NDArray[numpy.float32], dt: float, wind: numpy.typing.NDArray[numpy.float32] | None
    ) -> numpy.typing.NDArray[numpy.float32]: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def stats(self) -> ruckle.simulation.parameters.ClothStats: ...
    @property
    def timings(self) -> ruckle.simulation.parameters.ClothTimings: ...

class Upsampler:
    def __init__(
        self,
        rows: numpy.typing.NDArray[numpy.float32],
        fine_faces: numpy.typing.NDArray[numpy.int32],
        attachment: numpy.typing.NDArray[numpy.float32],
        oscillations: numpy.typing.NDArray[numpy.float32],
        frequencies: numpy.typing.NDArray[numpy.float32],
        options: dict[str, typing.Any],
        detail: dict[str, typing.Any] | None = None,
    ) -> None: ...
    def reset(self) -> None: ...
    def restore(self, state: bytes) -> None: ...
    def state(self) -> bytes: ...
    def step(
        self,
        positions: numpy.typing.NDArray[numpy.float32],
        dt: float,
        gain: float,
        pins: numpy.typing.NDArray[numpy.float32] | None,
    ) -> tuple[numpy.typing.NDArray[numpy.float32], ruckle.upsampling.parameters.UpsamplerTimings]: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def operator_bytes(self) -> int: ...

class Binding:
    def __init__(
        self,
        topology: Topology,
        rest: numpy.typing.NDArray[numpy.float32],
        coarse_faces: numpy.typing.NDArray[numpy.int32],
        barycentric: numpy.typing.NDArray[numpy.float32],
    ) -> None: ...
    def measure(self, positions: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]: ...

class PoseSynthesizer:
    def __init__(
        self,
        binding: Binding,
        rest_details: numpy.typing.NDArray[numpy.float32],
        faces: numpy.typing.NDArray[numpy.int32],
        joints: list[dict[str, typing.Any]],
        bone_count: int,
        options: dict[str, typing.Any],
        skin: tuple[
            numpy.typing.NDArray[numpy.float32],
            numpy.typing.NDArray[numpy.float32],
            numpy.typing.NDArray[numpy.float32],
        ]
        | None,
    ) -> None: ...
    def reset(self) -> None: ...
    def restore(self, state: bytes) -> None: ...
    def state(self) -> bytes: ...
    def step(
        self, positions: numpy.typing.NDArray[numpy.float32], bones: numpy.typing.NDArray[numpy.float32]
    ) -> tuple[
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        list[numpy.typing.NDArray[numpy.float64]],
        list[numpy.typing.NDArray[numpy.float64]],
        ruckle.pose_space.parameters.PoseTimings,
        ruckle.pose_space.parameters.PoseStats,
    ]: ...
    @property
    def detail_bytes(self) -> int: ...
    @property
    def frame_count(self) -> int: ...

def cloth_materials() -> dict[str, dict[str, float]]: ...
def cloth_motion(before: numpy.typing.NDArray[numpy.float32], now: numpy.typing.NDArray[numpy.float32]) -> float: ...
def cross_section(u: typing.Annotated[numpy.typing.ArrayLike, numpy.float32]) -> typing.Any: ...
def draw_curve(
    topology: Topology,
    positions: numpy.typing.NDArray[numpy.float32],
    rest: numpy.typing.NDArray[numpy.float32],
    edges: numpy.typing.NDArray[numpy.int32],
    t: numpy.typing.NDArray[numpy.float32],
    *,
    cut_first: float,
    cut_last: float,
    width: float,
    perimeter: float,
    fade: float,
) -> numpy.typing.NDArray[numpy.void]: ...
def edge_matrices(
    positions: numpy.typing.NDArray[numpy.float32], faces: numpy.typing.NDArray[numpy.int32]
) -> numpy.typing.NDArray[numpy.float32]: ...
def find_crossings(
    positions: numpy.typing.NDArray[numpy.float32], faces: numpy.typing.NDArray[numpy.int32]
) -> numpy.typing.NDArray[numpy.int32]: ...
def fit_to_normals(
    positions: numpy.typing.NDArray[numpy.float32],
    faces: numpy.typing.NDArray[numpy.int32],
    corner_normals: numpy.typing.NDArray[numpy.float32],
    shares: numpy.typing.NDArray[numpy.float32],
    *,
    length: float,
    stiffness: float,
    rounds: int,
    steps: int,
) -> numpy.typing.NDArray[numpy.float32]: ...
def fold_weights(
    rest: numpy.typing.NDArray[numpy.float32],
    current: numpy.typing.NDArray[numpy.float32],
    moments: Moments,
    *,
    sharpness: float,
) -> numpy.typing.NDArray[numpy.float32]: ...
def gram(
    positions: numpy.typing.NDArray[numpy.float32], faces: numpy.typing.NDArray[numpy.int32]
) -> numpy.typing.NDArray[numpy.float32]: ...
def grid_cell(
    axes: collections.abc.Sequence[typing.Any], angles: numpy.typing.NDArray[numpy.float64]
) -> tuple[
    numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float64]
]: ...
def height_ratio(ratio: float) -> float: ...
def instruction_set() -> str: ...
def joint_angles(
    rotation: numpy.typing.NDArray[numpy.float64], axes: numpy.typing.NDArray[numpy.float64], kind: str
) -> numpy.typing.NDArray[numpy.float64]: ...
def label_costs(
    compression: numpy.typing.NDArray[numpy.float32],
    max: numpy.typing.NDArray[numpy.float32],
    degenerate: numpy.typing.NDArray[numpy.bool],
    options: dict[str, typing.Any],
) -> numpy.typing.NDArray[numpy.float32]: ...
def limit_offsets(
    topology: Topology, positions: numpy.typing.NDArray[numpy.float32]
) -> numpy.typing.NDArray[numpy.float32]: ...
def merge_shares(weights: numpy.typing.NDArray[numpy.float32], rule: str) -> numpy.typing.NDArray[numpy.float32]: ...
def modulation(
    current: numpy.typing.NDArray[numpy.float32],
    moments: Moments,
    weights: numpy.typing.NDArray[numpy.float32],
    target: numpy.typing.NDArray[numpy.float32],
    excess: numpy.typing.NDArray[numpy.float32] | None,
    topology: Topology,
    *,
    largest: numpy.typing.NDArray[numpy.float32] | None,
    corrections: int,
) -> numpy.typing.NDArray[numpy.float32]: ...
def optimize_path(
    topology: Topology,
    positions: numpy.typing.NDArray[numpy.float32],
    previous: numpy.typing.NDArray[numpy.float32],
    stretch: tuple[
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.bool],
    ],
    edges: numpy.typing.NDArray[numpy.int32],
    t: numpy.typing.NDArray[numpy.float32],
    *,
    alpha: float,
    straightness: float,
    length_unit: float,
    dt: float,
) -> numpy.typing.NDArray[numpy.float64]: ...
def parameters(table: str) -> list[dict[str, typing.Any]]: ...
def pattern_moments(grid: PatternGrid, heights: numpy.typing.NDArray[numpy.float32]) -> Moments: ...
def resolved_options(options: dict[str, typing.Any]) -> dict[str, typing.Any]: ...
def simulated_waves() -> dict[str, typing.Any]: ...
def smooth_path(
    topology: Topology,
    positions: numpy.typing.NDArray[numpy.float32],
    edges: numpy.typing.NDArray[numpy.int32],
    t: numpy.typing.NDArray[numpy.float32],
) -> numpy.typing.NDArray[numpy.float32]: ...
def solve_label_sequence(
    costs: numpy.typing.NDArray[numpy.float32],
    topology: Topology,
    *,
    pairwise: numpy.typing.NDArray[numpy.float32],
    method: str,
    threads: int,
) -> tuple[numpy.typing.NDArray[numpy.uint8], float]: ...
def solve_labels(
    costs: numpy.typing.NDArray[numpy.float32],
    topology: Topology,
    *,
    previous: numpy.typing.NDArray[numpy.uint8] | None,
    pairwise: numpy.typing.NDArray[numpy.float32],
    method: str,
) -> tuple[numpy.typing.NDArray[numpy.uint8], float]: ...
def solve_local_systems(
    gram: numpy.typing.NDArray[numpy.float64],
    penalties: numpy.typing.NDArray[numpy.float64],
    right: numpy.typing.NDArray[numpy.float64],
    sums: numpy.typing.NDArray[numpy.float64],
    offsets: numpy.typing.NDArray[numpy.int32],
    vertices: numpy.typing.NDArray[numpy.int32],
    shares: numpy.typing.NDArray[numpy.float64],
) -> numpy.typing.NDArray[numpy.float64]: ...
def solve_many_labels(
    costs: numpy.typing.NDArray[numpy.float32],
    topology: Topology,
    *,
    previous: numpy.typing.NDArray[numpy.uint8] | None,
    pairwise: numpy.typing.NDArray[numpy.float32],
    edge_weights: numpy.typing.NDArray[numpy.float32] | None,
    method: str,
) -> tuple[numpy.typing.NDArray[numpy.uint8], float]: ...
def stretch(
    reference: numpy.typing.NDArray[numpy.float32], current: numpy.typing.NDArray[numpy.float32]
) -> tuple[
    numpy.typing.NDArray[numpy.float32],
    numpy.typing.NDArray[numpy.float32],
    numpy.typing.NDArray[numpy.float32],
    numpy.typing.NDArray[numpy.float32],
    numpy.typing.NDArray[numpy.bool],
]: ...
def target_area(
    rest: numpy.typing.NDArray[numpy.float32],
    current: numpy.typing.NDArray[numpy.float32],
    moments: Moments,
    weights: numpy.typing.NDArray[numpy.float32],
    *,
    rest_slope: float,
    conserve_length: bool,
    slack: float,
) -> numpy.typing.NDArray[numpy.float32]: ...
def trace(
    topology: Topology,
    positions: numpy.typing.NDArray[numpy.float32],
    stretch: tuple[
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.float32],
        numpy.typing.NDArray[numpy.bool],
    ],
    *,
    r_min: float,
    tau: float,
    grow_tau: float,
    least_aspect: float,
    seed: int,
    smooth: bool,
) -> list[tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]]: ...
def update_reference(
    reference: numpy.typing.NDArray[numpy.float32],
    current: numpy.typing.NDArray[numpy.float32],
    labels: numpy.typing.NDArray[numpy.uint8],
    *,
    relaxation: float,
    dt: float,
) -> numpy.typing.NDArray[numpy.float32]: ...
def vertex_strains(
    topology: Topology, rest: numpy.typing.NDArray[numpy.float32], positions: numpy.typing.NDArray[numpy.float32]
) -> numpy.typing.NDArray[numpy.float32]: ...
def wave_heights(
    grid: PatternGrid,
    waves: numpy.typing.NDArray[numpy.float32],
    phases: numpy.typing.NDArray[numpy.float32],
    *,
    reach: float,
) -> numpy.typing.NDArray[numpy.float32]: ...
def weld(
    positions: numpy.typing.NDArray[numpy.float32], faces: numpy.typing.NDArray[numpy.int32]
) -> numpy.typing.NDArray[numpy.int32]: ...
def wrinkle_curve(
    topology: Topology,
    positions: numpy.typing.NDArray[numpy.float32],
    edges: numpy.typing.NDArray[numpy.int32],
    t: numpy.typing.NDArray[numpy.float32],
    *,
    cut_first: float,
    cut_last: float,
    kappa: float,
    r_min: float,
    size: float,
    fade: float,
    samples: int,
) -> tuple[
    numpy.typing.NDArray[numpy.float32],
    numpy.typing.NDArray[numpy.float32],
    numpy.typing.NDArray[numpy.float32],
    numpy.typing.NDArray[numpy.int32],
]: ...
def wrinkle_radius(r_min: float, kappa: float) -> float: ...
def wrinkle_shape(
    points: numpy.typing.NDArray[numpy.float32],
    *,
    kappa: float,
    r_min: float,
    cut_first: float,
    cut_last: float,
    size: float,
    fade: float,
) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], float, float, float, float]: ...

CURVE_SAMPLE: numpy.dtype[numpy.void]
WRINKLE: numpy.dtype[numpy.void]
__version__: str = "0.1.0"
