"""Roles of a character's parts (cloth, skin and others), derived from names that artists and exporters use."""

import pytest

from ruckle.mesh.roles import CREATURES, bone_roles, is_stiff, role_of, roles_of, words_of

NAMES = {
    "Wolf3D_Outfit_Footwear": "foot",
    "Wolf3D_Outfit_Top": "cloth",
    "Wolf3D_Skin": "skin",
    "mixamorig:LeftHandIndex1": "hand",
    "mixamorig:HeadTop_End": "head",
    "Rogue_Head_Hooded": "head",
    "Rogue_Cape": "overgarment",
    "N00_007_01_Tops_01_CLOTH_01 (Instance)": "cloth",
    "N00_008_01_Shoes_01_CLOTH_01 (Instance)": "foot",
    "Body_00_SKIN": "skin",
    "eye_mat_L": "head",
    "Knight_Helmet": "armour",
    "Knight_ArmLeft": "armour",
    "knight_tunic": "cloth",
    "LightBlue": None,
    "1H_Sword_Offhand": "weapon",
    "lefthand": "hand",
    "VanguardBodyMat": None,
    "SpaceSuit_Body": "armour",
    "Suit_Body": "cloth",
    "Beta_Surface": None,
    "chair": None,
    "Brown": None,
    "SkinnedMesh_0": None,
    "upperarm.l": None,
    "Camisa_01": "cloth",
    "tête": "head",
    "Jupe.001": "cloth",
    "Lederschuhe": None,
    "右手首": "hand",
    "スカート_2": "cloth",
    "Куртка": "cloth",
    "C_main_GEO": None,
    "": None,
}


@pytest.mark.parametrize("name", NAMES)
def test_exact_roles_of_names_of_public_characters(name: str) -> None:
    assert role_of(name) == NAMES[name]


@pytest.mark.parametrize(
    ("name", "creature"),
    [
        ("RobotExpressive", "robot"),
        ("GdBotMat", "robot"),
        ("Xbot", "robot"),
        ("mannequiny", "robot"),
        ("Fox", "animal"),
        ("BeetleMat", "animal"),
        ("b_Tail01_012", "animal"),
        ("wolves_den_beard", None),
        ("catwalk", None),
        ("Wolf3D_Body", None),
    ],
)
def test_exact_creatures_have_whole_words(name: str, creature: str | None) -> None:
    assert role_of(name, roles=tuple(CREATURES)) == creature


def test_exact_the_first_telling_name_decides() -> None:
    assert role_of("rogue_texture", "Rogue_Head") == "head"
    assert role_of("Tops_CLOTH", "Hair001") == "cloth"


@pytest.mark.parametrize("further", [[], ["shirt\n12", "boot"]], ids=["names", "line break"])
def test_property_many_names_have_the_roles_of_single_names(further: list[str]) -> None:
    names = [
        *NAMES,
        "Wolf3D_Outfit_12",
        "wolf3dhat",
        "Bip01_Hand7",
        "bip001 glove",
        "bip2shoe",
        "part_3_of_4",
        *further,
    ]
    assert roles_of(names) == [role_of(name) for name in names]
    assert roles_of([]) == []


def test_exact_words_are_split_at_capitals_digits_and_signs() -> None:
    assert words_of("mixamorig:LeftHand_01") == ("left", "hand")
    assert words_of("DEF-f_index.01.L") == ("def", "f", "index", "l")
    assert words_of("3DHead") in [("d", "head"), ("head",)]


def test_exact_bones_below_a_hand_are_hands() -> None:
    names = ["hips", "hand.l", "bone_7", "bone_8", "skirt_1", "cape"]
    assert bone_roles(names, [-1, 0, 1, 2, 0, 1]) == [None, "hand", "hand", "hand", None, None]


def test_exact_the_seventh_bone_of_a_spine_is_the_head() -> None:
    names = ["DEF-spine", "DEF-spine.005", "DEF-spine.006", "jaw_1"]
    assert bone_roles(names, [-1, 0, 1, 2]) == [None, None, "head", "head"]
    assert bone_roles(["spine.006", "Head"], [-1, 0]) == [None, "head"]


def test_degenerate_bones_in_a_circle_end() -> None:
    assert bone_roles(["a", "b"], [1, 0]) == [None, None]


def test_exact_cloth_is_not_stiff() -> None:
    assert [is_stiff(role) for role in ("cloth", "overgarment", None, "skin", "weapon")] == [False] * 3 + [True] * 2
