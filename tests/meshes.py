"""Small meshes of different kinds, and motions of them, for the tests of every stage."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ruckle import Topology

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

COMPRESSION, REST, STRETCH = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Mesh:
    """A named mesh: positions (V, 3) in mesh units, faces (T, 3)."""

    name: str
    positions: Float64
    faces: Int32

    @property
    def vertex_count(self) -> int:
        return len(self.positions)

    @property
    def topology(self) -> Topology:
        return Topology(self.faces, self.vertex_count)

    def __repr__(self) -> str:
        return self.name


def mesh(name: str, positions: object, faces: object) -> Mesh:
    return Mesh(name, np.asarray(positions, np.float64).reshape(-1, 3), np.asarray(faces, np.int32).reshape(-1, 3))


def quads(rows: int, columns: int) -> Iterator[tuple[int, int, int]]:
    """Yield the two triangles of every cell of a grid of rows x columns vertices."""
    for r in range(rows - 1):
        for c in range(columns - 1):
            v = r * columns + c
            yield (v, v + 1, v + columns)
            yield (v + 1, v + columns + 1, v + columns)


def triangle() -> Mesh:
    return mesh("triangle", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])


def grid(rows: int = 6, columns: int = 5) -> Mesh:
    """Return a flat sheet of rows x columns vertices. Neighbouring vertices have a distance of one unit."""
    y, x = np.mgrid[0:rows, 0:columns]
    positions = np.stack([x, y, np.zeros_like(x)], axis=-1)
    return mesh(f"grid_{rows}x{columns}", positions, list(quads(rows, columns)))


def strip(cells: int = 5) -> Mesh:
    """Return a strip of quads, divided into triangles. Every vertex is on the boundary."""
    return mesh("strip", grid(2, cells + 1).positions, grid(2, cells + 1).faces)


def disk(spokes: int = 7) -> Mesh:
    """Return a flat disk of triangles that share one inner vertex."""
    angles = 2 * np.pi * np.arange(spokes) / spokes
    rim = np.stack([np.cos(angles), np.sin(angles), np.zeros(spokes)], axis=1)
    faces = [(0, 1 + k, 1 + (k + 1) % spokes) for k in range(spokes)]
    return mesh("disk", np.vstack([[[0, 0, 0]], rim]), faces)


def rolled(rows: int, columns: int, close_rows: bool) -> list[tuple[int, int, int]]:
    """Return the faces of a grid whose rows of vertices are closed to rings.

    If `close_rows`, the columns are closed, too.
    """
    faces = []
    for r in range(rows if close_rows else rows - 1):
        for c in range(columns):
            a, b = r * columns + c, r * columns + (c + 1) % columns
            d, e = (r + 1) % rows * columns + c, (r + 1) % rows * columns + (c + 1) % columns
            faces += [(a, b, d), (b, e, d)]
    return faces


def tube(rows: int = 5, columns: int = 8) -> Mesh:
    """Return a tube such as a sleeve, which has two boundary loops."""
    r, c = np.mgrid[0:rows, 0:columns]
    angle = 2 * np.pi * c / columns
    return mesh("tube", np.stack([np.cos(angle), r * 0.7, np.sin(angle)], axis=-1), rolled(rows, columns, False))


def torus(rows: int = 6, columns: int = 8) -> Mesh:
    """Return a torus, a closed mesh of genus one."""
    r, c = np.mgrid[0:rows, 0:columns]
    u, v = 2 * np.pi * r / rows, 2 * np.pi * c / columns
    ring = 2 + np.cos(v)
    positions = np.stack([ring * np.cos(u), ring * np.sin(u), np.sin(v)], axis=-1)
    return mesh("torus", positions, rolled(rows, columns, True))


def moebius(cells: int = 9) -> Mesh:
    """Return a Möbius band. Its faces cannot have a consistent winding."""
    angle = 2 * np.pi * np.arange(cells) / cells
    centre = np.stack([np.cos(angle), np.sin(angle), np.zeros(cells)], axis=1) * 2
    half = np.stack([np.cos(angle / 2) * np.cos(angle), np.cos(angle / 2) * np.sin(angle), np.sin(angle / 2)], axis=1)
    faces = []
    for k in range(cells):
        a, b = 2 * k, 2 * k + 1
        c, d = (a + 2, b + 2) if k + 1 < cells else (1, 0)
        faces += [(a, c, b), (c, d, b)]
    return mesh("moebius", np.stack([centre - half, centre + half], axis=1), faces)


def two_components() -> Mesh:
    """Return a mesh of a sheet, a separate tube, and a vertex without faces."""
    first, second = grid(3, 4), tube(3, 5)
    positions = np.vstack([first.positions, [[9, 9, 9]], second.positions + 5])
    return mesh("two_components", positions, np.vstack([first.faces, second.faces + first.vertex_count + 1]))


def pillow(spokes: int = 7) -> Mesh:
    """Return two disks of cloth that are joined along their rim. Two opposite triangles share two of their vertices."""
    above = disk(spokes)
    positions = np.vstack([above.positions + [[0, 0, 0.3]] * np.eye(spokes + 1, 1), [[0, 0, -0.3]]])
    below = np.where(above.faces == 0, spokes + 1, above.faces)[:, ::-1]
    return mesh("pillow", positions, np.vstack([above.faces, below]))


def bow_tie() -> Mesh:
    """Return two triangles that have one common vertex, but no common edge."""
    return mesh("bow_tie", [[0, 0, 0], [1, 0, 0], [1, 1, 0], [-1, 0, 0], [-1, -1, 0]], [[0, 1, 2], [0, 3, 4]])


def octahedron() -> Mesh:
    """Return an octahedron. Its faces are counterclockwise if they are seen from outside."""
    positions = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    return mesh("octahedron", positions, faces)


def sphere(times: int = 2) -> Mesh:
    """Return a sphere: an octahedron whose faces are divided into four triangles, `times` times."""
    positions, faces = list(octahedron().positions), octahedron().faces.tolist()
    for _ in range(times):
        middles: dict[tuple[int, int], int] = {}
        split = []
        for face in faces:
            corner = []
            for a, b in pairwise([*face, face[0]]):
                key = (min(a, b), max(a, b))
                if key not in middles:
                    middles[key] = len(positions)
                    middle = positions[a] + positions[b]
                    positions.append(middle / np.linalg.norm(middle))
                corner.append(middles[key])
            split += [[face[k], corner[k], corner[k - 1]] for k in range(3)] + [corner]
        faces = split
    return mesh("sphere", np.array(positions), faces)


def scattered(seed: int = 0, rows: int = 6, columns: int = 6) -> Mesh:
    """Return an irregular sheet: moved vertices, random diagonals of cells, random order of vertices and faces."""
    random = np.random.default_rng(seed)
    sheet = grid(rows, columns)
    positions = sheet.positions + random.uniform(-0.25, 0.25, sheet.positions.shape)
    faces = sheet.faces.reshape(-1, 2, 3).copy()
    for cell in faces[random.random(len(faces)) < 0.5]:
        a, b, d, e = cell[0, 0], cell[0, 1], cell[0, 2], cell[1, 1]
        cell[:] = [[a, b, e], [a, e, d]]
    faces = random.permutation(faces.reshape(-1, 3))
    for face in faces:
        face[:] = np.roll(face, random.integers(3))
    order = random.permutation(sheet.vertex_count)
    return mesh(f"scattered_{seed}", positions[np.argsort(order)], order[faces])


MAKERS = (triangle, strip, grid, disk, tube, torus, moebius, two_components, pillow, bow_tie, sphere, scattered)
MESHES = [make() for make in MAKERS]


def small_mesh(random: np.random.Generator, most_faces: int = 9) -> Mesh:
    """Return some faces of a random mesh, at most `most_faces` triangles. Most of them are connected."""
    whole = [octahedron(), scattered(int(random.integers(1000))), tube(), moebius(), disk()][random.integers(5)]
    count = min(int(random.integers(1, most_faces + 1)), len(whole.faces))
    neighbors = whole.topology.face_neighbors
    chosen = [int(random.integers(len(whole.faces)))]
    while len(chosen) < count:
        beside = [int(n) for f in chosen for n in neighbors[f] if n >= 0 and n not in chosen]
        far = [f for f in range(len(whole.faces)) if f not in chosen]
        chosen.append(int(random.choice(beside if beside and random.random() < 0.85 else far)))
    return mesh("part", whole.positions, whole.faces[chosen])


def moving(rest: Mesh, times: Float64 | list[float], *, strength: float = 0.1, turning: bool = True) -> Float64:
    """Return positions (F, V, 3) at `times` (seconds): waves of compression and stretch; rigid motion if `turning`."""
    rest_positions = rest.positions - rest.positions.mean(axis=0)
    size = np.abs(rest_positions).max()
    x, y, z = np.moveaxis(rest_positions / size, -1, 0)
    frames = []
    for t in times:
        first = np.sin(7.0 * t + 4.0 * y) * x + np.sin(11.0 * t + 5.0 * x)
        second = np.cos(9.0 * t + 3.0 * x) * y + np.sin(5.0 * t + 4.0 * z)
        third = np.sin(6.0 * t + 3.0 * x + 2.0 * y)
        frame = rest_positions + strength * size * np.stack([first, second, third], axis=-1)
        if turning:
            frame = frame @ rotation(np.array([0.3, 1.0, -0.5]), 1.7 * t).T + size * np.array([t, -0.4 * t, 0.2])
        frames.append(frame)
    return np.array(frames)


def random_triangles(random: np.random.Generator, count: int = 64) -> Float64:
    """Return edge matrices (count, 2, 2) of random triangles whose angles are moderate."""
    angle = random.uniform(0.4, 2.4, count)
    first, second = random.uniform(0.5, 2, (2, count))
    matrices = np.zeros((count, 2, 2))
    matrices[:, 0, 0] = first
    matrices[:, 0, 1], matrices[:, 1, 1] = second * np.cos(angle), second * np.sin(angle)
    return matrices


def rotation(axis: Float64, angle: float) -> Float64:
    """Return the rotation matrix (3, 3) by `angle` in radians about an axis (Rodrigues)."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turned: Float64 = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return turned
