"""Answers the requests of `library_child.py` about a USD stage. The caller decides which layers may be opened.

This file imports only the standard library and USD.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

__all__ = ["Reader"]

# If a file has at most this number of bytes and contains one mesh, this mesh is sent with the description of the stage,
# also with its points if there are at most this number of points in all frames together. For small files, requests take
# longer than reading.
SMALL_FILE, FEW_POINTS = 2**16, 2**14

# Names of primvars with texture coordinates in common programs; the first one that exists is used.
TEXTURES = ("st", "UVMap", "st0", "map1", "uv")

# Names of bind attributes. Some programs write them as time samples, although USD reads them at the default time.
SKELETON_BIND, MESH_BIND = (
    ("bindTransforms", "restTransforms", "joints"),
    ("primvars:skel:geomBindTransform", "primvars:skel:jointIndices", "primvars:skel:jointWeights", "skel:joints"),
)


class StageError(Exception):
    """Error for a stage that cannot be used. The message continues a sentence that starts with the file's path."""


class Reader:
    """The layers and the stage of one file. Its methods answer the requests."""

    Fault, format = StageError, "USD"

    def __init__(self) -> None:
        from pxr import Ar, Gf, Sdf, Tf, Usd, UsdGeom, UsdShade, UsdSkel, Vt

        self.ar, self.gf, self.sdf, self.tf, self.usd = Ar, Gf, Sdf, Tf, Usd
        self.geom, self.skel, self.vt, self.shade = UsdGeom, UsdSkel, Vt, UsdShade
        self.muted: list[str] = []
        self.close()

    @property
    def is_open(self) -> bool:
        """True if a file is open."""
        return bool(self.layers)

    def close(self) -> dict[str, Any]:
        """Close the file: release stage and layers, and allow muted layers again."""
        for identifier in self.muted:
            self.sdf.Layer.RemoveFromMutedLayers(identifier)
        self.muted = []
        self.stage: Any = None
        self.context: Any = None
        self.layers: dict[str, Any] = {}
        self.meshes: dict[str, Any] = {}
        self.skins: dict[str, Any] = {}
        self.caches: list[Any] = []
        return {}

    def layer(self, identifier: str) -> dict[str, Any]:
        """Open one layer without composition. Return the layers to which it refers, as written and as found.

        If the main file does not refer to any layer, also compose the stage and return its description as "stage". For
        a small file, "ahead" contains the requests that will probably follow, and the answers.
        """
        resolver = self.ar.GetResolver()
        if self.context is None:
            self.context = resolver.CreateDefaultContextForAsset(identifier)
        with self.ar.ResolverContextBinder(self.context):
            found = self.sdf.Layer.FindOrOpen(identifier)
            if found is None:
                raise StageError("is not a readable USD file")
            self.layers[identifier] = found
            named = {(asset, False) for asset in found.GetCompositionAssetDependencies()} | {*self._clips(found)}
            named = {(asset, numbered) for asset, numbered in named if asset}
            if named or len(self.layers) > 1:
                return {"named": [(*self._located(found, asset), numbered) for asset, numbered in sorted(named)]}
        # all layers are open, so composition does not open another layer
        stage = self.compose()
        is_small = len(self.meshes) == 1 and os.path.getsize(identifier) <= SMALL_FILE
        return {"named": [], "stage": stage} | ({"ahead": self._ahead(stage)} if is_small else {})

    def mute(self, identifier: str) -> dict[str, Any]:
        """Prevent USD from opening a layer during composition."""
        self.sdf.Layer.AddToMutedLayers(identifier)
        self.muted.append(identifier)
        return {}

    def compose(self) -> dict[str, Any]:
        """Compose the stage. Return its up axis, unit, times and meshes."""
        root = next(iter(self.layers.values()))
        stage = self.stage = self.usd.Stage.Open(root, self.context)
        known = {layer.identifier for layer in self.layers.values()} | {*self.muted}
        for layer in stage.GetUsedLayers():
            if not layer.anonymous and layer.identifier not in known:
                raise StageError(f"uses {layer.identifier}, to which no checked layer refers")
        meshes, instancers = self._find()
        return {
            "up": str(self.geom.GetStageUpAxis(stage)),
            "meters_per_unit": self.geom.GetStageMetersPerUnit(stage),
            "start": stage.GetStartTimeCode(),
            "end": stage.GetEndTimeCode(),
            "authored": stage.HasAuthoredTimeCodeRange(),
            "codes_per_second": stage.GetTimeCodesPerSecond(),
            "meshes": meshes,
            "instancers": instancers,
        }

    def mesh(self, path: str) -> tuple[Any, ...]:
        """Return the constant parts of a mesh and the times of its samples. StageError if the topology changes."""
        prim = self.meshes[path]
        self._settle(prim, MESH_BIND)
        mesh, arrays = self.geom.Mesh(prim), {}
        for name, attribute in (
            ("faceVertexCounts", mesh.GetFaceVertexCountsAttr()),
            ("faceVertexIndices", mesh.GetFaceVertexIndicesAttr()),
        ):
            value, change = self._constant(attribute)
            if change is not None:
                raise StageError(f"the topology of {path} changes at time code {change:g}, but must be constant")
            arrays[name] = value
        reply: dict[str, Any] = {"interpolation": None, "uv_changes": False, "mirrored": self._mirrored(prim)}
        primvars = self.geom.PrimvarsAPI(prim)
        primvar = next((one for name in TEXTURES if (one := primvars.GetPrimvar(name)).HasValue()), None)
        if primvar is not None:
            reply["interpolation"] = str(primvar.GetInterpolation())
            arrays["uv"], changes = self._constant(primvar.GetAttr())
            if primvar.IsIndexed():
                arrays["uv_indices"], indices_change = self._constant(primvar.GetIndicesAttr())
                changes = indices_change if changes is None else changes
            reply["uv_changes"] = changes is not None
        reply["left_handed"] = mesh.GetOrientationAttr().Get() == self.geom.Tokens.leftHanded
        reply["samples"] = sorted({*self._samples(prim)})
        points = self._at(mesh.GetPointsAttr(), self.usd.TimeCode.EarliestTime())
        reply["point_count"] = 0 if points is None else len(points)
        reply["subsets"] = self._subsets(mesh, arrays)
        reply["joints"] = self._influences(path, reply["point_count"], arrays)
        views = {name: _view(value, f"{name} of {path}") for name, value in arrays.items() if value is not None}
        reply["arrays"] = {name: [view.format, view.shape] for name, view in views.items()}
        return reply, *views.values()

    def _ahead(self, stage: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
        """Yield the probable requests for the only mesh of a stage, each with its answer."""
        [path] = self.meshes
        contents = self.mesh(path)
        yield {"ask": "mesh", "path": path}, contents
        samples = contents[0]["samples"]
        first, last = stage["start"], stage["end"]
        if not (stage["authored"] and first < last):
            first, last = (samples[0], samples[-1]) if samples else (first, first)
        is_small = (last - first + 1.0) * max(1, contents[0]["point_count"]) <= FEW_POINTS
        # frames that are not whole codes apart are left to the caller
        if is_small and all((sample - first).is_integer() for sample in samples):
            codes = [first + frame for frame in range(int(last - first) + 1)]
            yield {"ask": "points", "path": path, "codes": codes}, self.points(path, codes)

    def _material(self, prim: Any) -> str:
        """Return the name of the material bound to a prim, or "" without material."""
        material = self.shade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
        return str(material.GetPrim().GetName()) if material else ""

    def _subsets(self, mesh: Any, arrays: dict[str, Any]) -> list[str]:
        """Return the materials of a mesh's face subsets, and add the polygons of each subset to `arrays`."""
        names: list[str] = []
        for subset in self.shade.MaterialBindingAPI(mesh.GetPrim()).GetMaterialBindSubsets():
            indices, name = self._at(subset.GetIndicesAttr(), self.usd.TimeCode.EarliestTime()), ""
            if indices is not None:
                name = self._material(subset.GetPrim())
            if name:
                arrays[f"subset {len(names)}"] = indices
                names.append(name)
        return names

    def _influences(self, path: str, count: int, arrays: dict[str, Any]) -> list[str]:
        """Return the paths of a skin's joints, and add the joint indices and weights of each point to `arrays`."""
        skin, skeleton = self.skins.get(path, (None, None))
        if skin is None or not skin.HasJointInfluences():
            return []
        found = skin.ComputeVaryingJointInfluences(count, self.usd.TimeCode.EarliestTime())
        if not found:
            return []
        arrays["joint_indices"], arrays["joint_weights"] = found
        return [str(joint) for joint in skin.GetJointOrder() or skeleton.GetJointOrder()]

    def points(self, path: str, codes: list[float]) -> Iterator[tuple[bytes, Any]]:
        """Yield the matrix and the points at each time code. Stop after a change of the number of points."""
        space, count = self.geom.XformCache(), None
        attribute = self.geom.Mesh(self.meshes[path]).GetPointsAttr()
        for code in codes:
            space.SetTime(code)
            points, matrix = self._posed(path, attribute, space, code)
            view = _view(points, f"points of {path} at time code {code:g}")
            shape = view.shape or ()
            if len(shape) != 2 or shape[1] != 3:
                raise StageError(f"points of {path} at time code {code:g} are not triples of numbers")
            yield bytes(matrix), view
            if count not in (None, len(view)):
                return
            count = len(view)

    def _clips(self, layer: Any) -> Iterator[tuple[str, bool]]:
        """Yield the layers of value clips, which USD does not list, and True if "#" in the name means a number."""
        if layer.GetFileFormat().formatId == "usda" and b"clips" not in _content(layer.realPath):
            return
        paths: list[Any] = []
        layer.Traverse(self.sdf.Path.absoluteRootPath, paths.append)
        for path in paths:
            if not (path.IsPrimPath() or path.IsPrimVariantSelectionPath()):
                continue
            prim = layer.GetPrimAtPath(path)
            for clip_set in prim.GetInfo("clips").values() if prim and prim.HasInfo("clips") else ():
                if not isinstance(clip_set, dict):
                    continue
                for asset in [*(clip_set.get("assetPaths") or ()), clip_set.get("manifestAssetPath")]:
                    yield getattr(asset, "path", ""), False
                yield str(clip_set.get("templateAssetPath") or ""), True

    def _located(self, layer: Any, asset: str) -> tuple[str, str, str]:
        """Return an asset path as written, its identifier, and the path of its file (or "")."""
        if self.sdf.VariableExpression.IsExpression(asset):
            return asset, "", ""
        identifier = self.sdf.ComputeAssetPathRelativeToLayer(layer, asset)
        plain = self.sdf.Layer.SplitIdentifier(identifier)[0]
        file = str(self.ar.GetResolver().Resolve(plain)) or plain
        while self.ar.IsPackageRelativePath(file):
            file = self.ar.SplitPackageRelativePathOuter(file)[0]
        return asset, identifier, file

    def _find(self) -> tuple[list[dict[str, Any]], list[str]]:
        """Find the meshes of the stage and their skins. Return a list of the meshes, and the paths of point instancers.

        Meshes in instances are included, and meshes that are not drawn; prims below a point instancer are not.
        """
        predicate = self.usd.TraverseInstanceProxies()
        while self.stage.GetPrototypes() and self._share_less(predicate):
            pass
        instancers, roots = [], []
        prims = iter(self.usd.PrimRange(self.stage.GetPseudoRoot(), predicate))
        for prim in prims:
            if prim.IsA(self.geom.PointInstancer):
                instancers.append(str(prim.GetPath()))
                prims.PruneChildren()
            elif prim.IsA(self.geom.Mesh):
                self.meshes[str(prim.GetPath())] = prim
            elif prim.IsA(self.skel.Root):
                roots.append(prim)
            elif prim.IsA(self.skel.Skeleton):
                self._settle(prim, SKELETON_BIND)
        for root in roots:
            self._bind(self.skel.Root(root), predicate)
        return [
            {
                "path": path,
                "name": prim.GetName(),
                "material": self._material(prim),
                "moves": self._moves(path, prim),
                "drawn": self._is_drawn(prim),
            }
            for path, prim in self.meshes.items()
        ], instancers

    def _share_less(self, predicate: Any) -> bool:
        """Make the first instance editable whose bind attributes must be changed. Return False if there is none."""
        for prim in self.stage.Traverse(predicate):
            names = SKELETON_BIND if prim.IsA(self.skel.Skeleton) else MESH_BIND if prim.IsA(self.geom.Mesh) else ()
            attributes = [prim.GetAttribute(name) for name in names] if prim.IsInstanceProxy() else []
            if any(attribute and attribute.GetNumTimeSamples() for attribute in attributes):
                while not prim.IsInstance():
                    prim = prim.GetParent()
                with self.usd.EditContext(self.stage, self.stage.GetSessionLayer()):
                    prim.SetInstanceable(False)
                return True
        return False

    def _bind(self, root: Any, predicate: Any) -> None:
        """Find the skins of the meshes below a skeleton root, and store each with its skeleton in `skins`."""
        cache = self.skel.Cache()
        self.caches.append(cache)
        cache.Populate(root, predicate)
        for binding in cache.ComputeSkelBindings(root, predicate):
            skeleton = cache.GetSkelQuery(binding.GetSkeleton())
            for skin in binding.GetSkinningTargets() if skeleton else ():
                self.skins[str(skin.GetPrim().GetPath())] = (skin, skeleton)

    def _moves(self, path: str, prim: Any) -> bool:
        animation = self._animation(path)
        posed = animation and (
            animation.JointTransformsMightBeTimeVarying() or animation.BlendShapeWeightsMightBeTimeVarying()
        )
        return bool(posed) or self.geom.Mesh(prim).GetPointsAttr().ValueMightBeTimeVarying()

    def _animation(self, path: str) -> Any:
        return self.skins[path][1].GetAnimQuery() if path in self.skins else None

    def _is_drawn(self, prim: Any) -> bool:
        """Return True if renderers draw the prim: its purpose is default or render, and it is not always invisible."""
        purpose = self.geom.Imageable(prim).ComputePurpose()
        if purpose not in (self.geom.Tokens.default_, self.geom.Tokens.render):
            return False
        earliest, invisible = self.usd.TimeCode.EarliestTime(), self.geom.Tokens.invisible
        while prim and not prim.IsPseudoRoot():
            visibility = self.geom.Imageable(prim).GetVisibilityAttr() if prim.IsA(self.geom.Imageable) else None
            if visibility and not visibility.ValueMightBeTimeVarying() and visibility.Get(earliest) == invisible:
                return False
            prim = prim.GetParent()
        return True

    def _at(self, attribute: Any, code: Any) -> Any:
        """Return a value at a time code. Before the first valid sample, return the value of this sample."""
        value = attribute.Get(code)
        if value is None and attribute.GetNumTimeSamples():
            samples = map(attribute.Get, attribute.GetTimeSamples())
            value = next((sample for sample in samples if sample is not None), None)
        return value

    def _constant(self, attribute: Any) -> tuple[Any, float | None]:
        """Return the first value of an attribute, and the time code at which it changes, or None if it is constant."""
        times = attribute.GetTimeSamples()
        first = self._at(attribute, self.usd.TimeCode.EarliestTime())
        for code in times[1:]:
            value = attribute.Get(code)
            if value is not None and value != first:
                return first, code
        return first, None

    def _settle(self, prim: Any, names: tuple[str, ...]) -> None:
        """Copy the value of bind attributes with time samples to the default time. StageError if a value changes."""
        for name in names:
            attribute = prim.GetAttribute(name)
            if not attribute or not attribute.GetNumTimeSamples():
                continue
            value, change = self._constant(attribute)
            if change is not None:
                raise StageError(f"{name} of {prim.GetPath()} changes at time code {change:g}; it must be constant")
            with self.usd.EditContext(self.stage, self.stage.GetSessionLayer()):
                prim.GetAttribute(name).Set(value)

    def _mirrored(self, prim: Any) -> bool:
        """Return True if bind transform and first joint mirror a mesh. The matrix that `points` yields is ignored."""
        skin, skeleton = self.skins.get(str(prim.GetPath()), (None, None))
        if skin is None or skin.IsRigidlyDeformed() or not skin.HasJointInfluences():
            return False
        earliest = self.usd.TimeCode.EarliestTime()
        poses = skeleton.ComputeSkinningTransforms(earliest)
        determinant = skin.GetGeomBindTransform(earliest).GetDeterminant3()
        return bool((determinant * poses[0].GetDeterminant3() if poses else determinant) < 0.0)

    def _samples(self, prim: Any) -> Iterator[float]:
        """Yield the times of all samples that move a mesh."""
        yield from self.geom.Mesh(prim).GetPointsAttr().GetTimeSamples()
        holders = [prim]
        animation = self._animation(str(prim.GetPath()))
        if animation:
            yield from animation.GetJointTransformTimeSamples()
            yield from animation.GetBlendShapeWeightTimeSamples()
            holders.append(self.skins[str(prim.GetPath())][1].GetPrim())
        for holder in holders:
            while holder and not holder.IsPseudoRoot():
                if holder.IsA(self.geom.Xformable):
                    yield from self.geom.Xformable(holder).GetTimeSamples()
                holder = holder.GetParent()

    def _posed(self, path: str, attribute: Any, space: Any, code: float) -> tuple[Any, Any]:
        """Return the points of a mesh at a time code, and the matrix from their space to stage space.

        `attribute` is the attribute of the points at rest.
        """
        prim = self.meshes[path]
        points = self._at(attribute, code)
        if points is None:
            raise StageError(f"{path} has no points")
        if path not in self.skins:
            return points, space.GetLocalToWorldTransform(prim)
        skin, skeleton = self.skins[path]
        if not isinstance(points, self.vt.Vec3fArray):
            raise StageError(f"points of {path} are not of type point3f[], which a skin needs")
        points = self.vt.Vec3fArray(points)
        animation = skeleton.GetAnimQuery()
        if skin.HasBlendShapes() and animation:
            self._blend(prim, skin, animation.ComputeBlendShapeWeights(code), points)
        if not skin.HasJointInfluences():
            return points, space.GetLocalToWorldTransform(prim)
        poses = skeleton.ComputeSkinningTransforms(code)
        matrix = space.GetLocalToWorldTransform(skeleton.GetPrim())
        if skin.IsRigidlyDeformed():
            return points, skin.ComputeSkinnedTransform(poses, code) * matrix
        if not skin.ComputeSkinnedPoints(poses, points, code):
            raise StageError(f"the joint weights of {path} do not fit its points or its skeleton")
        return points, matrix

    def _blend(self, prim: Any, skin: Any, weights: Any, points: Any) -> None:
        """Add the displacements of the blend shapes, times `weights`, to `points`. StageError if they do not fit."""
        shapes = self.skel.BlendShapeQuery(self.skel.BindingAPI(prim))
        mapper = skin.GetBlendShapeMapper()
        parts = shapes.ComputeSubShapeWeights(mapper.Remap(weights) if mapper else weights)
        moved = shapes.ComputeDeformedPoints(
            *parts, shapes.ComputeBlendShapePointIndices(), shapes.ComputeSubShapePointOffsets(), points
        )
        if not moved:
            raise StageError(f"the blend shapes of {prim.GetPath()} do not fit its points")


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _view(value: Any, name: str) -> memoryview:
    """Return a view of an array's numbers. Raise StageError if the value is not an array."""
    try:
        return memoryview(value)
    except TypeError as error:
        raise StageError(f"{name} is not an array of numbers but a {type(value).__name__}") from error
