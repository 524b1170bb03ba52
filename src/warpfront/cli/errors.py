"""What the command says when it cannot go on: one line, with an exit code.

::

    CommandError              exit code 1
    ├── SpecError             a mistake in a SPEC file
    ├── TableError            a mistake in a table of results
    ├── StudyError            a study or its storage that cannot be used
    └── NoSuccessError        no trial has succeeded; exit code 3
"""

from __future__ import annotations

from typing import ClassVar

from warpfront.errors import WarpfrontError

DONE, WRONG, USAGE, NO_SUCCESS, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes; 2 is what typer gives for options that it does not know."""


class CommandError(WarpfrontError):
    """Something that the user can put right; the message says how."""

    code: ClassVar[int] = WRONG


class SpecError(CommandError, ValueError):
    """A mistake in a SPEC file."""


class TableError(CommandError, ValueError):
    """A mistake in a table of results."""


class StudyError(CommandError):
    """A study, or its storage, that cannot be used."""


class NoSuccessError(CommandError):
    """No trial has succeeded."""

    code: ClassVar[int] = NO_SUCCESS
