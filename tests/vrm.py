"""Converts a glTF character to a VRM character by adding the extensions that VRM exporters write."""

from __future__ import annotations

import json
import struct
from typing import Any

__all__ = ["as_vrm"]

# VRM name of each arm and leg bone, by its name in the shared characters.
LIMBS = {
    "Shoulder": "Shoulder",
    "UpperArm": "Arm",
    "LowerArm": "ForeArm",
    "Hand": "Hand",
    "UpperLeg": "UpLeg",
    "LowerLeg": "Leg",
    "Foot": "Foot",
}
BONES = {"hips": "Hips", "spine": "LowerBack", "chest": "Spine", "neck": "Neck", "head": "Head"} | {
    f"{side.lower()}{bone}": f"{side}{name}" for side in ("Left", "Right") for bone, name in LIMBS.items()
}


def as_vrm(glb: bytes, *, material_names: list[str]) -> bytes:
    """Return a GLB file as VRM 1.0: without animations, with one MToon material per mesh and a map of its bones."""
    length = struct.unpack_from("<I", glb, 12)[0]
    document: dict[str, Any] = json.loads(glb[20 : 20 + length])
    numbers = {node.get("name"): number for number, node in enumerate(document["nodes"])}
    meta = {"name": "character", "authors": ["nobody"], "licenseUrl": "https://vrm.dev/licenses/1.0/"}
    humanoid = {"humanBones": {bone: {"node": numbers[name]} for bone, name in BONES.items()}}
    document["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "meta": meta, "humanoid": humanoid}}
    toon = {"specVersion": "1.0", "shadeColorFactor": [0.05, 0.04, 0.1], "shadingToonyFactor": 0.5}
    document["materials"] = [
        {
            "name": name,
            "pbrMetallicRoughness": {"baseColorFactor": [0.4, 0.3, 0.5, 1.0]},
            "extensions": {"VRMC_materials_mtoon": toon},
        }
        for name in material_names
    ]
    for number, mesh in enumerate(document["meshes"]):
        for primitive in mesh["primitives"]:
            primitive["material"] = number
    document["extensionsUsed"] = ["VRMC_vrm", "VRMC_materials_mtoon"]
    document.pop("animations", None)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = glb[20 + length :]
    size = 20 + len(text) + len(rest)
    return glb[:8] + struct.pack("<II", size, len(text)) + b"JSON" + text + rest
