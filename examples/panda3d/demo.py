# python demo.py hero.glb shirt
import sys

from direct.actor.Actor import Actor
from direct.showbase.ShowBase import ShowBase
from wrinkles import wrinkle

base = ShowBase()
hero = Actor(sys.argv[1])
hero.reparent_to(base.render)
hero.loop(hero.get_anim_names()[0])
wrinkle(hero, *sys.argv[2:], paths=True, waves=True)
base.run()
