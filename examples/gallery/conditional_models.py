"""Choose a model and its parameters at the same time.

A support vector machine and a nearest-neighbour classifier have nothing in common but the data.
With conditions, a configuration has the parameters of its own model only.
"""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from warpfront import Categorical, Integer, Real, Result, Space, minimize

SPACE = Space(
    model=Categorical(["svm", "neighbours"]),
    C=Real(1e-3, 1e3, scale="log", when={"model": "svm"}),
    gamma=Real(1e-4, 1e1, scale="log", when={"model": "svm"}),
    n_neighbors=Integer(1, 40, when={"model": "neighbours"}),
    weights=Categorical(["uniform", "distance"], when={"model": "neighbours"}),
)
X, Y = load_wine(return_X_y=True)


def accuracy(config: dict[str, Any]) -> float:
    """Cross-validated accuracy of the model that a configuration names."""
    parameters = {name: value for name, value in config.items() if name != "model"}
    kind = SVC if config["model"] == "svm" else KNeighborsClassifier
    pipeline = make_pipeline(StandardScaler(), kind(**parameters))
    return float(cross_val_score(pipeline, X, Y, cv=3).mean())


def run(trials: int = 30) -> Result:
    """Tune both models in one run."""
    result = minimize(accuracy, SPACE, trials, direction="maximize", seed=0, progress=False)
    print(f"best accuracy {result.best.value:.4f}: {dict(result.best.config)}")
    return result


def draw(result: Result) -> Figure:
    """The accuracy of each trial, by its model."""
    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    for model in ("svm", "neighbours"):
        mine = [trial for trial in result.trials if trial.config["model"] == model]
        axes.plot([t.number for t in mine], [t.value or 0.0 for t in mine], "o", label=model)
    axes.step(range(len(result.trials)), result.best_so_far, color="gray", where="post")
    axes.set(xlabel="trial", ylabel="accuracy")
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    draw(run()).savefig("conditional_models.svg")
