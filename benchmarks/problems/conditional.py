"""Problems whose parameters exist only for some values of others.

Two functions that carry their truth, and the choice between four classifiers with parameters of
their own. The loss of a classifier is the mean log-loss of five-fold cross-validation on the 80 %
that the other benchmarks use, of standardised features; its randomness is fixed, so that there is
no noise. Their `optimum` is the best that was known when it was frozen, so a run may beat it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from benchmarks.problems.problem import Configuration, Outcomes, Part, Problem, by_name
from benchmarks.tasks.data import load
from benchmarks.tasks.metrics import nll
from benchmarks.tasks.synthetic import BRANIN, HARTMANN6, rosenbrock
from warpfront import Categorical, Integer, Minimize, Real, Space

LOSS = (Minimize("loss"),)


# Jenatton, Archambeau, González and Seeger, "Bayesian Optimization with Tree-Structured
# Dependencies", 2017, section 4.1: two shared parameters, and one in each of four leaves.
def _tree(config: Configuration) -> Outcomes:
    if config["x1"] == 0:
        leaf = config["x4"] ** 2 + 0.1 if config["x2"] == 0 else config["x5"] ** 2 + 0.2
        return {"loss": leaf + config["r8"]}
    leaf = config["x6"] ** 2 + 0.3 if config["x3"] == 0 else config["x7"] ** 2 + 0.4
    return {"loss": leaf + config["r9"]}


TREE = Problem(
    name="tree",
    part="tuning",
    space=Space(
        x1=Integer(0, 1),
        x2=Integer(0, 1, when={"x1": 0}),
        x3=Integer(0, 1, when={"x1": 1}),
        x4=Real(-1, 1, when={"x2": 0}),
        x5=Real(-1, 1, when={"x2": 1}),
        x6=Real(-1, 1, when={"x3": 0}),
        x7=Real(-1, 1, when={"x3": 1}),
        r8=Real(0, 1, when={"x1": 0}),
        r9=Real(0, 1, when={"x1": 1}),
    ),
    goals=LOSS,
    function=_tree,
    optimum=0.1,
    typical=1.072,
    optimiser=MappingProxyType({"x1": 0, "x2": 0, "x4": 0.0, "r8": 0.0}),
)


# Which of three functions, each with parameters of its own; ours. The one that is hardest to
# minimise is the one that gets lowest.
def _function_choice(config: Configuration) -> Outcomes:
    which = config["which"]
    if which == "branin":
        loss = (
            0.2 + (BRANIN.function({"x1": config["b1"], "x2": config["b2"]}) - BRANIN.minimum) / 50
        )
    elif which == "rosenbrock":
        x = [config["r1"], config["r2"]] + ([config["r3"]] if config["dimension"] == 3 else [])
        loss = 0.1 * (4 - config["dimension"]) + math.log1p(rosenbrock(np.array(x))) / 5
    else:
        place = {f"x{i}": config[f"h{i}"] for i in range(1, 7)}
        loss = (HARTMANN6.function(place) - HARTMANN6.minimum) / 3.0
    return {"loss": loss}


FUNCTION_CHOICE = Problem(
    name="function-choice",
    part="confirmation",
    space=Space(
        {
            "which": Categorical(["branin", "rosenbrock", "hartmann"]),
            "b1": Real(-5, 10, when={"which": "branin"}),
            "b2": Real(0, 15, when={"which": "branin"}),
            "dimension": Integer(2, 3, when={"which": "rosenbrock"}),
            "r1": Real(-2, 3, when={"which": "rosenbrock"}),
            "r2": Real(-2, 3, when={"which": "rosenbrock"}),
            "r3": Real(-2, 3, when={"dimension": 3}),
            **{f"h{i}": Real(0, 1, when={"which": "hartmann"}) for i in range(1, 7)},
        }
    ),
    goals=LOSS,
    function=_function_choice,
    optimum=0.0,
    typical=1.099,
    optimiser=MappingProxyType(
        {"which": "hartmann"} | {f"h{i}": HARTMANN6.minimisers[0][f"x{i}"] for i in range(1, 7)}
    ),
)

MODEL_SPACE = Space(
    model=Categorical(["svm", "forest", "boosting", "perceptron"]),
    C=Real(1e-2, 1e3, scale="log", when={"model": "svm"}),
    kernel=Categorical(["rbf", "poly", "linear"], when={"model": "svm"}),
    gamma=Real(1e-4, 1.0, scale="log", when={"kernel": ["rbf", "poly"]}),
    degree=Integer(2, 4, when={"kernel": "poly"}),
    trees=Integer(10, 100, scale="log", when={"model": "forest"}),
    features=Real(0.05, 1.0, when={"model": "forest"}),
    leaf=Integer(1, 10, when={"model": ["forest", "boosting"]}),
    stages=Integer(5, 50, when={"model": "boosting"}),
    shrinkage=Real(1e-2, 1.0, scale="log", when={"model": "boosting"}),
    nodes=Integer(2, 16, when={"model": "boosting"}),
    units=Integer(8, 64, scale="log", when={"model": "perceptron"}),
    rate=Real(1e-4, 1e-1, scale="log", when={"model": "perceptron"}),
    alpha=Real(1e-6, 10.0, scale="log", when={"model": "perceptron"}),
    epochs=Integer(10, 60, when={"model": "perceptron"}),
)
"""Four classifiers of scikit-learn."""

ROWS = 400
"""Of a data set that is larger, the first so many rows of the 80 %: digits would take minutes."""


def _svm(c: Configuration) -> Any:
    from sklearn.svm import SVC

    shape = {name: c[name] for name in ("gamma", "degree") if name in c}
    return SVC(C=c["C"], kernel=c["kernel"], probability=True, random_state=0, **shape)


def _forest(c: Configuration) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(
        c["trees"], max_features=c["features"], min_samples_leaf=c["leaf"], random_state=0
    )


def _boosting(c: Configuration) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        learning_rate=c["shrinkage"],
        max_iter=c["stages"],
        max_leaf_nodes=c["nodes"],
        min_samples_leaf=c["leaf"],
        early_stopping=False,
        random_state=0,
    )


def _perceptron(c: Configuration) -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(
        (c["units"],),
        learning_rate_init=c["rate"],
        alpha=c["alpha"],
        max_iter=c["epochs"],
        random_state=0,
    )


MODELS: MappingProxyType[str, Callable[[Configuration], Any]] = MappingProxyType(
    {"svm": _svm, "forest": _forest, "boosting": _boosting, "perceptron": _perceptron}
)


def cross_validated(name: str, config: Configuration) -> Outcomes:
    """The mean log-loss of a configuration of :data:`MODEL_SPACE` on a data set."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data = load(name)
    X, y = data.X[:ROWS], data.y[:ROWS]
    pipeline = make_pipeline(StandardScaler(), MODELS[config["model"]](config))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a search tries odd settings
        folds = StratifiedKFold(5)
        probabilities = cross_val_predict(pipeline, X, y, cv=folds, method="predict_proba")
    return {"loss": nll(y, probabilities)}


def _models(data: str, part: Part, optimum: float, typical: float) -> Problem:
    return Problem(
        name=f"models-{data}",
        part=part,
        space=MODEL_SPACE,
        goals=LOSS,
        function=partial(cross_validated, data),
        optimum=optimum,
        typical=typical,
    )


CONDITIONAL = MappingProxyType(
    by_name(
        [
            TREE,
            _models("breast", "tuning", 0.06, 0.3),
            _models("wine", "tuning", 0.02, 0.3),
            FUNCTION_CHOICE,
            _models("digits", "confirmation", 0.1, 1.0),
        ]
    )
)
"""All of them, by name: three for tuning, then two for confirmation."""
