"""What callbacks of scikit-learn, from its version 1.9 on, are told of a search."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any


class Progress:
    """The tasks "search" and "search-batch" of a fit; nothing where there are no callbacks."""

    def __init__(self, search: Any, context: Any, candidates: int) -> None:
        self._search, self._candidates = search, candidates
        self._context = context

    def __enter__(self) -> Progress:
        if self._context is not None:
            self._context = self._context.subcontext(
                task_name="search", max_subtasks=self._candidates
            ).call_on_fit_task_begin(estimator=self._search)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._context is not None and error is None:
            self._context.call_on_fit_task_end(estimator=self._search)

    @contextmanager
    def batch(self, candidates: int) -> Iterator[dict[str, Any]]:
        """What to hand to ``evaluate_candidates`` for a batch."""
        if self._context is None:
            yield {}
            return
        context = self._context.subcontext(
            task_name="search-batch",
            max_subtasks=candidates * self._search.n_splits_,
            sequential_subtasks=False,
        ).call_on_fit_task_begin(estimator=self._search)
        yield {"callback_ctx": context}
        context.call_on_fit_task_end(estimator=self._search)
