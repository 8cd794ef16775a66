"""Training on simulated pairs: choice of penalties, detail, errors, warnings, commands."""

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from learning import all_harmonics, blown_pair, garment, random_motion
from program import invoke, refusal
from ruckle import Garment, HarmonicPenalties, Trainer, load_model
from ruckle.experiments.sweeps.workers import LocalPool
from ruckle.offline.simulation import load_pair
from ruckle.offline.upsampling import Locality
from ruckle.offline.upsampling.locality import LocalSolver
from ruckle.offline.upsampling.training import RICH_ENERGY, TrainingMotion

ANGLES = (0.0, 0.5, 1.0)


def trainer_of_flags(**options: object) -> Trainer:
    trainer = Trainer(Garment.of(blown_pair(0.0)), tests=12, **options)  # type: ignore[arg-type]
    for angle in ANGLES:
        pair = blown_pair(angle)
        trainer.add(pair.name, pair.coarse.positions, pair.fine.positions)
    return trainer


def test_exact_the_choice_is_the_best_profile_of_all() -> None:
    trainer = trainer_of_flags()
    chosen = trainer.choose()
    candidates = [
        HarmonicPenalties(0.001, 0.01),
        Locality(1e-6, 3.0),
        chosen.penalties,
        Locality(3.0, 0.1),
        HarmonicPenalties(30.0, 300.0),
    ]
    assert isinstance(chosen.penalties, Locality)
    assert trainer.choose(candidates) == chosen
    assert len(chosen.errors) == len(chosen.linear_errors) == 3
    # all motions have similar winds, so that training is better than interpolation for a motion that it has not seen
    assert np.mean(chosen.errors) < np.mean(chosen.linear_errors)


@pytest.mark.parametrize("profile", [Locality(0.03, 0.4), HarmonicPenalties(1.0, 10.0)])
def test_exact_a_choice_has_the_errors_of_learning_without_each_and_the_best_gain(profile: Any) -> None:
    trainer = trainer_of_flags()
    chosen = trainer.choose([profile])
    for motion, error in zip(trainer.motions, chosen.errors, strict=True):
        rows = trainer.rows(chosen.penalties, trainer.total - motion.statistics)
        assert motion.statistics.error(rows, trainer.harmonics.areas.sum()) == pytest.approx(error, rel=1e-9)
    if isinstance(chosen.penalties, Locality):
        [fits] = trainer._fits([profile])
        errors = [sum(fit.error(gain * chosen.penalties.gain) ** 2 for fit in fits) for gain in (0.95, 1.0, 1.05)]
        assert chosen.penalties.gain != 1.0
        assert min(errors) == errors[1]
        assert 3.0 * chosen.mean_square() == pytest.approx(errors[1], rel=1e-9)


def test_exact_models_have_the_error_that_training_reports() -> None:
    trainer, pair = trainer_of_flags(), blown_pair(0.5)
    profile = HarmonicPenalties(0.1, 1.0)
    model = trainer.train(penalties=profile)
    assert model.report["gamma"] == [0.1, 1.0]
    nearby = trainer.train(penalties=Locality(0.02, 0.5, 0.7)).report
    assert (nearby["strength"], nearby["reach"], nearby["detail_gain"]) == (0.02, 0.5, 0.7)
    assert [motion["frames"] for motion in model.report["motions"]] == [40, 40, 40]
    upsampler = ruckle.Upsampler.for_animation(pair.coarse, model, precision="single")
    found = np.array([upsampler.step(frame).fine_positions for frame in pair.coarse.positions])
    areas = trainer.harmonics.areas
    off = np.einsum("nk,fnx->fkx", trainer.harmonics.vectors * areas[:, None], found - pair.fine.positions)
    error = np.sqrt((off**2).sum() / areas.sum() / len(found))
    assert error == pytest.approx(model.report["training_errors_m"]["flag_0.5"], rel=1e-3)
    # frames of a training motion have a small distance from the training data (strangeness)
    assert model.strangeness(pair.coarse.positions).max() < 6.0


@pytest.mark.parametrize("profile", [Locality(0.03, 0.4), HarmonicPenalties(1.0, 10.0)])
@pytest.mark.parametrize("detail", [0.2, 0.5, 0.9])
def test_exact_operators_are_their_rows_in_the_harmonics(profile: Any, detail: float) -> None:
    trainer = trainer_of_flags()
    assert trainer.harmonics.count < trainer.garment.fine_count
    for statistics in (None, trainer.total - trainer.motions[0].statistics):
        operator, rows = (learnt(profile, statistics, detail=detail) for learnt in (trainer.operator, trainer.rows))
        np.testing.assert_allclose(trainer.harmonics.project(operator), rows, atol=1e-9)
        np.testing.assert_allclose(operator.sum(axis=1), 1.0, atol=1e-5)
    np.testing.assert_array_equal(
        trainer.train(penalties=profile, detail=detail).operator, trainer.operator(profile, detail=detail).astype("f4")
    )


def test_property_more_detail_has_more_energy() -> None:
    trainer, pair = trainer_of_flags(), blown_pair(1.0)
    errors, energies = [], []
    smooth = trainer.learner.operator(trainer.learner.prior.rows)
    for detail in (0.0, 0.25, 0.5, 0.75, 1.0):
        model = trainer.train(detail=detail)
        errors.append(model.report["training_errors_m"][pair.name])
        detail_of = np.einsum("nm,fmx->fnx", model.operator - smooth, pair.coarse.positions)
        energies.append(np.linalg.norm(detail_of))
    assert np.diff(errors[:3]).max() < 0.0
    assert np.diff(energies).min() > 0.0


def test_exact_another_detail_needs_no_new_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer, profile = trainer_of_flags(), Locality(0.03, 0.4, 0.8)
    usual, rich = (trainer.operator(profile, detail=detail) for detail in (0.5, 1.0))
    with monkeypatch.context() as solved:
        solved.delattr(LocalSolver, "change")
        prior, again = (trainer.operator(profile, detail=detail) for detail in (0.0, 0.75))
    np.testing.assert_array_equal(prior, trainer.learner.operator(trainer.learner.prior.rows))
    np.testing.assert_allclose(again, (usual + rich) / 2, atol=1e-12)
    np.testing.assert_array_equal(trainer.operator(profile), usual)
    # one more training motion changes the operator
    trainer.add_statistics("again", trainer.motions[0].statistics)
    assert np.abs(trainer.operator(profile) - usual).max() > 1e-6


@pytest.mark.parametrize("profile", [Locality(0.03, 0.4), HarmonicPenalties(0.3, 3.0)])
def test_exact_the_rich_end_has_its_energy_in_motions_left_out(profile: Any) -> None:
    trainer = trainer_of_flags()
    base, energies = trainer.learner.prior.rows, []
    for motion in trainer.motions:
        rows = trainer.rows(profile, trainer.total - motion.statistics, detail=1.0)
        pair = next(pair for pair in map(blown_pair, ANGLES) if pair.name == motion.name)
        added, true = (
            trainer.learner.operator(rows - base),
            pair.fine.positions - np.einsum("nm,fmx->fnx", trainer.learner.operator(base), pair.coarse.positions),
        )
        found = np.einsum("nm,fmx->fnx", added, pair.coarse.positions)
        sizes = [
            np.linalg.norm(trainer.harmonics.project(x.transpose(1, 0, 2).reshape(len(x[0]), -1)))
            for x in (found, true)
        ]
        energies.append(sizes[0] / sizes[1])
    assert np.mean(energies) == pytest.approx(RICH_ENERGY, rel=2e-3)
    low = slice(None, trainer.tests)
    np.testing.assert_allclose(trainer.rows(profile, detail=1.0)[low], trainer.rows(profile)[low])
    report = trainer.train(penalties=profile, detail=1.0).report
    assert (report["detail"], report["detail_gain"] > 1.0) == (1.0, True)
    # after one more motion, the energies of the detail are measured again
    trainer.add("again", pair.coarse.positions, pair.fine.positions)
    assert trainer.train(penalties=profile, detail=1.0).report["detail_gain"] != report["detail_gain"]


def test_degenerate_one_motion_gives_the_rich_end_its_own_energy() -> None:
    trainer = trainer_of_flags()
    del trainer.motions[1:]
    rows = trainer.rows(Locality(0.1, 0.4), detail=1.0)
    fit = trainer.motions[0].statistics.fit(rows, trainer.learner.prior.rows, 1.0)
    assert fit.energy() == pytest.approx(RICH_ENERGY)


def test_exact_the_paper_s_prior_lowers_penalties_alone() -> None:
    trainer = trainer_of_flags(prior="none")
    np.testing.assert_array_equal(
        trainer.rows(HarmonicPenalties(), detail=1.0), trainer.rows(HarmonicPenalties().scaled(0.01))
    )


def test_property_the_order_of_motions_changes_no_bit() -> None:
    one, other = trainer_of_flags(), trainer_of_flags()
    other.motions.reverse()
    np.testing.assert_array_equal(one.train().operator, other.train().operator)


def test_exact_motions_of_one_origin_are_left_out_together() -> None:
    trainer = trainer_of_flags()
    alone = trainer.choose([HarmonicPenalties()])
    for motion in list(trainer.motions):
        trainer.add_statistics(f"{motion.name}_again", motion.statistics, origin=motion.name)
    # motions with the same origin are left out together, so a repeated motion does not improve the choice
    again = trainer.choose([HarmonicPenalties()])
    assert again.errors == pytest.approx(alone.errors, rel=1e-6)
    assert len(trainer.motions) == 6
    assert isinstance(trainer.motions[3], TrainingMotion)


def symmetric_garment() -> Garment:
    def corners(n: int) -> tuple[np.ndarray, np.ndarray]:
        x, y = np.meshgrid(np.linspace(-1.0, 1.0, n), np.linspace(0.0, 1.5, n))
        left = np.arange(n * n).reshape(n, n)[:-1, : n // 2].ravel()
        right = np.arange(n * n).reshape(n, n)[:-1, n // 2 : -1].ravel()
        faces = [(left, left + 1, left + n), (left + 1, left + n + 1, left + n)]
        faces += [(right, right + 1, right + n + 1), (right, right + n + 1, right + n)]
        return np.stack([x, y, 0.3 * x * x], 2).reshape(-1, 3), np.concatenate([np.stack(each, 1) for each in faces])

    return Garment(*corners(5), *corners(9))


def test_exact_mirror_images_are_those_of_the_frames() -> None:
    cloth = symmetric_garment()
    coarse, fine = random_motion(cloth)
    trainer = Trainer(cloth, tests=4, harmonics=30)
    trainer.add_statistics("one", trainer.statistics(coarse, fine))
    trainer.add_mirror_images()
    few, many = cloth.mirror_images()
    assert few.reshape(5, 5)[0].tolist() == [4, 3, 2, 1, 0]
    across = np.array([-1.0, 1.0, 1.0])
    image, exact = trainer.motions[1], trainer.statistics(coarse[:, few] * across, fine[:, many] * across)
    np.testing.assert_allclose(image.statistics.gram, exact.gram, atol=1e-5)
    np.testing.assert_allclose(image.statistics.cross, exact.cross, atol=1e-4)
    assert image.statistics.energy.sum() == pytest.approx(exact.energy.sum(), rel=1e-6)
    assert np.abs(exact.cross - trainer.motions[0].statistics.cross).max() > 0.1
    assert image[2:] == ("one", False)
    # the change by training is symmetric
    change = trainer.operator(Locality(0.3, 0.5)) - trainer.learner.operator(trainer.learner.prior.rows)
    np.testing.assert_allclose(change[many][:, few], change, atol=1e-4)


def test_reject_mirror_images_of_what_is_not_symmetric() -> None:
    with pytest.raises(ValueError, match=r"coarse_rest: expected a garment that is its own mirror image .* 1.5 m off"):
        trainer_of_flags().add_mirror_images()
    cloth = symmetric_garment()
    right = (cloth.fine_rest[:, 0] > 0.5).astype(np.float32)
    held = Garment(cloth.coarse_rest, cloth.coarse_faces, cloth.fine_rest, cloth.fine_faces, right)
    with pytest.raises(ValueError, match="attachment: expected the same on both sides"):
        held.mirror_images()


def test_exact_train_gives_the_operator_of_a_trainer(tmp_path: Path) -> None:
    found = ruckle.train([blown_pair(angle) for angle in ANGLES], cache=tmp_path)
    trainer = trainer_of_flags(cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    np.testing.assert_array_equal(found.operator, trainer.train().operator)
    assert found.report["origins"] == ["from_0", "from_0.5", "from_1"]


def test_reject_motions_and_pairs() -> None:
    trainer, pair = trainer_of_flags(), blown_pair(0.0)
    with pytest.raises(ValueError, match=r"late: coarse and fine cloth are not aligned: frame .* differs by"):
        trainer.add("late", pair.coarse.positions, pair.fine.positions + np.float32(0.3))
    with pytest.raises(ValueError, match="coarse: expected 30 vertices, as the garment has, got 29"):
        trainer.add("cut", pair.coarse.positions[:, :-1], pair.fine.positions)
    with pytest.raises(ValueError, match="motions: expected at least one to learn from, got none"):
        Trainer(garment(), tests=5).train()
    with pytest.raises(ValueError, match="pairs: expected at least one to learn from, got none"):
        ruckle.train([])
    with pytest.raises(ValueError, match=r"detail: expected a number in \[0, 1\], got 2"):
        trainer.train(detail=2.0)
    larger = replace(pair, name="large", fine_rest=pair.fine_rest * 1.1)
    with pytest.raises(ValueError, match="large: is of another garment; its fine_rest differs by"):
        ruckle.train([pair, larger])
    turned = replace(pair, name="turned", coarse=replace(pair.coarse, faces=pair.coarse.faces[:, [1, 2, 0]]))
    with pytest.raises(ValueError, match="turned: is of another garment; its coarse_faces differ"):
        ruckle.train([pair, turned])


def test_reject_garments() -> None:
    good = garment()
    parts = {name: getattr(good, name) for name in ("coarse_rest", "coarse_faces", "fine_rest", "fine_faces")}
    spoiled = good.fine_rest.copy()
    spoiled[3, 0] = np.nan
    for changes, error, message in (
        ({"fine_rest": good.fine_rest[:, :2]}, ValueError, r"fine_rest: expected an array of shape \(V, 3\), got"),
        ({"fine_rest": spoiled}, ruckle.MeshError, "fine_rest: vertex 3 is not finite"),
        ({"attachment": np.zeros(3)}, ValueError, r"attachment: expected an array of shape \(35,\), got \(3,\)"),
        (
            {"attachment": np.full(35, np.nan)},
            ValueError,
            r"attachment: expected numbers in \[0, 1\], got nan at vertex 0",
        ),
        (
            {"attachment": np.full(35, 1.5)},
            ValueError,
            r"attachment: expected numbers in \[0, 1\], got 1.5 at vertex 0",
        ),
        ({"coarse_faces": [[0, 1, 99]]}, ruckle.MeshError, "^coarse_faces: face 0"),
        ({"fine_faces": [0, 1, 2]}, ValueError, r"^fine_faces: expected an array of shape \(T, 3\), got \(3,\)"),
    ):
        with pytest.raises(error, match=message):
            Garment(**{**parts, **changes})  # type: ignore[arg-type]
    assert repr(good) == "Garment(12 coarse and 35 fine vertices, 1.8 m)"


def test_exact_garments_own_their_arrays() -> None:
    good = garment()
    names = ("coarse_rest", "coarse_faces", "fine_rest", "fine_faces", "attachment")
    parts = {name: np.array(getattr(good, name)) for name in names}
    other = Garment(**parts)
    for array in parts.values():
        array[:] = 0
    for name in names:
        np.testing.assert_array_equal(getattr(other, name), getattr(good, name))


def test_degenerate_one_motion_is_learnt_with_a_warning() -> None:
    cloth = garment()
    trainer = Trainer(cloth, tests=0, harmonics=all_harmonics(cloth), prior="none")
    trainer.add_statistics("only", trainer.statistics(*random_motion(cloth, frames=3)))
    with pytest.warns(UserWarning, match="motions: 3 frames of 1 motion contain few of the shapes that 12 coarse"):
        model = trainer.train()
    assert model.report["held_out_errors_m"] == []
    assert model.report["gamma"] == [HarmonicPenalties().low, HarmonicPenalties().high]
    many = Trainer(cloth, tests=0, harmonics=all_harmonics(cloth))
    many.add_statistics("only", many.statistics(*random_motion(cloth, frames=40)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        many.train()


def test_exact_loaded_pairs_equal_saved_ones(tmp_path: Path) -> None:
    pair = blown_pair(0.0)
    pair.save(tmp_path / "flag_0")
    found = load_pair(tmp_path / "flag_0")
    assert found.name == "flag_0"
    assert found.report == pair.report
    for name in ("coarse_rest", "fine_rest", "attachment"):
        np.testing.assert_array_equal(getattr(found, name), getattr(pair, name))
    for name in ("coarse", "fine"):
        np.testing.assert_array_equal(getattr(found, name).positions, getattr(pair, name).positions)
    (tmp_path / "flag_0" / "report.json").write_text("{}")
    with pytest.raises(ruckle.FormatError, match=r"report\.json: is no report of a simulated pair"):
        load_pair(tmp_path / "flag_0")


def test_exact_the_commands_train_upsample_render_and_export(tmp_path: Path) -> None:
    for angle in ANGLES:
        pair = blown_pair(angle)
        pair.save(tmp_path / "pairs" / pair.name)
    model = tmp_path / "flag.upsampling.npz"
    result = invoke("train", tmp_path / "pairs", "-o", model, "--cache", tmp_path / "cache", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["harmonics"] == 150
    assert len(report["held_out_errors_m"]) == 3
    table = invoke("train", tmp_path / "pairs" / "flag_0", tmp_path / "pairs", "-o", model, "--gamma", 0.1, 1).stdout
    assert "penalties 0.1 to 1, exponent 4" in table
    nearby = invoke("train", tmp_path / "pairs", "-o", model, "--local", 0.02, 0.5)
    assert "penalty 0.02, reach 0.5 edges" in nearby.stdout
    both = ("--local", 0.02, 0.5, "--gamma", 0.1, 1)
    assert "gamma: expected --gamma or --local, got both" in refusal("train", tmp_path / "pairs", "-o", model, *both)
    assert "coarse_rest: expected a garment that is its own mirror image" in refusal(
        "train", tmp_path / "pairs", "-o", model, "--local", 0.02, 0.5, "--mirror"
    )
    coarse = tmp_path / "pairs" / "flag_0" / "coarse.npz"
    found = json.loads(invoke("upsample", coarse, "-m", model, "-o", tmp_path / "fine.npz", "--json").stdout)
    assert (found["frames"], found["vertices"]) == (40, 247)
    fine = ruckle.load(tmp_path / "fine.npz")
    layer = ruckle.Upsampler(load_model(model))
    np.testing.assert_array_equal(fine.positions[0], layer.step(blown_pair(0.0).coarse.positions[0]).fine_positions)
    options = ("--upsample", model, "--frames", "0:3", "--height", 1.8)
    exported = invoke("export", coarse, *options, "-o", tmp_path / "fine.pc2")
    assert exported.exit_code == 0, exported.output
    assert ruckle.load(tmp_path / "fine.pc2").vertex_count >= 247


@pytest.mark.parametrize("workers", [1, 2])
def test_exact_workers_change_no_bit(workers: int, tmp_path: Path) -> None:
    for angle in ANGLES:
        pair = blown_pair(angle)
        pair.save(tmp_path / pair.name)
    folders = sorted(tmp_path.iterdir(), reverse=workers == 2)
    alone, shared = (Trainer(Garment.of(blown_pair(0.0)), tests=12) for _ in range(2))
    for folder in sorted(folders):
        alone.add_pair(load_pair(folder))
    with LocalPool(workers) as pool:
        shared.add_folders(folders, pool)
    assert {motion.name for motion in shared.motions} == {motion.name for motion in alone.motions}
    profile = HarmonicPenalties(0.1, 1.0)
    np.testing.assert_array_equal(shared.train(penalties=profile).operator, alone.train(penalties=profile).operator)


def test_exact_the_command_reads_by_workers(tmp_path: Path) -> None:
    for angle in ANGLES:
        pair = blown_pair(angle)
        pair.save(tmp_path / "pairs" / pair.name)
    models = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for model, options in zip(models, ((), ("--workers", 2)), strict=True):
        result = invoke("train", tmp_path / "pairs", "-o", model, "--gamma", 0.1, 1, *options)
        assert result.exit_code == 0, result.output
    np.testing.assert_array_equal(*(load_model(model).operator for model in models))


def test_exact_the_command_learns_from_caches_of_others(tmp_path: Path) -> None:
    caches: list[object] = []
    for angle in ANGLES:
        pair = blown_pair(angle)
        for kind, animation in (("coarse", pair.coarse), ("fine", pair.fine)):
            animation.save(tmp_path / f"{kind}_{angle:g}.pc2")
        caches += ["--pair", tmp_path / f"coarse_{angle:g}.pc2", tmp_path / f"fine_{angle:g}.pc2"]
    ruckle.Animation(pair.coarse_rest[None], pair.coarse.faces, fps=60.0).save(tmp_path / "coarse_rest.npz")
    ruckle.Animation(pair.fine_rest[None], pair.fine.faces, fps=60.0).save(tmp_path / "fine_rest.npz")
    model = tmp_path / "a.upsampling.npz"
    rests = ("--rest", tmp_path / "coarse_rest.npz", tmp_path / "fine_rest.npz", "--tests", 12)
    result = invoke("train", *caches, *rests, "-o", model, "--precision", "single", "--gamma", 0.1, 1)
    assert result.exit_code == 0, result.output
    expected = trainer_of_flags().train(penalties=HarmonicPenalties(0.1, 1.0))
    np.testing.assert_allclose(load_model(model).operator, expected.operator, atol=1e-6)
    # rejected: caches of coarse and fine cloth from different motions, or with different frame rates
    mixed = ("--pair", tmp_path / "coarse_0.pc2", tmp_path / "fine_1.pc2")
    assert "fine_1: coarse and fine cloth are not aligned" in refusal("train", *mixed, *rests, "-o", model)
    pair.coarse.save(tmp_path / "fast.npz")
    replace(pair.fine, fps=30.0).save(tmp_path / "slow.npz")
    said = refusal("train", "--pair", tmp_path / "fast.npz", tmp_path / "slow.npz", *rests, "-o", model)
    assert "slow.npz: has 30 frames per second, its coarse cloth 60" in said
    assert "pair: contains no training pair" in refusal("train", "-o", model)


def test_exact_the_command_looks_for_oscillations(tmp_path: Path) -> None:
    pair = blown_pair(0.0)
    pair.save(tmp_path / "flag")
    options = ("--oscillations", 2, "--gamma", 0.1, 1, "-o", tmp_path / "a.npz")
    said = invoke("train", tmp_path / "flag", *options).stdout
    assert "oscillations of flag: " in said
    found = json.loads(invoke("train", tmp_path / "flag", *options, "--json").stdout)
    assert len(found["frequencies_hz"]) == load_model(tmp_path / "a.npz").oscillation_count


def test_reject_commands(tmp_path: Path) -> None:
    model = tmp_path / "a.npz"
    assert "contains no training pair; 'ruckle simulate' makes pairs" in refusal("train", tmp_path, "-o", model)
    model.write_bytes(b"nothing")
    assert "is not an NPZ archive" in refusal("upsample", "sawing", "-m", model, "-o", tmp_path / "b.npz")
