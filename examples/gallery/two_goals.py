"""Two goals: error against size.

A larger forest is more accurate and slower. With two goals there is no best trial. `result.front`
has the trials that no other one beats in both, and you choose among them.
"""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from warpfront import Integer, Minimize, Real, Result, Space, minimize

SPACE = Space(
    max_depth=Integer(1, 10),
    min_samples_leaf=Integer(1, 30, scale="log"),
    ccp_alpha=Real(1e-4, 0.1, scale="log"),
)
X, Y = load_wine(return_X_y=True)


def measure(config: dict[str, Any]) -> dict[str, float]:
    """The error of a decision tree, and how many leaves it has."""
    tree = DecisionTreeClassifier(random_state=0, **config)
    error = 1.0 - float(cross_val_score(tree, X, Y, cv=3).mean())
    return {"error": error, "leaves": float(tree.fit(X, Y).get_n_leaves())}


def run(trials: int = 30) -> Result:
    """Look for the best trade-offs."""
    goals = [Minimize("error"), Minimize("leaves")]
    result = minimize(measure, SPACE, trials, goals=goals, seed=0, progress=False)
    for leaves, error in sorted(
        {(t.outcomes["leaves"], t.outcomes["error"]) for t in result.front}
    ):
        print(f"{leaves:4.0f} leaves, error {error:.3f}")
    return result


def draw(result: Result) -> Figure:
    """All trials, and the front."""
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    points = [(t.outcomes["leaves"], t.outcomes["error"]) for t in result.trials]
    axes.plot(*zip(*points, strict=True), ".", color="gray", label="trials")
    front = sorted((t.outcomes["leaves"] or 0.0, t.outcomes["error"]) for t in result.front)
    axes.step(*zip(*front, strict=True), "o-", where="post", color="C1", label="front")
    axes.set(xlabel="leaves", ylabel="cross-validated error")
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    draw(run()).savefig("two_goals.svg")
