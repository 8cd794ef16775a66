"""Characters of skinned quadrilaterals as glTF scenes, for tests of the search for cloth."""

from typing import Any

import numpy as np

from gltf_writer import Writer

QUAD = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
FACES = [0, 1, 2, 0, 2, 3]
ABOVE = [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 2.0, 0.0]]

BONES = ("hips", "spine", "hand.l", "thumb_1")
# joints of each vertex: the two lower vertices follow the hips, the two upper vertices the hand and its thumb
HALVES = [[0, 0], [0, 0], [2, 1], [3, 1]]
# each vertex has two joints, hips and spine, so that every triangle bends
BENDING = [[0, 1], [1, 0], [1, 0], [0, 1]]
# the second and third joint move all vertices, or the two lower vertices
ENDS, NEAR_ENDS = [[1, 2], [2, 1], [1, 2], [2, 1]], [[1, 2], [2, 1], [0, 0], [0, 0]]


class Character(Writer):
    """A glTF scene of skinned quadrilaterals. Each call of `part` adds one mesh."""

    def __init__(self) -> None:
        super().__init__()
        joints = [self.add("nodes", {"name": name}) for name in BONES]
        for above, below in ((0, 1), (1, 2), (2, 3)):
            self.root["nodes"][joints[above]]["children"] = [joints[below]]
        self.skin = self.add("skins", {"joints": joints})
        self.root["scenes"] = [{"nodes": [joints[0]]}]
        self.root["scene"] = 0

    def primitive(self, material: str | None, joints: Any, points: Any = QUAD, **attributes: Any) -> dict[str, Any]:
        rows = [[first, second, 0, 0] for first, second in joints]
        weights = np.array([[0.9, 0.1, 0, 0]] * 4)
        if joints is HALVES:
            weights = np.array([[1.0, 0, 0, 0]] * 4)
        named = {
            "POSITION": self.accessor(points),
            "JOINTS_0": self.accessor(rows, "u1"),
            "WEIGHTS_0": self.accessor(weights),
        }
        entry: dict[str, Any] = {
            "attributes": named | {key: self.accessor(values) for key, values in attributes.items()},
            "indices": self.accessor(FACES, "u2"),
        }
        if material is not None:
            entry["material"] = self.add("materials", {"name": material})
        return entry

    def part(self, name: str, material: str | None = None, joints: Any = BENDING, **attributes: Any) -> int:
        return self.place(name, self.mesh(self.primitive(material, joints, **attributes)))

    def place(self, name: str, mesh: int, *, skinned: bool = True) -> int:
        skin = {"skin": self.skin} if skinned else {}
        node = self.add("nodes", {"name": name, "mesh": mesh, **skin})
        self.root["scenes"][0]["nodes"].append(node)
        return node
