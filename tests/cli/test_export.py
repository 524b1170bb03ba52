"""`warpfront export`: all trials, for other programs."""

import csv
import json

import pyarrow.parquet
import pytest

from tests.cli.test_laboratory import call
from warpfront.cli.spec import read_spec
from warpfront.cli.study import create_study
from warpfront.cli.trials import fail

SPEC = """
name = "s"
[space]
x = { type = "real", low = -1, high = 1 }
kind = { type = "categorical", choices = ["=1", 32, [1, 2]] }
seconds = { type = "integer", low = 1, high = 3 }
"""
CSV = 'x,kind,seconds,loss\n-0.5,\'=1,1,-0.25\n0.5,32,2,failed\n0.25,"[1, 2]",3,3\n'


@pytest.fixture
def study(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)
    (tmp_path / "tune.toml").write_text(SPEC)
    (tmp_path / "old.csv").write_text(CSV)
    assert call(capsys, "observe", "old.csv", "tune.toml")[0] == 0
    return tmp_path


def test_the_formats_say_the_same(study, capsys):
    code, text, err = call(capsys, "export")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(text.splitlines()))
    assert list(rows[0]) == [
        "trial", "x", "kind", "seconds", "loss", "state", "proposer", "by_hand", "started",
        "warpfront_seconds", "reason",
    ]  # fmt: skip
    assert [(row["x"], row["kind"], row["loss"]) for row in rows] == [
        ("-0.5", "'=1", "-0.25"),
        ("0.5", "32", ""),
        ("0.25", "[1, 2]", "3.0"),
    ]
    assert rows[1]["reason"] == "failed, as observed by hand"
    for name in ("t.json", "t.csv", "t.parquet"):
        assert call(capsys, "export", "-o", name)[:2] == (0, "")
    assert (study / "t.csv").read_text() == text
    data = json.loads((study / "t.json").read_text())
    assert [row["kind"] for row in data] == ["=1", 32, [1, 2]]
    table = pyarrow.parquet.read_table(study / "t.parquet").to_pylist()
    assert [row.pop("kind") for row in table] == ['"=1"', "32", "[1, 2]"]
    assert table == [{k: v for k, v in row.items() if k != "kind"} for row in data]


def test_what_an_export_refuses(study, capsys):
    for words, says in {
        ("-o", "t.xls"): "--output t.xls: must end in .csv, .json or .parquet; or --format",
        ("--format", "parquet"): "is not for a terminal; give --output FILE",
        ("-o", "none/t.csv"): "--output none/t.csv: cannot be written",
    }.items():
        code, _, err = call(capsys, "export", *words)
        assert code == 1
        assert says in err


def test_an_empty_study_has_a_header_at_most(study, capsys):
    create_study(read_spec(study / "tune.toml"), f"sqlite:///{study}/empty.db", "empty").close()
    assert call(capsys, "export", "--name", "empty", "--format", "json")[1] == "[]\n"
    assert call(capsys, "export", "--name", "empty")[1] == ""
    assert call(capsys, "export", "--name", "empty", "-o", "e.parquet")[0] == 0


def test_a_reason_with_escapes_or_of_megabytes_is_plain(study, capsys):
    opened = create_study(read_spec(study / "tune.toml"), f"sqlite:///{study}/s.db")
    storage = opened.study._storage
    trial = storage.create_new_trial(opened.study._study_id)
    fail(storage, trial, "\x1b[31m=boom\x1b[0m\n" + "y" * 2_000_000)
    opened.close()
    for command in ("export", "status"):
        out = call(capsys, command)[1]
        assert "\x1b" not in out
        assert len(out) < 5_000
        assert "boom" in out
