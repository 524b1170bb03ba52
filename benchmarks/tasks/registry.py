"""All objectives by name, and the tiers of the benchmark."""

from __future__ import annotations

from types import MappingProxyType

from benchmarks.tasks.data import KINDS
from benchmarks.tasks.functions import FUNCTIONS
from benchmarks.tasks.metrics import metrics_of
from benchmarks.tasks.public import PUBLIC_SETS
from benchmarks.tasks.spaces import MODELS
from benchmarks.tasks.synthetic import SYNTHETIC
from benchmarks.tasks.task import Objective, Task
from benchmarks.tasks.truths import WITH_TRUTH
from benchmarks.tasks.unseen_functions import UNSEEN_FUNCTIONS

TASKS = MappingProxyType(
    {
        task.name: task
        for task in (
            Task(model, data, metric)
            for model in MODELS
            for data, kind in KINDS.items()
            for metric in metrics_of(kind)
        )
    }
)
"""The paper's 108 tasks, by name."""

_QUICK = (
    "DT_digits_nll",
    "SVM_diabetes_mae",
    "kNN_wine_acc",
    "RF_diabetes_mse",
    "lasso_boston_mae",
    "MLP-sgd_iris_nll",
)

_MEDIUM = {
    "DT": ("digits_nll", "iris_nll", "wine_nll"),
    "MLP-adam": ("breast_acc", "iris_acc", "wine_acc"),
    "MLP-sgd": ("breast_acc", "iris_acc", "wine_nll"),
    "RF": ("boston_mae", "digits_acc", "iris_nll"),
    "SVM": ("boston_mse", "diabetes_mse", "wine_acc"),
    "ada": ("boston_mae", "breast_nll", "diabetes_mae"),
    "kNN": ("breast_nll", "diabetes_mse", "wine_nll"),
    "lasso": ("boston_mae", "diabetes_mse", "iris_nll"),
    "linear": ("boston_mae", "breast_acc", "diabetes_mse"),
}
"""Three for each model, chosen so that random search's scores are spread as on all 108."""

_MEDIUM_TIER = tuple(f"{model}_{rest}" for model, three in _MEDIUM.items() for rest in three)

TUNED_ON = ("boston", "digits", "iris")
"""The data sets on which warpfront's defaults were chosen; the others confirm the choice."""

TIERS = MappingProxyType({"quick": _QUICK, "medium": _MEDIUM_TIER, "full": tuple(TASKS)})
"""Names of the tasks of each tier."""

SETS = MappingProxyType(
    {
        **TIERS,
        "tuning": tuple(name for name in _MEDIUM_TIER if TASKS[name].data in TUNED_ON),
        "confirmation": tuple(name for name in _MEDIUM_TIER if TASKS[name].data not in TUNED_ON),
        "unseen": tuple(
            name
            for name, task in TASKS.items()
            if task.data not in TUNED_ON and name not in {*_QUICK, *_MEDIUM_TIER}
        ),
        "synthetic": tuple(SYNTHETIC),
        "unseen-functions": tuple(UNSEEN_FUNCTIONS),
        **PUBLIC_SETS,
    }
)
"""The tiers; the two parts of the medium one; the tasks that had no part in any choice; the
synthetic functions, and those that had no part in any choice; the tasks that nobody here wrote."""


def find(name: str) -> Objective:
    """The task or function of this name.

    Examples
    --------
    >>> find("kNN_wine_acc").deterministic
    True
    >>> find("branin").name
    'branin'
    """
    objective = TASKS.get(name) or WITH_TRUTH.get(name)
    if objective is None:
        raise KeyError(
            f"{name!r} is not a task; use model_data_metric, such as {_QUICK[0]}, "
            f"one of {', '.join(FUNCTIONS)}, or a name of the tiers {', '.join(PUBLIC_SETS)}"
        )
    return objective
