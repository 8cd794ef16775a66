"""Load a sleeve in several files in Panda3D without a window, and print what the example finds in them, as JSON.

This program is separate from the tests, because a process can start Panda3D only once.

python load_actors.py inside.glb outside.glb
"""

import json
import sys
from pathlib import Path

from panda3d.core import load_prc_file_data

load_prc_file_data("", "window-type none\naudio-library-name null")

import numpy as np  # noqa: E402
from direct.actor.Actor import Actor  # noqa: E402
from direct.showbase.ShowBase import ShowBase  # noqa: E402
from panda3d.core import ShaderAttrib  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "panda3d"))

import wrinkles  # noqa: E402

from characters import cloth_names, load_actor  # noqa: E402

FRAME = 15


def message_of(actor: Actor, name: str) -> str:
    try:
        wrinkles.wrinkle(actor, name)
    except ValueError as error:
        return str(error)
    return ""


def bent(actor: Actor, garment: wrinkles.Garment) -> list[list[float]]:
    """Return the corners of the triangles at FRAME, in the space of the Actor."""
    actor.pose(actor.get_anim_names()[0], FRAME)
    garment.read_pose()
    matrix = np.array([list(row) for row in garment.node.get_mat(actor).get_rows()])
    points = np.c_[garment.positions, np.ones(len(garment.positions))] @ matrix
    return points[garment.faces, :3].reshape(-1, 3).tolist()


def color_of(garment: wrinkles.Garment) -> list[float]:
    shader = garment.drawn.node().get_geom_state(0).get_attrib(ShaderAttrib)
    return list(shader.get_shader_input("cloth_color").get_vector())[:3]


def main(inside: str, outside: str) -> None:
    ShowBase(windowType="none")
    found = {"without loader": message_of(Actor(outside), "sleeve"), "unknown": message_of(load_actor(inside), "shirt")}
    for kind, file in (("inside", inside), ("outside", outside)):
        actor = load_actor(file)
        names = cloth_names(actor)
        [garment] = wrinkles.wrinkle(actor)
        found[kind] = {"names": names, "corners": bent(actor, garment), "color": color_of(garment)}
    wrinkles.triangles_per_draw = lambda: 100
    garment = wrinkles.wrinkle(load_actor(inside), "sleeve")
    geom = garment.drawn.node().get_geom(0)
    found["draws"] = [geom.get_primitive(i).get_num_vertices() // 3 for i in range(geom.get_num_primitives())]
    lengths = [wrinkles.affordable_edge_length(garment.rest[garment.faces], least) for least in (1e-4, 0.05)]
    found["edge lengths"] = lengths
    print(json.dumps(found))


main(*sys.argv[1:])
