"""What may stand in a SPEC, as pydantic models, and their complaints in plain English.

The description of a field ends the sentence "KEY = VALUE: must be ...".
"""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from warpfront.cli.durations import parse_duration
from warpfront.cli.errors import SpecError
from warpfront.outcomes import shown

T = TypeVar("T", bound=BaseModel)

MOST = 3
"""How many mistakes are told at once."""
_TEXT = "a text that is not empty"
_TABLE = "a table of keys"
_NUMBER = "a finite number"


def check_name(name: str) -> str:
    """The name of a study: a file of this name lies beside the SPEC, and nowhere else.

    Examples
    --------
    >>> check_name("digits v2")
    'digits v2'
    >>> check_name("../x")
    Traceback (most recent call last):
    ValueError: '../x' cannot be the name of a file; use a name without slashes and line breaks
    """
    if "/" in name or not name.isprintable() or name in (".", ".."):
        raise ValueError(
            f"{name!r} cannot be the name of a file; use a name without slashes and line breaks"
        )
    return name


def text(**more: Any) -> Any:
    """A field for a text that may be left out."""
    return Field(None, pattern=r"\S", description=_TEXT, **more)


def number() -> Any:
    """A field for a number that may be left out."""
    return Field(None, allow_inf_nan=False, description=_NUMBER)


def whole(default: int | None, least: int) -> Any:
    """A field for a whole number."""
    return Field(default, ge=least, description=f"a whole number of at least {least}")


Duration = Annotated[float, BeforeValidator(parse_duration)]
Direction = Literal["minimize", "maximize"]


class Table(BaseModel):
    """A table of keys; an unknown key, or a value of another type, is a mistake."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GoalTable(Table):
    """What is wanted of one outcome."""

    goal: Direction | None = Field(None, description="'minimize' or 'maximize'")
    reference: float | None = number()
    at_most: float | None = number()
    at_least: float | None = number()


class ObjectiveTable(Table):
    """What evaluates a configuration."""

    python: str | None = text()
    command: Any = None
    shell: bool = Field(False, description="true or false")
    result: str | None = text()
    key: str | None = text()
    time_limit: Duration | None = None


class FileTable(Table):
    """All of a SPEC; what is Any has a model of its own, or is checked where it is defined."""

    name: Annotated[str, AfterValidator(check_name)] | None = text()
    space: dict[str, Any] = Field(
        description="a table; give one table [space.NAME] for each parameter"
    )
    constraints: list[str] | None = Field(
        None, description="a list of texts, such as ['a + b <= 1']"
    )
    objective: Any = None
    goals: dict[str, Any] | None = Field(
        None, min_length=1, description="a table with a line such as loss = 'minimize'"
    )
    direction: Direction | None = Field(None, description="'minimize' or 'maximize'")
    metric: str | None = text()
    trials: int = whole(100, 1)
    batch: int = whole(1, 1)
    workers: int = whole(1, 0)
    seed: int | None = whole(None, 0)
    storage: str | None = text()
    timeout: Duration | None = None
    settings: dict[str, Any] = Field({}, description=_TABLE)


def read(model: type[T], data: Any, where: str = "") -> T:
    """Data as a model; what is wrong with it is an error that names key, value and remedy."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False)
        found.sort(key=lambda one: one["type"] != "extra_forbidden")  # the cause of others
        told = dict.fromkeys(_complaint(model, data, where, one) for one in found)
        raise SpecError("; also: ".join(list(told)[:MOST])) from None


def _complaint(model: type[BaseModel], data: Any, where: str, error: Any) -> str:
    kind, place = error["type"], error["loc"]
    if kind == "model_type":
        return f"{where} = {shown(repr, data)}: must be {_TABLE}"
    key = f"{where}.{place[0]}" if where else str(place[0])
    if kind in ("extra_forbidden", "invalid_key"):
        return f"key {key!r} is unknown; {closest(place[0], model.model_fields)}"
    if kind == "missing":
        return f"has no {key!r}; it must be {model.model_fields[place[0]].description}"
    if kind == "value_error":
        return f"{key} = {error['ctx']['error']}"
    value = shown(repr, data[place[0]])
    return f"{key} = {value}: must be {model.model_fields[place[0]].description}"


def closest(word: Any, known: Collection[str]) -> str:
    """What was probably meant, as the end of a message.

    Examples
    --------
    >>> closest("trails", ["name", "trials"]), closest("x", ["name", "trials"])
    ("did you mean 'trials'?", 'known are name, trials')
    """
    found = difflib.get_close_matches(str(word), known, n=1)
    return f"did you mean {found[0]!r}?" if found else f"known are {', '.join(known)}"
