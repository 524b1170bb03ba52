"""Tables of suggestions and results, for people who evaluate by hand, with a spreadsheet.

What a spreadsheet does to a table is understood if it is harmless. All else is a mistake, and
all mistakes of a file are told at once, before anything of it is recorded.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from warpfront.cli.cells import FAILED, protect, read_outcome, show_cell, unprotect
from warpfront.cli.errors import TableError
from warpfront.errors import ConfigurationError
from warpfront.space import Configuration, Space

NUMBER = "trial"
MOST = 20
"""How many mistakes of a file are shown."""


@dataclass(frozen=True)
class Row:
    """One line of a table with results.

    Attributes
    ----------
    line
        Its place in the file, from 1, the header included.
    number
        The number of the trial; None for an experiment that was not suggested.
    cells
        The texts of the parameters by name.
    outcomes
        What was measured, None where it never will be.
    failed
        Whether the evaluation failed.
    """

    line: int
    number: int | None
    cells: Mapping[str, str]
    outcomes: Mapping[str, float | None]
    failed: bool = False


@dataclass
class Complaints:
    """The mistakes of a file, gathered to be told together."""

    path: Path
    texts: list[str] = field(default_factory=list)

    @contextmanager
    def about(self, where: str = "") -> Iterator[None]:
        """Gather what is raised inside."""
        try:
            yield
        except (TableError, ConfigurationError) as error:
            self.texts.append(f"{where}{error}")

    def check(self) -> None:
        """Raise if there is any."""
        texts = list(dict.fromkeys(self.texts))
        if len(texts) == 1:
            raise TableError(f"{self.path}: {texts[0]}")
        if texts:
            more = [f"and {len(texts) - MOST} more"] if len(texts) > MOST else []
            lines = [f"{self.path}: {len(texts)} mistakes", *texts[:MOST], *more]
            raise TableError("\n  ".join(lines))


def number_column(space: Space) -> str:
    """The name of the column with the numbers of the trials; no parameter has it."""
    return NUMBER if NUMBER not in space.names else f"warpfront_{NUMBER}"


def write_table(space: Space, outcomes: Sequence[str], trials: Mapping[int, Configuration]) -> str:
    """A table with a line for each trial and an empty column for each outcome.

    Examples
    --------
    >>> from warpfront import Boolean, Real, Space
    >>> print(write_table(Space(x=Real(0, 1), b=Boolean()), ["loss"], {3: {"x": 0.5, "b": True}}))
    trial,x,b,loss
    3,0.5,TRUE,
    <BLANKLINE>
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([protect(name) for name in (number_column(space), *space, *outcomes)])
    for number, config in trials.items():
        cells = (show_cell(config[name]) if name in config else "" for name in space)
        writer.writerow([number, *cells, *("" for _ in outcomes)])
    return text.getvalue()


def read_table(
    path: Path, space: Space, outcomes: Sequence[str], *, numbered: bool = True
) -> tuple[list[Row], int]:
    """The lines of a table that have all results, and how many others have some of them.

    Only where it is not ``numbered`` may the column with the numbers of the trials be missing:
    what was suggested would be told as something else without it.
    """
    text = _text(path)
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise TableError(f"{path}: is not a CSV file ({error}); save it as «CSV UTF-8»") from None
    header = [unprotect(name.strip()) for name in lines[0]] if lines else []
    number = number_column(space)
    wanted = [number] if numbered or number in header else []
    complaints = Complaints(path)
    columns = _columns(complaints, header, [*wanted, *space, *outcomes], number)
    complaints.check()
    written = {show_cell(c) for name in space for c in getattr(space[name], "choices", ())}
    parameters = {columns[name] for name in space}
    rows, waiting, seen = [], 0, set()
    for line, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        with complaints.about(f"row {line}"):
            _check_cells(cells, len(header), separator, parameters, written)
            padded = [*cells, *[""] * (len(header) - len(cells))]
            found = {name: padded[i].strip() for name, i in columns.items()}
            results = {name: found[name] for name in outcomes if found[name]}
            failed = any(result.lower() in FAILED for result in results.values())
            if len(results) < len(outcomes) and not failed:
                waiting += bool(results)
                continue
            trial = _trial(number, found.get(number, ""))
            if trial is not None and trial in seen:
                raise TableError(f": trial {trial} stands twice; remove one of the rows")
            seen.add(trial)
            measured = {} if failed else _outcomes(results)
            rows.append(Row(line, trial, {name: found[name] for name in space}, measured, failed))
    complaints.check()
    return rows, waiting


def _outcomes(results: Mapping[str, str]) -> dict[str, float | None]:
    found, mistakes = {}, []
    for name, text in results.items():
        try:
            found[name] = read_outcome(text)
        except ConfigurationError as error:
            mistakes.append(f", column {name!r}: {error}")
    if mistakes:
        raise TableError("; also".join(mistakes))
    return found


def _check_cells(
    cells: Sequence[str], width: int, separator: str, parameters: set[int], written: set[str]
) -> None:
    """Raise for cells too many, or with rows inside, as after a quote that was left open."""
    if len(cells) > width:
        raise TableError(
            f" has {len(cells)} cells, the header {width}; is there a comma in a number? Write 0.5 "
            "with a point"
        )
    for i, cell in enumerate(cells):
        split = i in parameters and "\n" in cell
        if (split or _swallows_rows(cell, separator, width)) and cell not in written:
            raise TableError(" has further rows in a cell: close the quote")


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise TableError(
            f"{path}: there is no such file; `warpfront suggest --csv` writes one"
        ) from None
    except UnicodeDecodeError:
        raise TableError(f"{path}: is not a CSV file in UTF-8; save it as «CSV UTF-8»") from None
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error}") from None
    if text.startswith("PK\x03\x04"):
        raise TableError(f"{path}: is a spreadsheet's own format; save it as CSV")
    return text


def _swallows_rows(cell: str, separator: str, width: int) -> bool:
    r"""Whether a cell holds whole rows. Line breaks in a note are no harm, nor are a few commas.

    Examples
    --------
    >>> _swallows_rows("5 inch,1\n8,relu,ok,2\n", ",", 4), _swallows_rows("hot,\ndry", ",", 4)
    (True, False)
    """
    return any(line.count(separator) >= width - 1 for line in cell.splitlines()[1:])


def _columns(
    complaints: Complaints, header: Sequence[str], wanted: Sequence[str], number: str
) -> dict[str, int]:
    for name in wanted:
        if header.count(name) > 1:
            complaints.texts.append(f"there are two columns {name!r}; remove one")
        elif name not in header:
            shown = ", ".join(map(repr, header[:8])) or "nothing"
            own = ", with nothing in it for experiments of your own" if name == number else ""
            complaints.texts.append(
                f"there is no column {name!r}, the first row has {shown}; put it back{own}"
            )
    return {name: header.index(name) for name in wanted if name in header}


def _trial(column: str, text: str) -> int | None:
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1
    if number < 0 or not number.is_integer():
        raise TableError(
            f", column {column!r}: {text!r} is not a trial; put the number back, or leave it "
            "empty for an experiment of your own"
        )
    return int(number)
