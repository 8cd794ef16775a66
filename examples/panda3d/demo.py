# python demo.py hero.glb shirt
from stage import arguments, open_stage, show
from wrinkles import wrinkle

from characters import load_actor

given = arguments()
base = open_stage(given.picture)
hero = load_actor(given.file)
hero.reparent_to(base.render)
hero.loop(given.animation or hero.get_anim_names()[0])
wrinkle(hero, given.meshes or None, paths=True, waves=True)
show(base, hero, given.picture)
