"""Several outcomes in the command: objectives, bounds, conditions and constraints, everywhere."""

import csv
import json
import re
import sys

import pytest
from optuna.trial import TrialState

from tests.cli.test_laboratory import call
from warpfront import AtMost, Maximize, Minimize
from warpfront.cli.errors import StudyError
from warpfront.cli.laboratory import observe, suggest
from warpfront.cli.measured import outcomes_of, record
from warpfront.cli.spec import read_spec
from warpfront.cli.study import create_study, open_study

GOALS = """
constraints = ["a + b == 1"]
trials = 6
[goals]
accuracy = "maximize"
latency = "minimize"
memory = {{ at_most = 500 }}
[space]
booster = {{ type = "categorical", choices = ["tree", "linear"] }}
depth = {{ type = "integer", low = 1, high = 9, when = {{ booster = "tree" }} }}
a = {{ type = "real", low = 0, high = 1, likely = 0.5 }}
b = {{ type = "real", low = 0, high = 1 }}
[settings]
models = ["warped"]
replicate = false
[objective]
{objective}
"""
FUNCTION = """
def measure(c):
    assert ("depth" in c) == (c["booster"] == "tree"), c
    return {"accuracy": c["a"], "latency": 10 * c["a"] + c.get("depth", 0), "memory": 1000 * c["b"],
            "seconds": 3.0}
"""
SCRIPT = """
import argparse, json
parser = argparse.ArgumentParser()
parser.add_argument("booster")
parser.add_argument("--depth", type=int)
parser.add_argument("--a", type=float)
parser.add_argument("--b", type=float)
args = parser.parse_args()
assert (args.depth is not None) == (args.booster == "tree")
print("training")
print(json.dumps({"accuracy": args.a, "latency": 10 * args.a, "memory": 1000 * args.b}))
"""


@pytest.fixture
def write(folder, monkeypatch):
    monkeypatch.chdir(folder.path)
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)

    def write(objective='python = "measuring:measure"', **changes):
        text = GOALS.format(objective=objective)
        for old, new in changes.items():
            text = text.replace(old, new)
        folder.spec.write_text(text)
        (folder.path / "measuring.py").write_text(FUNCTION)
        (folder.path / "measuring_script.py").write_text(SCRIPT)
        return read_spec(folder.spec)

    return write


@pytest.fixture
def study(write, folder):
    """A study with four told trials: two on the front, a dominated one, an infeasible one."""
    opened = create_study(write(), f"sqlite:///{folder.path}/spec.db")
    told = [(0.9, 9.0, 100.0), (0.5, 5.0, 500.0), (0.4, 6.0, 100.0), (1.0, 1.0, 501.0)]
    for outcomes, trial in zip(told, suggest(opened, 4), strict=True):
        names = ("accuracy", "latency", "memory")
        found = opened.trials()[trial]
        record(
            opened.study._storage,
            found._trial_id,
            opened.goals,
            dict(zip(names, outcomes, strict=True)),
        )
    yield opened
    opened.close()


def test_a_study_keeps_its_goals(study, folder):
    again = open_study(None, study.url, "spec")
    assert again.goals == (Maximize("accuracy"), Minimize("latency"), AtMost("memory", 500.0))
    assert again.space == study.space
    assert [d.name for d in again.study.directions] == ["MAXIMIZE", "MINIMIZE"]
    assert again.study.metric_names == ["accuracy", "latency"]  # the axes of the dashboard
    history = again.history()
    assert history.trials[3].outcomes == {"accuracy": 1.0, "latency": 1.0, "memory": 501.0}
    assert [trial.number for trial in history.front] == [0, 1]
    again.close()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("500", "400", "goal 3 is AtMost(name='memory', bound=500.0), in the SPEC AtMost(name="),
        ("latency", "delay", "goal 2 is Minimize(name='latency', reference=None), in the SPEC"),
        ('accuracy = "max', 'accuracy = "min', "direction is maximize, minimize, in the SPEC mini"),
        ("a + b == 1", "a + b <= 1", "constraints is ['a + b == 1'], in the SPEC ['a + b <= 1']"),
        ("memory = ", "# ", "goal 3 is AtMost(name='memory', bound=500.0), in the SPEC not there"),
    ],
)
def test_other_goals_are_another_study(study, folder, old, new, says):
    folder.spec.write_text(folder.spec.read_text().replace(old, new))
    with pytest.raises(StudyError, match=re.escape(says)):
        create_study(read_spec(folder.spec), study.url)


def test_best_status_and_export_show_the_front(study, capsys, folder):
    code, out, err = call(capsys, "best", "spec.toml")
    assert (code, err) == (0, "")
    assert out.startswith("trial 0: accuracy 0.9, latency 9, memory 100\n  booster=")
    assert re.findall(r"^trial \d", out, re.M) == ["trial 0", "trial 1"]
    front = json.loads(call(capsys, "best", "spec.toml", "--json")[1])
    assert [(one["trial"], one["memory"]) for one in front] == [(0, 100.0), (1, 500.0)]
    status = json.loads(call(capsys, "status", "spec.toml", "--json")[1])
    assert (status["completed"], status["infeasible"], status["front"]) == (4, 1, front)
    assert "front: 2 trials\n" in call(capsys, "status", "spec.toml")[1]
    rows = json.loads(call(capsys, "export", "spec.toml", "--format", "json")[1])
    assert [row["feasible"] for row in rows] == [True, True, True, False]
    assert all((row["depth"] is None) == (row["booster"] == "linear") for row in rows)
    code, _, err = call(capsys, "best", "spec.toml", "--recommended")
    assert (code, err) == (
        1,
        "error: --recommended: is for one objective; this study has several\n",
    )


def test_without_a_feasible_trial_best_says_so(study, capsys, folder):
    empty = create_study(read_spec(folder.spec), f"sqlite:///{folder.path}/second.db", "second")
    suggest(empty, 1)
    trial = empty.trials()[0]
    outcomes = {"accuracy": 1.0, "latency": 1.0, "memory": 501.0}
    record(empty.study._storage, trial._trial_id, empty.goals, outcomes)
    empty.close()
    code, _, err = call(capsys, "best", "spec.toml", "--name", "second")
    assert code == 3
    assert "no trial of 'second' is feasible yet: all 1 that have completed violate a bound" in err


def test_the_laboratory_has_a_column_for_each_outcome(write, folder, capsys):
    write()
    code, out, err = call(capsys, "suggest", "spec.toml", "-n", 3, "--csv", "next.csv")
    assert (code, err) == (0, "")
    assert "fill in the columns 'accuracy', 'latency', 'memory', then:" in out
    rows = list(csv.DictReader((folder.path / "next.csv").read_text().splitlines()))
    assert list(rows[0])[-3:] == ["accuracy", "latency", "memory"]
    for row in rows:
        assert (row["depth"] == "") == (row["booster"] == "linear")
        assert len(row["a"]) <= 5  # a share of one needs no twelve digits
        assert float(row["a"]) + float(row["b"]) == pytest.approx(1.0)
    rows[0] |= {"accuracy": "0.5", "latency": "3", "memory": "missing"}
    rows[1] |= {"accuracy": "0.5"}
    rows[2] |= {"accuracy": "0.25", "latency": "failed"}
    with (folder.path / "next.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    told = "2 results told, 1 without all of their results yet\n"
    assert call(capsys, "observe", "next.csv", "spec.toml") == (0, told, "")
    with folder.opened() as opened:
        first, second, third = opened.trials()
        assert outcomes_of(first, opened.goals) == {
            "accuracy": 0.5,
            "latency": 3.0,
            "memory": None,
        }
        assert (second.state, third.state) == (TrialState.RUNNING, TrialState.FAIL)
        assert third.user_attrs["reason"] == "failed, as observed by hand"
        again = observe(opened, folder.path / "next.csv")
        assert (again.told, again.known, again.waiting) == (0, 2, 1)


def test_an_experiment_of_ones_own_has_active_parameters_only(write, folder, capsys):
    write()
    header = "booster,depth,a,b,accuracy,latency,memory"
    (folder.path / "old.csv").write_text(
        f"{header}\ntree,,0.5,0.5,1,2,3\nlinear,3,0.5,0.5,1,2,3\nlinear,,0.5,x,1,2,y\n"
    )
    code, _, err = call(capsys, "observe", "old.csv", "spec.toml")
    assert code == 1
    assert err == (
        "error: old.csv: row 4, column 'memory': 'y' is not a number; write a number such as 0.5, "
        "'failed', or nothing if it is not known yet\n"
    )
    text = (folder.path / "old.csv").read_text()
    (folder.path / "old.csv").write_text(text.replace("2,y", "2,4"))
    code, _, err = call(capsys, "observe", "old.csv", "spec.toml")
    lines = err.splitlines()
    assert lines[0] == "error: old.csv: 3 mistakes"
    assert lines[1].startswith("  row 2, parameter 'depth' is missing; it is active when")
    assert lines[2].startswith("  row 3, parameter 'depth' is inactive here")
    assert lines[3] == "  row 4, column 'b': 'x' is not a number"
    assert not (folder.path / "spec.db").exists()


@pytest.mark.parametrize("kind", ["function", "command"])
def test_tune_measures_all_outcomes(write, folder, kind):
    objective = 'python = "measuring:measure"'
    if kind == "command":
        words = [sys.executable, "measuring_script.py", "{booster}", "--depth", "{depth}"]
        objective = f"command = {[*words, '--a={a}', '--b={b}']}"
    write(objective)
    done = folder.run("tune", "spec.toml", "--trials", "5")
    assert done.returncode == 0, done.stderr
    assert re.match(r"front of \d trials?: accuracy [\d.]+", done.stdout)
    assert done.hint == "next: warpfront best spec.toml\n"
    with folder.opened() as opened:
        for trial in opened.trials():
            config = opened.configuration(trial)
            assert ("depth" in config) == (config["booster"] == "tree")
            assert config["a"] + config["b"] == pytest.approx(1.0)
            found = outcomes_of(trial, opened.goals)
            assert found["accuracy"] == config["a"]
            assert found["memory"] == pytest.approx(1000 * config["b"])


def test_report_and_diagnosis_know_the_goals(study, capsys, folder):
    code, out, err = call(capsys, "report", "spec.toml", "--output", "page")
    assert (code, err) == (0, "")
    page = (folder.path / "page" / "report.html").read_text()
    assert all(name in page for name in ("accuracy", "latency", "memory"))
    code, out, _ = call(capsys, "diagnose", "spec.toml", "--goal", "latency", "--json")
    assert (code, json.loads(out)["study"]) == (0, "spec")
    code, _, err = call(capsys, "diagnose", "spec.toml", "--goal", "cost")
    assert code == 1
    assert "--goal 'cost': is not among the goals; take one of accuracy, latency, memory" in err


def test_the_sampler_knows_bounds_and_references(write, folder):
    spec = write(**{'"minimize"': '{ goal = "minimize", reference = 20 }'})
    opened = create_study(spec, f"sqlite:///{folder.path}/spec.db")
    assert opened.sampler._goals_of(opened.study, []) == (
        Maximize("accuracy"),
        Minimize("latency", reference=20.0),
        AtMost("memory", 500.0),
    )
    opened.close()
