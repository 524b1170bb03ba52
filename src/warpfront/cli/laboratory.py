"""`warpfront suggest` and `warpfront observe`: trials that people evaluate by hand."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState, create_trial

from warpfront.cli.errors import TableError
from warpfront.cli.spec import Spec
from warpfront.cli.storage import flush
from warpfront.cli.study import OpenStudy, metric_of
from warpfront.cli.table import Row, is_same, read_config, read_table
from warpfront.cli.trials import (
    HAND,
    OTHERWISE,
    REASON,
    Overview,
    fail,
    lose,
    place,
    predecessors,
)
from warpfront.errors import ConfigurationError
from warpfront.integrations.optuna import distributions_of
from warpfront.integrations.optuna.space import values_of
from warpfront.space import Configuration

BY_HAND = "failed, as observed by hand"


def suggest(opened: OpenStudy, n: int) -> dict[int, Configuration]:
    """Choose n trials together; they run, without a worker, until they are observed.

    What waits in the queue comes first.
    """
    storage = opened.study._storage
    with opened.lock():
        missing = n - len(_queued(opened))
        if missing > 0:
            opened.sampler.enqueue(opened.study, missing)
        taken = dict(list(_queued(opened).items())[:n])
        for number, (trial, _) in list(taken.items()):
            storage.set_trial_user_attr(trial._trial_id, HAND, True)
            opened.record(trial)
            if not storage.set_trial_state_values(trial._trial_id, TrialState.RUNNING):
                del taken[number]  # somebody without our lock has it, such as Optuna's own ask
    return {number: config for number, (_, config) in taken.items()}


def _queued(opened: OpenStudy) -> dict[int, tuple[FrozenTrial, Configuration]]:
    """The waiting trials that have all parameters, by number."""
    found = {}
    for trial in Overview(opened.trials()).of_state(TrialState.WAITING):
        with suppress(ConfigurationError):
            found[trial.number] = trial, opened.configuration(trial)
    return found


def pending(opened: OpenStudy) -> dict[int, Configuration]:
    """What was suggested and has no result yet."""
    running = Overview(opened.trials()).of_state(TrialState.RUNNING)
    return {t.number: opened.configuration(t) for t in running if HAND in t.user_attrs}


@dataclass(frozen=True)
class Observed:
    """How many results of a table were told, and how many had been told before."""

    told: int
    known: int


@dataclass(frozen=True)
class _Deed:
    """Something to tell: the value of a trial, or of what was tried in its place."""

    row: Row
    trial: FrozenTrial | None
    config: Configuration | None


def observe(opened: OpenStudy, path: Path, as_tried: bool = False) -> Observed:
    """Tell the results of a table: all of them or, if anything is wrong, none.

    Telling is repeatable: what was told before is left alone.
    """
    with opened.lock():
        overview = Overview(opened.trials())
        suggested = any(HAND in t.user_attrs and not _is_own(t) for t in overview.trials)
        rows = read_table(path, opened.space, opened.metric, numbered=suggested)
        told = _own(overview, rows)
        found = [_check(opened, path, row, overview, told, as_tried) for row in rows]
        deeds = [deed for deed in found if deed is not None]
        for deed in deeds:
            _tell(opened, deed)
    flush(opened.storage)
    return Observed(len(deeds), len(rows) - len(deeds))


def check_first(spec: Spec, name: str, path: Path) -> None:
    """Raise if a table cannot be told to a study that is to begin with it."""
    metric = metric_of(spec.space, maximize=spec.direction == "maximize")
    for row in read_table(path, spec.space, metric, numbered=False):
        if row.number is not None:
            raise _no_trial(path, row, name)
        read_config(path, row, spec.space)


def _own(overview: Overview, rows: Sequence[Row]) -> list[FrozenTrial]:
    """The experiments that were told without a number, and that no row names by theirs."""
    numbers = {row.number for row in rows}
    return [t for t in overview.counted if _is_own(t) and t.number not in numbers]


def _is_own(trial: FrozenTrial) -> bool:
    """Whether a trial was told without a number.

    It took no time, for it was added as a whole; what was suggested has run, and what was tried
    instead of it has a predecessor.
    """
    return (
        HAND in trial.user_attrs
        and trial.state.is_finished()
        and trial.datetime_start == trial.datetime_complete
        and not predecessors(trial)
    )


def _check(
    opened: OpenStudy,
    path: Path,
    row: Row,
    overview: Overview,
    told: list[FrozenTrial],
    as_tried: bool,
) -> _Deed | None:
    """What to do about a row; None if it was done before.

    Rows without a number may be replicates with the same result: each takes one of ``told``.
    """
    where = f"{path}: row {row.line}"
    if row.number is None:
        config = read_config(path, row, opened.space)
        for trial in told:
            if _is_told(opened, trial, row, config):
                told.remove(trial)
                return None
        return _Deed(row, None, config)
    by_number = {t.number: t for t in overview.trials}
    if row.number not in by_number:
        raise _no_trial(path, row, opened.name)
    trial = by_number[row.number]
    for other in overview.counted:  # what was tried instead of a suggestion
        if place(other) == place(trial) and other.state.is_finished():
            trial = other
    suggested = opened.configuration(trial)
    changed = [
        name
        for name in opened.space
        if not is_same(opened.space[name], suggested[name], row.cells[name])
    ]
    if trial.state.is_finished():
        if changed or not _has_result(trial, row):
            old = "failed" if trial.value is None else f"{trial.value:g}"
            raise TableError(
                f"{where}: trial {row.number} was told before ({old}) and is not changed; put the "
                "old values back, or leave the number empty for a further experiment"
            )
        return None
    if HAND not in trial.user_attrs:
        raise TableError(
            f"{where}: trial {row.number} is for the workers; leave the number empty for an "
            "experiment of your own"
        )
    if not changed:
        return _Deed(row, trial, None)
    if not as_tried:
        name = changed[0]
        raise TableError(
            f"{where}, column {name!r}: {row.cells[name]!r} stands where {suggested[name]!r} was "
            "suggested; put it back, or add --as-tried if that was really tried"
        )
    cells = {name: row.cells[name] for name in changed}
    tried = read_config(path, replace(row, cells=cells), opened.space)
    return _Deed(row, trial, {**suggested, **tried})


def _no_trial(path: Path, row: Row, study: str) -> TableError:
    return TableError(
        f"{path}: row {row.line}: there is no trial {row.number} in study {study!r}; is the table "
        "of another study? Leave the number empty for an experiment of your own"
    )


def _has_result(trial: FrozenTrial, row: Row) -> bool:
    if row.result is None:
        return trial.state == TrialState.FAIL
    return trial.value == row.result


def _is_told(opened: OpenStudy, trial: FrozenTrial, row: Row, config: Configuration) -> bool:
    """Whether an experiment without a number was told before, with the same result."""
    if not _has_result(trial, row):
        return False
    with suppress(ConfigurationError):  # of another program, in another space
        return opened.configuration(trial) == config
    return False


def _tell(opened: OpenStudy, deed: _Deed) -> None:
    storage = opened.study._storage
    if deed.config is not None:
        opened.study.add_trial(_done(opened, deed.config, deed.row.result, deed.trial))
        if deed.trial is not None:
            lose(storage, deed.trial, OTHERWISE)
        return
    if deed.trial is None:
        return
    with suppress(UpdateFinishedTrialError):
        if deed.row.result is None:
            fail(storage, deed.trial._trial_id, BY_HAND)
        else:
            storage.set_trial_state_values(
                deed.trial._trial_id, TrialState.COMPLETE, [deed.row.result]
            )


def _done(
    opened: OpenStudy, config: Configuration, value: float | None, instead: FrozenTrial | None
) -> FrozenTrial:
    """A finished trial, in the place of the one that was suggested."""
    history: Sequence[int] = []
    if instead is not None:
        history = [*predecessors(instead), instead.number]
    attrs = {"failed_trial": history[0], "retry_history": list(history)} if history else {}
    return create_trial(
        state=TrialState.FAIL if value is None else TrialState.COMPLETE,
        value=value,
        params=values_of(opened.space, config),
        distributions=distributions_of(opened.space, config),
        user_attrs={HAND: True} | ({REASON: BY_HAND} if value is None else {}),
        system_attrs=attrs,
    )
