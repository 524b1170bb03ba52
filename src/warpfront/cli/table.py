"""Tables of suggestions and results, for people who evaluate by hand, with a spreadsheet.

Spreadsheets change what they touch: they round numbers to what they show, write 3 as 3.0 and true
as TRUE, turn texts into dates, put a mark before the first byte, and separate by semicolons. What
is harmless is understood; all else is an error, before anything of the file is told.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from warpfront.cli.errors import TableError
from warpfront.cli.placeholders import show_value
from warpfront.errors import ConfigurationError
from warpfront.space import (
    Boolean,
    Categorical,
    Configuration,
    Integer,
    Ordinal,
    Parameter,
    Real,
    Space,
)

NUMBER = "trial"
FAILED = ("failed", "fail", "failure", "nan", "error")
"""Words in the result column for an evaluation that failed."""
DIGITS = 3
"""A rounded number must show so many digits to count as the one that was suggested."""
_COMMA = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")


@dataclass(frozen=True)
class Row:
    """One line of a table.

    Attributes
    ----------
    line
        Its place in the file, from 1, the header included.
    number
        The number of the trial; None for an experiment that was not suggested.
    cells
        The texts of the parameters by name.
    result
        A value, None for a failed evaluation.
    """

    line: int
    number: int | None
    cells: Mapping[str, str]
    result: float | None


def number_column(space: Space) -> str:
    """The name of the column with the numbers of the trials; no parameter has it."""
    return NUMBER if NUMBER not in space.names else f"warpfront_{NUMBER}"


def write_table(space: Space, metric: str, trials: Mapping[int, Configuration]) -> str:
    """A table with a line for each trial and an empty column for the results.

    Examples
    --------
    >>> from warpfront import Boolean, Real, Space
    >>> print(write_table(Space(x=Real(0, 1), b=Boolean()), "loss", {3: {"x": 0.5, "b": True}}))
    trial,x,b,loss
    3,0.5,TRUE,
    <BLANKLINE>
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([number_column(space), *space, metric])
    for number, config in trials.items():
        writer.writerow([number, *(_cell(config[name]) for name in space), ""])
    return text.getvalue()


def _cell(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else show_value(value)


def read_table(path: Path, space: Space, metric: str, *, numbered: bool = True) -> list[Row]:
    """The lines of a table that have a result.

    Only where it is not ``numbered`` may the column with the numbers of the trials be missing:
    what was suggested would be told as something else without it.
    """
    text = _text(path)
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise TableError(f"{path}: is no CSV ({error}); save it as «CSV UTF-8»") from None
    header = [name.strip() for name in lines[0]] if lines else []
    number = number_column(space)
    wanted = [number] if numbered or number in header else []
    columns = _columns(path, header, [*wanted, *space, metric], number)
    written = {_cell(choice) for name in space for choice in getattr(space[name], "choices", ())}
    parameters = {columns[name] for name in space}
    rows = []
    for line, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(header):
            raise TableError(
                f"{path}: row {line} has {len(cells)} cells, the header {len(header)}; is there a "
                "comma in a number? Write 0.5 with a point"
            )
        for i, cell in enumerate(cells):
            split = i in parameters and "\n" in cell
            if (split or _swallows_rows(cell, separator, len(header))) and cell not in written:
                raise TableError(f"{path}: row {line} has further rows in a cell: close the quote")
        padded = [*cells, *[""] * (len(header) - len(cells))]
        found = {name: padded[i].strip() for name, i in columns.items()}
        result = found[metric]
        if result:
            rows.append(
                Row(
                    line,
                    _trial(path, line, number, found.get(number, "")),
                    {name: found[name] for name in space},
                    _result(path, line, metric, result),
                )
            )
    trials = [row.number for row in rows if row.number is not None]
    for trial in trials:
        if trials.count(trial) > 1:
            raise TableError(f"{path}: trial {trial} stands twice; remove one of the rows")
    return rows


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise TableError(f"{path}: no such file; `warpfront suggest --csv` writes one") from None
    except UnicodeDecodeError:
        raise TableError(f"{path}: is no CSV in UTF-8; save it as «CSV UTF-8»") from None
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error}") from None
    if text.startswith("PK\x03\x04"):
        raise TableError(f"{path}: is a spreadsheet's own format; save it as CSV")
    return text


def _swallows_rows(cell: str, separator: str, width: int) -> bool:
    r"""Whether a cell holds whole rows, as after a quote that was left open.

    Line breaks in a note are no harm, nor are a few commas.

    Examples
    --------
    >>> _swallows_rows("5 inch,1\n8,relu,ok,2\n", ",", 4), _swallows_rows("hot,\ndry", ",", 4)
    (True, False)
    """
    return any(line.count(separator) >= width - 1 for line in cell.splitlines()[1:])


def _columns(
    path: Path, header: Sequence[str], wanted: Sequence[str], number: str
) -> dict[str, int]:
    for name in wanted:
        if header.count(name) > 1:
            raise TableError(f"{path}: there are two columns {name!r}; remove one")
        if name not in header:
            shown = ", ".join(map(repr, header[:8])) or "nothing"
            own = ", with nothing in it for experiments of your own" if name == number else ""
            raise TableError(
                f"{path}: there is no column {name!r}, the first row has {shown}; put it back{own}"
            )
    return {name: header.index(name) for name in wanted}


def _trial(path: Path, line: int, column: str, text: str) -> int | None:
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1
    if number < 0 or not number.is_integer():
        raise TableError(
            f"{path}: row {line}, column {column!r}: {text!r} is no trial; put the number back, "
            "or leave it empty for an experiment of your own"
        )
    return int(number)


def _result(path: Path, line: int, column: str, text: str) -> float | None:
    if text.lower() in FAILED:
        return None
    try:
        number = float(text.replace("_", "x"))
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        return number
    remedy = "write a number such as 0.5, 'failed', or nothing if it is not known yet"
    if _COMMA.fullmatch(text):
        remedy = _without_comma(text)
    raise TableError(f"{path}: row {line}, column {column!r}: {text!r} is no number; {remedy}")


def _without_comma(text: str) -> str:
    """How to write a number with a comma, which may stand for a point or between thousands."""
    remedy = f"write {text.replace(',', '.')} with a point"
    if _THOUSANDS.fullmatch(text):
        remedy += f", or {text.replace(',', '')} if the comma parts thousands"
    return remedy


def is_same(parameter: Parameter, value: Any, text: str) -> bool:
    """Whether a cell still shows the value that was written there.

    Examples
    --------
    >>> is_same(Integer(1, 9), 3, "3.0"), is_same(Boolean(), True, "TRUE")
    (True, True)
    >>> is_same(Real(0, 1), 0.123456789, "0.1235"), is_same(Real(0, 1), 0.123456789, "0.13")
    (True, False)
    """
    if text == _cell(value).strip():  # first of all: other choices may be written alike
        return True
    if isinstance(parameter, Real) and _is_rounded(value, text):
        return True
    try:
        return bool(parameter.encode([read_cell(parameter, text)]) == parameter.encode([value]))
    except ConfigurationError:
        return False


def _is_rounded(value: float, text: str) -> bool:
    try:
        shown = Decimal(text)
        digits = shown.as_tuple()
        if not isinstance(digits.exponent, int) or len(digits.digits) < DIGITS:
            return False
        return abs(Decimal(value) - shown) <= Decimal(1).scaleb(digits.exponent) / 2
    except InvalidOperation:
        return False


def read_cell(parameter: Parameter, text: str) -> Any:
    """The value that a cell stands for; it raises if the parameter has no such value.

    Examples
    --------
    >>> read_cell(Integer(1, 9), "3.0"), read_cell(Categorical(["relu", 32]), "32.0")
    (3, 32)
    """
    candidates: list[Any] = []
    if isinstance(parameter, (Real, Integer)):
        if _COMMA.fullmatch(text):
            raise ConfigurationError(f"{text!r} is no number; {_without_comma(text)}")
        try:
            return parameter.canonical(float(text))
        except ValueError as error:
            if isinstance(error, ConfigurationError):
                raise
            raise ConfigurationError(f"{text!r} is no number") from None
    if text.lower() in ("true", "false"):
        candidates.append(text.lower() == "true")
    if isinstance(parameter, Boolean) and text in ("1", "0", "1.0", "0.0"):
        candidates.append(text.startswith("1"))
    candidates.append(text)
    with suppress(ValueError):
        candidates.append(json.loads(text))
    if isinstance(parameter, (Categorical, Ordinal)):  # blanks at its ends are lost in a table
        candidates += [choice for choice in parameter.choices if _cell(choice).strip() == text]
    for candidate in candidates:
        try:
            return parameter.canonical(candidate)
        except ConfigurationError:
            continue
    return parameter.canonical(text)  # raises, and says what there is


def read_config(path: Path, row: Row, space: Space) -> Configuration:
    """The configuration that a row stands for."""
    config = {}
    for name, text in row.cells.items():
        try:
            config[name] = read_cell(space[name], text)
        except ConfigurationError as error:
            raise TableError(f"{path}: row {row.line}, column {name!r}: {error}") from None
    return config
