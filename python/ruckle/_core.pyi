"""Types of the compiled core; tests compare this file with the module."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ruckle.paths.frame import Stats, Timings
from ruckle.simulation.cloth import ClothEnergy, ClothStats, ClothTimings

_Float32 = NDArray[np.float32]
_Int32 = NDArray[np.int32]
_Labels = NDArray[np.uint8]
_Bool = NDArray[np.bool_]

__version__: str

class Topology:
    def __init__(self, faces: _Int32, vertex_count: int) -> None: ...
    @property
    def vertex_count(self) -> int: ...
    @property
    def face_count(self) -> int: ...
    @property
    def edge_count(self) -> int: ...
    @property
    def faces(self) -> _Int32: ...
    @property
    def edges(self) -> _Int32: ...
    @property
    def face_edges(self) -> _Int32: ...
    @property
    def face_neighbors(self) -> _Int32: ...
    @property
    def edge_faces(self) -> _Int32: ...

class FineMesh:
    @property
    def positions(self) -> _Float32: ...
    @property
    def normals(self) -> _Float32: ...
    @property
    def heights(self) -> _Float32: ...
    @property
    def coarse_faces(self) -> _Int32: ...
    @property
    def barycentric(self) -> _Float32: ...
    @property
    def faces(self) -> _Int32: ...
    @property
    def face_coarse_faces(self) -> _Int32: ...

class Surface:
    def __init__(self, topology: Topology, *, threads: int) -> None: ...
    def update(
        self,
        positions: _Float32,
        offsets: _Int32,
        edges: _Int32,
        t: _Float32,
        faces: _Int32,
        heights: _Float32,
        profiles: _Float32,
        *,
        edge_length: float,
        curved: bool,
        base_level: int,
        viewpoint: _Float32 | None,
        edge_levels: _Int32 | None,
    ) -> None: ...
    def displace(self) -> FineMesh: ...
    def evaluate(self, faces: _Int32, barycentric: _Float32) -> tuple[_Float32, _Float32, _Float32]: ...
    def write_texels(self, texels: _Float32) -> int: ...
    def order(
        self, toward_eye: Sequence[float], *, vertices_per_draw: int, corners: _Int32
    ) -> list[tuple[int, int, bool]]: ...
    @property
    def curve_vertices(self) -> _Float32: ...
    @property
    def face_offsets(self) -> _Int32: ...
    @property
    def face_segments(self) -> _Int32: ...
    @property
    def edge_levels(self) -> _Int32: ...
    @property
    def levels(self) -> _Float32: ...
    @property
    def vertex_normals(self) -> _Float32: ...
    @property
    def corner_normals(self) -> _Float32: ...
    @property
    def vertex_roundness(self) -> _Float32: ...

class Snapshot:
    @property
    def labels(self) -> _Labels: ...
    @property
    def current(self) -> _Float32: ...
    @property
    def reference(self) -> _Float32: ...
    @property
    def motion(self) -> tuple[_Float32, _Float32, _Bool]: ...
    @property
    def field(self) -> tuple[_Float32, _Float32, _Float32, _Float32, _Bool]: ...
    @property
    def wrinkles(
        self,
    ) -> tuple[NDArray[np.int64], _Float32, _Int32, _Int32, _Float32, _Int32, _Float32, _Float32, _Float32]: ...
    @property
    def timings(self) -> Timings: ...
    @property
    def stats(self) -> Stats: ...

class Wrinkler:
    def __init__(
        self,
        faces: _Int32,
        vertex_count: int,
        *,
        sigma: float,
        alpha: float,
        beta: float,
        pairwise: _Float32,
        method: str,
        relaxation: float,
        r_min: float,
        tau: float,
        grow_tau: float,
        seed: int,
        least_length: float,
        path_alpha: float,
        straightness: float,
        length_change: float,
        aspect: float,
        fade_in: float,
        fade_out: float,
        coherent: bool,
        threads: int,
    ) -> None: ...
    def step(self, positions: _Float32, dt: float) -> Snapshot: ...
    def reset(self) -> None: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def topology(self) -> Topology: ...

def weld(positions: _Float32, faces: _Int32) -> _Int32: ...
def edge_matrices(positions: _Float32, faces: _Int32) -> _Float32: ...
def stretch(reference: _Float32, current: _Float32) -> tuple[_Float32, _Float32, _Float32, _Float32, _Bool]: ...
def label_costs(
    compression: _Float32, max: _Float32, degenerate: _Bool, *, sigma: float, alpha: float, beta: float, dt: float
) -> _Float32: ...
def solve_labels(
    costs: _Float32, topology: Topology, *, previous: _Labels | None, pairwise: _Float32, method: str
) -> tuple[_Labels, float]: ...
def solve_label_sequence(
    costs: _Float32, topology: Topology, *, pairwise: _Float32, method: str, threads: int
) -> tuple[_Labels, float]: ...
def update_reference(
    reference: _Float32, current: _Float32, labels: _Labels, *, relaxation: float, dt: float
) -> _Float32: ...
def trace(
    topology: Topology,
    positions: _Float32,
    stretch: tuple[_Float32, _Float32, _Float32, _Float32, _Bool],
    *,
    r_min: float,
    tau: float,
    grow_tau: float,
    least_length: float,
    seed: int,
    smooth: bool,
) -> list[tuple[_Int32, _Float32]]: ...
def smooth_path(topology: Topology, positions: _Float32, edges: _Int32, t: _Float32) -> _Float32: ...
def optimize_path(
    topology: Topology,
    positions: _Float32,
    previous: _Float32,
    stretch: tuple[_Float32, _Float32, _Float32, _Float32, _Bool],
    edges: _Int32,
    t: _Float32,
    *,
    alpha: float,
    straightness: float,
    length_unit: float,
    dt: float,
) -> NDArray[np.float64]: ...
def wrinkle_shape(
    points: _Float32, *, kappa: float, r_min: float, cut_first: float, cut_last: float, size: float, fade: float
) -> tuple[_Float32, _Float32, float, float, float, float]: ...
def wrinkle_curve(
    topology: Topology,
    positions: _Float32,
    edges: _Int32,
    t: _Float32,
    *,
    cut_first: float,
    cut_last: float,
    kappa: float,
    r_min: float,
    size: float,
    fade: float,
    samples: int,
) -> tuple[_Float32, _Float32, _Float32, _Int32]: ...
def height_ratio(ratio: float) -> float: ...
def cross_section(u: _Float32) -> _Float32: ...
def wrinkle_radius(r_min: float, kappa: float) -> float: ...
def instruction_set() -> str: ...

class ClothMaterial:
    def __init__(
        self,
        *,
        density: float,
        stretch: float,
        bending: float,
        damping: float,
        air_drag: float,
        static_friction: float,
        dynamic_friction: float,
        thickness: float,
        least_stretch: float,
        largest_stretch: float,
    ) -> None: ...
    @property
    def density(self) -> float: ...
    @property
    def stretch(self) -> float: ...
    @property
    def bending(self) -> float: ...
    @property
    def damping(self) -> float: ...
    @property
    def air_drag(self) -> float: ...
    @property
    def static_friction(self) -> float: ...
    @property
    def dynamic_friction(self) -> float: ...
    @property
    def thickness(self) -> float: ...
    @property
    def least_stretch(self) -> float: ...
    @property
    def largest_stretch(self) -> float: ...

def cloth_materials() -> dict[str, ClothMaterial]: ...

class ClothState:
    @property
    def frame_count(self) -> int: ...

class ClothSimulation:
    def __init__(
        self,
        rest: _Float32,
        faces: _Int32,
        attachment: _Float32 | None,
        *,
        material: ClothMaterial,
        substeps: int,
        strain_sweeps: int,
        compression: float,
        rest_curvature: bool,
        attachment_rate: float,
        gravity: _Float32,
        record_substeps: bool,
        threads: int,
    ) -> None: ...
    def step(self, dt: float, pins: _Float32 | None, wind: _Float32 | None, cones: _Float32 | None) -> _Float32: ...
    def place(self, positions: _Float32, velocities: _Float32 | None) -> None: ...
    def save(self) -> ClothState: ...
    def restore(self, state: ClothState) -> None: ...
    @property
    def vertex_count(self) -> int: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def positions(self) -> _Float32: ...
    @property
    def velocities(self) -> _Float32: ...
    @property
    def substep_positions(self) -> _Float32: ...
    @property
    def masses(self) -> _Float32: ...
    @property
    def energy(self) -> ClothEnergy: ...
    @property
    def timings(self) -> ClothTimings: ...
    @property
    def stats(self) -> ClothStats: ...
