"""Print the processor time per frame of one garment: python times.py hero.glb shirt

`layer` is the time of the library and of writing the texture. `all` also includes Panda's skinning and animation.
"""

import sys
from time import thread_time

from panda3d.core import load_prc_file_data

load_prc_file_data("", "window-type none\naudio-library-name null")
import numpy as np  # noqa: E402
from direct.showbase.ShowBase import ShowBase  # noqa: E402
from wrinkles import wrinkle  # noqa: E402

from characters import load_actor  # noqa: E402

FRAMES = 400

base = ShowBase(windowType="none")
for label, layers in {"paths": {"paths": True}, "waves": {"paths": False, "waves": True, "pixels": True}}.items():
    hero = load_actor(sys.argv[1])
    clip = hero.get_anim_names()[0]
    garment = wrinkle(hero, sys.argv[2], **layers, **({"height": float(sys.argv[3])} if len(sys.argv) > 3 else {}))
    whole, own = [], []
    for frame in range(FRAMES):
        hero.pose(clip, frame % hero.get_num_frames(clip))
        start = thread_time()
        garment.read_pose()
        middle = thread_time()
        garment.step(1 / 30)
        end = thread_time()
        own.append(end - middle)
        whole.append(end - start)
    steady = slice(FRAMES // 4, None)
    times = "; ".join(
        f"{name} {1e3 * min(values[steady]):.3f} at best, {1e3 * np.median(values[steady]):.3f} in the median"
        for name, values in (("layer", own), ("all", whole))
    )
    print(f"{label}, {garment.face_count} triangles, ms: {times}")
