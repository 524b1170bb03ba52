"""Work that is kept: done once, by one process, whole or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

import pytest

from benchmarks.baseline.pair import Pair
from benchmarks.paper import pieces as kept
from benchmarks.paper.conflict import Maps
from benchmarks.paper.gp_fit import Fits
from benchmarks.paper.pieces import Pieces, carry_out
from benchmarks.paper.repeats import Repeat
from benchmarks.paper.robustness import Checks
from benchmarks.paper.samples import Sampled, Samples
from benchmarks.workers.environment import REPOSITORY


@dataclass(frozen=True)
class Toy:
    """A piece that fails if it is negative."""

    number: int

    @property
    def name(self):
        return f"toys/{self.number}"

    @property
    def seconds(self):
        return float(self.number)

    def compute(self):
        if self.number < 0:
            raise RuntimeError("no")
        return {"square": self.number**2}


def test_what_is_done_is_kept_and_not_done_again(here, tmp_path, capsys):
    pieces = Pieces(tmp_path)
    carry_out([Toy(3), Toy(2)], tmp_path, jobs=1)
    assert "2 pieces, 2 of them to do" in capsys.readouterr().err
    assert pieces.read(Toy(3))["square"] == 9
    before = pieces.path(Toy(3)).stat().st_mtime_ns
    carry_out([Toy(3), Toy(4)], tmp_path, jobs=1)
    assert "2 pieces, 1 of them to do" in capsys.readouterr().err
    assert pieces.path(Toy(3)).stat().st_mtime_ns == before
    assert "cpu" in pieces.read(Toy(4))["facts"]


def test_cheap_ones_come_first(here, tmp_path, capsys):
    carry_out([Toy(3), Toy(1), Toy(2)], tmp_path, jobs=1)
    lines = capsys.readouterr().err.splitlines()[1:]
    assert [line.split(": ")[1] for line in lines] == ["toys/1", "toys/2", "toys/3"]
    assert "min left" in lines[0]


def test_a_failure_leaves_nothing_behind_and_no_lock(here, tmp_path):
    with pytest.raises(RuntimeError, match="no"):
        carry_out([Toy(-1)], tmp_path, jobs=1)
    assert not Pieces(tmp_path).is_done(Toy(-1))
    assert not list(tmp_path.glob("**/*.json"))
    with pytest.raises(RuntimeError, match="no"):  # and not: waiting for ever for the lock
        carry_out([Toy(-1)], tmp_path, jobs=1)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 7}', '{"square": 1}'])
def test_a_file_that_is_none_is_named(tmp_path, text):
    pieces = Pieces(tmp_path)
    path = pieces.path(Toy(1))
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"toys.1\.json is no piece of the analysis .* remove it"):
        pieces.read(Toy(1))


def names(losses=(1.0, 2.0)):
    sampled = Sampled("DT_iris_acc", ("{}", "{}"), losses)
    derived = [Fits(sampled, 2), Maps(sampled), Checks(sampled, 3, 4)]
    evaluated = [Samples(Pair("DT", "iris"), 2), Repeat(Pair("DT", "iris"), "split", 0, 2)]
    return [piece.name for piece in derived], [piece.name for piece in evaluated]


def test_what_is_derived_does_not_outlive_the_code_that_made_it(monkeypatch, tmp_path):
    before, losses = names()
    assert names() == (before, losses)
    (tmp_path / "surrogate").mkdir()
    source = tmp_path / "surrogate" / "gp.py"
    source.write_text("noise = 1\n", encoding="utf-8")
    monkeypatch.setattr(kept, "LIBRARY", tmp_path)
    changed, same = names()
    assert not set(before) & set(changed)
    assert same == losses  # evaluated without warpfront's models
    source.write_text("noise = 2\n", encoding="utf-8")
    kept.sources.cache_clear()
    assert not set(names()[0]) & set(changed)
    kept.sources.cache_clear()


def test_what_is_derived_does_not_outlive_its_losses():
    assert not set(names()[0]) & set(names(losses=(1.0, 2.5))[0])


def test_parts_that_no_piece_uses_may_change(tmp_path):
    (tmp_path / "cli").mkdir()
    command, item = tmp_path / "cli" / "main.py", tmp_path / "item.py"
    command.write_text("1\n", encoding="utf-8")
    item.write_text("1\n", encoding="utf-8")
    read = kept.sources.__wrapped__
    before = read(tmp_path, item)
    command.write_text("2\n", encoding="utf-8")
    assert read(tmp_path, item) == before
    item.write_text("2\n", encoding="utf-8")
    assert read(tmp_path, item) != before


@pytest.mark.slow
def test_two_commands_never_do_the_same_piece(tmp_path):
    # For real: two processes, each with a pool of its own, on one folder.
    command = [sys.executable, "-m", "benchmarks", "paper", "hypothesis-tests", "--jobs", "1"]
    command += ["--tasks", "DT_iris_acc", "kNN_iris_acc", "--configurations", "3", "--repeats", "3"]
    command += ["--records", str(tmp_path / "records"), "--output", str(tmp_path / "results")]
    both = [
        subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=240)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert "".join(said).count(" CPU s") == 9  # 3 repeats of two pairs, and of one without split
    pieces = Pieces(tmp_path / "records")
    piece = Repeat(Pair("DT", "iris"), "split", 2, configurations=3)
    assert json.loads(json.dumps(piece.compute()))["losses"] == pieces.read(piece)["losses"]
