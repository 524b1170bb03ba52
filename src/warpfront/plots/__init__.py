"""Interactive figures of a result, drawn with Plotly: ``result.plot.slices()`` and others."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from warpfront.analysis.model_view import ModelView, why_no_model
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.plots.convergence import draw_convergence
from warpfront.plots.front import draw_front
from warpfront.plots.importance import draw_importance
from warpfront.plots.pairs import draw_pairs
from warpfront.plots.parallel import draw_parallel
from warpfront.plots.slices import draw_slices
from warpfront.settings import Settings

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["Plots"]


class Plots:
    """The figures of a result. A notebook shows them; elsewhere call their ``show()``.

    A figure can be changed (``update_layout``) and saved (``write_html``) as any of Plotly's.
    Those that show the model fit it once, to what the result knows.

    Parameters
    ----------
    history
        What was tried.
    settings, seed
        Of the model.

    Examples
    --------
    >>> from warpfront import Integer, Real, Space, minimize
    >>> space = Space(x=Real(-1, 1), n=Integer(1, 4))
    >>> result = minimize(lambda c: c["x"] ** 2 + c["n"], space, budget=10, seed=0)
    >>> figure = result.plot.importance()
    >>> [bar.name for bar in figure.data]
    ['total', 'alone']
    """

    def __init__(
        self, history: History, *, settings: Settings | None = None, seed: int = 0
    ) -> None:
        self._history, self._seed = history, seed
        self._settings = Settings() if settings is None else settings

    @cached_property
    def _view(self) -> ModelView:
        if missing := why_no_model(self._history):
            raise NotEnoughDataError(f"there is no model to show yet. {missing}")
        return ModelView(self._history, self._settings, self._seed)

    def convergence(self) -> Figure:
        """All values of the objective, the failures, and the best value so far."""
        return draw_convergence(self._history)

    def slices(self) -> Figure:
        """The model along each parameter through the best configuration, important ones first."""
        return draw_slices(self._view)

    def importance(self) -> Figure:
        """How much of the variation of the model each parameter causes, alone and in all."""
        return draw_importance(self._view)

    def pairs(self) -> Figure:
        """The most important parameters against each other, over what the model expects."""
        return draw_pairs(self._view)

    def parallel(self) -> Figure:
        """A line for each trial through the axes of all parameters; drag along an axis to select.

        The colour of a line is its value.
        """
        return draw_parallel(self._history)

    def front(self) -> Figure:
        """The outcomes of all trials, two or three goals against each other, the front marked."""
        return draw_front(self._history)
