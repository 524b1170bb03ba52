"""The command: records in, how many is said, nothing twice."""

from __future__ import annotations

import pytest

from benchmarks import __main__ as command
from benchmarks import records
from benchmarks.archive import store
from benchmarks.archive.digest import Digest
from benchmarks.records import Evaluated, Key, Record, Round


def record(seed, loss=0.5, error=None, method="random", revision="abc"):
    trials = () if loss is None else (Evaluated({"x1": 0.5, "x2": 1.0}, loss, held_out=0.75),)
    timings = (Round(0.123456, 0.2),)
    return Record(Key("branin", method, seed, 1, 1), trials, timings, error, {"revision": revision})


def archive(tmp_path):
    where = ["--runs", str(tmp_path / "runs"), "--archive", str(tmp_path / "archive")]
    return command.main(["archive", *where])


def test_records_are_taken_in(tmp_path, capsys):
    one, other = record(0), record(1, method="turbo", error="died")
    for made in (one, other, record(2, None, "unavailable: no wheel")):
        records.write(made, tmp_path / "runs")
    assert archive(tmp_path) == 0
    assert capsys.readouterr().out.startswith(
        "2 runs added, 0 replaced, 0 there already, 1 left out for want of their method; archive in"
    )
    assert list(store.read_all(tmp_path / "archive")) == [Digest.of(one), Digest.of(other)]
    records.write(record(0, loss=0.25, revision="def"), tmp_path / "runs")
    assert archive(tmp_path) == 0
    said = capsys.readouterr().out
    assert "0 runs added, 1 replaced, 1 there already" in said
    assert "replaced: 1 of revision abc by def" in said


def test_without_records_nothing_is_written(tmp_path, capsys):
    (tmp_path / "runs").mkdir()
    assert archive(tmp_path) == 0
    assert "0 runs added" in capsys.readouterr().out
    assert not (tmp_path / "archive").exists()


@pytest.mark.parametrize("name", ["archive", "report"])
def test_records_that_are_nowhere_are_named(name, tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main([name, "--runs", str(tmp_path / "rums")])
    assert "rums' is no folder" in capsys.readouterr().err


def test_a_broken_record_is_named(tmp_path, capsys):
    path = records.write(record(0), tmp_path / "runs")
    path.write_text("{}", encoding="utf-8")
    assert archive(tmp_path) == 1
    assert "branin-0.json is no record" in capsys.readouterr().err
