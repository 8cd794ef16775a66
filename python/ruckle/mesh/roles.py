"""Finds the likely role of a part of a character from names that artists and exporters use.

Cloth folds. Skin, heads, hands, boots, armour, weapons, robots and animals do not fold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

__all__ = [
    "BODY_ROLES",
    "BONE_ROLES",
    "CLOTH",
    "CREATURES",
    "LIMBS",
    "OVERGARMENT",
    "ROLES",
    "SKIN",
    "TORSO",
    "bone_roles",
    "cloth_among",
    "is_stiff",
    "plain_names",
    "role_of",
    "roles_of",
    "words_of",
]

CLOTH, OVERGARMENT, SKIN = "cloth", "overgarment", "skin"

# Words of each role. If a name contains words of several roles, the first role of this table is used: "Shoes_CLOTH" is
# feet.
ROLES: dict[str, str] = {
    "weapon": (
        "weapon sword axe knife dagger bow crossbow gun rifle pistol spear staff wand shield quiver arrow "
        "arrows blade hammer mace mug book spellbook throwable grenade ammo lance scythe katana bomb tool"
    ),
    "hair": (
        "hair beard mustache moustache brow brows eyebrow eyebrows ponytail fringe fur mane wig bang bangs "
        "bun buns braid braids pigtail pigtails"
    ),
    "head": (
        "head face teeth tooth tongue mouth eye eyes eyeball iris pupil lash lashes eyelash eyelashes eyeline "
        "ear ears nose jaw chin visor lip lips cornea sclera highlight"
    ),
    "foot": (
        "foot feet toe toes shoe shoes boot boots sneaker sneakers sandal sandals footwear heel heels sole slippers"
    ),
    "hand": ("hand hands finger fingers thumb palm glove gloves gauntlet gauntlets fist nail nails wrist index pinky"),
    "armour": (
        "armor armour helmet helm plate metal steel iron chrome chain chainmail buckle pauldron pauldrons "
        "greave greaves breastplate cuirass hard joints glass glasses goggles spectacles crown badge hat cap "
        "headset heart lamp led lights leds screen mask antenna spacesuit exosuit astronaut cosmonaut"
    ),
    "accessory": (
        "jewelry jewel necklace earring earrings bracelet watch backpack bag pouch bottle phone button "
        "buttons zipper piercing tattoo belt holster tie bowtie"
    ),
    "cloth": (
        "cloth clothes clothing cloths shirt tshirt shirts tee top tops bottom bottoms dress skirt gown robe "
        "robes tunic coat jacket hoodie sweater sweatshirt jumper pullover cardigan pants pant trousers jeans "
        "shorts leggings sleeve sleeves outfit costume suit kimono garment garments fabric textile onepiece "
        "vest waistcoat blouse uniform apron sock socks stocking stockings underwear pyjama pajamas kilt "
        "poncho sari cotton linen denim silk wool curtain flag towel hanbok sleeveless tracksuit trench "
        "overalls dungarees jersey collar hakama yukata cassock toga"
    ),
    "overgarment": "cape cloak scarf veil shawl banner mantle",
    "skin": "skin flesh nude naked torsoskin bodyskin",
}

CREATURES: dict[str, str] = {
    "robot": (
        "robot robots mech mecha android cyborg droid drone machine bot xbot ybot automaton mannequin dummy brainstem"
    ),
    "animal": (
        "animal fox wolf dog cat horse bear bird bat bee bug beetle spider fish shark whale dragon dinosaur "
        "trex deer cow pig sheep goat chicken duck parrot flamingo stork rabbit bunny mouse rat lion tiger "
        "elephant monkey snake frog turtle crocodile creature monster alien dino raptor husky alpaca "
        "bull donkey stag shiba zebra slime crab penguin gecko mosquito butterfly insect paw paws hoof hooves "
        "beak snout wing wings tail tails feather feathers muzzle udder"
    ),
}

# Words of each role in Spanish, Portuguese, French, German, Italian and romanised Japanese, without accents. Only whole
# words are compared. Words with another meaning in English are omitted, such as "main" (hand) and "rock" (skirt).
LATIN_WORDS: dict[str, str] = {
    "weapon": "espada arma escudo epee arme bouclier schwert waffe schild spada ken",
    "hair": "pelo cabello cabelo cheveux haare capelli kami maegami barba barbe bart",
    "head": "cabeza cabeca tete kopf testa atama kao cara visage gesicht viso ojo ojos olho oeil yeux auge augen occhi",
    "foot": "zapato zapatos sapato sapatos bota botas chaussure chaussures bottes schuh schuhe stiefel scarpe kutsu",
    "hand": "mano manos maos mani hande haende te yubi guante guantes luvas gants handschuh handschuhe guanti tebukuro",
    "armour": "armadura casco armure casque rustung ruestung helm armatura yoroi gafas lunettes brille occhiali megane",
    "cloth": (
        "camisa camiseta pantalon pantalones calcas falda saia vestido ropa roupa abrigo chaqueta chemise jupe veste "
        "vetement vetements hemd hose kleid kleidung jacke mantel camicia pantaloni gonna vestito giacca fuku sukato "
        "zubon shatsu"
    ),
    "overgarment": "capa bufanda cachecol echarpe umhang schal mantello sciarpa manto",
    "skin": "piel pele peau pelle hada",
}

# Parts of words of each role in Japanese, Chinese, Korean and Russian. A part may be anywhere in a name.
OTHER_PARTS: dict[str, str] = {
    "weapon": "剣 刀 武器 剑 칼 무기 меч оружие щит",
    "hair": "髪 头发 頭髮 머리카락 волос борода",
    "head": "頭 顔 頭部 目 瞳 头 脸 眼 머리 얼굴 눈 голова лицо глаз",
    "foot": "靴 足首 つま先 鞋 脚 신발 발 ботин обувь ступн",
    "hand": "手首 手袋 指 手 手套 손 кисть рук перчат палец",
    "armour": "鎧 兜 盔甲 铠甲 갑옷 брон доспех шлем",
    "cloth": "服 スカート シャツ ズボン 袖 衣 裤 裙 衫 옷 치마 바지 셔츠 одежда рубаш штан юбк плать куртк",
    "overgarment": "マント マフラー 披风 斗篷 围巾 망토 плащ шарф",
    "skin": "肌 皮膚 皮肤 피부 кожа",
}

# Names of characters in armour. A part of such a character is armour if its own name does not have a role: the tunic of
# a knight remains cloth.
ARMOURED = frozenset(
    ["knight", "knights", "paladin", "templar", "crusader", "samurai", "ritter", "chevalier", "caballero", "cavaleiro"]
)

# Words of exporters and libraries, which are removed from names. "Wolf3D" is a company.
VENDORS = ("wolf3d", "mixamorig", "bip01", "bip001", "valvebiped", "armature", "avatarsdk", "avaturn")

# A word with at least this many letters is also found at the start or end of a longer word: "lefthand", "bootL".
LONG_WORD = 4

# Words that contain a word of a role by chance, such as "hair" in "chair" and "brow" in "brown".
# Only whole words are compared for these.
FALSE_ENDS = frozenset(
    {"chair", "chairs", "surface", "interface", "overhead", "handle", "brown", "skinned", "skinning"}
)

# Bones of the torso. A part that is called "head" but has such bones is a whole body.
TORSO = frozenset(["hip", "hips", "spine", "pelvis", "chest", "torso", "waist", "abdomen", "root"])

# Parts of a body between torso, hands and feet.
LIMBS = frozenset(["leg", "legs", "arm", "arms", "upperleg", "lowerleg", "upperarm", "lowerarm", "forearm"])

ENGLISH = {role: frozenset(words.split()) for role, words in (ROLES | CREATURES).items()}
LONG_WORDS = {role: tuple(word for word in words if len(word) >= LONG_WORD) for role, words in ENGLISH.items()}
WORDS = {role: words | frozenset(LATIN_WORDS.get(role, "").split()) for role, words in ENGLISH.items()}
PARTS = {role: tuple(OTHER_PARTS.get(role, "").split()) for role in WORDS}

# Words that show the role of a bone, but not the role of a mesh or material.
BONE_WORDS = {"middle": "hand", "ring": "hand", "ball": "foot"}
BODY_ROLES = ("hair", "head", "foot", "hand")
BONE_ROLES = ("weapon", *BODY_ROLES)

SPLIT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
ANY_VENDOR = re.compile("|".join(VENDORS), re.IGNORECASE)

# Numbers in a name, except numbers that may belong to a word of `VENDORS`. The tests of what precedes a number come
# after its first digit, which makes the search faster.
NUMBER = re.compile("[0-9](?<![0-9][0-9])(?<!wolf[0-9])(?<!bip[0-9])[0-9]*", re.IGNORECASE)


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a name without accents: "left" and "hand" for "mixamorig:LeftHand_01"."""
    name = ANY_VENDOR.sub(" ", unicodedata.normalize("NFKD", name))
    return tuple(word.lower() for word in SPLIT.findall(name))


@lru_cache(maxsize=4096)
def role_of(*names: str, roles: tuple[str, ...] = tuple(ROLES)) -> str | None:
    """Return the role of the first name that has a role in `roles`; None if no name has one.

    If this name has several roles, the result is the role that is first in `roles`. Names without a role are "armour"
    if one of them contains a word of `ARMOURED`, such as "knight", and `roles` contains "armour".
    """
    for name in names:
        words, small = words_of(name), name.lower()
        for role in roles:
            means = _is_creature if role in CREATURES else _means
            # "T-shirt" and "SpaceSuit" also count as one word
            if (
                "".join(words) in WORDS[role]
                or any(means(word, role) for word in words)
                or not WORDS[role].isdisjoint(map("".join, pairwise(words)))
                or (not name.isascii() and any(part in small for part in PARTS[role]))
            ):
                return role
    armoured = "armour" in roles and any(ARMOURED.intersection(words_of(name)) for name in names)
    return "armour" if armoured else None


def roles_of(names: Sequence[str]) -> list[str | None]:
    """Return the role of each name, as `role_of`. Names that differ only in their numbers are examined once."""
    plain = plain_names(names)
    known = {name: role_of(name) for name in dict.fromkeys(plain)}
    return [known[name] for name in plain]


def plain_names(names: Sequence[str]) -> list[str]:
    """Return the names with "0" in place of each number, which does not affect their roles."""
    # one call for all names is faster, but a name may contain a line break
    plain = NUMBER.sub("0", "\n".join(names)).split("\n")
    return plain if len(plain) == len(names) else [NUMBER.sub("0", name) for name in names]


def bone_roles(names: Sequence[str], parents: Sequence[int]) -> list[str | None]:
    """Return the stiff role of each bone, such as "hand"; None for other bones.

    A bone whose name has no role gets the role of its nearest ancestor with a stiff role. All bones of a hand therefore
    have the role "hand". A bone whose name means cloth gets None.

    Parameters
    ----------
    names : sequence of str
    parents : sequence of int
        Index of each bone's parent; -1 for a root.
    """
    roles: list[str | None] = []
    for name in names:
        words = words_of(name)
        own = role_of(name, roles=(*BONE_ROLES, CLOTH, OVERGARMENT))
        roles.append(own or next((BONE_WORDS[word] for word in words if word in BONE_WORDS), None))
    if not any("head" in words_of(name) for name in names):
        # in a standard rig, the spine has seven bones, and the last one ("spine.006") is the head
        roles = ["head" if name.endswith("spine.006") else role for name, role in zip(names, roles, strict=True)]
    for bone in range(len(names)):
        above, steps = parents[bone], 0
        while roles[bone] is None and above >= 0 and steps < len(names):
            if roles[above] in BONE_ROLES:
                roles[bone] = roles[above]
            above, steps = parents[above], steps + 1
    return [role if role in BONE_ROLES else None for role in roles]


def cloth_among(roles: Sequence[str | None]) -> list[int]:
    """Return the indices of the parts that wrinkle: cloth (or unknown parts, if there is no cloth) and overgarments.

    Parameters
    ----------
    roles : sequence of str or None
        Roles of the parts that are deformed by bones.
    """
    chosen = [i for i, role in enumerate(roles) if role == CLOTH] or [i for i, role in enumerate(roles) if role is None]
    return sorted(chosen + [i for i, role in enumerate(roles) if role == OVERGARMENT])


def is_stiff(role: str | None) -> bool:
    """Return True for the role of a part that does not fold."""
    return role not in (None, CLOTH, OVERGARMENT)


def _means(word: str, role: str) -> bool:
    if word in WORDS[role]:
        return True
    long_words = LONG_WORDS[role]
    return word not in FALSE_ENDS and (word.startswith(long_words) or word.endswith(long_words))


def _is_creature(word: str, role: str) -> bool:
    # short words must match whole words, because a "beard" is not a bear; but "gdbot" ends in "bot", so it is a robot
    if word in WORDS[role] or word.removesuffix("s") in WORDS[role]:
        return True
    return role == "robot" and (word.endswith("bot") or word.startswith("mannequin"))
