"""The rooms that make suggestions stay small enough to be read."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import main
from benchmarks.sizes import PACKAGE, Function, measure

MODULE = '''\
from typing import Literal

__all__ = ["TABLE"]
Kind = Literal["a", "b"]
Either = int | str
LIMIT: float = 0.5
TABLE = [1, 2]
TABLE = TABLE + [3]


class Thing:
    shared = 1

    @property
    def size(self):
        """Say how many."""
        return 0 if LIMIT and TABLE else sum(x for x in TABLE if x)


def walk(rows):
    for row in rows:
        if row:
            continue
'''


@pytest.fixture(scope="module")
def sizes():
    return measure(PACKAGE)


def test_what_is_counted(tmp_path):
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "moves.py").write_text(MODULE)
    (tmp_path / "elsewhere.py").write_text("OTHER = 1\n")
    sizes = measure(tmp_path)
    assert sizes.constants == ("search/moves.LIMIT", "search/moves.TABLE")
    assert sizes.aliases == ("search/moves.Kind", "search/moves.Either")
    assert set(sizes.functions) == {
        Function("search/moves.size", 3, 3),
        Function("search/moves.walk", 4, 2),
    }


def test_constants_do_not_grow_in_number(sizes):
    assert len(sizes.constants) <= 73


def test_no_function_is_long_or_has_many_branches(sizes):
    assert [function for function in sizes.functions if function.lines > 60] == []
    assert [function for function in sizes.functions if function.branches > 15] == []


def test_a_suggestion_is_read_on_one_page(sizes):
    (suggest,) = [f for f in sizes.functions if f.place == "optimizers/hebo.suggest"]
    assert suggest.lines <= 40


def test_the_command_prints_the_sizes(capsys):
    assert main(["sizes", "--list"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("constants: ")
    assert "portfolio.ON_BEHALF_OF" in out
