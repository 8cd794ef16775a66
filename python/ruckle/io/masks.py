"""Masks of animations, which define the parts that wrinkle: found from names, or selected by terms such as "-hand*"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import mistyped
from ruckle.arrays import Float32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.groups import KINDS, GroupKind, VertexGroups
from ruckle.mesh.mask import require_mask
from ruckle.mesh.rig_shape import roles_by_shape
from ruckle.mesh.rigid_parts import attached_vertices, is_jointed
from ruckle.mesh.roles import (
    BODY_ROLES,
    BONE_ROLES,
    CLOTH,
    CREATURES,
    ROLES,
    TORSO,
    bone_roles,
    is_stiff,
    plain_names,
    role_of,
    roles_of,
    words_of,
)

__all__ = [
    "FILES",
    "WHOLE_BODY",
    "attached_parts",
    "automatic_mask",
    "creature_of",
    "make_mask",
    "part_role",
    "stiff_parts",
    "terms_of",
]

# A term of a mask with one of these extensions is a file, which `ruckle.load_paint` reads.
FILES = (
    *(".png", ".jpg", ".jpeg", ".webp", ".exr", ".npz", ".npy", ".glb", ".gltf"),
    # pictures that `load_paint` rejects, with the formats that it reads
    *(".bmp", ".tga", ".tif", ".tiff", ".gif", ".dds", ".psd"),
)

# Two sRGB colours are considered equal below this distance, as a share of the distance from black to white.
COLOR_TOLERANCE = 0.1

# A vertex is partly masked from the first influence (sum of weights) of stiff bones, and fully masked from the second.
# With these values, sleeve cuffs can wrinkle.
STIFF_FROM, STIFF_TO = 0.25, 0.75

# A part named "head" is considered a whole body if bones of the torso have more than this share of its skin weights.
WHOLE_BODY = 0.2

# A material without a role is skin if bones of heads and hands have at least the first share of its skin weights, and
# bones of heads as well as those of hands more than the second. The rest are arms and necks. In public characters,
# materials that are called skin have 0.66 to 0.95, and whole bodies with one material at most 0.64.
BARE, BOTH = 0.75, 0.05

NAMES_IN_MESSAGES = 12

# Prefix of terms with vertex numbers.
VERTEX = "vertex"

# Tolerance of rounding for sums of weights, which should be 1.
ROUNDING = 1e-4

COLOR = re.compile(r"#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})(?:~(\d+(?:\.\d+)?)%)?")


@dataclass(frozen=True)
class Term:
    """One term of a mask: its sign, the kind of group (or None), and its pattern."""

    sign: str
    kind: str | None
    pattern: str


def terms_of(mask: str | Sequence[str]) -> list[Term]:
    """Return the terms of one or several texts. Terms are separated by blanks before a sign.

    Raises
    ------
    ValueError
        A text does not contain a term, or a term is empty.
    """
    texts = [mask] if isinstance(mask, str) else list(mask)
    if not all(isinstance(text, str) for text in texts):
        raise mistyped("mask", 'terms such as "-hand*", or a number for each vertex', mask)
    words = [word.strip() for text in texts for word in re.split(r"\s+(?=[+-])", text.strip())]
    terms = []
    for word in words:
        sign, rest = (word[0], word[1:]) if word[:1] in ("+", "-") else ("+", word)
        kind, colon, name = rest.partition(":")
        named = colon and kind in (*KINDS, VERTEX)
        terms.append(Term(sign, kind if named else None, (name if named else rest).strip()))
        if not terms[-1].pattern:
            raise ValueError(f'mask: expected a name after "{word}", such as "-hand*"')
    if not terms:
        raise ValueError('mask: expected at least one term, such as "-hand*"')
    return terms


def make_mask(
    animation: Animation, mask: str | Sequence[str] | ArrayLike | None = None, *, hint: str = ""
) -> Float32 | None:
    """Create a mask for an animation: the share of wrinkles at each vertex, 0 to 1.

    Terms are applied in order. `+NAME` or `NAME` lets parts wrinkle. `-NAME` lets parts keep their shape. If the first
    term has a minus sign, the terms change the automatic mask. Otherwise they change a mask of zeros. A name is one of
    these:

    - a pattern for names of meshes, materials and bones (Blender's vertex groups), such as `hand*`, or for names of one
      kind, such as `bone:hand*`;
    - a role: cloth, overgarment, skin, hair, head, hand, foot, armour, accessory or weapon;
    - a colour of the texture or of the vertices: `#c68642`, with a tolerance of 10 %, or `#c68642~20%`;
    - a file with a number per vertex, or a grey image in texture coordinates, see `ruckle.load_paint`;
    - vertex numbers, `vertex:0-12,40`, as the brush of `ruckle view` writes them;
    - `all`, `none` or `auto`, the automatic mask.

    Parameters
    ----------
    animation : Animation
    mask : terms, or (V,) float in [0, 1], optional
        Numbers may also be per vertex of the file, before the repair of its faces has added vertices. By default the
        automatic mask. It finds skin, heads, hands, boots, armour, weapons, robots and animals by names of meshes,
        materials and bones. These parts keep their shape. If neither meshes nor materials have names, it is the mask
        of the animation.
    hint : str
        Another name that may reveal a robot or an animal, such as the file's name.

    Returns
    -------
    (V,) float32, in [0, 1], or None if the whole mesh may wrinkle

    Raises
    ------
    ValueError
        A name does not exist, a colour is malformed, or numbers have a wrong length or range.
    FormatError
        A mask file is damaged.

    Examples
    --------
    >>> hero = ruckle.load("hero.glb")  # doctest: +SKIP
    >>> hero = hero.with_mask(ruckle.make_mask(hero, "-hand* -#c68642"))  # doctest: +SKIP
    """
    count = require_animation(animation).vertex_count
    if mask is None:
        return automatic_mask(animation, hint)
    if not isinstance(mask, str) and not (isinstance(mask, Sequence) and any(isinstance(one, str) for one in mask)):
        values = require_mask(_of_animation(animation, np.asarray(mask)), count)
        return None if (values == 1.0).all() else values
    terms = terms_of(mask)  # type: ignore[arg-type]
    starts_open = terms[0].sign == "-"
    found = automatic_mask(animation, hint) if starts_open else np.zeros(count, np.float32)
    values = np.ones(count, np.float32) if found is None else found.copy()
    for term in terms:
        share = _share(animation, term, hint)
        values = np.maximum(values, share) if term.sign == "+" else np.minimum(values, 1.0 - share)
    return None if (values == 1.0).all() else values.astype(np.float32)


def _of_animation(animation: Animation, values: NDArray[Any]) -> NDArray[Any]:
    """Return one value per vertex of the animation; `values` may be per vertex of the file, before its repair."""
    return values if animation.groups is None else animation.groups.of_file(values)


def automatic_mask(animation: Animation, hint: str = "") -> Float32 | None:
    """Return the mask (V,) from names of meshes, materials and bones; None if the whole mesh may wrinkle.

    If the name of a part, the animation or `hint` means a robot or an animal without cloth, the mask is 0 everywhere.
    If neither meshes nor materials have names, the result is the mask that the file contains.
    """
    groups, count = animation.groups, animation.vertex_count
    if groups is None or not _has_parts(groups):
        return animation.mask
    roles = _vertex_roles(animation, groups)
    is_cloth = bool((roles == _NUMBERS[CLOTH]).any())
    if not is_cloth and creature_of(groups, f"{animation.name} {hint}") is not None:
        return np.zeros(count, np.float32)
    if "bone" not in groups.kinds and not roles.any():
        return None
    values = _values_of(animation, groups, roles)
    if not is_cloth and _is_robot(animation, groups, values):
        return np.zeros(count, np.float32)
    return None if (values == 1.0).all() else values


def _has_parts(groups: VertexGroups) -> bool:
    """Return True if the file contains meshes or materials, and not only bones (as NPZ files)."""
    return "mesh" in groups.kinds or "material" in groups.kinds


def _values_of(animation: Animation, groups: VertexGroups, roles: NDArray[np.int64]) -> Float32:
    """Return the mask of a person."""
    values = np.ones(len(roles), np.float32)
    if "bone" in groups.kinds and not roles.all():
        stiff = np.array([role is not None for role in _bone_roles(animation, groups)], bool)
        # cloth may hang over hands and heads, so bones mask only parts whose own name gives no role
        by_bones = np.clip((STIFF_TO - groups.kinds["bone"].weight(stiff)) / (STIFF_TO - STIFF_FROM), 0.0, 1.0)
        values = np.where(roles == 0, by_bones, values)
    values[_IS_STIFF[roles]] = 0.0
    return values.astype(np.float32)


def attached_parts(animation: Animation) -> NDArray[np.bool_]:
    """Return a mask (V,) of small rigid parts of clothes, such as buttons and pouches. Parts with a role do not count.

    Such a part does not wrinkle, because it does not shrink; a look must not dye it.
    """
    groups, count = animation.groups, animation.vertex_count
    if groups is None or not _has_parts(groups) or "bone" not in groups.kinds:
        return np.zeros(count, bool)
    roles = _vertex_roles(animation, groups)
    counted: NDArray[np.bool_] = np.logical_not(_IS_STIFF[roles][animation.faces].any(axis=1))
    points = animation.positions[0] if animation.rest_positions is None else animation.rest_positions
    found = attached_vertices(points, animation.faces, groups.kinds["bone"], counted)
    found[roles != 0] = False
    return found


def _is_robot(animation: Animation, groups: VertexGroups, values: Float32) -> bool:
    """Return True if the body without masked parts consists of rigid parts."""
    if "bone" not in groups.kinds or not groups.kinds["bone"].numbers.size:
        return False
    counted = values[animation.faces].mean(axis=1) > 0.5
    return is_jointed(animation.positions[0], animation.faces, groups.kinds["bone"], counted)


def stiff_parts(animation: Animation) -> list[str]:
    """Return the roles of the parts that the automatic mask excludes, such as "hands" and "skin"."""
    groups = animation.groups
    if groups is None or not _has_parts(groups):
        return []
    roles = _vertex_roles(animation, groups)
    if not (roles == _NUMBERS[CLOTH]).any():
        if (creature := creature_of(groups, animation.name)) is not None:
            return [creature]
        if _is_robot(animation, groups, _values_of(animation, groups, roles)):
            return ["robot"]
    kept = {role for role, number in _NUMBERS.items() if is_stiff(role) and (roles == number).any()}
    if "bone" in groups.kinds:
        named = _bone_roles(animation, groups)
        for role in BONE_ROLES:
            influence = groups.kinds["bone"].weight(np.array([one == role for one in named], bool))
            if ((roles == 0) & (influence >= STIFF_TO)).any():
                kept.add(role)
    plurals = {"hand": "hands", "head": "heads", "foot": "feet", "weapon": "weapons"}
    return [plurals.get(role, role) for role in ROLES if role in kept]


_NUMBERS = {role: number for number, role in enumerate(ROLES, start=1)}
_IS_STIFF = np.array([False, *(is_stiff(role) for role in ROLES)])


def _bone_roles(animation: Animation, groups: VertexGroups) -> list[str | None]:
    """Return the stiff role of each bone, such as "hand", from its own name or the name of an ancestor; else None."""
    names = list(groups.kinds["bone"].names)
    parents = [-1] * len(names)
    if animation.skeleton is not None:
        number, joints = {name: bone for bone, name in enumerate(names)}, animation.skeleton.names
        above = dict(zip(joints, animation.skeleton.parents.tolist(), strict=True))
        for bone, name in enumerate(names):
            parent = above.get(name, -1)
            parents[bone] = -1 if parent < 0 else number.get(joints[parent], -1)
    roles = bone_roles(names, parents)
    if animation.skeleton is None or any(roles):
        return roles
    # if the names do not reveal any role, the shape of the skeleton reveals head, hands and feet
    skeleton = animation.skeleton
    shown = roles_by_shape(skeleton.parents.tolist(), skeleton.rest_joints)
    by_name = dict(zip(skeleton.names, shown, strict=True))
    return [by_name.get(name) for name in names]


def _vertex_roles(animation: Animation, groups: VertexGroups) -> NDArray[np.int64]:
    """Return the number of each vertex's role, 0 if unknown. The role of a material overrides the role of a mesh.

    If a part is cloth, parts named "body" without another role become skin. Vertices without a role also become skin if
    their material covers heads and hands.
    """
    roles = np.zeros(animation.vertex_count, np.int64)
    named: dict[str, list[str | None]] = {}
    for kind in ("mesh", "material"):
        if kind not in groups.kinds:
            continue
        group = groups.kinds[kind]
        named[kind] = _group_roles(groups, group, groups.metals if kind == "material" else frozenset())
        if not any(named[kind]):
            continue
        numbers = np.array([0 if role is None else _NUMBERS[role] for role in named[kind]], np.int64)
        # a vertex can be in several groups of this kind, one per column; the last column with a role has priority
        own = np.where(group.weights > 0.0, numbers[group.numbers], 0)
        for column in np.flatnonzero(own.any(axis=0)).tolist():
            roles = np.where(own[:, column] > 0, own[:, column], roles)
    if any(CLOTH in found for found in named.values()):
        _mark_bodies(groups, named, roles)
    if None in named.get("material", []) and "bone" in groups.kinds:
        _mark_skin(animation, groups, named["material"], roles)
    return roles


def _group_roles(groups: VertexGroups, group: GroupKind, metals: frozenset[str]) -> list[str | None]:
    """Return the role of each mesh or material; None without a role or without vertices. `metals` are armour."""
    found = roles_of(group.names)
    if not any(found) and not metals:
        return found
    used = group.used()
    roles = [
        None if not inside or (role in BODY_ROLES and _is_whole_body(groups, group, number)) else role
        for number, (role, inside) in enumerate(zip(found, used, strict=True))
    ]
    return [
        "armour" if role is None and inside and name in metals else role
        for role, name, inside in zip(roles, group.names, used, strict=True)
    ]


def _mark_skin(animation: Animation, groups: VertexGroups, named: list[str | None], roles: NDArray[np.int64]) -> None:
    """Set the role of vertices without a role to skin if their material covers heads and hands, and little else."""
    materials, bones = groups.kinds["material"], groups.kinds["bone"]
    names = np.array(materials.names)
    if len(set(names[materials.used()])) < 2:
        return
    found = _bone_roles(animation, groups)
    head, hand = (bones.weight(np.array([one == role for one in found], bool)) for role in ("head", "hand"))
    for name in sorted({name for name, role in zip(materials.names, named, strict=True) if role is None}):
        inside = (materials.weight(names == name) > 0.0) & (roles == 0)
        if inside.any():
            shares = float(head[inside].mean()), float(hand[inside].mean())
            if sum(shares) >= BARE and min(shares) > BOTH:
                roles[inside] = _NUMBERS["skin"]


def _mark_bodies(groups: VertexGroups, kinds: Iterable[str], roles: NDArray[np.int64]) -> None:
    """Set the role of vertices of a part called "body" to skin if they do not have a role.

    "Body" wears clothes, unless there are separate clothes. A mesh "body" with its own trousers also wears a shirt.
    """
    for kind in kinds:
        group = groups.kinds[kind]
        dressed = set(group.numbers[(group.weights > 0.0) & (roles == _NUMBERS[CLOTH])[:, None]].tolist())
        bare = np.array([_is_body(name) and i not in dressed for i, name in enumerate(group.names)], bool)
        roles[(group.weight(bare) > 0.0) & (roles == 0)] = _NUMBERS["skin"]


def _is_whole_body(groups: VertexGroups, group: GroupKind, number: int) -> bool:
    """Return True if torso bones also move part `number` of the group kind, so that it is a whole body."""
    if "bone" not in groups.kinds:
        return False
    bones = groups.kinds["bone"]
    torso = bones.weight(np.array([bool(TORSO & set(words_of(name))) for name in bones.names], bool))
    inside = group.weight(np.arange(len(group.names)) == number) > 0.0
    return bool(inside.any() and torso[inside].mean() > WHOLE_BODY)


def _is_body(name: str) -> bool:
    return "body" in name.lower() and part_role(name) is None


def part_role(*names: str) -> str | None:
    """Return the role of a part from names of its material, mesh and node, in this order."""
    return role_of(*names)


def creature_of(groups: VertexGroups, further: str) -> str | None:
    """Return "robot" or "animal" if a name means one of these, else None."""
    names = dict.fromkeys(plain_names([further, *groups.names("mesh"), *groups.names("material")]))
    return role_of(*names, roles=tuple(CREATURES)) or role_of(*groups.names("bone"), roles=("animal",))


def _share(animation: Animation, term: Term, hint: str) -> Float32:
    """Return the weight of a term at each vertex, (V,) in [0, 1]. Raise ValueError if its name does not match."""
    count, word = animation.vertex_count, term.pattern
    if term.kind is None and word in ("all", "none"):
        return np.full(count, word == "all", np.float32)
    if term.kind is None and word == "auto":
        found = automatic_mask(animation, hint)
        return np.ones(count, np.float32) if found is None else found
    if term.kind is None and word.startswith("#"):
        return _color_share(animation, word)
    if (
        term.kind is None
        and Path(word).suffix.lower() in FILES
        and (Path(word).exists() or not _is_name(animation, word))
    ):
        # import from the package, which loads the image readers on first use
        from ruckle import load_paint

        values = load_paint(word, animation)
        share: Float32 = values if term.sign == "+" else 1.0 - values
        return share
    return _numbered_share(term.pattern, count) if term.kind == VERTEX else _named_share(animation, term)


def _is_name(animation: Animation, word: str) -> bool:
    """Return True if a mesh, material or bone has this name, such as a material "skin.png"."""
    groups = animation.groups
    return groups is not None and any(
        fnmatchcase(name.lower(), word.lower()) for kind in groups.kinds for name in groups.names(kind)
    )


def _numbered_share(text: str, count: int) -> Float32:
    """Return 1 at vertices in ranges such as "0-12,40", and 0 at other vertices."""
    share = np.zeros(count, np.float32)
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part.strip())
        first, last = (0, -1) if match is None else (int(match[1]), int(match[2] or match[1]))
        if not 0 <= first <= last < count:
            allowed = f"numbers of vertices from 0 to {count - 1}, such as 0-12,40"
            raise ValueError(f"mask: expected {allowed}, got '{part:.40}'")
        share[first : last + 1] = 1.0
    return share


def _named_share(animation: Animation, term: Term) -> Float32:
    """Return, at each vertex, the weight (V,) of the groups whose names or roles match the term.

    Raise ValueError if no group that contains vertices matches.
    """
    groups, wanted = animation.groups, term.pattern.lower()
    kinds = {} if groups is None else groups.kinds
    share, names = np.zeros(animation.vertex_count, np.float32), list[str]()
    matched = False
    for kind in KINDS if term.kind is None else (term.kind,):
        if groups is None or kind not in kinds:
            continue
        names += groups.names(kind)
        group = kinds[kind]
        roles = _bone_roles(animation, groups) if kind == "bone" else roles_of(group.names)
        named = zip(group.names, roles, strict=True)
        chosen = np.array([fnmatchcase(name.lower(), wanted) or role == wanted for name, role in named], bool)
        matched |= bool((chosen & group.used()).any())
        weight = group.weight(chosen)
        if kind == "bone":
            if term.sign == "-":
                weight = ((weight - STIFF_FROM) / (STIFF_TO - STIFF_FROM)).astype(np.float32)
        else:
            # a vertex on the border of two parts is masked if one of them is masked, and wrinkles only if both wrinkle
            weight = (weight > (0.0 if term.sign == "-" else 1.0 - ROUNDING)).astype(np.float32)
        share = np.maximum(share, weight)
    if not matched:
        raise ValueError(f"mask: {_nothing(names, term)}")
    result: Float32 = np.clip(share, 0.0, 1.0)
    return result


def _nothing(names: Sequence[str], term: Term) -> str:
    """Return the error message for a name that does not match anything."""
    kind = f"{term.kind} is" if term.kind else "mesh, material or bone is"
    if not names:
        return f"no {kind} called '{term.pattern}': the file does not name any"
    small = {name.lower(): name for name in names}
    stem = term.pattern.lower().strip("*")
    near = [f"*{stem}*"] if stem and any(stem in name for name in small) else []
    near = near or [small[name] for name in get_close_matches(term.pattern.lower(), small, n=1)]
    listed = ", ".join(f"'{name}'" for name in names[:NAMES_IN_MESSAGES]) + (
        ", …" if len(names) > NAMES_IN_MESSAGES else ""
    )
    return f"no {kind} called '{term.pattern}'" + (f"; did you mean '{near[0]}'?" if near else f"; there are {listed}")


def _color_share(animation: Animation, word: str) -> Float32:
    """Return 1 at vertices whose colour is close to the colour `word`, such as "#c68642~20%"; elsewhere 0."""
    match = COLOR.fullmatch(word)
    if match is None:
        raise ValueError(f"mask: expected a colour such as #c68642 or #c68642~20%, got '{word}'")
    digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
    color = np.array([int(digits[k : k + 2], 16) for k in (0, 2, 4)]) / 255.0
    tolerance = COLOR_TOLERANCE if match[2] is None else float(match[2]) / 100.0
    from ruckle.io.vertex_colors import vertex_colors

    distance = np.linalg.norm(vertex_colors(animation) - color, axis=1) / np.sqrt(3.0)
    share: Float32 = (distance <= tolerance).astype(np.float32)
    return share
