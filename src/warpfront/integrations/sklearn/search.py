"""HEBOSearchCV: the search of scikit-learn that learns from the scores so far."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from warpfront.integrations.sklearn.candidates import Candidates, Params
from warpfront.integrations.sklearn.pace import batch_size
from warpfront.integrations.sklearn.progress import Progress
from warpfront.integrations.sklearn.record import Record, without_repeats
from warpfront.integrations.sklearn.run import run
from warpfront.optimizers.hebo import HEBO
from warpfront.settings import Settings
from warpfront.space import Space

CALL_ONLY = ("_record",)
"""Attributes that exist during ``fit`` only, and are not sent to workers."""


class HEBOSearchCV(BaseSearchCV):  # type: ignore[misc]  # scikit-learn has no annotations
    """A search over the hyper-parameters of an estimator that learns from the scores so far.

    It takes the place of ``RandomizedSearchCV``, and has its methods and fitted attributes.

    Parameters
    ----------
    estimator
        The estimator, which may be a pipeline with parameters such as ``svc__C``.
    space
        What may be tried: a :class:`warpfront.Space`; or a dict from names of parameters to
        parameters of warpfront, frozen distributions of ``scipy.stats``, or lists of values.
    n_iter
        How many candidates to evaluate.
    scoring
        As in ``RandomizedSearchCV``. Of several scores, the one that ``refit`` names is optimised.
        If it names none, all of them are, as competing objectives.
    n_jobs
        How many fits are made at the same time; see ``batch_size``.
    refit
        As in ``RandomizedSearchCV``: True, False, the name of a score, or a function of
        ``cv_results_`` that returns the index of the candidate to use.
    cv
        As in ``RandomizedSearchCV``. All candidates have the same splits, also if the splitter
        draws new ones at each call.
    verbose
        As in ``RandomizedSearchCV``.
    pre_dispatch
        As in ``RandomizedSearchCV``.
    random_state
        The same number gives the same candidates, if the scores are the same and ``n_jobs``, or
        ``batch_size``, is.
    error_score
        The score where a fit fails, or ``"raise"``. With ``nan``, the default, the candidate is a
        failed trial, from which the optimiser learns to stay away.
    return_train_score
        Whether ``cv_results_`` has the scores on the training sets, too.
    settings
        The components of the method; see :class:`warpfront.Settings`. None: the default ones,
        without repeated measurements of a candidate, which would have the same splits again.
    fold_noise
        Whether the optimiser is told the standard error of the mean score over the folds. If not,
        it estimates the noise itself.
    batch_size
        How many candidates are suggested at a time; the next are suggested when all of them are
        evaluated. None: as few as keep four of five workers busy, which is one without
        ``n_jobs``. Give a number to have the same candidates with any ``n_jobs``.

    Attributes
    ----------
    cv_results_, best_estimator_, best_score_, best_params_, best_index_, scorer_, n_splits_, \
refit_time_, multimetric_, classes_, n_features_in_, feature_names_in_
        As in ``RandomizedSearchCV``. Row i of ``cv_results_`` is trial i of the optimiser.
    optimizer_
        The :class:`warpfront.HEBO` that suggested the candidates, with its history.
    space_
        The :class:`warpfront.Space` that was searched. A list of values that are not numbers,
        texts or booleans is in it by their indices.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from warpfront.integrations.sklearn import HEBOSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> space = {"C": loguniform(1e-3, 1e3), "gamma": loguniform(1e-4, 1e1)}
    >>> search = HEBOSearchCV(SVC(), space, n_iter=12, cv=3, random_state=0).fit(X, y)
    >>> print(search.best_score_ > 0.95, len(search.cv_results_["params"]))
    True 12
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSearchCV._parameter_constraints,
        "space": [Space, Mapping],
        "n_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "settings": [Settings, None],
        "fold_noise": ["boolean"],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        estimator: Any,
        space: Space | Mapping[str, Any],
        *,
        n_iter: int = 10,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[..., Any] = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        settings: Settings | None = None,
        fold_noise: bool = False,
        batch_size: int | None = None,
    ) -> None:
        self.space = space
        self.n_iter = n_iter
        self.random_state = random_state
        self.settings = settings
        self.fold_noise = fold_noise
        self.batch_size = batch_size
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )

    def _run_search(
        self, evaluate_candidates: Callable[..., dict[str, Any]], *, callback_ctx: Any = None
    ) -> None:
        """Suggest candidates and have them evaluated, a batch at a time."""
        candidates = Candidates.of(self.space)
        n_iter = _fewer_in_small_spaces(self.n_iter, candidates.space)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        size = self.batch_size or batch_size(effective_n_jobs(self.n_jobs), self.n_splits_)
        record = self._record = Record(self.n_splits_, self.error_score)
        try:
            with Progress(self, callback_ctx, n_iter) as progress:
                optimizer, results = run(
                    search=self,
                    evaluate=evaluate_candidates,
                    candidates=candidates,
                    record=record,
                    sizes=(n_iter, size),
                    seed=seed,
                    progress=progress,
                )
        finally:
            del self._record
        record.warn()
        params, outputs = record.rows()
        # The dict that `fit` keeps: it gets the rows of what failed, which `fit` knows nothing of.
        results.update(self._format_results(params, self.n_splits_, outputs))
        self.optimizer_: HEBO = optimizer
        self.space_: Space = candidates.space

    def _format_results(
        self,
        candidate_params: list[Params],
        n_splits: int,
        out: list[dict[str, Any]],
        more_results: Any = None,
    ) -> dict[str, Any]:
        record: Record | None = vars(self).get("_record")
        if record is None:
            results = super()._format_results(candidate_params, n_splits, out, more_results)
        else:
            record.outputs = out
            with without_repeats():
                results = super()._format_results(candidate_params, n_splits, out, more_results)
        return dict(results)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in CALL_ONLY}


def _fewer_in_small_spaces(n_iter: int, space: Space) -> int:
    if space.size >= n_iter:
        return n_iter
    size = int(space.size)
    warnings.warn(
        f"The space has only {size} candidates, fewer than n_iter={n_iter}: all {size} are "
        "evaluated.",
        UserWarning,
        stacklevel=2,
    )
    return size
