"""The sentences of the summary: what is said, and what is not."""

import re

import numpy as np
import pytest

from tests.report.studies import QUICK, told
from warpfront import AtMost, Categorical, Integer, Maximize, Minimize, Real, Space
from warpfront.analysis.model_view import ModelView
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.report.summary import sentences

SPACE = Space(
    rate=Real(1e-5, 1e-1, scale="log"), depth=Integer(1, 12), kind=Categorical(["a", "b"])
)


def loss(config):
    if config["depth"] > 10:
        return None
    return (np.log10(config["rate"]) + 2.5) ** 2 + 2.0 * (config["kind"] == "a")


def said(history, gain=None, models=True):
    views = [ModelView(history, QUICK, 0)] if models else []
    return sentences(history, views, gain)


@pytest.fixture(scope="module")
def history():
    configs = SPACE.sample(32, seed=0)
    return History(SPACE).tell([(None, c, loss(c)) for c in configs])


def test_what_matters_where_it_is_best_and_what_fails(history):
    first, second, third = said(history)
    assert first.startswith(f"The lowest value is {history.best.value:.6g}, in trial ")
    assert second.startswith("rate matters most (involved in ")
    assert re.search(r"The best values: rate between 0.00\d+ and 0.0\d+; kind = b\.$", second)
    assert "depth" not in second
    failed = len(history.of_state("failed"))
    assert third.startswith(f"{failed} of 32 trials failed, all with depth above 10; the reason: ")


@pytest.mark.parametrize(
    ("gain", "text"),
    [
        (0.2, "One more trial is expected to improve the value by about 0.2."),
        (1e-7, "Little is left to gain: one more trial is expected to improve"),
    ],
)
def test_what_is_left_to_gain(history, gain, text):
    assert said(history, gain)[-1].startswith(text)


def test_noise_has_no_best_values_and_nothing_to_gain():
    rng = np.random.default_rng(0)
    history = told(SPACE, rng.normal(size=24).tolist())
    _, doubt = said(history, gain=0.5)
    assert doubt.startswith("The model explains little of the value (an R² of ")


def test_the_last_trial_is_the_best():
    history = told(Space(x=Real(0, 1)), [3.0, 2.0, 1.0])
    (text,) = said(history, models=False)
    assert text.endswith("so the search has not settled yet.")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "No trial has ended yet."),
        ([None, None], "No trial has completed yet, so there is no best one."),
    ],
)
def test_nothing_is_known_yet(values, text):
    assert said(told(Space(x=Real(0, 1)), values), models=False)[0] == text


def test_bounds_and_several_objectives():
    goals = (Minimize("loss"), Maximize("speed"), AtMost("memory", 2.0))
    history = History(Problem(Space(x=Real(0, 1)), goals)).tell(
        [
            (None, {"x": 0.1 * k}, {"loss": float(k), "speed": float(k), "memory": float(k)})
            for k in range(5)
        ]
    )
    front, kept = sentences(history, [], None)
    assert front.startswith("3 of 5 trials form the Pareto front: no trial is better in all of ")
    assert "loss and speed. A compromise is trial 1: loss 1, speed 1, memory 1." in front
    assert kept == "3 of 5 completed trials keep the bound memory ≤ 2."
