"""Tune a support vector machine in an Optuna study, with HEBO as its sampler.

Start it in several terminals at the same time: they work on one study in one file.
"""

from __future__ import annotations

import argparse

import optuna
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from warpfront.integrations.optuna import HEBOSampler


def objective(trial: optuna.Trial) -> float:
    """Five-fold cross-validated accuracy; only the RBF kernel has a gamma."""
    C = trial.suggest_float("C", 1e-3, 1e3, log=True)
    kernel = trial.suggest_categorical("kernel", ["linear", "rbf"])
    gamma = trial.suggest_float("gamma", 1e-5, 1e1, log=True) if kernel == "rbf" else "scale"
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVC(C=C, kernel=kernel, gamma=gamma))
    return float(cross_val_score(model, X, y, cv=5).mean())


def main() -> None:
    """Run trials and print the best one of the study so far."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--storage", default="sqlite:///study.db")
    args = parser.parse_args()

    study = optuna.create_study(
        study_name="wine",
        storage=args.storage,
        load_if_exists=True,
        direction="maximize",
        sampler=HEBOSampler(seed=0),
    )
    study.optimize(objective, n_trials=args.trials)
    print(f"{len(study.trials)} trials, best accuracy {study.best_value:.4f}")
    print(study.best_params)


if __name__ == "__main__":
    main()
