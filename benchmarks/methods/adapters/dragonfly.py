"""Dragonfly without its fidelities: a Gaussian process bandit over mixed domains.

Its own ``ask`` never ends when asked for several points and never refits the model, so the steps
of its asynchronous loop are taken here, one by one, with the points under way hallucinated.
"""

from __future__ import annotations

import math
import random
import warnings
from argparse import Namespace
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from benchmarks.methods.adapters import old_names
from benchmarks.methods.parameters import Parameter

LARGEST = 1e100
"""Larger losses are told as this one: the Gaussian process squares them."""


class Dragonfly:
    """A run of ``CPGPBandit`` with its default settings."""

    def __init__(self, run: Run) -> None:
        old_names.restore_numpy_names()
        warnings.filterwarnings("ignore", message="(?s).*(Fortran|fortran)")
        random.seed(run.seed)
        import_module("numpy").random.seed(run.seed)
        domains = import_module("dragonfly.exd.cp_domain_utils")
        config = domains.load_config({"domain": [_dimension(p) for p in run.parameters]})
        self._caller = import_module("dragonfly.exd.experiment_caller").CPFunctionCaller(
            None, config.domain, domain_orderings=config.domain_orderings
        )
        self._bandit = import_module("dragonfly.opt.gp_bandit").CPGPBandit(
            self._caller, ask_tell_mode=True, reporter="silent"
        )
        # Dragonfly's own rule for its first points, but never less than a batch.
        most = max(5.0, 0.075 * run.batch * run.rounds)
        first = max(run.batch, math.ceil(min(5.0 * len(run.parameters), most)))
        self._first = self._bandit._get_initial_qinfos(first)
        self._parameters = run.parameters
        self._pending: list[Namespace] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._pending = [self._propose() for _ in range(n)]
        return [self._configuration(query) for query in self._pending]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        bandit = self._bandit
        for query, loss in zip(self._pending, losses, strict=True):
            query.val = query.true_val = -math.inf if loss is None else -min(loss, LARGEST)
            bandit._remove_from_in_progress(query)
            bandit._update_history(query)
        bandit._add_data_to_model([q for q in self._pending if math.isfinite(q.val)])
        overdue = bandit.step_idx - bandit.last_model_build_at
        if overdue >= bandit.options.build_new_model_every and self._has_data:
            bandit._build_new_model()

    @property
    def _has_data(self) -> bool:
        return any(map(math.isfinite, self._bandit.history.query_vals))

    def _propose(self) -> Namespace:
        bandit = self._bandit
        if not self._first and not self._has_data:
            self._first = bandit._get_initial_qinfos(1)
        if self._first:
            query: Namespace = self._first.pop(0)
        else:
            bandit._main_loop_pre()
            query = bandit._determine_next_query()
        query.step_idx = bandit.step_idx
        bandit._add_to_in_progress([query])
        bandit.step_idx += 1
        return query

    def _configuration(self, query: Namespace) -> Configuration:
        point = self._caller.get_raw_domain_point_from_processed(query.point)
        return {
            p.name: p.read(x, on_unit=_on_unit(p))
            for p, x in zip(self._parameters, point, strict=True)
        }


def _dimension(parameter: Parameter) -> dict[str, Any]:
    name, low, high = parameter.name, parameter.low, parameter.high
    if parameter.is_number and not _on_unit(parameter):
        return {"name": name, "type": "int", "min": int(low), "max": int(high)}
    if parameter.is_number:
        return {"name": name, "type": "float", "min": 0.0, "max": 1.0}
    if parameter.kind == "ordinal":
        return {"name": name, "type": "int", "min": 0, "max": len(parameter.choices) - 1}
    items = [str(i) for i in range(len(parameter.choices))]
    return {"name": name, "type": "discrete", "items": items}


def _on_unit(parameter: Parameter) -> bool:
    """Whether a number is given to the package by its place in [0, 1]."""
    return parameter.kind != "integer" or parameter.scale != "linear"


if __name__ == "__main__":
    main(Dragonfly, ("dragonfly-opt", "numpy", "scipy"))
