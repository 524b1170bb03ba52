"""Making reference data: what is drawn, resumption, the best, and drift."""

from __future__ import annotations

import argparse
import json
import math
import zlib
from dataclasses import replace

import numpy as np
import pytest
import sklearn

from benchmarks import records
from benchmarks.archive import store
from benchmarks.archive.digest import Digest, Improvement
from benchmarks.baseline import best, command, drift, evaluate, pool, reference_file
from benchmarks.baseline.best import Heat
from benchmarks.baseline.journal import Journal, Outcome
from benchmarks.baseline.pair import Pair
from benchmarks.baseline.reference_file import Candidate, MissingReferenceError, ReferenceFile
from benchmarks.records import Evaluated, Key, Record
from benchmarks.tasks.registry import TASKS

NOISY, QUIET, FINITE = Pair("DT", "iris"), Pair("linear", "diabetes"), Pair("kNN", "iris")


@pytest.fixture
def here(monkeypatch):
    """Evaluate in this process, and count."""
    counted = []

    def in_this_process(chunks, jobs):
        for chunk in chunks:
            counted.extend(chunk[1])
            yield chunk, evaluate.evaluate_chunk(chunk)

    monkeypatch.setattr(evaluate, "_in_processes", in_this_process)
    return counted


@pytest.fixture
def cheap(here, monkeypatch):
    """The same with made-up losses: a number from the text of the trial."""

    def made_up(chunk):
        pair, trials = chunk
        return [
            Outcome({task.metric: made_up_loss(trial, task) for task in pair.tasks}, 0.01)
            for trial in trials
        ]

    monkeypatch.setattr(evaluate, "evaluate_chunk", made_up)
    return here


def made_up_loss(trial, task):
    return zlib.crc32(f"{trial}{task.metric}".encode()) / 2**32


def make(pairs, tmp_path, name="a", size=12, jobs=1):
    folder = tmp_path / name / "reference"
    pool.make_pools(pairs, size, jobs, folder, tmp_path / name / "pools")
    return folder


def texts(folder):
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def test_draws_are_the_same_for_everybody():
    assert NOISY.draws(8) == NOISY.draws(32)[:8]
    assert [draw.seed for draw in NOISY.draws(8)] == list(range(8))
    assert len(set(NOISY.draws(32))) == 32
    # The same space with other data has draws of its own.
    assert not {d.config for d in NOISY.draws(32)} & {
        d.config for d in Pair("DT", "wine").draws(32)
    }


def test_where_the_seed_is_ignored_all_seeds_are_one():
    assert {draw.seed for draw in QUIET.draws(8)} == {0}
    assert QUIET.trial({"x": 1}, 5) == QUIET.trial({"x": 1}, 7)


def test_draws_are_uniform_on_the_warped_space():
    pair = Pair("SVM", "boston")
    values = [json.loads(draw.config)["C"] for draw in pair.draws(1024)]
    levels = np.histogram(np.log10(values), bins=8, range=(0, 3))[0]
    assert np.all(np.abs(levels - 128) < 4 * math.sqrt(128))


def test_a_small_finite_space_is_known_completely():
    points = {trial.config for trial in FINITE.everything(at_most=1024)}
    assert len(points) == 100
    assert all(json.loads(point) in FINITE.space for point in points)
    assert FINITE.everything(at_most=99) == QUIET.everything(at_most=1024) == []


def test_no_configuration_of_a_quiet_pair_is_evaluated_twice(cheap, tmp_path):
    folder = make([FINITE], tmp_path, size=300)
    assert len(cheap) == len(set(cheap)) == 100
    made = reference_file.read("kNN_iris_acc", folder)
    assert len(made.pool) == 300
    losses = [made_up_loss(draw, TASKS["kNN_iris_acc"]) for draw in FINITE.draws(300)]
    np.testing.assert_allclose(made.pool, sorted(losses), rtol=1e-6)


def test_a_pool_holds_what_the_task_says(here, tmp_path):
    folder = make([NOISY], tmp_path, size=3)
    for task in NOISY.tasks:
        made = reference_file.read(task.name, folder)
        losses = [task.evaluate(json.loads(draw.config), draw.seed).loss for draw in NOISY.draws(3)]
        np.testing.assert_allclose(made.pool, sorted(losses), rtol=1e-6)
        assert made.top[0].loss == min(losses)
        assert task.evaluate(made.top[0].config, int(np.argmin(losses))).loss == min(losses)
        assert len(made.signature) == 5


def test_losses_do_not_depend_on_the_number_of_processes(here, tmp_path, monkeypatch):
    wanted = {pair: pair.draws(9) for pair in (NOISY, QUIET)}
    alone = [Journal(pair, tmp_path / "alone") for pair in wanted]
    evaluate.evaluate_missing(alone, wanted, 1)
    monkeypatch.undo()
    monkeypatch.setattr(evaluate, "CHUNK_TRIALS", 2)
    together = [Journal(pair, tmp_path / "together") for pair in wanted]
    completed = []
    evaluate.evaluate_missing(together, wanted, 2, completed.append)
    assert sorted(journal.pair for journal in completed) == sorted(wanted)
    for one, other in zip(alone, together, strict=True):
        for task in one.pair.tasks:
            losses = [one.loss(trial, task.metric) for trial in wanted[one.pair]]
            assert losses == [other.loss(trial, task.metric) for trial in wanted[one.pair]]


def test_a_run_that_was_killed_goes_on(cheap, tmp_path, monkeypatch):
    whole = texts(make([NOISY, QUIET], tmp_path, "whole"))
    evaluations = len(cheap)
    cheap.clear()
    monkeypatch.setattr(evaluate, "CHUNK_TRIALS", 2)
    undisturbed = evaluate.evaluate_chunk

    def killed(chunk):
        if len(cheap) > 20:
            raise KeyboardInterrupt
        return undisturbed(chunk)

    monkeypatch.setattr(evaluate, "evaluate_chunk", killed)
    with pytest.raises(KeyboardInterrupt):
        make([NOISY, QUIET], tmp_path, "killed")
    journal = next((tmp_path / "killed" / "pools").rglob("*.jsonl"))
    journal.write_text(journal.read_text()[:-9])  # the last line, cut short
    monkeypatch.setattr(evaluate, "evaluate_chunk", undisturbed)
    cheap.clear()
    assert texts(make([NOISY, QUIET], tmp_path, "killed")) == whole
    assert 0 < len(cheap) < evaluations - 15


def test_failures_are_kept_as_the_last_of_the_pool(cheap, tmp_path, monkeypatch):
    def half_fail(chunk):
        fails = [
            Outcome({"acc": math.inf, "nll": 1.0}, 0.01),
            Outcome({"acc": 0, "nll": 2.0}, 0.01),
        ]
        return [fails[trial.seed % 2] for trial in chunk[1]]

    monkeypatch.setattr(evaluate, "evaluate_chunk", half_fail)
    folder = make([NOISY], tmp_path)
    assert reference_file.read("DT_iris_acc", folder).pool == (0.0,) * 6 + (math.inf,) * 6
    assert reference_file.read("DT_iris_nll", folder).pool == (1.0,) * 6 + (2.0,) * 6
    cheap.clear()
    (folder / "DT_iris_acc.json").unlink()
    make([NOISY], tmp_path)
    assert not cheap  # infinite losses are read back from the journal
    assert reference_file.read("DT_iris_acc", folder).pool[-1] == math.inf


def test_pools_are_frozen(cheap, tmp_path):
    folder = make([NOISY], tmp_path)
    cheap.clear()
    # Neither the journal nor the same draws are needed any more.
    pool.make_pools([NOISY], 12, 1, folder, tmp_path / "no journal")
    assert not cheap
    made = reference_file.read("DT_iris_acc", folder)
    pool.make_pools([NOISY], 24, 1, folder, tmp_path / "a" / "pools")
    assert len(cheap) == 12
    assert len(reference_file.read("DT_iris_acc", folder).pool) == 24
    # That of another scikit-learn is not ours.
    old = replace(made, facts={**made.facts, "scikit-learn": "0.1"})
    reference_file.write(old, folder)
    assert not pool.is_made(NOISY, 12, folder)


def write_run(folder, task, config, loss, method="warpfront", seed=0):
    trials = (Evaluated(config, loss), Evaluated(config, math.inf, failure="no"))
    records.write(Record(Key(task, method, seed, 8, 16), trials, ()), folder)


def test_candidates_come_from_the_pool_and_the_runs_each_once():
    configs = TASKS["kNN_iris_acc"].space.sample(3, 0)
    made = ReferenceFile(
        "kNN_iris_acc",
        (-0.9, -0.8, math.inf),
        top=(Candidate(configs[0], -0.9),),
    )
    trials = tuple(Evaluated(c, x) for c, x in zip(configs, (-0.7, math.inf, -0.95), strict=True))
    run = Record(Key("kNN_iris_acc", "pysot", 0, 8, 16), trials, ())
    assert best.candidates(made, [run]) == [
        Candidate(configs[2], -0.95, "pysot"),
        Candidate(configs[0], -0.9, "pool"),
    ]


def make_best(names, folder, tmp_path, places=best.PLACES):
    return best.make_best(names, tmp_path / "runs", 1, folder, tmp_path / "a" / "pools", places)


def test_the_best_of_a_quiet_task_is_the_smallest_loss(here, tmp_path):
    task, folder = TASKS["linear_diabetes_mae"], make([QUIET], tmp_path)
    assert make_best([task.name], folder, tmp_path) == []
    first = reference_file.read(task.name, folder).optimum
    losses = [task.evaluate(json.loads(draw.config), 0).loss for draw in QUIET.draws(12)]
    assert first.loss == first.lowest_seen == min(losses)
    assert (first.source, first.runs, first.seeds, first.standard_error) == ("pool", 0, 1, 0.0)
    good = min(task.space.sample(40, 1), key=lambda config: task.evaluate(config, 0).loss)
    truth = task.evaluate(good, 0).loss
    assert truth < first.loss
    # The record exaggerates; what counts is the evaluation.
    write_run(tmp_path / "runs", task.name, good, truth - 1.0)
    make_best([task.name], folder, tmp_path)
    second = reference_file.read(task.name, folder).optimum
    assert (second.loss, second.config, second.source) == (truth, good, "warpfront")
    assert second.runs == 1


def test_the_best_of_a_noisy_task_is_a_mean_over_fresh_seeds(here, tmp_path, monkeypatch):
    seeds = range(70, 74)
    monkeypatch.setattr(best, "HEATS", (Heat(3, range(50, 52)), Heat(1, seeds)))
    task, folder = TASKS["DT_iris_nll"], make([NOISY], tmp_path)
    made = reference_file.read(task.name, folder)
    make_best([task.name], folder, tmp_path)
    found = reference_file.read(task.name, folder).optimum
    heats = [
        np.mean([task.evaluate(c.config, seed).loss for seed in (50, 51)]) for c in made.top[:3]
    ]
    winner = made.top[int(np.argmin(heats))].config
    losses = [task.evaluate(winner, seed).loss for seed in seeds]
    assert found.config == winner
    assert found.loss == pytest.approx(np.mean(losses))
    assert found.standard_error == pytest.approx(np.std(losses, ddof=1) / 2)
    assert found.lowest_seen == made.top[0].loss
    assert found.seeds == 4


def test_the_heats_and_the_pool_share_no_seed():
    seeds = [seed for heat in best.HEATS for seed in heat.seeds]
    assert len(set(seeds)) == len(seeds)
    assert min(seeds) >= 1_000_000
    assert len(best.HEATS[-1].seeds) == 20


def test_fewer_places_make_shorter_heats_and_the_same_last_one(cheap, tmp_path):
    for places in range(1, 65):
        *chosen, last = best.heats_for(places)
        assert last == best.HEATS[-1]
        assert all(heat.places > 1 for heat in chosen)
        assert not chosen or chosen[0].places == places
    task, folder = TASKS["DT_iris_nll"], make([NOISY], tmp_path)
    cheap.clear()
    make_best([task.name], folder, tmp_path, places=1)
    assert reference_file.read(task.name, folder).optimum.seeds == 20
    assert len(cheap) == 20  # nothing but the last heat


def test_the_best_never_rises(cheap, tmp_path):
    task, folder = TASKS["DT_iris_nll"], make([NOISY], tmp_path)
    made = reference_file.read(task.name, folder)
    make_best([task.name], folder, tmp_path)
    found = reference_file.read(task.name, folder).optimum
    lower = replace(found, loss=-1.0, lowest_seen=-2.0, runs=9)
    reference_file.write(replace(made, optimum=lower), folder)
    cheap.clear()
    make_best([task.name], folder, tmp_path)
    assert not cheap  # the heats, too, are in the journal
    assert reference_file.read(task.name, folder).optimum == lower
    # A larger pool leaves it alone as well.
    make([NOISY], tmp_path, size=16)
    assert reference_file.read(task.name, folder).optimum == lower


def test_the_lowest_loss_is_that_of_archived_runs_too_and_nothing_is_evaluated(cheap, tmp_path):
    folder = make([NOISY], tmp_path)
    make_best(["DT_iris_nll"], folder, tmp_path)
    cheap.clear()
    before = reference_file.read("DT_iris_nll", folder).optimum

    def archive(seed, loss, scikit_learn):
        key = Key("DT_iris_nll", "pysot", seed, 1, 100)
        facts = {"scikit-learn": scikit_learn}
        digest = Digest(key, 100, 0, (Improvement(7, loss, None),), 1.0, facts=facts)
        store.add([digest], tmp_path / "archive")

    archive(0, -3.0, sklearn.__version__)
    archive(1, -9.0, "0.1")  # losses of another scikit-learn are no losses of ours
    (config,) = TASKS["DT_iris_nll"].space.sample(1, seed=9)
    write_run(tmp_path / "runs", "DT_iris_nll", config, -2.0)
    where = ("--folder", folder, "--runs", tmp_path / "runs", "--archive", tmp_path / "archive")
    chosen = ("--tasks", "DT_iris_nll", "DT_iris_acc", "--stage", "seen")
    assert run_command(*chosen, *where) == 0
    assert not cheap
    found = reference_file.read("DT_iris_nll", folder).optimum
    assert found == replace(before, lowest_seen=-3.0, runs=2)
    assert reference_file.read("DT_iris_acc", folder).optimum is None
    archive(2, -3.0 - 1e-9, sklearn.__version__)  # the same but for rounding
    assert best.lower_seen(["DT_iris_nll"], tmp_path / "archive", tmp_path / "runs", folder) == {}
    assert reference_file.read("DT_iris_nll", folder).optimum.lowest_seen == -3.0


def test_runs_of_another_scikit_learn_are_no_candidates(cheap, tmp_path):
    folder = make([NOISY], tmp_path)
    (config,) = TASKS["DT_iris_nll"].space.sample(1, seed=9)
    key = Key("DT_iris_nll", "pysot", 0, 8, 16)
    facts = {"scikit-learn": "0.1"}
    records.write(Record(key, (Evaluated(config, -9.0),), (), facts=facts), tmp_path / "runs")
    make_best(["DT_iris_nll"], folder, tmp_path)
    found = reference_file.read("DT_iris_nll", folder).optimum
    assert found.lowest_seen > -9.0
    assert found.runs == 0


def test_what_always_fails_has_no_best(cheap, tmp_path, monkeypatch):
    folder = make([NOISY], tmp_path)

    def fail(chunk):
        return [Outcome({"acc": math.inf, "nll": math.inf}, 0.01) for _ in chunk[1]]

    monkeypatch.setattr(evaluate, "evaluate_chunk", fail)
    assert make_best(["DT_iris_nll"], folder, tmp_path) == ["DT_iris_nll"]
    assert reference_file.read("DT_iris_nll", folder).optimum is None


def test_a_best_needs_a_pool(tmp_path):
    with pytest.raises(MissingReferenceError, match="benchmarks reference --tasks DT_iris_nll"):
        make_best(["DT_iris_nll"], tmp_path, tmp_path)


def test_drift_is_noticed(here, tmp_path):
    folder = make([NOISY, QUIET], tmp_path, size=1)
    names = [task.name for task in (*NOISY.tasks, *QUIET.tasks)]
    assert drift.find_drift(names, 1, folder) == []
    made = reference_file.read("DT_iris_nll", folder)
    changed = made.signature[3] * (1 + 1e-5)
    signature = (*made.signature[:3], changed, math.inf)
    reference_file.write(replace(made, signature=signature), folder)
    first, second = drift.find_drift(names, 1, folder)
    assert (first.task, first.point, first.frozen) == ("DT_iris_nll", 3, changed)
    assert first.now == made.signature[3]
    assert (second.point, second.frozen) == (4, math.inf)
    assert "DT_iris_nll: signature 4 was" in str(first)
    assert len(drift.find_drift(names, 1, folder, tolerance=1e-4)) == 1


def run_command(*arguments):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.execute(parser.parse_args([str(argument) for argument in arguments]))


def test_command(cheap, tmp_path, capsys):
    folder = tmp_path / "reference"
    places = ("--folder", folder, "--runs", tmp_path / "runs", "--journals", tmp_path / "pools")
    options = ("--tasks", "DT_iris_nll", *places, "--pool", 6)
    assert run_command(*options, "--check") == 1
    assert "benchmarks reference --tasks DT_iris_nll" in capsys.readouterr().err
    assert run_command(*options, "--stage", "pool") == 0
    assert reference_file.read("DT_iris_nll", folder).optimum is None
    assert run_command(*options) == 0
    assert "random search scores" in capsys.readouterr().out
    assert run_command(*options, "--check") == 0
    assert "1 of 1 tasks give the frozen losses" in capsys.readouterr().out
    made = reference_file.read("DT_iris_nll", folder)
    (config,) = TASKS["DT_iris_nll"].space.sample(1, seed=9)
    write_run(tmp_path / "runs", "DT_iris_nll", config, -1.0)
    assert run_command(*options) == 0
    assert reference_file.read("DT_iris_nll", folder) == made  # it is frozen
    assert run_command(*options, "--again") == 0
    made = reference_file.read("DT_iris_nll", folder)
    assert made.optimum.lowest_seen == -1.0
    reference_file.write(replace(made, signature=(9.0,) * 5), folder)
    assert run_command(*options, "--check") == 1
    assert "0 of 1 tasks" in capsys.readouterr().out
