"""The mean detail: a constant detail is learned, and it rotates with the cloth."""

import numpy as np

from learning import garment
from ruckle.mesh.rotation import rotation_matrices
from ruckle.offline.upsampling.mean_detail import MeanDetail, local_frames


def test_exact_detail_that_is_always_there_is_learnt_and_turns_with_the_cloth() -> None:
    cloth, random = garment((5, 4), (13, 9)), np.random.default_rng(0)
    detail = random.normal(scale=0.01, size=(cloth.fine_count, 3))
    turns = rotation_matrices(random.normal(size=(6, 3)))
    bent = cloth.coarse_rest + random.normal(scale=0.05, size=(6, cloth.coarse_count, 3))
    coarse = np.einsum("fxy,fvy->fvx", turns, bent).astype(np.float32)
    base = cloth.linear_map.toarray()
    surfaces = [base @ frame.astype(np.float64) for frame in coarse]
    fine = [s + np.einsum("nxk,nk->nx", local_frames(s, cloth.fine_faces), detail) for s in surfaces]
    model = MeanDetail(base, cloth.fine_faces)
    np.testing.assert_allclose(model.step(coarse[0]), surfaces[0], atol=1e-6)
    model.add(coarse[:3], np.array(fine[:3]))
    np.testing.assert_allclose(model.detail, detail, atol=1e-6)
    np.testing.assert_allclose(model.step(coarse[5]), fine[5], atol=2e-6)


def test_property_frames_are_rotations() -> None:
    cloth = garment()
    frames = local_frames(cloth.fine_rest, cloth.fine_faces)
    np.testing.assert_allclose(np.swapaxes(frames, 1, 2) @ frames, np.eye(3) + 0 * frames, atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(frames), 1.0)
