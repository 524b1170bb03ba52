"""One run: what its record holds, and that a method that goes wrong loses nothing."""

from __future__ import annotations

import json
import math

import pytest
import sklearn

from benchmarks import records
from benchmarks.methods import registry
from benchmarks.methods.adapter import AT_THE_END, EACH_ROUND, _Served
from benchmarks.processor import processor
from benchmarks.records import Evaluated, Key
from benchmarks.revision import revision
from benchmarks.run import methods_at_hand, perform
from benchmarks.run.journal import Journal
from benchmarks.tasks.registry import find
from benchmarks.workers.worker import Worker
from warpfront import HEBO


@pytest.fixture(autouse=True)
def _dismissed():
    yield
    methods_at_hand.dismiss()


class BadMethod:
    """Stands in the registry for a method that goes wrong."""

    def __init__(self, what):
        self.what = what

    def start(self, time_limit, log):
        import sys

        module = ("tests.benchmarks.run.misbehaving", self.what)
        return Worker("bad", sys.executable, module, time_limit, log)


def bad(monkeypatch, what):
    monkeypatch.setattr(methods_at_hand, "find", lambda name: BadMethod(what))


def do(tmp_path, key, time_limit=60.0):
    outcome = perform.perform(key, tmp_path, time_limit)
    return outcome, records.read(key.path(tmp_path))


def test_a_record_holds_the_whole_run(tmp_path):
    key = Key("kNN_wine_acc", "warpfront", 3, 3, 4)
    outcome, record = do(tmp_path, key)
    task = find(key.task)
    assert record.key == key
    assert record.error is None
    assert len(record.trials) == 12
    assert len(record.timings) == 4
    assert outcome.best == min(record.losses)
    best = math.inf
    for trial in record.trials:
        assert trial.loss == task.evaluate(trial.config, seed=0).loss
        assert (trial.held_out is not None) == (trial.loss < best)
        best = min(best, trial.loss)
    assert record.facts["warpfront"]
    assert record.facts["scikit-learn"] == sklearn.__version__
    assert record.facts["machine"].startswith(processor())
    assert record.facts.get("revision") == revision()
    assert not list(key.path(tmp_path).parent.glob(".*"))  # no journal, no temporary file


def test_a_record_names_the_kernels_of_openblas(all_here, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Zen")
    _, record = do(tmp_path, Key("kNN_wine_acc", "random", 0, 1, 1))
    assert record.facts["machine"].endswith(" cores, OPENBLAS_CORETYPE=Zen")


def test_the_same_seed_gives_the_same_conditions_to_every_method(all_here, tmp_path):
    task = find("DT_iris_nll")
    for method in ("random", "turbo"):
        _, record = do(tmp_path, Key(task.name, method, 1, 2, 2))
        for number, trial in enumerate(record.trials):
            seed = perform.evaluation_seed(task.name, 1, number)
            assert trial.loss == task.evaluate(trial.config, seed).loss


def test_workers_ask_one_by_one_while_the_others_are_pending(all_here, tmp_path):
    key = Key("branin", "warpfront", 0, 1, 12, workers=3)
    _, record = do(tmp_path, key)
    task = find(key.task)
    optimizer = HEBO(task.space, seed=0)
    now, under_way, ended = 0.0, {}, []
    for number in range(key.rounds + key.workers):
        if number >= key.workers:  # no worker is free: the next one to end makes room
            first = min(under_way, key=lambda n: under_way[n][0])
            now, config = under_way.pop(first)
            optimizer.tell(config, task.evaluate(config, seed=0).loss)
            ended.append((first, config))
        if number < key.rounds:
            (config,) = optimizer.ask(1)
            under_way[number] = now + perform.duration(key, number), config
    assert [trial.config for trial in record.trials] == [config for _, config in ended]
    assert [number for number, _ in ended] != list(range(key.rounds))  # some were overtaken
    assert len(record.timings) == key.rounds


def test_a_run_can_be_repeated(all_here, tmp_path):
    key = Key("branin", "warpfront", 5, 4, 4)
    _, first = do(tmp_path / "a", key)
    _, second = do(tmp_path / "b", key)
    assert [t.config for t in first.trials] == [t.config for t in second.trials]
    assert first.losses == second.losses


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("raise", "RuntimeError: no more ideas"),
        ("die", "died"),
        ("outside", "outside the space"),
        ("few", "2 points instead of 3"),
    ],
)
def test_a_method_that_goes_wrong_keeps_what_it_found(tmp_path, monkeypatch, what, says):
    bad(monkeypatch, what)
    outcome, record = do(tmp_path, Key("branin", "bad", 0, 3, 5))
    assert says in record.error
    assert outcome.error == record.error
    assert len(record.trials) == 3  # the first round
    assert len(record.timings) == 1


def test_a_method_that_hangs_is_given_up(tmp_path, monkeypatch):
    bad(monkeypatch, "hang")
    _, record = do(tmp_path, Key("branin", "bad", 0, 3, 5), time_limit=1.0)
    assert "over 1 s in all" in record.error
    assert len(record.trials) == 3


def test_the_next_run_has_a_fresh_process(tmp_path, monkeypatch):
    bad(monkeypatch, "die")
    do(tmp_path, Key("branin", "bad", 0, 3, 2))
    bad(monkeypatch, "fine")
    _, record = do(tmp_path, Key("branin", "bad", 1, 3, 2))
    assert record.error is None


def test_a_method_that_cannot_start_is_a_failed_run(tmp_path, monkeypatch):
    class Absent:
        def start(self, time_limit, log):
            import sys

            return Worker("bad", sys.executable, ("tests.no_such_module",), time_limit, log)

    monkeypatch.setattr(methods_at_hand, "find", lambda name: Absent())
    _, record = do(tmp_path, Key("branin", "bad", 0, 3, 2))
    assert "no_such_module" in record.error
    assert record.trials == ()


class Opinionated:
    """Proposes points that get worse, and would use the last one; or has no opinion."""

    def __init__(self, space, recommends, recommended):
        self._space = space
        self._recommended = recommended
        self._number = 0
        if recommends is not None:
            self.recommends = recommends
            self.recommend = self._recommend

    def ask(self, n):
        self._number += n
        return [self._point(i) for i in range(self._number - n, self._number)]

    def tell(self, configs, losses):
        pass

    def _recommend(self):
        return self._recommended or (self._point(self._number - 1) if self._number > 2 else None)

    def _point(self, i):
        return {name: min(1.0, 0.5 + i / 20.0) for name in self._space}


def opinionated(monkeypatch, recommends, recommended=None):
    class Here:
        revision = None
        name = "opinionated"
        asked = 0
        served = _Served(
            lambda run: Opinionated(dict(run.space), recommends, recommended), ("numpy",)
        )

        def request(self, op, *, within=None, **arguments):
            self.asked += op == "recommend"
            return getattr(self.served, op)(arguments)

    worker = Here()
    monkeypatch.setattr(methods_at_hand, "worker_of", lambda *_: worker)
    return worker


NOISY = Key("heteroscedastic4", "opinionated", 0, 2, 3)


def test_a_recommendation_is_taken_after_each_round(tmp_path, monkeypatch):
    opinionated(monkeypatch, EACH_ROUND)
    _, record = do(tmp_path, NOISY)
    task = find(NOISY.task)
    # Without an opinion, after the first round, it is the best of what was observed.
    best = min(record.trials[:2], key=lambda trial: trial.loss)
    expected = [(2, best.config), (4, record.trials[3].config), (6, record.trials[5].config)]
    assert [(one.evaluation, one.config) for one in record.recommendations] == expected
    for one in record.recommendations:
        assert one.truth == task.truth(one.config)


def test_a_recommendation_that_costs_something_is_taken_at_the_end_only(tmp_path, monkeypatch):
    worker = opinionated(monkeypatch, AT_THE_END)
    _, record = do(tmp_path, NOISY)
    assert [one.evaluation for one in record.recommendations] == [6]
    assert worker.asked == 1


def test_without_an_opinion_the_luckiest_observation_is_recommended(tmp_path, monkeypatch):
    worker = opinionated(monkeypatch, None)
    _, record = do(tmp_path, NOISY)
    best = min(record.trials, key=lambda trial: trial.loss)
    assert record.recommendations[-1].config == best.config
    assert record.recommendations[-1].truth == best.held_out
    assert worker.asked == 0


@pytest.mark.parametrize("task", ["nonstationary3", "DT_iris_nll"])
def test_no_recommendation_is_taken_without_noise_or_truth(all_here, tmp_path, task):
    _, record = do(tmp_path, Key(task, "warpfront", 0, 2, 2))
    assert record.recommendations == ()


def test_the_same_recommendation_is_kept_once(tmp_path, monkeypatch):
    point = dict.fromkeys(find(NOISY.task).space.names, 0.5)
    opinionated(monkeypatch, EACH_ROUND, point)
    _, record = do(tmp_path, NOISY)
    assert [(one.evaluation, one.config) for one in record.recommendations] == [(2, point)]


def test_a_recommendation_outside_the_space_ends_the_run(tmp_path, monkeypatch):
    opinionated(monkeypatch, EACH_ROUND, {"x1": 9.0})
    _, record = do(tmp_path, NOISY)
    assert "outside the space" in record.error
    assert len(record.trials) == 2


def test_recommending_changes_nothing_of_a_run(all_here, tmp_path, monkeypatch):
    key = Key(NOISY.task, "warpfront", 1, 4, 4)
    _, asked = do(tmp_path / "asked", key)
    monkeypatch.setattr(perform, "WITH_TRUTH", {})
    _, unasked = do(tmp_path / "unasked", key)
    assert asked.recommendations
    assert not unasked.recommendations
    assert [t.config for t in asked.trials] == [t.config for t in unasked.trials]


def test_a_resumed_run_evaluates_only_what_is_missing(all_here, tmp_path, monkeypatch):
    key = Key("DT_iris_nll", "warpfront", 0, 3, 4)
    _, whole = do(tmp_path / "whole", key)
    path = key.path(tmp_path / "cut")
    journal = Journal(path.with_name(f".{path.stem}.journal"))
    for number, trial in enumerate(whole.trials[:7]):
        journal.keep(number, trial)
    evaluated = []
    original = perform._evaluation

    def counted(task, config, seed):
        evaluated.append(seed)
        return original(task, config, seed)

    monkeypatch.setattr(perform, "_evaluation", counted)
    _, resumed = do(tmp_path / "cut", key)
    assert len(evaluated) == 5
    assert [(t.config, t.loss, t.held_out) for t in resumed.trials] == [
        (t.config, t.loss, t.held_out) for t in whole.trials
    ]


def test_a_journal_of_other_configurations_is_forgotten(tmp_path):
    journal = Journal(tmp_path / "j")
    for number in range(4):
        journal.keep(number, Evaluated({"x": number}, float(number)))
    again = Journal(tmp_path / "j")
    assert again.recall(1, {"x": 1}).loss == 1.0
    assert again.recall(2, {"x": 9}) is None
    again.keep(2, Evaluated({"x": 9}, math.inf, failure="ValueError: no"))
    last = Journal(tmp_path / "j")
    assert last.recall(2, {"x": 9}).loss == math.inf
    assert last.recall(3, {"x": 3}) is None


def test_a_line_cut_short_is_forgotten(tmp_path):
    path = tmp_path / "j"
    journal = Journal(path)
    journal.keep(0, Evaluated({"x": 0}, 1.0))
    with path.open("a") as stream:
        stream.write('{"config": {"x"')
    again = Journal(path)
    assert again.recall(0, {"x": 0}) is not None
    again.keep(1, Evaluated({"x": 1}, 2.0))
    assert [json.loads(line)["loss"] for line in path.read_text().splitlines()] == [1.0, 2.0]


def test_every_method_has_a_name_of_its_own_and_an_adapter():
    from importlib.util import find_spec

    for method in registry.METHODS.values():
        assert find_spec(f"benchmarks.methods.adapters.{method.module[0]}") is not None
    labels = [method.label for method in registry.METHODS.values()]
    assert len(set(labels)) == len(labels)
