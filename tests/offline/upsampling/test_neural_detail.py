"""Neural detail: the core agrees with NumPy, gradients agree with differences, and a known detail is learned."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learning import all_harmonics, garment, random_model
from ruckle import FormatError, Garment, Trainer, Upsampler, UpsamplingModel, load_model
from ruckle.offline.upsampling import DetailMotion, HarmonicPenalties, learn_detail
from ruckle.offline.upsampling.detail_network import Network, Weights, fit
from ruckle.offline.upsampling.neural_detail import ENERGY, MOST_GAIN, Examples, Unseen, evaluated, splits
from ruckle.simulation.sheet import grid_sheet
from ruckle.upsampling.grids import FASTEST, Grids, local_frames, read_features
from upsampler_in_c import UpsamplerInC


def tube() -> Garment:
    """Return a tube as a coarse and a fine mesh. The rows of both meshes are at different heights."""

    def sheet(columns: int, rows: int) -> Any:
        def around(u: Any, v: Any) -> Any:
            return np.stack([np.cos(2 * np.pi * u), 1 - v, np.sin(2 * np.pi * u)], 1)

        return grid_sheet(columns, rows, around, closed=True, inside_out=True)

    (few, few_faces), (many, many_faces) = sheet(6, 4), sheet(18, 9)
    return Garment(few, few_faces, many, many_faces)


GARMENTS = {"tube": tube(), "sheet": garment((5, 4), (13, 9))}


def grids_of(cloth: Garment) -> Grids:
    return Grids.of(cloth.coarse_faces, cloth.coarse_count, cloth.fine_faces, cloth.fine_count)


def random_detail(cloth: Garment, seed: int = 0) -> dict[str, Any]:
    """Return the arrays of a network with random weights, whose detail is some centimetres high."""
    random, grids = np.random.default_rng(seed), grids_of(cloth)
    found = {name: random.normal(size=shape).astype(np.float32) for name, shape in grids.detail_shapes().items()}
    for name, scale in {"first": 0.1, "second": 0.1, "patches": 0.01, "mean": 0.01}.items():
        found[name] *= np.float32(scale)
    found["feature_size"] = np.abs(found["feature_size"]) + np.float32(0.5)
    found["gains"] = np.float32(1.0) + np.abs(found["gains"])
    shape = (grids.rows, grids.columns, grids.fine_rows, grids.fine_columns, grids.closed)
    return {"grids": np.array(shape, np.int32), **found}


def model_of(cloth: Garment) -> UpsamplingModel:
    operator = cloth.linear_map.toarray().astype(np.float32)
    return random_model(cloth, operator=operator, detail=random_detail(cloth))


def moving(cloth: Garment, frames: int = 4) -> Any:
    random = np.random.default_rng(3)
    steps = 0.03 * random.normal(size=(frames, cloth.coarse_count, 3))
    return (cloth.coarse_rest + np.cumsum(steps, axis=0)).astype(np.float32)


@pytest.mark.parametrize("name", GARMENTS)
@pytest.mark.parametrize("richness", [0.0, 0.7])
def test_exact_the_core_evaluates_what_numpy_does(name: str, richness: float) -> None:
    cloth = GARMENTS[name]
    model, coarse, grids = model_of(cloth), moving(cloth), grids_of(cloth)
    # a jump of 3 m in one frame is faster than the largest velocity of the features
    coarse[2:, :, 1] += 3.0
    assert 24 * np.abs(np.diff(coarse, axis=0)).max() > 2.0 * FASTEST
    shape = (-1, grids.fine_rows, grids.fine_columns, 3)
    features = read_features(grids, cloth.coarse_rest, coarse, 1 / 24)
    gains = 1.0 + richness * (model.detail["gains"] - 1.0)
    detail = evaluated(Network(grids), dict(model.detail), features) * gains[:, None, None]
    plain = random_model(cloth, operator=model.operator)
    base = np.array([Upsampler(plain, precision="single").step(frame).fine_positions for frame in coarse])
    expected = base + np.einsum("frcab,frcb->frca", local_frames(grids, base.reshape(shape)), detail).reshape(
        base.shape
    )
    upsampler = Upsampler(model, precision="single", richness=richness)
    for _ in range(2):
        found = np.array([upsampler.step(frame, 1 / 24).fine_positions for frame in coarse])
        np.testing.assert_allclose(found, expected, atol=2e-5)
        upsampler.reset()
    assert np.abs(expected - base).max() > 0.01


@pytest.mark.parametrize("name", GARMENTS)
def test_exact_states_contain_the_earlier_frames_of_a_network(name: str) -> None:
    model, coarse = model_of(GARMENTS[name]), moving(GARMENTS[name], 8)
    went, other = (Upsampler(model, richness=0.7) for _ in range(2))
    for frame in coarse[:4]:
        went.step(frame, 1 / 24)
    state = went.state()
    other.step(coarse[6], 1 / 24)
    with pytest.raises(ValueError, match="got some that have changed since"):
        other.restore(state[:-1] + bytes([state[-1] ^ 1]))
    expected = [went.step(frame, 1 / 24).fine_positions for frame in coarse[4:]]
    for restored in (went, other, Upsampler(model, richness=0.7)):
        restored.restore(state)
        np.testing.assert_array_equal([restored.step(frame, 1 / 24).fine_positions for frame in coarse[4:]], expected)


@pytest.mark.parametrize("name", GARMENTS)
def test_property_instruction_sets_change_no_bit(name: str, tmp_path: Path) -> None:
    model = model_of(GARMENTS[name])
    model.save(tmp_path / "m.npz", precision="single")
    np.save(tmp_path / "frames.npy", moving(GARMENTS[name]))
    code = (
        "import numpy as np, ruckle\n"
        "u = ruckle.Upsampler(ruckle.load_model('m.npz'), richness=1.0)\n"
        "np.save('found.npy', [u.step(frame).fine_positions for frame in np.load('frames.npy')])"
    )
    found = []
    for wanted in ("baseline", "x86-64-v3", ""):
        environment = {**os.environ, "RUCKLE_INSTRUCTION_SET": wanted, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)
        found.append(np.load(tmp_path / "found.npy"))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@pytest.mark.parametrize("name", GARMENTS)
def test_property_detail_turns_with_the_garment_about_the_vertical(name: str) -> None:
    cloth = GARMENTS[name]
    coarse, angle = moving(cloth), 0.8
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]], np.float32)
    upsamplers = [Upsampler(model_of(cloth), precision="single") for _ in range(2)]
    for frame in coarse:
        straight, turned = (
            upsampler.step(positions).fine_positions
            for upsampler, positions in zip(upsamplers, (frame, frame @ turn.T + np.float32(2.0)), strict=True)
        )
        np.testing.assert_allclose(straight @ turn.T + 2.0, turned, atol=1e-4)


@pytest.mark.parametrize("name", GARMENTS)
def test_exact_gradients_are_those_of_differences(name: str) -> None:
    grids, random = grids_of(GARMENTS[name]), np.random.default_rng(0)
    network = Network(grids)
    network.hats = network.hats.astype(np.float64)  # type: ignore[assignment]
    arrays = [a.astype(np.float64) + 0.1 * random.normal(size=a.shape) for a in network.random(1).arrays()]
    hats = np.broadcast_to(network.hats, (grids.fine_rows, 4, 32, grids.parts, 3)).reshape(arrays[4].shape)
    arrays[4] *= hats
    features = random.normal(size=(2, grids.rows, grids.columns, 15))
    change = random.normal(size=(2, grids.fine_rows, grids.fine_columns, 3))
    _, kept = network.forward(Weights(*arrays), features)  # type: ignore[arg-type]
    gradients = network.backward(Weights(*arrays), kept, change)  # type: ignore[arg-type]
    for i, gradient in enumerate(gradients):
        direction = random.normal(size=gradient.shape) * (hats if i == 4 else 1.0)
        sums = []
        for step in (1e-5, -1e-5):
            moved = [a + step * direction if k == i else a for k, a in enumerate(arrays)]
            detail = network.forward(Weights(*moved), features)[0].astype(np.float64)  # type: ignore[arg-type]
            sums.append((detail * change).sum())
        # both the gradient of the patches and its direction contain the hat weights, so divide by the weights once
        expected = (np.asarray(gradient) / np.where(hats > 0, hats, 1.0) if i == 4 else gradient) * direction
        assert (sums[0] - sums[1]) / 2e-5 == pytest.approx(expected.sum(), rel=0.05, abs=0.05)


def test_exact_a_planted_network_is_fitted() -> None:
    grids = grids_of(GARMENTS["tube"])
    network, random = Network(grids), np.random.default_rng(1)
    features = random.normal(size=(48, grids.rows, grids.columns, 15)).astype(np.float32)
    detail = network(network.random(9), features)
    left: list[float] = []
    areas = np.ones((grids.fine_rows, grids.fine_columns), np.float32)
    fit(network, features, detail / detail.std(), areas, steps=150, progress=lambda _, share: left.append(share))
    assert left[0] > 0.8
    assert left[-1] < 0.35


def test_exact_a_network_learns_detail_that_depends_on_strain() -> None:
    """Learn a detail along the normal that depends on the strain around the tube.

    No matrix can represent such a detail.
    """
    cloth = GARMENTS["tube"]
    trainer = Trainer(cloth, harmonics=all_harmonics(cloth), tests=8)
    base = trainer.learner.operator(trainer.learner.prior.rows)
    random, motions = np.random.default_rng(2), []
    for name in ("one", "two", "three"):
        wide = 1.0 + 0.2 * random.normal(size=(40, 1, 1)) * [1.0, 0.0, 1.0]
        coarse = (cloth.coarse_rest * wide).astype(np.float32)
        smooth = np.einsum("nm,fmx->fnx", base, coarse)
        waves = 0.05 * np.sin(6 * np.arctan2(cloth.fine_rest[:, 2], cloth.fine_rest[:, 0]))
        outward = cloth.fine_rest * [1.0, 0.0, 1.0]
        fine = (smooth + (1.1 - wide[:, :, :1]) * waves[:, None] * outward).astype(np.float32)
        trainer.add(name, coarse, fine)
        motions.append(DetailMotion(name, coarse, fine, 60.0))
    with pytest.warns(UserWarning, match="contain few of the shapes that 24 coarse vertices can have"):
        model = trainer.train(penalties=HarmonicPenalties())
    learnt = learn_detail(trainer, model, motions, steps=200)
    left_out = learnt.report["neural"]["left_out"]
    assert list(left_out) == ["one", "three", "two"]
    assert all(numbers["detail_left"] < 0.6 and numbers["ratio"] < 0.6 for numbers in left_out.values())
    errors = []
    for one in (model, learnt):
        upsampler = Upsampler(one, precision="single")
        frames = zip(motions[0].coarse, motions[0].fine, strict=True)
        errors.append(np.mean([np.square(upsampler.step(c, 1 / 60).fine_positions - f).mean() for c, f in frames]))
    assert errors[1] < 0.3 * errors[0]


def left_out_motions() -> tuple[list[Any], list[Unseen], np.ndarray]:
    """Return two motions with different sizes of detail, their sums for `Unseen`, and vertex areas.

    Each motion has the true detail, the detail of a matrix, and the detail of a network.
    """
    random, areas = np.random.default_rng(4), np.array([[1.0, 2.0], [0.5, 0.5], [1.0, 1.0]], np.float32)
    details = []
    for scale in (3.0, 1.0):
        true, one, other = random.normal(size=(3, 5, 3, 2, 3)).astype(np.float32) * np.float32(scale)
        details.append((true, true + one, true + np.float32(0.5) * other))
    parts = [Unseen.of(*three, np.float32(1.5) * three[0], areas) for three in details]
    return details, parts, areas[:, :, None]


def test_exact_shares_have_the_least_error_on_motions_left_out() -> None:
    details, parts, areas = left_out_motions()
    shares = Unseen.sum(parts).shares()
    assert 0.0 < shares[0] < shares[1] < 1.0

    def left(matrix: float, network: float) -> float:
        return sum(float((areas * (t - matrix * m - network * n) ** 2).sum()) for t, m, n in details)

    for step in (-0.01, 0.01):
        assert left(*shares) < min(left(shares[0] + step, shares[1]), left(shares[0], shares[1] + step))
    for three, part in zip(details, parts, strict=True):
        numbers = part.report(shares, np.ones(3, np.float32))
        true, matrix, network = three
        errors = (areas * (true - shares[0] * matrix - shares[1] * network) ** 2).sum(axis=(1, 2, 3))
        linear = (areas * (0.5 * true) ** 2).sum(axis=(1, 2, 3))
        assert numbers["ratio"] == pytest.approx(np.sqrt(errors.sum() / linear.sum()), rel=1e-5)
        assert numbers["worse_frames"] == pytest.approx((errors > linear).mean())


def test_exact_shares_are_lowered_for_frames_that_interpolation_does_better() -> None:
    areas = np.ones((1, 1), np.float32)

    def unseen(true: float, network: float, linear: float, frames: int) -> Unseen:
        values = [np.full((frames, 1, 1, 3), value, np.float32) for value in (true, 0.0, network, linear)]
        return Unseen.of(*values, areas)

    # For nine frames, the network is best with its full detail. In the tenth frame, it is worse than the linear map if
    # its share is above 0.875.
    many, one = unseen(1.0, 1.0, 0.0, 9), unseen(0.5, 1.0, 0.125, 1)
    shares = Unseen.sum([many, one]).shares()
    assert shares == pytest.approx((0.0, 0.95 * 0.9), rel=1e-4)
    assert (many.errors(shares) < many.linear).all()
    assert (one.errors(shares) < one.linear).all()
    assert one.errors((0.0, 0.95)) > one.linear


def test_exact_gains_give_all_motions_together_their_energy() -> None:
    details, parts, areas = left_out_motions()
    whole = Unseen.sum(parts)
    shares = (0.2, 0.3)
    gains = whole.gains(shares)
    found = [0.2 * m + 0.3 * gains[:, None, None] * n for _, m, n in details]
    sums = [sum((areas * one**2).sum(axis=(0, 2, 3)) for one in many) for many in (found, [t for t, _, _ in details])]
    np.testing.assert_allclose(sums[0], ENERGY**2 * sums[1], rtol=1e-5)
    for (true, _, _), raised, part in zip(details, found, parts, strict=True):
        numbers = part.report(shares, gains)
        size = (areas * true**2).sum()
        assert numbers["energy_gained"] == pytest.approx(np.sqrt((areas * raised**2).sum() / size), rel=1e-4)
        left = np.sqrt((areas * (raised - true) ** 2).sum() / size)
        assert numbers["detail_left_gained"] == pytest.approx(left, rel=1e-4)
    true = details[0][0]
    nothing = Unseen.of(true, np.zeros_like(true), np.zeros_like(true), true, areas[:, :, 0]).gains(shares)
    np.testing.assert_array_equal(nothing, np.full(3, MOST_GAIN, np.float32))


@pytest.mark.parametrize("count", [2, 4, 7])
def test_property_every_origin_is_left_out_once(count: int) -> None:
    def example(number: int) -> Examples:
        coarse = np.zeros((2, 1, 3), np.float32)
        return Examples(np.full((2, 1, 1, 15), number, np.float32), np.full((2, 1, 1, 3), number, np.float32), coarse)

    examples = [(f"motion {i % count}", example(i)) for i in range(2 * count)]
    seen: list[int] = []
    for known, unseen in splits(examples):
        numbers = [int(part.features[0, 0, 0, 0]) for _, part in unseen]
        assert {n % count for n in numbers}.isdisjoint(int(part.features[0, 0, 0, 0]) % count for part in known)
        assert len(known) + len(unseen) == 2 * count
        assert all(origin == f"motion {n % count}" for (origin, _), n in zip(unseen, numbers, strict=True))
        seen += numbers
    assert sorted(seen) == list(range(2 * count))
    assert len(splits(examples)) == min(count, 4)


def test_degenerate_one_origin_keeps_its_last_frames() -> None:
    frames = np.arange(9.0, dtype=np.float32).reshape(9, 1, 1, 1)
    [(known, unseen)] = splits([("alone", Examples(frames, frames, frames[:, 0]))])
    np.testing.assert_array_equal(known[0].detail, frames[:6])
    assert [origin for origin, _ in unseen] == ["alone"]
    np.testing.assert_array_equal(unseen[0][1].features, frames[6:])


@pytest.mark.parametrize("precision", ["half", "single"])
def test_exact_files_keep_it_for_python_and_c(precision: Any, tmp_path: Path) -> None:
    cloth = GARMENTS["tube"]
    model = model_of(cloth)
    model.save(tmp_path / "a.npz", precision=precision)
    found = load_model(tmp_path / "a.npz")
    for name, array in model.detail.items():
        np.testing.assert_array_equal(found.detail[name], array)
    in_c = UpsamplerInC((tmp_path / "a.npz").read_bytes(), precision)
    upsampler = Upsampler(found, precision=precision)
    for frame in moving(cloth):
        np.testing.assert_array_equal(in_c.step(frame, 0.1, 1.0), upsampler.step(frame, 0.1).fine_positions)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grids": np.array([4, 6, 9, 18], np.int32)}, "detail_grids: expected five numbers"),
        ({"grids": np.array([6, 4, 9, 18, 1], np.int32)}, "detail_first_bias: expected finite float32 of shape"),
        ({"grids": np.array([4, 6, 9, 17, 1], np.int32)}, "detail_grids: .* is not of 24 coarse and 162 fine vertices"),
        ({"gains": np.ones(8, np.float32)}, r"detail_gains: expected finite float32 of shape \(9,\)"),
        ({"mean": np.full((162, 3), np.nan, np.float32)}, "detail_mean: expected finite float32"),
    ],
)
def test_reject_detail_that_does_not_fit(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    cloth = GARMENTS["tube"]
    with pytest.raises(ValueError, match=message):
        random_model(cloth, detail=random_detail(cloth) | changes)
    model_of(cloth).save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as archive:
        kept = {name: array for name, array in archive.items() if name != "detail_first"}
    np.savez(tmp_path / "b.npz", **kept)
    with pytest.raises(FormatError, match="detail_first: is missing"):
        load_model(tmp_path / "b.npz")


def test_reject_meshes_that_are_no_grids() -> None:
    cloth = GARMENTS["sheet"]
    with pytest.raises(ValueError, match="garment: expected a coarse mesh whose faces form a grid"):
        Grids.of(cloth.coarse_faces[:-1], cloth.coarse_count, cloth.fine_faces, cloth.fine_count)
    other = garment((5, 4), (12, 9))
    with pytest.raises(ValueError, match="a multiple of the coarse one's columns, got 12 over 5 columns"):
        grids_of(other)
    with pytest.raises(ValueError, match="motions: expected at least one to learn from, got none"):
        learn_detail(Trainer(cloth, harmonics=10), random_model(cloth), [])
