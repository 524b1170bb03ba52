"""What was evaluated so far, with the candidates of which every fit has failed.

``BaseSearchCV`` raises an error if all fits of one of its batches fail, and keeps nothing of them.
For it a batch is the whole search; here a batch is a few candidates, or one, and a candidate
without a score is an ordinary outcome. Such batches are remembered here and get their rows in
``cv_results_`` at the end.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.exceptions import FitFailedWarning

from warpfront.integrations.sklearn.candidates import Params

Output = dict[str, Any]
"""What scikit-learn keeps of the fit of one candidate on one fold."""

ALL_FAILED = re.compile(r"\s*All the \d+ fits failed")


class Record:
    """The candidates in the order in which they were suggested.

    Attributes
    ----------
    outputs
        What scikit-learn keeps of the fits, without those of the batches that failed altogether.
    """

    def __init__(self, folds: int, error_score: Any) -> None:
        self.folds, self.error_score = folds, error_score
        self.outputs: list[Output] = []
        self._batches: list[tuple[list[Params], ValueError | None, float]] = []

    def add(self, batch: list[Params], error: ValueError | None, seconds: float) -> None:
        """Note a batch; the error if all its fits failed, and how long they took together."""
        self._batches.append((batch, error, seconds))

    @property
    def has_scores(self) -> bool:
        """Whether any batch was evaluated."""
        return any(error is None for _, error, _ in self._batches)

    @property
    def error(self) -> ValueError:
        """What to raise where no fit has succeeded: the last error, with the number of all fits."""
        fits = self.folds * sum(len(batch) for batch, _, _ in self._batches)
        return ValueError(re.sub(r"\d+", str(fits), self._last_failure, count=1))

    @property
    def _last_failure(self) -> str:
        return next(str(error) for _, error, _ in reversed(self._batches) if error is not None)

    def rows(self) -> tuple[list[Params], list[Output]]:
        """All candidates, and the outputs of all their fits, in order."""
        params: list[Params] = []
        outputs: list[Output] = []
        evaluated = iter(self.outputs)
        for batch, error, seconds in self._batches:
            params += batch
            fits = len(batch) * self.folds
            if error is None:
                outputs += [next(evaluated) for _ in range(fits)]
            else:
                failed = self._failed(self.outputs[0], error)
                outputs += [{**failed, "fit_time": seconds / fits} for _ in range(fits)]
        return params, outputs

    def _failed(self, like: Output, error: ValueError) -> Output:
        """The output of a fit that failed, with the names of the scores of another one."""
        scores: Output = {
            key: dict.fromkeys(like[key], self.error_score)
            if isinstance(like[key], dict)
            else self.error_score
            for key in ("test_scores", "train_scores")
            if key in like
        }
        return {**like, **scores, "score_time": 0.0, "fit_error": str(error)}

    def warn(self) -> None:
        """Tell of the batches that failed altogether, once, as scikit-learn does of the others."""
        failed = [batch for batch, error, _ in self._batches if error is not None]
        if not failed:
            return
        candidates = sum(map(len, failed))
        total = sum(len(batch) for batch, _, _ in self._batches)
        details = self._last_failure.partition("Below are more details about the failures:")[2]
        warnings.warn(
            f"\nAll fits of {candidates} candidates out of {total} failed.\n"
            f"Their scores are set to {self.error_score}.\n"
            "If these failures are not expected, you can try to debug them by setting "
            f"error_score='raise'.\n\nDetails of the last failure:{details}",
            FitFailedWarning,
            stacklevel=2,
        )


def all_fits_failed(error: ValueError) -> bool:
    """Whether scikit-learn says by this error that no fit of a batch has succeeded.

    Examples
    --------
    >>> all_fits_failed(ValueError("All the 5 fits failed.")), all_fits_failed(ValueError("no"))
    (True, False)
    """
    return ALL_FAILED.match(str(error)) is not None


@contextmanager
def without_repeats() -> Iterator[None]:
    """Silence what scikit-learn would say of all scores so far after each batch."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "One or more of the .* scores are non-finite")
        yield
