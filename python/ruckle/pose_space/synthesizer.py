"""Applies a database of examples to the frames of an animation: the stateful class of this package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import instance
from ruckle.arrays import Float32, Int32, float32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import topology_of
from ruckle.parameters import Parameter, options_of, with_parameters
from ruckle.pickling import PickledLayer
from ruckle.pose_space.database import PoseDatabase
from ruckle.pose_space.parameters import DEFAULTS, PARAMETERS, PoseParameters, PoseStats, PoseTimings
from ruckle.surface.frame import Details
from ruckle.surface.layers import FineShape, RefinedMesh, ShapeFrame

__all__ = ["PoseFrame", "PoseStats", "PoseSynthesizer", "PoseTimings"]

# Relative change of a face's area from which its folds are visible.
VISIBLE_GAIN = 0.01


class PoseFrame(ShapeFrame):
    """One frame of a `PoseSynthesizer`. Its arrays are read-only and remain valid after later steps.

    Attributes
    ----------
    normals : (V, 3) float32
        Unit normals of the fine mesh: area-weighted means of face normals.
    angles : dict of str to (1,) or (3,) float64, radians
        Rotation angles of each joint by its name; see `ruckle.joint_angles`.
    outside : dict of str to (1,) or (3,) float64, radians
        Angles minus the nearest samples; 0 inside the sampled range. Outside it, the details of the nearest samples are
        used.
    database : PoseDatabase
    options : mapping
        Values of the PoseSynthesizer's parameters by name.
    """

    def __init__(
        self,
        found: tuple[Float32, Float32, list[NDArray[np.float64]], list[NDArray[np.float64]], PoseTimings, PoseStats],
        positions: ArrayLike,
        synthesizer: PoseSynthesizer,
        *,
        faces: Int32 | None,
        index: int,
    ) -> None:
        synthesizer = instance("synthesizer", synthesizer, PoseSynthesizer)
        database = self.database = synthesizer.database
        self.options = synthesizer.options
        super().__init__(
            positions, database.binding.topology, faces=faces, length_unit=database.edge_length, index=index
        )
        fine, self.normals, angles, outside, self._timings, self._stats = found
        names = [joint.name for joint in database.joints]
        self.angles = dict(zip(names, angles, strict=True))
        self.outside = dict(zip(names, outside, strict=True))
        self._shape = FineShape(fine, synthesizer.mesh)
        for array in (fine, self.normals):
            array.flags.writeable = False

    @property
    def shape(self) -> FineShape:
        """The fine mesh and the positions of its vertices."""
        return self._shape

    @cached_property
    def details(self) -> Details:
        """Midpoints of the faces whose area changes visibly, and the changes of area."""
        return Details.of_faces(self, np.abs(self.area_gains), VISIBLE_GAIN)

    @property
    def timings(self) -> PoseTimings:
        """Milliseconds per stage of the step that computed this frame."""
        return self._timings

    @property
    def stats(self) -> PoseStats:
        """Counts of joints and vertices in this step; see `PoseStats`."""
        return self._stats

    def __repr__(self) -> str:
        return (
            f"PoseFrame({self.index}: {len(self.normals)} vertices, {self._stats['moved']} of {len(self.angles)} "
            f"joints moved, {self._stats['clamped']} beyond the examples)"
        )


@with_parameters(PARAMETERS, DEFAULTS)
class PoseSynthesizer(PickledLayer[_core.PoseSynthesizer]):
    """Replaces coarse cloth by a fine mesh with wrinkles from examples (Wang et al. 2010).

    Parameters
    ----------
    database : PoseDatabase
    **parameters
        Parameters in `PoseSynthesizer.parameters`.

    Attributes
    ----------
    parameters : tuple of Parameter
        Description of each parameter.
    database : PoseDatabase
    options : mapping
        Values of the parameters by name.
    mesh : RefinedMesh
        The fine mesh.

    Raises
    ------
    ValueError
        A parameter is out of its range, or the faces of the fine mesh do not form a manifold mesh. Or the rule is
        "fitted" and the database does not have fitted weights.
    TypeError
        A parameter does not exist.

    Examples
    --------
    >>> database = ruckle.load_poses("sleeve.poses.npz")  # doctest: +SKIP
    >>> layer = ruckle.PoseSynthesizer.for_animation(animation, database)  # doctest: +SKIP
    >>> for positions, bones in zip(animation.positions, animation.bones):  # doctest: +SKIP
    ...     fine = layer.step(positions, bones=bones).shape
    """

    parameters: ClassVar[tuple[Parameter, ...]] = tuple(PARAMETERS.values())

    def __init__(self, database: PoseDatabase, **parameters: Unpack[PoseParameters]) -> None:
        self.database = instance("database", database, PoseDatabase, "ruckle.load_poses reads one from a file")
        options = options_of(PARAMETERS, parameters)
        if "merge" not in options and self.database.has_shares:
            options["merge"] = "fitted"
        self._given = options
        self.options: Mapping[str, Any] = {**DEFAULTS, **options}
        self._make_core()
        self._bones = np.array(database.used_bones, np.intp)
        binding = database.binding
        self.mesh = RefinedMesh(database.faces, binding.coarse_faces, binding.barycentric)
        self._skeleton = database.skeleton
        self._faces: Int32 | None = None

    def _make_core(self) -> None:
        database, fitted = self.database, self.options["merge"] == "fitted"
        numbers = {bone: number for number, bone in enumerate(database.used_bones)}
        joints = []
        for joint in database.joints:
            if fitted and joint.fitted is None:
                raise ValueError(
                    f"merge: joint '{joint.name}' contains no fitted shares; build the database with fitted="
                )
            joints.append(
                {
                    "name": joint.name,
                    "parent_bone": numbers[joint.parent_bone],
                    "child_bone": numbers[joint.child_bone],
                    "kind": joint.kind,
                    "axes": np.ascontiguousarray(joint.axes, np.float64),
                    "angles": list(joint.angles),
                    "vertices": joint.vertices,
                    "weights": joint.fitted if fitted else joint.weights,
                    "details": np.ascontiguousarray(joint.details),
                    "step": joint.step,
                }
            )
        self._core = _core.PoseSynthesizer(
            database.binding.core,
            database.rest_details,
            database.faces,
            joints,
            len(numbers),
            self._given,
            self._skin(),
        )

    @classmethod
    @with_parameters(PARAMETERS, DEFAULTS, percentages=True)
    def for_animation(
        cls, animation: Animation, database: PoseDatabase, **parameters: Unpack[PoseParameters]
    ) -> PoseSynthesizer:
        """Make a PoseSynthesizer for an animation, which may have more bones and another order of bones.

        Parameters
        ----------
        animation : Animation
        database : PoseDatabase
        **parameters
            Parameters in `PoseSynthesizer.parameters`; lengths may be percentages of the character's height.

        Raises
        ------
        ValueError
            The animation has another coarse mesh, does not have a skeleton, or lacks a bone of the database.
        """
        height = require_animation(animation).height
        made = cls(database, **options_of(PARAMETERS, parameters, height=height))
        skeleton = animation.skeleton
        if skeleton is None:
            raise ValueError(
                f"animation: '{animation.name}' has no skeleton, which joint angles need; skinned glTF "
                "files have one, and NPZ files with bone_matrices, joint_names, joint_parents and rest_joints"
            )
        topology, welded = database.binding.topology, topology_of(animation)
        if topology.vertex_count != welded.vertex_count or not np.array_equal(topology.faces, welded.faces):
            raise ValueError(
                f"animation: '{animation.name}' has another coarse mesh than the database, {welded.vertex_count} "
                f"vertices and {welded.face_count} triangles instead of {topology.vertex_count} and "
                f"{topology.face_count}, or other ones"
            )
        names = [database.skeleton.names[bone] for bone in database.used_bones]
        made._bones = np.array([skeleton.index(name) for name in names], np.intp)
        made._skeleton, made._faces = skeleton, animation.faces
        return made

    def _skin(self) -> tuple[Float32, Float32, Float32] | None:
        """Return coarse rest positions, skin weights of the used bones, and distances (`CoarseSkin`) for the core.

        Return None if the database does not have skin weights.
        """
        skin = self.database.skin
        if skin is None:
            return None
        return (
            self.database.binding.rest,
            np.ascontiguousarray(skin.weights[:, self.database.used_bones]),
            skin.distances,
        )

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the coarse mesh."""
        return self.database.binding.topology

    def step(self, positions: ArrayLike, dt: float = 1.0 / 30.0, *, bones: ArrayLike | None = None) -> PoseFrame:
        """Compute the next frame.

        Parameters
        ----------
        positions : (C, 3) float, mesh units
            Positions of the coarse mesh.
        dt : float, seconds
            Not used, because the shape does not depend on earlier frames.
        bones : (B, 3, 4) float
            Bone matrices from rest to this frame, in the bone order of the database's skeleton. After `for_animation`:
            in the bone order of the animation.

        Returns
        -------
        PoseFrame

        Raises
        ------
        MeshError
            A position is not finite, or the number of vertices differs; the state is then unchanged.
        ValueError
            The bones are missing, not finite or not rigid, or their number is wrong.
        """
        if bones is None:
            raise ValueError("bones: expected the bone matrices of the frame, such as Animation.bones[frame], got None")
        points, matrices, index = float32("positions", positions), float32("bones", bones), self._core.frame_count
        if matrices.shape != (self._skeleton.joint_count, 3, 4):
            raise ValueError(
                f"bones: expected shape ({self._skeleton.joint_count}, 3, 4), as the skeleton has joints, "
                f"got {matrices.shape}"
            )
        found: Any = self._core.step(points, np.ascontiguousarray(matrices[self._bones]))
        return PoseFrame(found, points, self, faces=self._faces, index=index)

    def __repr__(self) -> str:
        return f"PoseSynthesizer({self.database!r}, {self.frame_count} frames done)"
