"""People and robots with whole skeletons as glTF scenes: one bone per limb, and boxes or tubes around the bones."""

from typing import Any

import numpy as np

from gltf_writer import Writer

# name, parent and joint position of each bone of a person in T-pose, in metres; the right half of the body is omitted
PERSON: list[tuple[str, str, tuple[float, float, float]]] = [
    *[("hips", "", (0, 0.95, 0)), ("spine", "hips", (0, 1.15, 0)), ("chest", "spine", (0, 1.35, 0))],
    *[("neck", "chest", (0, 1.5, 0)), ("head", "neck", (0, 1.6, 0)), ("head_end", "head", (0, 1.75, 0))],
    *[("shoulder", "chest", (0.08, 1.42, 0)), ("arm", "shoulder", (0.18, 1.42, 0)), ("elbow", "arm", (0.45, 1.42, 0))],
    ("wrist", "elbow", (0.7, 1.42, 0)),
    *[(f"finger{i}", "wrist", (0.78, 1.42, 0.03 * i)) for i in range(4)],
    *[(f"tip{i}", f"finger{i}", (0.83, 1.42, 0.03 * i)) for i in range(4)],
    *[("leg", "hips", (0.1, 0.9, 0)), ("knee", "leg", (0.1, 0.5, 0)), ("ankle", "knee", (0.1, 0.09, 0))],
    ("toe", "ankle", (0.1, 0.02, 0.12)),
]
MIDDLE = {"hips", "spine", "chest", "neck", "head", "head_end"}

# Words that mean nothing: bones are numbered.
NUMBERED = "numbered"

# For each character: names of the bones, share of the weight of a bone's own box, meshes, names of meshes.
PEOPLE: dict[str, dict[str, Any]] = {
    "robot of numbered boxes": {"names": NUMBERED, "own": 1.0, "meshes": ["Object_1"]},
    "robot of named boxes": {"names": "own", "own": 1.0, "meshes": ["Object_1"]},
    "robot of two meshes": {"names": NUMBERED, "own": 1.0, "meshes": ["Object_1", "Object_2"]},
    "robot with seams": {"names": NUMBERED, "own": 1.0, "meshes": ["Object_1"], "seams": True},
    "robot in a jacket": {"names": NUMBERED, "own": 1.0, "meshes": ["Object_1", "Jacket"]},
    "soft person": {"names": NUMBERED, "own": 0.6, "meshes": ["Object_1"]},
    "soft person with names": {"names": "own", "own": 0.6, "meshes": ["Object_1"]},
    "soft person of two meshes": {"names": NUMBERED, "own": 0.6, "meshes": ["Object_1", "Object_2"]},
    "half soft": {"names": NUMBERED, "own": 0.6, "meshes": ["Object_1"], "rigid": 12},
    "mostly rigid": {"names": NUMBERED, "own": 0.6, "meshes": ["Object_1"], "rigid": 30},
    "z up": {"names": NUMBERED, "own": 0.6, "meshes": ["Object_1"], "lying": True},
    "without fingers": {"names": NUMBERED, "own": 0.6, "meshes": ["Object_1"], "omitted": ("finger", "tip")},
    "without feet": {"names": NUMBERED, "own": 0.6, "meshes": ["Object_1"], "omitted": ("leg", "knee", "ankle", "toe")},
    "in centimetres": {"names": NUMBERED, "own": 0.6, "meshes": ["Object_1"], "scale": 100.0},
    "uneven arms": {"names": NUMBERED, "own": 0.6, "meshes": ["Object_1"], "uneven": True},
}


def person() -> tuple[list[str], list[int], Any]:
    """Return the names, parents and joint positions of a person.

    The right half is the mirror image of the left half.
    """
    halves = [(name, above, at) for name, above, at in PERSON if name in MIDDLE]
    for side, sign in (("l", 1.0), ("r", -1.0)):
        for name, above, (x, y, z) in PERSON:
            if name not in MIDDLE:
                halves.append((f"{name}.{side}", above if above in MIDDLE else f"{above}.{side}", (sign * x, y, z)))
    names = [name for name, _, _ in halves]
    parents = [names.index(above) if above else -1 for _, above, _ in halves]
    return names, parents, np.array([at for *_, at in halves], float)


def box(centre: Any, size: float, *, seams: bool) -> tuple[Any, Any]:
    """Return corners and triangles of a box; with seams, each of its six sides has its own corners."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    sides = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    if seams:
        corners, sides = corners[sides].reshape(-1, 3), np.arange(24).reshape(6, 4)
    return centre + size * corners, np.concatenate([sides[:, [0, 1, 2]], sides[:, [0, 2, 3]]])


def write_person(name: str) -> Writer:
    """Return the glTF document of a character of `PEOPLE`."""
    about = PEOPLE[name]
    names, parents, joints = person()
    if about.get("uneven"):
        joints[[one.endswith(".l") and joints[i, 1] > 1.0 for i, one in enumerate(names)], 0] *= 2.0
    kept = [i for i, one in enumerate(names) if not one.startswith(about.get("omitted", ("-",)))]
    parents = [kept.index(parents[i]) if parents[i] >= 0 else -1 for i in kept]
    names, joints = [names[i] for i in kept], joints[kept] * about.get("scale", 1.0)
    if about.get("lying"):
        joints = np.stack([joints[:, 0], -joints[:, 2], joints[:, 1]], axis=1)
    writer, count = Writer(), len(names)
    for i, (one, above) in enumerate(zip(names, parents, strict=True)):
        children = [j for j, parent in enumerate(parents) if parent == i]
        entry = {"name": f"b{i}" if about["names"] == NUMBERED else one}
        place = joints[i] - (joints[above] if above >= 0 else 0.0)
        writer.add("nodes", entry | {"translation": place.tolist()} | ({"children": children} if children else {}))
    binding = np.tile(np.eye(4), (count, 1, 1))
    binding[:, :3, 3] = -joints
    matrices = writer.accessor(binding.transpose(0, 2, 1).reshape(count, 16))
    writer.add("skins", {"joints": list(range(count)), "inverseBindMatrices": matrices})
    roots = [0]
    for number, mesh in enumerate(about["meshes"]):
        rows: list[Any] = [[], [], [], []]
        for bone in range(number, count, len(about["meshes"])):
            points, faces = box(joints[bone], 0.03 * about.get("scale", 1.0), seams=about.get("seams", False))
            own = 1.0 if bone < about.get("rigid", 0) else about["own"]
            rows[3].append(faces + sum(map(len, rows[0])))
            rows[0].append(points)
            rows[1].append(np.tile([bone, max(parents[bone], 0), 0, 0], (len(points), 1)))
            rows[2].append(np.tile([own, 1.0 - own, 0, 0], (len(points), 1)))
        attributes = {
            "POSITION": writer.accessor(np.concatenate(rows[0])),
            "JOINTS_0": writer.accessor(np.concatenate(rows[1]), "u1"),
            "WEIGHTS_0": writer.accessor(np.concatenate(rows[2])),
        }
        primitive = {"attributes": attributes, "indices": writer.accessor(np.concatenate(rows[3]).ravel(), "u2")}
        roots.append(writer.add("nodes", {"name": mesh, "mesh": writer.mesh(primitive), "skin": 0}))
    writer.root |= {"scenes": [{"nodes": roots}], "scene": 0}
    return writer
