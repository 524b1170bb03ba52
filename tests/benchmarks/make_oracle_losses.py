"""Write oracle_losses.csv: what Bayesmark itself says at its signature points.

Run it in an environment of its own (Python 3.11); it takes about three minutes:

    python3.11 -m venv .bench/bayesmark
    .bench/bayesmark/bin/pip install bayesmark==0.0.8 scikit-learn==1.1.3 \
        "numpy<1.25" "scipy<1.12" "pandas<2" "xarray<2023"
    .bench/bayesmark/bin/python tests/benchmarks/make_oracle_losses.py

Data, split, models, fixed arguments, points and scorers are Bayesmark's. Only the random states
are set, to those of `benchmarks.tasks.evaluation.random_state_of`: point k has seed k.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv

POINTS = 5
MODELS = ("DT", "MLP-adam", "MLP-sgd", "RF", "SVM", "ada", "kNN", "lasso", "linear")
DATA = ("boston", "breast", "diabetes", "digits", "iris", "wine")
OUTPUT = Path(__file__).with_name("oracle_losses.csv")


def random_state_of(seed, fit):
    return int(np.random.SeedSequence([seed, fit]).generate_state(1)[0])


def losses(model, data):
    """Cross-validated and held-out losses at the five points, by metric."""
    # Not at import: the tests of this repository collect the file, and have no Bayesmark.
    from bayesmark.random_search import suggest_dict
    from bayesmark.sklearn_funcs import SklearnModel

    metrics = ("mae", "mse") if data in ("boston", "diabetes") else ("acc", "nll")
    scorers = {m: get_scorer(SklearnModel._METRIC_MAP[m]) for m in metrics}
    task = SklearnModel(model, data, metrics[0])
    X, y = task.data_X, task.data_y
    folds = check_cv(5, y, classifier=task.is_classifier).split(X, y)
    parts = [(X[a], y[a], X[b], y[b]) for a, b in folds]
    parts.append((X, y, task.data_Xt, task.data_yt))
    points = suggest_dict([], [], task.api_config, POINTS, np.random.RandomState(0))
    found = {m: np.empty((POINTS, len(parts))) for m in metrics}
    for k, point in enumerate(points):
        for fit, (X_fit, y_fit, X_score, y_score) in enumerate(parts):
            estimator = task.base_model(**point, **task.fixed_params)
            if "random_state" in estimator.get_params():
                estimator.set_params(random_state=random_state_of(k, fit))
            estimator.fit(X_fit, y_fit)
            for m in metrics:
                found[m][k, fit] = -scorers[m](estimator, X_score, y_score)
    return {m: (found[m][:, :-1].mean(axis=1), found[m][:, -1]) for m in metrics}


def main():
    warnings.simplefilter("ignore")
    header = [f"{what}_{k}" for what in ("cross_validated", "held_out") for k in range(POINTS)]
    with OUTPUT.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["task", *header])
        for model in MODELS:
            for data in DATA:
                for metric, (cross_validated, held_out) in losses(model, data).items():
                    values = [repr(float(v)) for v in (*cross_validated, *held_out)]
                    writer.writerow([f"{model}_{data}_{metric}", *values])


if __name__ == "__main__":
    main()
