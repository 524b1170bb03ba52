"""`warpfront suggest` and `warpfront observe`: trials that people evaluate by hand."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState, create_trial

from warpfront.cli.cells import is_same, read_cells
from warpfront.cli.errors import TableError
from warpfront.cli.measured import outcomes_of, record
from warpfront.cli.rounding import round_config
from warpfront.cli.shown import number, outcomes
from warpfront.cli.spec import Spec
from warpfront.cli.storage import flush
from warpfront.cli.study import OpenStudy
from warpfront.cli.table import Complaints, Row, read_table
from warpfront.cli.trials import (
    HAND,
    OTHERWISE,
    REASON,
    Overview,
    lose,
    place,
    predecessors,
)
from warpfront.errors import ConfigurationError
from warpfront.integrations.optuna import distributions_of, stored_outcomes
from warpfront.integrations.optuna.space import values_of
from warpfront.space import Configuration, Parameter, Space

BY_HAND = "failed, as observed by hand"


def suggest(opened: OpenStudy, n: int, *, exact: bool = False) -> dict[int, Configuration]:
    """Choose n trials together; they run, without a worker, until they are observed.

    What waits in the queue comes first. Reals are rounded to what their range makes meaningful,
    unless they are to be ``exact``.
    """
    storage = opened.study._storage
    adjust = None if exact else partial(round_config, opened.space)
    with opened.lock():
        opened.repair()
        missing = n - len(_queued(opened))
        if missing > 0:
            opened.sampler.enqueue(opened.study, missing, adjust=adjust)
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
    return {t.number: opened.configuration(t) for t in running if t.user_attrs.get(HAND)}


@dataclass(frozen=True)
class Observed:
    """How many rows of a table were told, were told before, and wait for further outcomes."""

    told: int
    known: int
    waiting: int = 0


@dataclass(frozen=True)
class _Deed:
    """Something to tell: the outcomes of a trial, or of what was tried in its place."""

    row: Row
    trial: FrozenTrial | None
    config: Configuration | None


def observe(opened: OpenStudy, path: Path, as_tried: bool = False) -> Observed:
    """Tell the results of a table: all of them or, if anything is wrong, none.

    Telling is repeatable: what was told before is left alone.
    """
    with opened.lock():
        overview = Overview(opened.repair())
        suggested = any(t.user_attrs.get(HAND) and not _is_own(t) for t in overview.trials)
        names = opened.problem.names
        rows, waiting = read_table(path, opened.space, names, numbered=suggested)
        told = _own(overview, rows)
        deeds, complaints = [], Complaints(path)
        for row in rows:
            with complaints.about(f"row {row.line}"):
                deed = _check(opened, row, overview, told, as_tried)
                deeds += [] if deed is None else [deed]
        complaints.check()
        for deed in deeds:
            _tell(opened, deed)
    flush(opened.storage)
    return Observed(len(deeds), len(rows) - len(deeds), waiting)


def check_first(spec: Spec, name: str, path: Path) -> None:
    """Raise if a table cannot be told to a study that is to begin with it."""
    complaints = Complaints(path)
    names = [goal.name for goal in spec.goals]
    for row in read_table(path, spec.space, names, numbered=False)[0]:
        with complaints.about(f"row {row.line}"):
            if row.number is not None:
                raise _no_trial(row, name)
            _config(row, spec.space)
    complaints.check()


def _config(row: Row, space: Space, base: Configuration | None = None) -> Configuration:
    try:
        return read_cells(row.cells, space, base)
    except ConfigurationError as error:
        raise TableError(f", {error}") from None


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
        bool(trial.user_attrs.get(HAND))
        and trial.state.is_finished()
        and trial.datetime_start == trial.datetime_complete
        and not predecessors(trial)
    )


def _check(
    opened: OpenStudy,
    row: Row,
    overview: Overview,
    told: list[FrozenTrial],
    as_tried: bool,
) -> _Deed | None:
    """What to do about a row; None if it was done before.

    Rows without a number may be replicates with the same result: each takes one of ``told``.
    """
    if row.number is None:
        config = _config(row, opened.space)
        for trial in told:
            if _is_told(opened, trial, row, config):
                told.remove(trial)
                return None
        return _Deed(row, None, config)
    by_number = {t.number: t for t in overview.trials}
    if row.number not in by_number:
        raise _no_trial(row, opened.name)
    trial = by_number[row.number]
    for other in overview.counted:  # what was tried instead of a suggestion
        if place(other) == place(trial) and other.state.is_finished():
            trial = other
    suggested = opened.configuration(trial)
    changed = [
        name
        for name in opened.space
        if not _is_kept(opened.space[name], suggested, name, row.cells[name])
    ]
    if trial.state.is_finished():
        if changed or not _has_result(opened, trial, row):
            old = _result(opened, trial)
            raise TableError(
                f": trial {row.number} was told before ({old}) and is not changed; put the "
                "old values back, or leave the number empty for a further experiment"
            )
        return None
    if not trial.user_attrs.get(HAND):
        raise TableError(
            f": trial {row.number} is for the workers; leave the number empty for an "
            "experiment of your own"
        )
    if not changed:
        return _Deed(row, trial, None)
    if not as_tried:
        name = changed[0]
        raise TableError(
            f", column {name!r}: {row.cells[name]!r} stands where {suggested.get(name, '')!r} was "
            "suggested; put it back, or add --as-tried if that was really tried"
        )
    cells = {name: row.cells[name] for name in changed}
    return _Deed(row, trial, _config(replace(row, cells=cells), opened.space, suggested))


def _is_kept(parameter: Parameter, suggested: Configuration, name: str, text: str) -> bool:
    return is_same(parameter, suggested[name], text) if name in suggested else not text


def _no_trial(row: Row, study: str) -> TableError:
    return TableError(
        f": there is no trial {row.number} in study {study!r}; is the table "
        "of another study? Leave the number empty for an experiment of your own"
    )


def _result(opened: OpenStudy, trial: FrozenTrial) -> str:
    """What was told of a trial, for a message."""
    if trial.state == TrialState.FAIL:
        return "failed"
    found = outcomes_of(trial, opened.goals)
    return number(trial.value) if len(found) == 1 else outcomes(found)


def _has_result(opened: OpenStudy, trial: FrozenTrial, row: Row) -> bool:
    told = outcomes_of(trial, opened.goals)
    if row.failed:
        return trial.state == TrialState.FAIL and not told
    return bool(told) and told == row.outcomes


def _is_told(opened: OpenStudy, trial: FrozenTrial, row: Row, config: Configuration) -> bool:
    """Whether an experiment without a number was told before, with the same result."""
    if not _has_result(opened, trial, row):
        return False
    with suppress(ConfigurationError):  # of another program, in another space
        return opened.configuration(trial) == config
    return False


def _tell(opened: OpenStudy, deed: _Deed) -> None:
    storage = opened.study._storage
    if deed.config is not None:
        opened.study.add_trial(_done(opened, deed.config, deed.row, deed.trial))
        if deed.trial is not None:
            lose(storage, deed.trial, OTHERWISE)
        return
    if deed.trial is not None:
        with suppress(UpdateFinishedTrialError):
            reason = BY_HAND if deed.row.failed else None
            record(storage, deed.trial._trial_id, opened.goals, deed.row.outcomes, reason)


def _done(
    opened: OpenStudy, config: Configuration, row: Row, instead: FrozenTrial | None
) -> FrozenTrial:
    """A finished trial, in the place of the one that was suggested."""
    stored = stored_outcomes(dict(row.outcomes), opened.goals)
    history = [] if instead is None else [*predecessors(instead), instead.number]
    retry = {"failed_trial": history[0], "retry_history": history} if history else {}
    return create_trial(
        state=stored.state,
        values=stored.values,
        params=values_of(opened.space, config),
        distributions=distributions_of(opened.space, config),
        user_attrs={**stored.user_attrs, HAND: True, **({REASON: BY_HAND} if row.failed else {})},
        system_attrs={**stored.system_attrs, **retry},
    )
