"""Spaces of HEBOSearchCV: parameters, distributions, lists, and conditions."""

import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tests.integrations.conftest import QUICK
from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.errors import SpaceError
from warpfront.integrations.sklearn import HEBOSearchCV
from warpfront.integrations.sklearn.candidates import Candidates

X, y = make_classification(40, n_features=4, random_state=0)


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        (stats.uniform(2, 3), Real(2, 5)),
        (stats.loguniform(1e-3, 10), Real(1e-3, 10, scale="log")),
        (stats.reciprocal(1, 2), Real(1, 2, scale="log")),
        (stats.randint(1, 5), Integer(1, 4)),
        (stats.poisson(3), Integer(0, 10)),
        ([1, 2, 4], Ordinal([1, 2, 4])),
        ((0.1, 1, 10), Ordinal([0.1, 1, 10])),
        (np.logspace(0, 2, 3), Ordinal([1.0, 10.0, 100.0])),
        ([3, 2, 1], Ordinal([1, 2, 3])),
        ([7], Ordinal([7])),
        ([1, 3, 2], Categorical([1, 3, 2])),
        ([1, 1, 2], Categorical([1, 2])),
        (["a", "b", "a"], Categorical(["a", "b"])),
        ([True, False], Categorical([True, False])),
        (np.array(["a", "b"]), Categorical(["a", "b"])),
        ([None, "sqrt"], Categorical([0, 1])),
        ([(5,), (5, 5)], Categorical([0, 1])),
        ([1.0, float("nan")], Categorical([0, 1])),
        (range(2, 9, 3), Integer(2, 8, step=3)),
        (Boolean(), Boolean()),
    ],
)
def test_what_may_stand_for_a_parameter(given, parameter):
    assert Candidates.of({"p": given}).space == Space(p=parameter)


def test_other_distributions_are_searched_by_their_quantiles():
    normal, shifted = stats.norm(5, 2), stats.loguniform(1, 10, loc=100)
    candidates = Candidates.of({"a": normal, "b": shifted})
    assert candidates.space == Space(a=Real(0.001, 0.999), b=Real(0, 1))
    params = candidates.params({"a": 0.5, "b": 1.0})
    assert params == {"a": pytest.approx(5.0), "b": pytest.approx(110.0)}
    assert type(params["a"]) is float


class OnlyDraws:
    def rvs(self, random_state=None):
        return 1.0


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"p": 3}, "'p': 3 is not a parameter"),
        ({"p": "abc"}, "'p': 'abc' is not a parameter"),
        ({"p": []}, r"'p': \[\] is not a parameter"),
        ({"p": OnlyDraws()}, "'p': the bounds of .* are unknown"),
        ([{"p": [1]}], "give a Space, or one dict"),
        ({}, "no parameter"),
        ({"a": [None, 1], "b": Real(0, 1, when={"a": 7})}, "7 is not in the list of 'a'"),
    ],
)
def test_what_may_not(given, text):
    with pytest.raises(SpaceError, match=text):
        Candidates.of(given)


def test_objects_are_set_as_they_are():
    options = [MinMaxScaler(), None, (1, 2), np.mean]
    candidates = Candidates.of({"p": options})
    assert all(candidates.params({"p": i})["p"] is one for i, one in enumerate(options))


def test_parameters_of_an_estimator_are_active_where_it_is_chosen():
    candidates = Candidates.of(
        {
            "model": [SVC(), DecisionTreeClassifier(), GaussianNB()],
            "model__C": stats.loguniform(1e-3, 1e3),
            "model__max_depth": [1, 2, None],
            "model__random_state": [1, 2],
            "scaler": [None, "passthrough", StandardScaler()],
            "scaler__with_mean": [True, False],
        }
    )
    conditions = {name: candidates.space[name].when for name in candidates.space}
    assert conditions == {
        "model": None,
        "model__C": {"model": 0},
        "model__max_depth": {"model": 1},
        "model__random_state": {"model": [0, 1]},
        "scaler": None,
        "scaler__with_mean": {"scaler": 2},
    }


def test_conditions_name_the_values_not_their_indices():
    space = {"a": [None, "x", 3], "b": Real(0, 1, when={"a": ["x", None]})}
    assert Candidates.of(space).space["b"].when == {"a": [0, 1]}


def test_inactive_parameters_are_not_set():
    pipeline = Pipeline([("model", DummyClassifier())])
    space = {
        "model": [DecisionTreeClassifier(min_samples_leaf=3, random_state=0), GaussianNB()],
        "model__min_samples_leaf": [1, 2],
        "model__var_smoothing": stats.loguniform(1e-9, 1),
    }
    search = HEBOSearchCV(
        pipeline, space, n_iter=12, cv=2, random_state=0, settings=QUICK, error_score="raise"
    ).fit(X, y)
    for params in search.cv_results_["params"]:
        is_tree = isinstance(params["model"], DecisionTreeClassifier)
        assert ("model__min_samples_leaf" in params) == is_tree
        assert ("model__var_smoothing" in params) != is_tree
    column = search.cv_results_["param_model__var_smoothing"]
    assert 0 < column.mask.sum() < 12
    assert space["model"][0].min_samples_leaf == 3  # what was given is as it was
    assert pickle.loads(pickle.dumps(search)).best_params_.keys() == (  # noqa: S301 - our own
        search.best_params_.keys()
    )


def test_a_space_with_conditions_and_constraints():
    space = Space(
        criterion=Categorical(["gini", "entropy"]),
        max_depth=Integer(1, 4, when={"criterion": "gini"}),
        min_samples_leaf=Integer(1, 5),
        min_samples_split=Integer(2, 10),
        constraints=["min_samples_split >= 2 * min_samples_leaf"],
    )
    search = HEBOSearchCV(
        DecisionTreeClassifier(random_state=0), space, n_iter=10, cv=2, settings=QUICK
    ).fit(X, y)
    for params in search.cv_results_["params"]:
        assert params in space
        assert ("max_depth" in params) == (params["criterion"] == "gini")
    assert search.space_ == space


def test_distributions_and_lists_give_native_values():
    space = {"max_depth": stats.randint(1, 5), "min_samples_split": np.array([2, 4, 8])}
    search = HEBOSearchCV(DecisionTreeClassifier(), space, n_iter=3, cv=2).fit(X, y)
    kinds = {type(value) for params in search.cv_results_["params"] for value in params.values()}
    assert kinds == {int}
