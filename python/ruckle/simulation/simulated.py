"""Coarse cloth at run time, as in a game. It is simulated from bones, and its positions are the input of layers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, positive_number
from ruckle.arrays import Float32, float32, int32, triangles
from ruckle.parameters import options_of
from ruckle.pickling import Pickled
from ruckle.simulation.body import Body
from ruckle.simulation.cloth import FRAME_TIME, ClothStats, ClothTimings, attachment_shares
from ruckle.simulation.material import COARSE_COMPRESSION, Material, coarse_material, core_numbers
from ruckle.simulation.parameters import PARAMETERS
from ruckle.simulation.sheet import Sheet

__all__ = ["Simulated"]

# Distance from the body in metres. An edge of length e is a chord: it cuts e² / (8 r) into a limb of radius r. 8 mm is
# enough for e = r = 60 mm.
COARSE_MARGIN = 0.008

# Substeps per frame of 1/60 s. A coarse garment of 200 vertices stretches by 8 % with 4 substeps, and 3 % with 8.
SUBSTEPS = 8


class Simulated(Pickled[_core.Simulated]):
    """Cloth of a character, simulated frame by frame from posed bones.

    This is the coarse cloth of a game. Compressed cloth shortens instead of buckling, and layers turn the lost length
    into wrinkles. C++ (`ruckle/simulation/simulated.h`) and C (`ruckle_c_cloth.h`) have the same class.

    Parameters
    ----------
    sheet : Sheet
        The cloth at rest, its attachment and its skin weights.
    cones : (C, 8) float, metres, optional
        Rounded cones at rest that the cloth must not enter: center, radius, center, radius.
    cone_bones : (C,) int
        Index of each cone's bone.
    body : Body, optional
        A skinned mesh that the cloth must not enter, for bodies that cones cannot represent. It is slower than cones.
    material : str or Material
        A name in `ruckle.MATERIALS`, or a Material. Its strain limits (`least_stretch`, `largest_stretch`) and its
        `bend_damping`, `bend_friction` and `edge_damping` are replaced by values for coarse cloth.
    substeps : int, in [1, 256]
        Number of substeps per frame.
    compression, margin, contact_spacing, self_distance, threads
        See `ClothSimulation`.

    Raises
    ------
    MeshError
        The faces do not form a manifold mesh, or a face has no area at rest.
    ValueError
        An array has a wrong shape, or a parameter is out of its range.

    Examples
    --------
    >>> skirt = ruckle.Simulated(scene.coarse, scene.cones, scene.cone_bones)  # doctest: +SKIP
    >>> for bones in scene.motion.bones:  # doctest: +SKIP
    ...     frame = wrinkler.step(skirt.step(bones, 1 / 60), 1 / 60)
    """

    def __init__(
        self,
        sheet: Sheet,
        cones: ArrayLike | None = None,
        cone_bones: ArrayLike = (),
        body: Body | None = None,
        *,
        material: str | Material = "cotton",
        substeps: int = SUBSTEPS,
        compression: float = COARSE_COMPRESSION,
        margin: float = COARSE_MARGIN,
        contact_spacing: float = 0.0,
        self_distance: float = 0.0,
        threads: int = 1,
    ) -> None:
        self.sheet = instance(
            "sheet", sheet, Sheet, "a scene has one, scene.coarse, and ruckle.simulation.grid_sheet makes one"
        )
        no_body = Body(
            np.empty((0, 3), np.float32), np.empty((0, 3), np.int32), np.empty((0, sheet.weights.shape[1]), np.float32)
        )
        self._body = no_body if body is None else instance("body", body, Body, "load_body reads one")
        self._cones = float32("cones", np.empty((0, 8)) if cones is None else cones).copy()
        self._cone_bones = int32("cone_bones", cone_bones if np.size(cone_bones) else np.empty(0, np.int32)).copy()
        self._faces = triangles("faces", sheet.faces).copy()
        self._material = coarse_material(material)
        given = {
            "substeps": substeps,
            "strain_sweeps": 1,
            "compression": compression,
            "margin": margin,
            "contact_spacing": contact_spacing,
            "self_distance": self_distance,
            "threads": threads,
        }
        self._options = options_of(PARAMETERS, given)
        self._make_core()

    def _make_core(self) -> None:
        self._core = _core.Simulated(
            float32("rest", self.sheet.rest),
            self._faces,
            attachment_shares(self.sheet.attachment),
            float32("weights", self.sheet.weights),
            self._cones,
            self._cone_bones,
            float32("body", self._body.positions),
            self._body.faces,
            float32("body_weights", self._body.weights),
            core_numbers(self._material),
            self._options,
        )

    @property
    def faces(self) -> np.ndarray:
        """(T, 3) int32: vertex indices."""
        return self.sheet.faces

    @property
    def frame_count(self) -> int:
        """Number of computed frames. `reset` does not set it to 0."""
        return self._core.frame_count

    @property
    def timings(self) -> ClothTimings:
        """Milliseconds per stage of the last step."""
        return self._core.timings

    @property
    def stats(self) -> ClothStats:
        """Counts and measurements of the last step."""
        return self._core.stats

    def step(self, bones: ArrayLike, dt: float = FRAME_TIME, *, wind: ArrayLike | None = None) -> Float32:
        """Compute the next frame, and return the positions of the cloth.

        Parameters
        ----------
        bones : (B, 3, 4) float
            Bone matrices from rest to the end of the frame: rotation left, translation in metres right. In the first
            frame, the cloth is placed as a skin of the bones. Start near the rest pose, so that layers of cloth do not
            penetrate each other.
        dt : float, seconds
            Time since the previous frame, above 0.
        wind : (3,) float, m/s, optional
            Velocity of the air; default: the air does not move.

        Returns
        -------
        (V, 3) float32, metres

        Raises
        ------
        MeshError
            A bone is not finite, or the cloth becomes unstable. The cloth then keeps its state before the step.
        ValueError
            The number of bones differs.
        """
        air = None if wind is None else np.atleast_2d(float32("wind", wind))
        return self._core.step(float32("bones", bones), positive_number("dt", dt), air)

    def reset(self) -> None:
        """Restart: the next step places the cloth as a skin of the bones."""
        self._core.reset()

    def __repr__(self) -> str:
        vertices, bones = self.sheet.weights.shape
        return f"Simulated({vertices} vertices, {bones} bones, {self.frame_count} frames)"
