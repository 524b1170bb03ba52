from __future__ import annotations

from pathlib import Path

from benchmarks.speed.plan import DIMENSION, Cell, cells, contenders


def test_every_cell_stands_once_smallest_first():
    assert cells((128, 16), with_dimensions=False) == [Cell(16, DIMENSION), Cell(128, DIMENSION)]
    more = cells((128, 16), with_dimensions=True)
    assert more == sorted(set(more))
    assert Cell(1024, 100) in more


def test_who_is_asked_for_what():
    default, paper, hebo = contenders(Path("python"))
    large, wide = Cell(5000, DIMENSION), Cell(128, 100)
    assert [c.takes(large) for c in (default, paper, hebo)] == [True, False, False]
    assert [c.takes(wide) for c in (default, paper, hebo)] == [True, True, False]
    assert len(contenders(None)) == 2
