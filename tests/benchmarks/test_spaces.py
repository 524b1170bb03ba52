"""The search spaces against the paper's two tables, row by row."""

from __future__ import annotations

import pytest

from benchmarks.tasks.spaces import MODELS, search_space
from warpfront import Boolean, Integer, Real

# Model, parameter, type (R or Z), scale, bounds: the rows of the first table ...
CLASSIFICATION = """
kNN       n_neighbors              Z linear 1 25
kNN       p                        Z linear 1 4
SVM       C                        R log    1 1e3
SVM       gamma                    R log    1e-4 1e-3
SVM       tol                      R log    1e-5 1e-1
DT        max_depth                Z linear 1 15
DT        min_samples_split        R logit  0.01 0.99
DT        min_samples_leaf         R logit  0.01 0.49
DT        min_weight_fraction_leaf R logit  0.01 0.49
DT        max_features             R logit  0.01 0.99
DT        min_impurity_decrease    R linear 0 0.5
RF        max_depth                Z linear 1 15
RF        max_features             R logit  0.01 0.99
RF        min_samples_split        R logit  0.01 0.99
RF        min_samples_leaf         R logit  0.01 0.49
RF        min_weight_fraction_leaf R logit  0.01 0.49
RF        min_impurity_decrease    R linear 0 0.5
MLP-adam  hidden_layer_sizes       Z linear 50 200
MLP-adam  alpha                    R log    1e-5 1e1
MLP-adam  batch_size               Z linear 10 250
MLP-adam  learning_rate_init       R log    1e-5 1e-1
MLP-adam  tol                      R log    1e-5 1e-1
MLP-adam  validation_fraction      R logit  0.1 0.9
MLP-adam  beta_1                   R logit  0.5 0.99
MLP-adam  beta_2                   R logit  0.9 0.999999
MLP-adam  epsilon                  R log    1e-9 1e-6
MLP-sgd   hidden_layer_sizes       Z linear 50 200
MLP-sgd   alpha                    R log    1e-5 1e1
MLP-sgd   batch_size               Z linear 10 250
MLP-sgd   learning_rate_init       R log    1e-5 1e-1
MLP-sgd   power_t                  R logit  0.1 0.9
MLP-sgd   tol                      R log    1e-5 1e-1
MLP-sgd   momentum                 R logit  0.001 0.999
MLP-sgd   validation_fraction      R logit  0.1 0.9
ada       n_estimators             Z linear 10 100
ada       learning_rate            R log    1e-4 1e1
lasso     C                        R log    1e-2 1e2
lasso     intercept_scaling        R log    1e-2 1e2
linear    C                        R log    1e-2 1e2
linear    intercept_scaling        R log    1e-2 1e2
"""
# ... and those of the second that differ from it.
REGRESSION = """
lasso     alpha                    R log    1e-2 1e2
lasso     fit_intercept            Z linear 0 1
lasso     normalize                Z linear 0 1
lasso     max_iter                 Z log    10 5000
lasso     tol                      R log    1e-5 1e-1
lasso     positive                 Z linear 0 1
linear    alpha                    R log    1e-2 1e2
linear    fit_intercept            Z linear 0 1
linear    normalize                Z linear 0 1
linear    max_iter                 Z log    10 5000
linear    tol                      R log    1e-4 1e-1
"""


def parameter(kind, scale, low, high):
    if (kind, low, high) == ("Z", "0", "1"):
        return Boolean()
    if kind == "Z":
        return Integer(int(low), int(high), scale=scale)
    return Real(float(low), float(high), scale=scale)


def table(text):
    spaces = {}
    for line in text.strip().splitlines():
        model, name, *rest = line.split()
        spaces.setdefault(model, {})[name] = parameter(*rest)
    return spaces


@pytest.mark.parametrize("model", MODELS)
def test_classification_spaces_are_those_of_the_first_table(model):
    space = search_space(model, "classification")
    assert {name: space[name] for name in space} == table(CLASSIFICATION)[model]


@pytest.mark.parametrize("model", MODELS)
def test_regression_spaces_are_those_of_the_second_table_and_else_of_the_first(model):
    space = search_space(model, "regression")
    expected = {**table(CLASSIFICATION), **table(REGRESSION)}[model]
    assert {name: space[name] for name in space} == expected


def test_there_are_nine_models_of_two_to_nine_parameters():
    assert len(MODELS) == 9
    sizes = {len(search_space(model, kind)) for model in MODELS for kind in ("classification",)}
    assert (min(sizes), max(sizes)) == (2, 9)
