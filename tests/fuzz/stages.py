"""Valid USD files, Alembic files and pictures from which the fuzzer starts, and readers of these files."""

import io
import time
from pathlib import Path

import numpy as np
from PIL import Image

import ruckle
from gltf_writer import TRIANGLE, Writer
from ruckle import load
from ruckle.io import describe
from ruckle.mesh.colors import Image as FilePicture
from ruckle.scene.texture import decoded

__all__ = ["REFUSALS", "draw", "load_and_draw", "load_stage", "pictures_of", "stages", "textured"]

# Errors that a reader may raise. The message is one line about the file.
REFUSALS = (ruckle.FormatError, ruckle.MeshError)

# Largest number of seconds that the USD process may need for one file. The process may have to start twice.
MOST_SECONDS = 20.0

CLOTH = """#usda 1.0
(
    startTimeCode = 1
    endTimeCode = 3
    upAxis = "Y"
)
def Xform "set" (variants = { string look = "a" }
    prepend variantSets = "look")
{
    double3 xformOp:translate.timeSamples = { 1: (0, 0, 1), 3: (0, 0, 2) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    variantSet "look" = {
        "a" {
            def Mesh "shirt"
            {
                int[] faceVertexCounts.timeSamples = { 1: [4, 3] }
                int[] faceVertexIndices = [0, 1, 2, 3, 0, 3, 4]
                point3f[] points.timeSamples = {
                    1: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)],
                    2.5: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 2)],
                }
                texCoord2f[] primvars:st = [(0, 0), (1, 1)] (interpolation = "faceVarying")
                int[] primvars:st:indices = [0, 1, 0, 1, 0, 1, 0]
                uniform token orientation = "leftHanded"
            }
        }
    }
}
def "copy" (instanceable = true
    references = [</set>, @./other.usda@</m>])
{
}
over "clipped" (clips = { dictionary default = { asset[] assetPaths = [@./other.usda@]
    string primPath = "/m"
    double2[] active = [(0, 0)] } })
{
}
"""
SKINNED = """#usda 1.0
(
    startTimeCode = 1
    endTimeCode = 2
)
def SkelRoot "hero"
{
    def Skeleton "bones" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        uniform token[] joints = ["hip", "hip/knee"]
        uniform matrix4d[] bindTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 1, 0, 1))]
        uniform matrix4d[] restTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 1, 0, 1))]
        rel skel:animationSource = </hero/walk>
    }
    def SkelAnimation "walk"
    {
        uniform token[] joints = ["hip", "hip/knee"]
        float3[] translations.timeSamples = { 1: [(0, 0, 0), (0, 1, 0)], 2: [(0, 0, 0), (0, 2, 0)] }
        quatf[] rotations = [(1, 0, 0, 0), (0.8, 0.6, 0, 0)]
        half3[] scales = [(1, 1, 1), (1, 1, 1)]
        uniform token[] blendShapes = ["smile"]
        float[] blendShapeWeights.timeSamples = { 1: [0], 2: [0.5] }
    }
    def Mesh "shirt" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        int[] faceVertexCounts = [3, 3]
        int[] faceVertexIndices = [0, 1, 2, 2, 1, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
        int[] primvars:skel:jointIndices = [0, 1, 1, 0, 0, 1, 1, 1] (interpolation = "vertex"
            elementSize = 2)
        float[] primvars:skel:jointWeights = [0.5, 0.5, 1, 0, 0.2, 0.8, 1, 0] (interpolation = "vertex"
            elementSize = 2)
        matrix4d primvars:skel:geomBindTransform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
        rel skel:skeleton = </hero/bones>
        uniform token[] skel:blendShapes = ["smile"]
        rel skel:blendShapeTargets = </hero/shirt/smile>
        def BlendShape "smile"
        {
            uniform vector3f[] offsets = [(0, 0, 1)]
            uniform int[] pointIndices = [2]
        }
    }
}
"""
OTHER = '#usda 1.0\ndef Mesh "m"\n{\n    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n}\n'


def stages(folder: Path, suffix: str) -> list[bytes]:
    """Return a stage with many features and a skinned stage, as text or binary files.

    The file other.usda, to which they refer, is written to the folder.
    """
    from pxr import Sdf

    (folder / "other.usda").write_text(OTHER)
    found = []
    for text in (CLOTH, SKINNED):
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.ImportFromString(text)
        layer.Export(str(folder / f"sound{suffix}"))
        found.append((folder / f"sound{suffix}").read_bytes())
    return [CLOTH.encode(), SKINNED.encode()] if suffix == ".usda" else found


def archives(folder: Path) -> list[bytes]:
    """Return two Alembic archives: a moving mesh with texture coordinates, and a mesh without motion."""
    cloth = ruckle.sample("fist_pumping").cut(0, 4)
    found = []
    for animation in (cloth, cloth.cut(0, 1)):
        animation.save(folder / "sound.abc")
        found.append((folder / "sound.abc").read_bytes())
    return found


def load_stage(path: Path) -> None:
    """Read an animation, check that it is finite, and describe its file. Assert that both take at most MOST_SECONDS.

    Of the rejected files, only a quarter is described.
    """
    before = time.monotonic()
    described = True
    try:
        assert np.isfinite(load(path).positions).all()
    except REFUSALS:
        # the description usually rejects the file for the same reason
        described = path.stat().st_size % 4 == 0
        raise
    finally:
        if described:
            describe(path)
        assert time.monotonic() - before < MOST_SECONDS


def pictures_of(_: Path) -> list[bytes]:
    """Return pictures in the formats PNG, JPEG and WebP with different types of pixels."""
    random = np.random.default_rng(3)
    colours, found = Image.fromarray(random.integers(0, 256, (9, 7, 4), np.uint8)), []
    kinds = [("RGB", "PNG"), ("RGBA", "PNG"), ("P", "PNG"), ("1", "PNG"), ("LA", "PNG"), ("RGB", "JPEG"), ("L", "JPEG")]
    for mode, form in [*kinds, ("CMYK", "JPEG"), ("RGB", "WEBP"), ("RGBA", "WEBP")]:
        stream = io.BytesIO()
        colours.convert(mode).save(stream, form)
        found.append(stream.getvalue())
    deep = io.BytesIO()
    Image.fromarray(random.integers(0, 65536, (9, 7)).astype(np.uint16)).save(deep, "PNG")
    moving = io.BytesIO()
    colours.save(moving, "WEBP", save_all=True, append_images=[colours.rotate(90)], lossless=True)
    return [*found, deep.getvalue(), moving.getvalue()]


def draw(path: Path) -> None:
    """Decode a picture file in the same way as the renderer."""
    decoded([FilePicture(str(path), path.read_bytes, 0.5)])


def textured(folder: Path) -> list[bytes]:
    """Return GLB files with two materials that use the same picture."""
    found = []
    for content in pictures_of(folder):
        writer = Writer()
        uv = writer.accessor([[0, 0], [1, 0], [0, 1]])
        attributes = [{"POSITION": writer.accessor(TRIANGLE), "TEXCOORD_0": uv} for _ in range(2)]
        writer.mesh(*({"attributes": own, "material": number} for number, own in enumerate(attributes)))
        for mode in ("OPAQUE", "MASK"):
            texture = {"baseColorTexture": {"index": 0}}
            writer.add("materials", {"pbrMetallicRoughness": texture, "alphaMode": mode})
        writer.add("textures", {"source": writer.add("images", {"bufferView": writer.view(content)})})
        found.append(writer.glb())
    return found


def load_and_draw(path: Path) -> None:
    """Read an animation, and decode the pictures of its materials."""
    colors = load(path).colors
    if colors is not None:
        decoded(colors.images)
