"""Play an animated model (Actor) in Panda3D without a window, and write its last picture.

This program is separate from the tests, because a process can start Panda3D only once.

python draw_actor.py sleeve.glb mode result.npz
"""

import sys
from pathlib import Path

from panda3d.core import load_prc_file_data

SIZE, FRAMES, FIELD_OF_VIEW, HEIGHT = 320, 28, 26.0, 1.7

load_prc_file_data(
    "",
    "load-display p3headlessgl\nwindow-type offscreen\naudio-library-name null\ngl-version 4 1\n"
    f"win-size {SIZE} {SIZE}\n"
    "framebuffer-multisample 1\nmultisamples 4\nsync-video false\n",
)

import numpy as np  # noqa: E402
from direct.actor.Actor import Actor  # noqa: E402
from direct.showbase.ShowBase import ShowBase  # noqa: E402
from panda3d.core import PNMImage  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "panda3d"))

from wrinkles import wrinkle  # noqa: E402

LAYERS = {
    "paths": {"paths": {"tau": 1.1}},
    "waves": {"paths": False, "waves": True, "pixels": True},
    "both": {"paths": {"tau": 1.1}, "waves": True},
}


def main(model: str, mode: str, result: str) -> None:
    base = ShowBase(windowType="offscreen")
    base.set_background_color(*(value / 255 for value in (0xF2, 0xEF, 0xE9)))
    actor = Actor(model)
    actor.reparent_to(base.render)
    [clip] = actor.get_anim_names()
    actor.pose(clip, 0)
    garment = wrinkle(actor, "sleeve", height=HEIGHT, edge_length=0.007 * HEIGHT, **LAYERS[mode])
    base.task_mgr.remove("wrinkles")
    shown = []
    for frame in range(FRAMES):
        actor.pose(clip, frame)
        garment.update(1 / 30)
        shown.append(garment.positions.copy())
    # 0, because ruckle.Renderer does not set this uniform
    garment.drawn.set_shader_input("highlight_strength", 0.0)
    # the camera of the picture by ruckle.Renderer
    camera = np.load(result)
    base.cam.set_pos(*camera["eye"].tolist())
    base.cam.look_at(*camera["target"].tolist())
    base.camLens.set_fov(FIELD_OF_VIEW)
    base.camLens.set_near_far(0.1, 50)
    for _ in range(2):
        base.graphics_engine.render_frame()
    image = PNMImage()
    assert base.win.get_screenshot(image)
    pixels = np.array(
        [
            [[image.get_red_val(x, y), image.get_green_val(x, y), image.get_blue_val(x, y)] for x in range(SIZE)]
            for y in range(SIZE)
        ],
        np.uint8,
    )
    drawn = garment.drawn.node()
    np.savez(result, pixels=pixels, positions=np.array(shown), rest=garment.rest, draws=drawn.get_num_geoms())


main(*sys.argv[1:])
