from __future__ import annotations

from pathlib import Path

from benchmarks.speed.plan import DIMENSION, Cell, cells, contenders


def test_every_cell_stands_once_smallest_first():
    assert cells((128, 16), with_dimensions=False) == [Cell(16, DIMENSION), Cell(128, DIMENSION)]
    more = cells((128, 16), with_dimensions=True)
    assert more == sorted(set(more))
    assert Cell(1024, 100) in more


def test_who_is_asked_for_what():
    field = contenders(Path("python"), Path("python of 0.1"))
    assert [c.name for c in field] == [
        "warpfront",
        "warpfront paper",
        "warpfront 0.1",
        "HEBO 0.3.6",
    ]
    large, wide = Cell(5000, DIMENSION), Cell(128, 100)
    assert [c.takes(large) for c in field] == [True, False, True, False]
    assert [c.takes(wide) for c in field] == [True, True, True, False]
    assert len(contenders()) == 2
