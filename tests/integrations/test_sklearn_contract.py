"""HEBOSearchCV obeys scikit-learn's contract for estimators."""

import inspect
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.integrations.conftest import QUICK
from warpfront import Real, Space
from warpfront.integrations.sklearn import HEBOSearchCV

X, y = make_classification(60, n_features=4, random_state=0)
SPACE = {"var_smoothing": Real(1e-9, 1e3, scale="log")}
COMMON = {"estimator": GaussianNB(), "space": SPACE, "cv": 2, "settings": QUICK}


def not_of_a_search(search):
    """What scikit-learn expects to fail of its own searches over such an estimator, too."""
    if not is_regressor(search.estimator):
        return {}
    return {"check_supervised_y_2d": "ridge regression accepts two-dimensional targets"}


@parametrize_with_checks(
    [
        HEBOSearchCV(Ridge(), {"alpha": Real(0.1, 10)}, n_iter=2, cv=2, random_state=0),
        HEBOSearchCV(
            LogisticRegression(), {"C": Real(0.1, 10)}, n_iter=2, cv=2, error_score="raise"
        ),
    ],
    expected_failed_checks=not_of_a_search,
)
@pytest.mark.filterwarnings("default")  # the checks of scikit-learn warn of what they provoke
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_it_takes_the_place_of_a_randomized_search():
    ours, theirs = (inspect.signature(one).parameters for one in (HEBOSearchCV, RandomizedSearchCV))
    assert [name if name != "param_distributions" else "space" for name in theirs] == [
        name for name in ours if name not in ("settings", "fold_noise", "batch_size")
    ][: len(theirs)]
    for name in set(ours) & set(theirs):
        assert ours[name].kind == theirs[name].kind
        assert repr(ours[name].default) == repr(theirs[name].default)


def test_a_fitted_search_has_what_a_randomized_one_has():
    ours = HEBOSearchCV(**COMMON, n_iter=3, return_train_score=True)
    theirs = RandomizedSearchCV(
        GaussianNB(), {"var_smoothing": [0.1, 1.0, 10.0]}, n_iter=3, cv=2, return_train_score=True
    )
    ours, theirs = ours.fit(X, y), theirs.fit(X, y)
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    assert set(vars(ours)) - {"space", "settings", "fold_noise", "batch_size"} == (
        set(vars(theirs)) - {"param_distributions"} | {"optimizer_", "space_"}
    )
    for name, column in theirs.cv_results_.items():
        assert type(ours.cv_results_[name]) is type(column)
        assert np.asarray(ours.cv_results_[name]).dtype == np.asarray(column).dtype
    assert ours.score(X, y) > 0.5
    assert ours.predict_proba(X).shape == (60, 2)


def test_a_fitted_search_is_pickled_and_cloned():
    search = HEBOSearchCV(**{**COMMON, "space": Space(SPACE)}, n_iter=3, random_state=0)
    search.fit(X, y)
    again = pickle.loads(pickle.dumps(search))  # noqa: S301 - our own
    assert again.best_params_ == search.best_params_
    assert [t.config for t in again.optimizer_.history.trials] == search.cv_results_["params"]
    assert (again.predict(X) == search.predict(X)).all()
    assert again.optimizer_.ask(1) == search.optimizer_.ask(1)
    fresh = clone(search)
    assert not hasattr(fresh, "optimizer_")
    assert fresh.space == search.space
    assert fresh.fit(X, y).cv_results_["params"] == search.cv_results_["params"]


def test_the_same_random_state_gives_the_same_candidates():
    def params(random_state, **options):
        search = HEBOSearchCV(**COMMON, n_iter=10, random_state=random_state, **options)
        return search.fit(X, y).cv_results_["params"]

    assert params(3) == params(3) != params(4)
    assert params(np.random.RandomState(3)) == params(3)
    one = params(3, batch_size=2)
    with joblib.parallel_config("threading"):
        assert params(3, batch_size=2, n_jobs=2) == one


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_the_backends_of_joblib(backend):
    search = HEBOSearchCV(**COMMON, n_iter=10, n_jobs=2, random_state=0)
    with joblib.parallel_config(backend):
        search.fit(X, y)
    assert len(search.cv_results_["params"]) == 10
    assert [t.config for t in search.optimizer_.history.trials] == search.cv_results_["params"]
    told = [trial.value for trial in search.optimizer_.history.trials]
    assert told == search.cv_results_["mean_test_score"].tolist()


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"space": 3}, "space"),
        ({"n_iter": 0}, "n_iter"),
        ({"settings": "paper"}, "settings"),
        ({"fold_noise": "yes"}, "fold_noise"),
        ({"batch_size": 0}, "batch_size"),
    ],
)
def test_a_wrong_argument_is_named(options, wrong):
    with pytest.raises(ValueError, match=f"'{wrong}' parameter of HEBOSearchCV"):
        HEBOSearchCV(**{"estimator": Ridge(), "space": {"alpha": [1, 2]}, **options}).fit(X, y)
