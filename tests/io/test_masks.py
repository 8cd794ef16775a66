"""Masks of cloth in a glTF scene: default choice of meshes, and masks by names, colours and files."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from characters import ABOVE, BENDING, ENDS, HALVES, NEAR_ENDS, QUAD, Character
from gltf_writer import Writer
from ruckle import Animation, FormatError, Wrinkler, describe, load, load_paint, make_mask, sample_gltf
from ruckle.io.masks import terms_of
from ruckle.mesh.groups import GroupKind, VertexGroups, joined_groups


def taken(path: Path) -> list[str]:
    return [part["name"] for part in describe(path)["parts"] if part["taken"]]


def test_exact_cloth_is_taken_in_the_order_of_the_file(tmp_path: Path) -> None:
    writer = Character()
    for name in ("EyeLeft", "Sword", "Outfit_Bottom", "Body", "Cape", "Outfit_Top", "Footwear"):
        writer.part(name)
    path = writer.save(tmp_path / "hero.glb")
    assert taken(path) == ["Outfit_Bottom", "Cape", "Outfit_Top"]
    found = load(path)
    np.testing.assert_array_equal(sample_gltf(path, [0.0]), found.positions)
    assert (found.face_count, found.name, found.mask) == (6, "Outfit_Bottom+Cape+Outfit_Top", None)


@pytest.mark.parametrize(
    ("surface", "is_metal"),
    [
        ({"metallicFactor": 1.0}, True),
        ({"metallicFactor": 0.5}, False),
        ({"metallicFactor": 0.0}, False),
        ({}, False),
        (None, False),
    ],
)
@pytest.mark.parametrize("name", ["", "shirt"])
def test_exact_metal_keeps_its_shape(tmp_path: Path, name: str, surface: Any, is_metal: bool) -> None:
    writer = Character()
    writer.part("Mesh_1", material="one")
    writer.part("Mesh_2", material=name or "two")
    if surface is not None:
        writer.root["materials"][1]["pbrMetallicRoughness"] = surface
    path = writer.save(tmp_path / "knight.glb")
    # the name of the material is more important than its metallic factor
    assert taken(path) == (["Mesh_2"] if name else ["Mesh_1"] if is_metal else ["Mesh_1", "Mesh_2"])
    mask = load(path, mesh=["Mesh_1", "Mesh_2"]).mask
    assert (0.0 if mask is None else float((mask == 0.0).mean())) == (0.5 if is_metal and not name else 0.0)


def test_exact_without_names_of_cloth_all_that_bends_is_taken(tmp_path: Path) -> None:
    writer = Character()
    writer.part("Head", joints=[[2, 3], [3, 2], [3, 2], [2, 3]])
    writer.part("Mesh_1")
    writer.part("rigid", joints=[[1, 1]] * 4)
    writer.part("Mesh_2")
    # a mesh without a skin is not selected by default
    writer.place("Mesh_3", writer.mesh({"attributes": {"POSITION": writer.accessor(QUAD)}}), skinned=False)
    assert taken(writer.save(tmp_path / "hero.glb")) == ["Mesh_1", "Mesh_2"]


def test_exact_a_material_has_priority_over_a_mesh(tmp_path: Path) -> None:
    writer = Character()
    writer.part("Hair001", "Tops_CLOTH")
    writer.part("Shirt", "Skin")
    assert taken(writer.save(tmp_path / "hero.glb")) == ["Hair001"]


def test_exact_a_whole_body_may_be_called_head(tmp_path: Path) -> None:
    # a mesh that is skinned to the hips, although its name contains "head"
    writer = Character()
    writer.part("C_head_GEO")
    path = writer.save(tmp_path / "hero.glb")
    assert load(path).mask is None
    assert describe(path)["parts"][0]["role"] is None


def test_exact_hands_are_masked_by_their_bones(tmp_path: Path) -> None:
    writer = Character()
    writer.part("Mesh", joints=HALVES)
    found = load(writer.save(tmp_path / "hero.glb"))
    # the thumb is masked too, because it is a child of the hand
    assert found.mask is not None
    assert found.mask.tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("parts", [[ENDS, ENDS, NEAR_ENDS], [ENDS, NEAR_ENDS, NEAR_ENDS]])
@pytest.mark.parametrize("others", [["B"], [], ["A"]])
def test_exact_a_material_of_heads_and_hands_is_skin(tmp_path: Path, parts: list[Any], others: list[str]) -> None:
    writer = Character()
    for node, name in zip(writer.root["nodes"], ("hips", "head"), strict=False):
        node["name"] = name
    skin = [writer.primitive("A", joints, np.add(QUAD, [0, 3 * k, 0])) for k, joints in enumerate(parts)]
    rest = [writer.primitive(name, [[0, 0]] * 4, np.add(QUAD, [3, 0, 0])) for name in others]
    writer.place("Cube", writer.mesh(*skin, *rest))
    mask = load(writer.save(tmp_path / "a.glb"), mesh="Cube").mask
    assert mask is not None
    # the last two vertices of the skin are arms; a material of the whole body is not skin
    is_skin = parts.count(ENDS) == 2 and others == ["B"]
    np.testing.assert_array_equal(mask[10:], [1.0 - is_skin] * 2 + [1.0] * 4 * len(others))


def test_exact_sleeves_over_hands_are_not_masked(tmp_path: Path) -> None:
    writer = Character()
    writer.part("Shirt", joints=HALVES)
    assert load(writer.save(tmp_path / "hero.glb")).mask is None


def test_exact_parts_of_one_mesh_are_masked_by_their_materials(tmp_path: Path) -> None:
    writer = Character()
    materials = [
        writer.primitive("Body_SKIN", BENDING),
        writer.primitive("Tops_CLOTH", BENDING, ABOVE),
        writer.primitive("body_MAT", BENDING, np.add(QUAD, [0, -5, 0])),
    ]
    writer.place("Body", writer.mesh(*materials))
    found = load(writer.save(tmp_path / "hero.glb"))
    assert found.mask is not None
    # if another material is clothes, a material named "body" is skin
    assert found.mask.tolist() == 4 * [0] + 4 * [1] + 4 * [0]
    # the mask of a vertex on the border between cloth and skin is 0
    frame = Wrinkler.for_animation(found).step(found.positions[0])
    assert frame.mask is not None
    assert frame.mask[4:8].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(("skin", "expected"), [("Skin", ["Shirt", "Lower_Legs", "Arms", "Sides"]), ("Tan", ["Shirt"])])
def test_exact_clothes_next_to_bare_skin_are_taken(tmp_path: Path, skin: str, expected: list[str]) -> None:
    writer = Character()
    writer.part("Shirt", "Blue")
    # Clothes are the mesh that is named after limbs, the mesh with a skin material, and the mesh below the same node as
    # a mesh of skin (Sides). The prop is none of these.
    writer.part("Lower_Legs", "Brown")
    sleeve = writer.primitive("Red", BENDING, ABOVE)
    writer.place("Arms", writer.mesh(writer.primitive(skin, BENDING), sleeve))
    group = [writer.part("Front", skin), writer.part("Sides", "Red")]
    writer.part("Prop", "Brown")
    writer.root["scenes"][0]["nodes"] = [n for n in writer.root["scenes"][0]["nodes"] if n not in group]
    writer.root["scenes"][0]["nodes"].append(writer.add("nodes", {"children": group}))
    path = writer.save(tmp_path / "hero.glb")
    assert taken(path) == expected
    if skin == "Skin":
        mask = load(path, mesh="Arms").mask
        assert mask is not None
        assert mask.tolist() == 4 * [0] + 4 * [1]


@pytest.mark.parametrize(("bone", "is_taken"), [("upperleg.l", True), ("LeftUpLeg", True), ("chest", False)])
def test_exact_clothes_that_follow_limbs_need_no_name(tmp_path: Path, bone: str, is_taken: bool) -> None:
    writer = Character()
    writer.root["nodes"][1]["name"] = bone
    for name, material in (("Shirt", "Blue"), ("Body", "Skin"), ("", "Brown")):
        writer.part(name, material)
    found = [part["taken"] for part in describe(writer.save(tmp_path / "hero.glb"))["parts"]]
    assert found == [True, False, is_taken]


def test_exact_a_group_names_its_meshes(tmp_path: Path) -> None:
    writer = Character()
    shirt, plate = writer.part("Cube_1", "Blue"), writer.part("Cube_2", "Blue")
    named = {"Hero_Top": shirt, "Hero_Armor": plate}
    groups = [writer.add("nodes", {"name": name, "children": [node]}) for name, node in named.items()]
    writer.root["scenes"][0]["nodes"] = [0, *groups]
    path = writer.save(tmp_path / "hero.glb")
    assert [part["role"] for part in describe(path)["parts"]] == ["cloth", "armour"]
    assert taken(path) == ["Cube_1"]


def test_exact_a_body_with_own_trousers_also_wears_a_shirt(tmp_path: Path) -> None:
    writer = Character()
    materials = [
        writer.primitive(name, BENDING, np.add(QUAD, [0, 3 * k, 0])) for k, name in enumerate(["Pants", "Main"])
    ]
    writer.place("Body", writer.mesh(*materials))
    assert load(writer.save(tmp_path / "hero.glb")).mask is None
    writer.part("Shirt")
    # the scene also has a separate shirt, but the body is not masked as skin, because it wears trousers
    assert load(writer.save(tmp_path / "two.glb"), mesh="Body").mask is None


@pytest.mark.parametrize(("file", "part"), [("fox", "Mesh"), ("hero", "gdbot_mesh"), ("robot", "Head")])
def test_exact_robots_and_animals_do_not_wrinkle(tmp_path: Path, file: str, part: str) -> None:
    writer = Character()
    writer.part(part)
    path = writer.save(tmp_path / f"{file}.glb")
    mask = load(path).mask
    assert mask is not None
    assert not mask.any()
    assert load(path, mask="all").mask is None


def test_exact_zombies_wear_clothes(tmp_path: Path) -> None:
    writer = Character()
    writer.part("Mesh")
    assert load(writer.save(tmp_path / "zombie.glb")).mask is None


def test_exact_a_robot_in_a_shirt_wrinkles(tmp_path: Path) -> None:
    writer = Character()
    writer.part("Shirt")
    assert load(writer.save(tmp_path / "robot.glb")).mask is None


def test_exact_patterns_of_meshes(tmp_path: Path) -> None:
    writer = Character()
    for name in ("shirt_1", "Shirt_2", "eye", "shirt*"):
        writer.part(name)
    path = writer.save(tmp_path / "hero.glb")
    # a name that is equal to the given text has priority over names that match it as a pattern
    assert load(path, mesh="shirt*").name == "shirt*"
    assert load(path, mesh="SHIRT_?").name == "shirt_1+Shirt_2"
    assert load(path, mesh="all").face_count == 8
    assert load(path, mesh=["eye", "shirt_[12]"]).name == "eye+shirt_1+Shirt_2"
    with pytest.raises(FormatError, match=r"no mesh is called like 'coat\*', only: 'shirt_1', 'Shirt_2', 'eye'"):
        load(path, mesh="coat*")


@pytest.fixture
def hero(tmp_path: Path) -> Any:
    """Return a character with a skin material and a dress material. The upper half of both is skinned to a hand."""
    writer = Character()
    materials = [writer.primitive("skin_1", HALVES), writer.primitive("dress_1", HALVES)]
    writer.root["materials"][0]["pbrMetallicRoughness"] = {"baseColorFactor": [1.0, 0.0, 0.0, 1.0]}
    writer.place("all_in_one", writer.mesh(*materials))
    return load(writer.save(tmp_path / "hero.glb"))


ONES, NONE = [1] * 4, [0] * 4


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (None, NONE + ONES),
        ("auto", NONE + ONES),
        ("all", ONES + ONES),
        ("none", NONE + NONE),
        ("-bone:HAND*", [*NONE, 1, 1, 0, 1]),
        ("-bone:hand* -thumb*", [*NONE, 1, 1, 0, 0]),
        ("all -hand", [1, 1, 0, 0, 1, 1, 0, 0]),
        ("+skin_*", ONES + NONE),
        ("skin", ONES + NONE),
        (["+all", "-material:dress*"], ONES + NONE),
        ("+cloth +bone:hips", [1, 1, 0, 0, *ONES]),
        ("all -#f00", NONE + ONES),
        ("#ffffff~5%", NONE + ONES),
        ("-vertex:0-1,5 +vertex:7", [*NONE, 1, 0, 1, 1]),
        ("+mesh:all* -cloth", ONES + NONE),
    ],
)
def test_exact_terms(hero: Animation, terms: Any, expected: list[int]) -> None:
    found = make_mask(hero, terms)
    values = np.ones(8) if found is None else found
    assert values.tolist() == expected


def test_exact_files_and_arrays(hero: Animation, tmp_path: Path) -> None:
    np.save(tmp_path / "half.npy", np.array([0.5] * 4 + [0.25] * 4))
    file = str(tmp_path / "half.npy")
    found = make_mask(hero, file)
    assert found is not None
    assert found.tolist() == [0.5] * 4 + [0.25] * 4
    # after a minus sign, the values of the file are upper limits of the automatic mask, so 0 still means no wrinkles
    limited = make_mask(hero, f"-{file}")
    assert limited is not None
    assert limited.tolist() == NONE + [0.25] * 4
    given = make_mask(hero, np.linspace(0, 1, 8))
    assert given is not None
    np.testing.assert_allclose(given, np.linspace(0, 1, 8))
    assert make_mask(hero, np.ones(8)) is None


@pytest.mark.parametrize("joined", [False, True])
def test_exact_numbers_of_the_file_before_its_repair(tmp_path: Path, joined: bool) -> None:
    # three triangles on one edge: the third gets copies of two vertices
    writer = Writer()
    corners = writer.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]])
    writer.mesh({"attributes": {"POSITION": corners}, "indices": writer.accessor([0, 1, 2, 1, 0, 3, 0, 1, 4], "u2")})
    writer.add("nodes", {"mesh": 0, "name": "fin"})
    writer.add("nodes", {"mesh": 0, "name": "second"})
    path, values = writer.save(tmp_path / "a.glb"), np.array([0.1, 0.2, 0.3, 0.4, 0.5], np.float32)
    meshes = ["fin", "second"] if joined else ["fin"]
    values = np.concatenate([values, 0.5 * values])[: 5 * len(meshes)]
    np.save(tmp_path / "a.npy", values)
    with pytest.warns(UserWarning, match="cut the mesh"):
        whole = load(path, mesh=meshes)
    assert whole.vertex_count == 7 * len(meshes)
    with pytest.warns(UserWarning, match="cut the mesh"):
        given = load(path, mesh=meshes, mask=values).mask
    painted = load_paint(tmp_path / "a.npy", whole)
    for found in (given, painted):
        assert found is not None
        for mesh in range(len(meshes)):
            own = values[5 * mesh : 5 * mesh + 5]
            np.testing.assert_array_equal(found[7 * mesh : 7 * mesh + 7], [*own, *own[:2]])
    with pytest.raises(ValueError, match="mask: expected a number for each of"):
        make_mask(whole, values[:-1])


def test_exact_booleans(hero: Animation) -> None:
    chosen = np.arange(8) > 2
    for found in (make_mask(hero, chosen), hero.with_mask(chosen).mask):
        assert found is not None
        assert found.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]


def test_exact_a_name_that_looks_like_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    writer = Character()
    # some programs name a material like its texture
    writer.place("one", writer.mesh(writer.primitive("body.png", BENDING), writer.primitive("top.png", BENDING, ABOVE)))
    hero = load(writer.save(tmp_path / "hero.glb"), mask="all -Body.png")
    assert hero.mask is not None
    assert hero.mask.tolist() == NONE + ONES
    with pytest.raises(OSError, match=r"other\.png"):
        make_mask(hero, "-other.png")


def test_exact_bones_of_an_npz_file(tmp_path: Path) -> None:
    bones = np.tile(np.eye(4)[:3], (1, 2, 1, 1))
    arrays = {
        "positions": np.array([QUAD], np.float32),
        "faces": np.array([[0, 1, 2], [0, 2, 3]]),
        "fps": np.array(30.0),
        "joint_names": np.array(["hips", "hand.l"]),
        "joint_parents": np.array([-1, 0]),
        "rest_joints": np.zeros((2, 3)),
        "bone_matrices": bones,
    }
    weights = np.array([[1, 0], [0.5, 0.5], [0, 1], [0.75, 0.25]])
    np.savez(tmp_path / "a.npz", skin_weights=weights, **arrays)
    # an NPZ file contains cloth, so the automatic mask does not depend on bones
    assert load(tmp_path / "a.npz").mask is None
    for terms, expected in (("-bone:hand*", [1, 0.5, 0, 1]), ("-hand", [1, 0.5, 0, 1]), ("+hips", [1, 0.5, 0, 0.75])):
        mask = load(tmp_path / "a.npz", mask=terms).mask
        assert mask is not None
        assert mask.tolist() == expected
    # skin weights of another shape, or with NaN, are ignored
    for wrong in (weights[:3], weights * np.nan):
        np.savez(tmp_path / "b.npz", skin_weights=wrong, **arrays)
        with pytest.raises(ValueError, match="mask: no bone is called 'hand': the file does not name any"):
            load(tmp_path / "b.npz", mask="-bone:hand")


def test_exact_terms_change_the_mask_of_the_file(tmp_path: Path) -> None:
    stored = Animation(np.array([QUAD]), [[0, 1, 2], [0, 2, 3]], mask=[0, 0.5, 1, 1])
    stored.save(tmp_path / "a.npz")
    for terms, expected in (
        *(("auto -vertex:3", [0, 0.5, 1, 0]), ("-vertex:3", [0, 0.5, 1, 0])),
        *(("auto +vertex:0", [1, 0.5, 1, 1]), ("all -vertex:3", [1, 1, 1, 0])),
    ):
        mask = load(tmp_path / "a.npz", mask=terms).mask
        assert mask is not None
        assert mask.tolist() == expected
    assert load(tmp_path / "a.npz", mask="all").mask is None


def test_exact_colours_of_a_texture(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    writer, stored = Character(), io.BytesIO()
    # the left half of the image has the colour of skin
    pixels = np.array([[[200, 150, 120], [10, 20, 200]]], np.uint8)
    image.fromarray(pixels).save(stored, "png")
    writer.add("images", {"bufferView": writer.view(stored.getvalue()), "mimeType": "image/png"})
    writer.add("textures", {"source": 0})
    writer.part("Mesh", "one", TEXCOORD_0=[[0.1, 0.5], [0.9, 0.5], [0.9, 0.5], [0.1, 0.5]])
    writer.root["materials"][0]["pbrMetallicRoughness"] = {"baseColorTexture": {"index": 0}}
    found = load(writer.save(tmp_path / "hero.glb"), mask=["-#c89678"]).mask
    assert found is not None
    assert found.tolist() == [0, 1, 1, 0]


def test_exact_terms_of_texts() -> None:
    parsed = terms_of(["+cloth -bone:hand*", "N00 (Instance) +#fff"])
    assert [(term.sign, term.kind, term.pattern) for term in parsed] == [
        ("+", None, "cloth"),
        ("-", "bone", "hand*"),
        ("+", None, "N00 (Instance)"),
        ("+", None, "#fff"),
    ]


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ("-hnad.l", "mask: no mesh, material or bone is called 'hnad.l'; did you mean 'hand.l'"),
        ("+and*", r"mask: no mesh, material or bone is called 'and\*'; did you mean '\*and\*'"),
        ("bone:xyzzy", "mask: no bone is called 'xyzzy'; there are 'hips', 'hand.l', 'thumb_1'"),
        ("+", 'mask: expected a name after "\\+"'),
        ("-vertex:3-99", "mask: expected numbers of vertices from 0 to 7, such as 0-12,40, got '3-99'"),
        ("#12", "mask: expected a colour such as #c68642 or #c68642~20%, got '#12'"),
        ([0.5, 0.5], r"mask: expected a number for each of 8 vertices, got shape \(2,\)"),
        (8 * [2.0], "mask: vertex 0 has 2, allowed are 0 to 1"),
    ],
)
def test_reject_terms_that_choose_nothing(hero: Animation, terms: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make_mask(hero, terms)


def test_reject_names_and_colours_of_a_mesh_without_any() -> None:
    bare = Animation(np.array([QUAD]), [[0, 1, 2], [0, 2, 3]])
    assert make_mask(bare) is None
    with pytest.raises(ValueError, match="mask: no bone is called 'hand': the file does not name any"):
        make_mask(bare, "-bone:hand")
    with pytest.raises(ValueError, match="mask: the file does not have colours or textures"):
        make_mask(bare, "-#fff")


def test_exact_groups_of_vertices_and_of_several_meshes() -> None:
    bones = GroupKind(("a", "b"), np.array([[0], [1], [1]]), np.array([[1.0], [0.5], [1.0]]))
    groups = VertexGroups({"bone": bones})
    assert groups.of_vertices(np.array([2, 0])).kinds["bone"].weight(np.array([False, True])).tolist() == [1, 0]
    joined = joined_groups([groups, None], ["x", "y"], [3, 2])
    assert (joined.names("bone"), joined.names("mesh")) == (["a", "b"], ["y"])
    assert joined.kinds["bone"].weight(np.array([False, True])).tolist() == [0, 0.5, 1, 0, 0]
    assert joined.kinds["mesh"].weight(np.array([True])).tolist() == [0, 0, 0, 1, 1]


def test_exact_info_lists_deformation_and_the_option(tmp_path: Path) -> None:
    writer = Character()
    writer.part("Shirt")
    writer.part("Sword", joints=[[1, 1]] * 4)
    shirt, sword = describe(writer.save(tmp_path / "hero.glb"))["parts"]
    assert (shirt["triangles"], shirt["bends"], shirt["role"], shirt["option"], shirt["taken"]) == (
        *(2, 1.0, "cloth", "Shirt", True),
    )
    assert (sword["bends"], sword["shrinks"], sword["role"], sword["taken"]) == (0.0, 0.0, "weapon", False)
