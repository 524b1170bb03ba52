"""A run in a file: written as a whole after each result, so that the same call goes on from it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from warpfront.errors import ConfigurationError, StateError
from warpfront.optimizers.ask_tell import AskTell
from warpfront.result import Event

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Progress:
    """How far a run is, beside what its optimiser knows.

    Attributes
    ----------
    before
        How many outcomes the optimiser knew when the run began; they do not count as its budget.
    others
        Numbers of trials that were pending when the run began: somebody else evaluates them.
    started
        How many of the user's own configurations have been asked for.
    events
        What was asked for and told when.
    """

    before: int
    others: tuple[int, ...] = ()
    started: int = 0
    events: tuple[Event, ...] = ()


class Checkpoint:
    """The file of a run.

    Examples
    --------
    >>> import tempfile
    >>> from warpfront import RandomSearch, Real, Space
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint = Checkpoint(Path(folder) / "run.json")
    ...     search = RandomSearch(Space(x=Real(0, 1)), seed=0)
    ...     checkpoint.write(search, Progress(before=0))
    ...     found, progress = checkpoint.read(search)
    >>> found.ask() == search.ask(), progress.before
    (True, 0)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._target = self.path.resolve()  # the loss may change the working directory

    def write(self, optimizer: AskTell, progress: Progress) -> None:
        """Replace the file by what is known now; whoever reads it sees the old one or the new."""
        state = {
            "warpfront_run": FORMAT_VERSION,
            **asdict(progress),
            "events": [list(event) for event in progress.events],
            "optimizer": json.loads(optimizer.to_json()),
        }
        target = self._target
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with part.open("w", encoding="utf-8") as file:
                json.dump(state, file, allow_nan=False)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def read(self, begun: AskTell, *, any_seed: bool = False) -> tuple[AskTell, Progress] | None:
        """The optimiser and how far it is, or None if there is no file yet.

        Parameters
        ----------
        begun
            The optimiser as the same call begins it: of the same kind, over the same space.
        any_seed
            Whether the call leaves the seed open.
        """
        try:
            text = self._target.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StateError(f"checkpoint={str(self.path)!r} cannot be read: {error}") from None
        try:
            state = json.loads(text)
            if not isinstance(state, dict) or state.get("warpfront_run") != FORMAT_VERSION:
                raise StateError(f'it has no "warpfront_run": {FORMAT_VERSION}')
            optimizer = type(begun).from_json(json.dumps(state["optimizer"]))
            progress = Progress(
                before=int(state["before"]),
                others=tuple(map(int, _list(state, "others"))),
                started=int(state["started"]),
                events=tuple(_event(item) for item in _list(state, "events")),
            )
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise StateError(
                f"checkpoint={str(self.path)!r} is not the file of a run: {what}. Give another "
                "name, or remove it to begin again"
            ) from None
        different = _differences(begun, optimizer, any_seed)
        if different:
            raise ConfigurationError(
                f"checkpoint={str(self.path)!r} was begun {', '.join(different)}; give another "
                "name, or remove it to begin again"
            )
        return optimizer, progress


def _differences(begun: AskTell, found: AskTell, any_seed: bool) -> list[str]:
    """In what a saved run differs from the one that is called for."""
    different: list[str] = []
    if found.space != begun.space:
        different.append(f"over another space, {_difference(found, begun)}")
    if found.goals != begun.goals:
        different.append("with other goals")
    mine, theirs = (json.loads(optimizer.to_json()) for optimizer in (begun, found))
    if theirs["options"] != mine["options"]:
        different.append("with other settings")
    if found.seed != begun.seed and not any_seed:
        different.append(f"with seed={found.seed}")
    known = {trial.number: trial for trial in found.history.trials}
    told = [trial for trial in begun.history.trials if trial.state != "pending"]
    if any(known.get(trial.number) != trial for trial in told):
        different.append("from other trials")
    return different


def _list(state: dict[str, Any], name: str) -> list[Any]:
    found = state[name]
    if not isinstance(found, list):
        raise TypeError(f"{name!r} is not a list")
    return found


def _event(item: Sequence[Any]) -> Event:
    at, kind, number, seconds = item
    return Event(float(at), str(kind), int(number), None if seconds is None else float(seconds))


def _difference(found: AskTell, begun: AskTell) -> str:
    """In which parameters two spaces differ."""
    names = [*begun.space, *(name for name in found.space if name not in begun.space.names)]
    differ = [
        name
        for name in names
        if name not in begun.space.names
        or name not in found.space.names
        or begun.space[name] != found.space[name]
    ]
    if differ:
        return _listed(differ)
    same_order = tuple(begun.space) == tuple(found.space)
    return "which has other constraints" if same_order else "of another order"


def _listed(names: Collection[str], most: int = 3) -> str:
    shown = ", ".join(map(repr, list(names)[:most]))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"which differs in {shown}{more}"
