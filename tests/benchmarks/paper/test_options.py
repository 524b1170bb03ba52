"""Which tasks an item is made on, from what was chosen."""

from __future__ import annotations

import argparse

import pytest

from benchmarks.paper.options import add_size, add_tasks, is_small, narrow, tasks_of
from benchmarks.tasks.registry import TIERS

SMALL = ("kNN_wine_acc", "DT_iris_acc", "kNN_wine_acc")


def options_of(words):
    parser = argparse.ArgumentParser()
    add_size(parser, "few", "many")
    add_tasks(parser)
    return parser.parse_args(words.split())


@pytest.mark.parametrize(
    ("words", "tasks"),
    [
        ("--full", TIERS["full"]),
        ("--tier quick", TIERS["quick"]),
        ("--tier medium", TIERS["medium"]),
        ("--full --tier quick", TIERS["quick"]),
        ("--tasks DT_iris_nll DT_iris_acc DT_iris_nll", ("DT_iris_nll", "DT_iris_acc")),
        ("--full --tasks DT_iris_nll", ("DT_iris_nll",)),
    ],
)
def test_what_was_chosen_is_made_whatever_the_small_size_has(words, tasks):
    options = options_of(words)
    assert not is_small(options)
    assert tasks_of(options) == tasks_of(options, SMALL) == list(tasks)


def test_where_nothing_was_chosen_the_small_size_is_made():
    options = options_of("")
    assert is_small(options)
    assert tasks_of(options) == list(TIERS["quick"])
    assert tasks_of(options, SMALL) == ["kNN_wine_acc", "DT_iris_acc"]  # each once


def test_without_leaves_tasks_out():
    options = options_of("--full --without DT_iris_nll kNN_wine_acc")
    left = tasks_of(options)
    assert len(left) == 106
    assert not {"DT_iris_nll", "kNN_wine_acc"} & set(left)


@pytest.mark.parametrize(
    ("words", "missing", "without", "tasks"),
    [
        ("--full", (), None, None),
        ("--full", ("DT_iris_acc",), ["DT_iris_acc"], None),
        ("--full", TIERS["full"][2:], None, list(TIERS["full"][:2])),
        ("--full --without DT_iris_nll", ("DT_iris_acc",), ["DT_iris_nll", "DT_iris_acc"], None),
        ("", ("kNN_wine_acc",), None, [t for t in TIERS["quick"] if t != "kNN_wine_acc"]),
    ],
)
def test_options_narrowed_to_what_was_found_choose_just_that(words, missing, without, tasks):
    options = options_of(words)
    asked = tasks_of(options)
    found = [task for task in asked if task not in missing]
    narrow(options, asked, found)
    assert (options.without, options.tasks) == (without, tasks)
    assert tasks_of(options) == found
