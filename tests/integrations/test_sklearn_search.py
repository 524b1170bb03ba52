"""What HEBOSearchCV does with scores, failures, metadata and callbacks."""

import math
import pickle
import re
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.integrations.conftest import QUICK
from warpfront import HEBO, Boolean, Maximize, Real, Settings
from warpfront.integrations.sklearn import HEBOSearchCV
from warpfront.integrations.sklearn.run import DEFAULT

X, y = make_classification(60, n_features=4, random_state=0)
SPACE = {"var_smoothing": Real(1e-9, 1e3, scale="log")}


def search_of(estimator=None, space=None, **options):
    given = {"n_iter": 9, "cv": 2, "random_state": 0, "settings": QUICK, **options}
    return HEBOSearchCV(estimator or GaussianNB(), space or SPACE, **given)


class Fragile(ClassifierMixin, BaseEstimator):
    """Cannot be fitted where x is beyond a limit, and scores x elsewhere."""

    def __init__(self, x=0.0, limit=0.5):
        self.x, self.limit = x, limit

    def fit(self, X, y, sample_weight=None):
        if self.x > self.limit:
            raise RuntimeError(f"x={self.x} is too much")
        self.classes_ = np.unique(y)
        self.weights_ = sample_weight
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def score(self, X, y, sample_weight=None):
        return self.x


def test_it_finds_a_better_score_than_it_began_with():
    best = search_of(Fragile(limit=2), {"x": Real(0, 1)}, n_iter=14).fit(X, y)
    assert best.best_score_ > 0.995
    assert best.optimizer_.goals == (Maximize("score"),)


def test_the_parameters_of_steps_are_set():
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    space = {
        "gaussiannb__var_smoothing": SPACE["var_smoothing"],
        "standardscaler__with_mean": Boolean(),
    }
    search = search_of(pipeline, space).fit(X, y)
    assert set(search.best_params_) == set(space)
    fitted = search.best_estimator_.named_steps["gaussiannb"]
    assert fitted.var_smoothing == search.best_params_["gaussiannb__var_smoothing"]
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()


def test_the_score_that_refit_names_is_optimised():
    scoring = {"f1": "f1", "accuracy": "accuracy"}
    search = search_of(scoring=scoring, refit="accuracy").fit(X, y)
    assert search.multimetric_
    assert search.optimizer_.goals == (Maximize("accuracy"),)
    assert search.best_score_ == search.cv_results_["mean_test_accuracy"].max()
    assert len(search.cv_results_["split1_test_f1"]) == 9


def test_without_a_name_all_scores_are_optimised():
    search = search_of(scoring=["f1", "accuracy"], refit=False).fit(X, y)
    assert [goal.name for goal in search.optimizer_.goals] == ["f1", "accuracy"]
    assert not hasattr(search, "best_params_")
    assert search.optimizer_.front


def both(estimator, X, y):
    predicted = estimator.predict(X)
    return {"f1": f1_score(y, predicted), "accuracy": accuracy_score(y, predicted)}


def test_a_scoring_function_says_how_its_scores_are_called():
    search = search_of(scoring=both, refit="f1").fit(X, y)
    assert search.optimizer_.goals == (Maximize("f1"),)
    assert len(search.optimizer_.history) == 9
    named = search_of(scoring={"f1": "f1", "accuracy": "accuracy"}, refit="f1").fit(X, y)
    first = [trial.config for trial in named.optimizer_.history.trials[:8]]
    assert [trial.config for trial in search.optimizer_.history.trials[:8]] == first


def test_a_function_chooses_what_is_refitted():
    search = search_of(refit=lambda results: int(results["rank_test_score"].argmax())).fit(X, y)
    worst = search.cv_results_["mean_test_score"].argmin()
    assert (
        search.cv_results_["mean_test_score"][search.best_index_]
        == (search.cv_results_["mean_test_score"][worst])
    )
    assert (
        search.best_estimator_.get_params()["var_smoothing"]
        == (search.best_params_["var_smoothing"])
    )


def quietly(search, X=X, y=y, **params):
    """Fit, and give what it warned of."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        search.fit(X, y, **params)
    return [warning.category for warning in said], [str(warning.message) for warning in said]


@pytest.mark.parametrize("batch_size", [1, 3])
def test_a_candidate_that_cannot_be_fitted_is_a_failed_trial(batch_size):
    search = search_of(Fragile(), {"x": Real(0, 1)}, n_iter=14, batch_size=batch_size)
    kinds, texts = quietly(search)
    x = np.array([params["x"] for params in search.cv_results_["params"]])
    failed = x > 0.5
    assert 2 <= failed.sum() < 14
    assert [t.state == "failed" for t in search.optimizer_.history.trials] == failed.tolist()
    assert (np.isnan(search.cv_results_["mean_test_score"]) == failed).all()
    assert (np.asarray(search.cv_results_["param_x"], float) == x).all()
    assert search.cv_results_["mean_test_score"][~failed].tolist() == x[~failed].tolist()
    assert (search.cv_results_["rank_test_score"][failed] == (~failed).sum() + 1).all()
    assert (search.cv_results_["mean_fit_time"] > 0).all()
    assert search.best_score_ == x[~failed].max()
    assert sum("non-finite" in text for text in texts) == 1  # once, not after each batch
    assert set(kinds) == {FitFailedWarning, UserWarning}


def test_the_last_candidates_may_fail_and_the_first_ones():
    search = search_of(
        Fragile(), {"x": [0.1, 0.7]}, n_iter=2, settings=Settings(initial=1, replicate=False)
    )
    quietly(search)
    assert sorted(params["x"] for params in search.cv_results_["params"]) == [0.1, 0.7]
    assert search.best_params_ == {"x": 0.1}
    assert np.isnan(search.cv_results_["mean_test_score"]).sum() == 1


def test_a_failure_says_why():
    search = search_of(Fragile(limit=0.3), {"x": Real(0, 1)}, n_iter=12, batch_size=1)
    _, texts = quietly(search)
    ours = [text for text in texts if text.startswith("\nAll fits of")]
    assert len(ours) <= 1
    reasons = [trial.reason for trial in search.optimizer_.history.of_state("failed")]
    assert any(re.match(r"RuntimeError: x=0\.\d+ is too much", reason) for reason in reasons)


def test_an_error_score_stands_for_a_failure():
    search = search_of(
        Fragile(limit=0.3), {"x": Real(0, 1)}, n_iter=12, error_score=-1.0, batch_size=1
    )
    quietly(search)
    told = [trial.value for trial in search.optimizer_.history.trials]
    assert told == search.cv_results_["mean_test_score"].tolist()
    assert -1.0 in told


def test_failures_with_a_scoring_function_of_several_scores():
    search = search_of(
        Fragile(limit=0.2),
        {"x": Real(0, 1)},
        scoring=both,
        refit="accuracy",
        settings=Settings(initial=1, replicate=False),
        batch_size=1,
        random_state=3,
    )
    quietly(search)
    failed = np.isnan(search.cv_results_["mean_test_f1"])
    assert failed[0]
    assert not failed.all()
    assert [t.state == "failed" for t in search.optimizer_.history.trials] == failed.tolist()


def test_if_all_fail_it_is_said():
    with pytest.raises(ValueError, match=r"(?s)All the 18 fits failed.*is too much"):
        search_of(Fragile(limit=-1), {"x": Real(0, 1)}).fit(X, y)


def test_errors_are_raised_if_that_is_wanted():
    with pytest.raises(RuntimeError, match="is too much"):
        search_of(Fragile(limit=-1), {"x": Real(0, 1)}, error_score="raise").fit(X, y)


def test_a_parameter_that_the_estimator_does_not_have_is_named():
    with pytest.raises(ValueError, match="Invalid parameter 'smoothing'"):
        search_of(space={"smoothing": Real(0, 1)}).fit(X, y)


def test_all_candidates_have_the_same_splits():
    seen = []

    class Shuffled(KFold):
        def split(self, X, y=None, groups=None):
            seen.append(1)
            return super().split(X, y, groups)

    search = search_of(cv=Shuffled(2, shuffle=True), n_iter=11).fit(X, y)
    assert len(seen) == 1
    assert len(search.cv_results_["params"]) == 11


@pytest.mark.parametrize("noise", [False, True])
def test_the_spread_over_the_folds_is_told_if_wanted(noise):
    search = search_of(cv=3, fold_noise=noise).fit(X, y)
    for row, trial in enumerate(search.optimizer_.history.trials):
        scores = [search.cv_results_[f"split{i}_test_score"][row] for i in range(3)]
        expected = {"score": pytest.approx(np.std(scores, ddof=1) / math.sqrt(3))}
        assert trial.noise == (expected if noise else {})


def test_one_fold_has_no_spread():
    search = search_of(cv=ShuffleSplit(1, random_state=0), fold_noise=True).fit(X, y)
    assert all(trial.noise == {} for trial in search.optimizer_.history.trials)


def test_groups_reach_the_splitter():
    groups = np.repeat(np.arange(6), 10)
    search = search_of(cv=GroupKFold(3), n_iter=2).fit(X, y, groups=groups)
    assert search.n_splits_ == 3


def test_metadata_are_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = Fragile(limit=2).set_fit_request(sample_weight=True)
        estimator.set_score_request(sample_weight=False)
        weights = np.arange(60.0)
        search = search_of(estimator, {"x": Real(0, 1)}, n_iter=9, cv=GroupKFold(2))
        search.fit(X, y, sample_weight=weights, groups=np.repeat(np.arange(6), 10))
        assert (search.best_estimator_.weights_ == weights).all()
        with pytest.raises(TypeError, match="unexpected argument"):
            search.fit(X, y, colours=weights)


def test_what_only_a_fit_needs_is_neither_kept_nor_sent():
    search = search_of(n_iter=9)
    search._record = "this is not sent"
    assert not hasattr(pickle.loads(pickle.dumps(search)), "_record")  # noqa: S301 - our own
    assert "_record" not in vars(search.fit(X, y))
    with pytest.raises(RuntimeError):
        search_of(Fragile(limit=-1), {"x": Real(0, 1)}, error_score="raise").fit(X, y)


def test_settings_are_those_of_the_optimizer():
    assert search_of(n_iter=2, settings=None).fit(X, y).optimizer_.settings == DEFAULT
    paper = search_of(n_iter=2, settings=Settings.paper()).fit(X, y)
    assert paper.optimizer_.settings == Settings.paper()
    assert isinstance(paper.optimizer_, HEBO)


def test_a_small_space_is_searched_once():
    with pytest.warns(UserWarning, match="has only 3 candidates"):
        search = search_of(space={"var_smoothing": [0.1, 1.0, 10.0]}).fit(X, y)
    tried = [params["var_smoothing"] for params in search.cv_results_["params"]]
    assert sorted(tried) == [0.1, 1.0, 10.0]


def test_the_progress_of_a_search_is_told_to_callbacks():
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    events = []

    class Recorder:
        def setup(self, estimator, context):
            events.append(("setup", context.task_name))

        def on_fit_task_begin(self, estimator, context, **given):
            events.append(("begin", context.task_name))

        def on_fit_task_end(self, estimator, context, **given):
            events.append(("end", context.task_name))

        def teardown(self, estimator, context):
            events.append(("teardown", context.task_name))

    search = search_of(n_iter=9)
    search.set_callbacks(Recorder()).fit(X, y)
    assert events.count(("begin", "search-batch")) == events.count(("end", "search-batch")) == 2
    assert ("end", "search") in events
