"""`suggest` and `observe`: a round trip through a table, by the command's own entry point."""

import csv
import os
import shlex

import optuna
import pytest
from optuna.trial import TrialState

from tests.cli.conftest import SPEC
from warpfront.cli import main
from warpfront.cli.errors import TableError
from warpfront.cli.laboratory import observe, pending, suggest
from warpfront.cli.spec import read_spec
from warpfront.cli.study import create_study, open_study
from warpfront.cli.table import write_table
from warpfront.cli.trials import HAND, Overview, predecessors
from warpfront.integrations.optuna import distributions_of

LAB = SPEC.replace("[objective]", "").replace(
    "[settings]",
    'kind = {{ type = "categorical", choices = ["a", [1, 2], true] }}\n[settings]',
)


@pytest.fixture
def lab(folder):
    folder.spec.write_text(LAB.format(objective="", extra='direction = "maximize"'))
    spec = read_spec(folder.spec)
    opened = create_study(spec, f"sqlite:///{folder.path}/study.db")
    yield opened
    opened.close()


@pytest.fixture
def next_csv(lab, tmp_path):
    """A table with three suggestions and no result; a function that fills in cells."""
    path = tmp_path / "next.csv"

    def fill(*changes):
        rows = list(csv.reader(write_table(lab.space, lab.problem.names, trials).splitlines()))
        for row, column, text in changes:
            rows[row][rows[0].index(column)] = text
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        return path

    trials = suggest(lab, 3)
    return fill


def states(lab):
    return [t.state.name for t in lab.trials()]


def test_suggestions_are_running_trials_that_others_see(lab, next_csv):
    trials = lab.trials()
    assert states(lab) == ["RUNNING"] * 3
    assert all(t.user_attrs[HAND] and t.params for t in trials)
    assert len({str(t.params) for t in trials}) == 3
    assert lab.storage._get_stale_trial_ids(lab.study._study_id) == []
    overview = Overview(lab.repair(), 10)  # they have no worker that could be dead
    assert overview.running() == []
    assert (overview.waiting(), overview.room) == ([], 7)
    assert list(pending(lab)) == [0, 1, 2]
    assert len({str(c) for c in [*pending(lab).values(), *suggest(lab, 2).values()]}) == 5


def test_results_are_told_once(lab, next_csv):
    path = next_csv((1, "value", "0.5"), (2, "value", "failed"))
    observed = observe(lab, path)
    assert (observed.told, observed.known) == (2, 0)
    assert states(lab) == ["COMPLETE", "FAIL", "RUNNING"]
    assert lab.study.best_value == 0.5
    assert lab.trials()[1].user_attrs["reason"] == "failed, as observed by hand"
    again = observe(lab, path)
    assert (again.told, again.known) == (0, 2)
    more = observe(lab, next_csv((1, "value", "0.5"), (3, "value", "2")))
    assert (more.told, more.known) == (1, 1)
    assert states(lab) == ["COMPLETE", "FAIL", "COMPLETE"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ([(3, "value", "0,5")], "row 4, column 'value': '0,5' is not a number; write 0.5"),
        ([(3, "value", "1"), (3, "n", "6")], r"row 4, column 'n': '6' stands where \d was sugg"),
        ([(3, "value", "1"), (3, "trial", "9")], "row 4: there is no trial 9 in study 'study'"),
    ],
)
def test_nothing_is_told_if_anything_is_wrong(lab, next_csv, changes, says):
    with pytest.raises(TableError, match=says):
        observe(lab, next_csv((1, "value", "0.5"), *changes))
    assert states(lab) == ["RUNNING"] * 3


def test_a_told_result_is_not_changed(lab, next_csv):
    observe(lab, next_csv((1, "value", "0.5")))
    with pytest.raises(TableError, match=r"row 2: trial 0 was told before \(0.5\) and is not"):
        observe(lab, next_csv((1, "value", "0.6"), (2, "value", "1")))
    assert states(lab) == ["COMPLETE", "RUNNING", "RUNNING"]


def test_what_was_really_tried_takes_the_place_of_the_suggestion(lab, next_csv):
    path = next_csv((1, "value", "0.5"), (1, "x", "0.123"), (1, "kind", "[1, 2]"))
    with pytest.raises(TableError, match="add --as-tried if that was really tried"):
        observe(lab, path)
    assert observe(lab, path, as_tried=True).told == 1
    old, *_, new = lab.trials()
    assert (old.state, new.state) == (TrialState.FAIL, TrialState.COMPLETE)
    assert predecessors(new) == [old.number]
    config = lab.configuration(new)
    assert (config["x"], config["kind"], new.value) == (0.123, [1, 2], 0.5)
    assert len(Overview(lab.repair()).counted) == 3  # one for each suggestion
    for as_tried in (True, False):
        assert observe(lab, path, as_tried).told == 0


def test_what_was_not_changed_was_tried_as_suggested(folder, tmp_path):
    kinds = 'choices = [32, "32"]'
    text = LAB.replace('choices = ["a", [1, 2], true]', kinds).format(objective="", extra="")
    folder.spec.write_text(text)
    lab = create_study(read_spec(folder.spec), f"sqlite:///{tmp_path}/alike.db")
    try:
        trials = suggest(lab, 4)
        assert {repr(config["kind"]) for config in trials.values()} == {"32", "'32'"}
        lines = [f"{i},0.123,{c['n']},{c['kind']},1" for i, c in trials.items()]
        path = tmp_path / "alike.csv"
        path.write_text("\n".join(["trial,x,n,kind,loss", *lines]))
        assert observe(lab, path, as_tried=True).told == 4
        tried = [lab.configuration(trial) for trial in lab.trials()[4:]]
        assert tried == [{**config, "x": 0.123} for config in trials.values()]
    finally:
        lab.close()


def test_an_experiment_of_ones_own_has_no_number(lab, next_csv):
    path = next_csv(
        (1, "trial", ""), (1, "value", "7"), (1, "x", "0.25"), (1, "kind", "TRUE"), (1, "n", "2")
    )
    assert observe(lab, path).told == 1
    assert observe(lab, path).told == 0
    new = lab.trials()[-1]
    assert lab.configuration(new) == {"x": 0.25, "n": 2, "kind": True}
    assert (new.value, states(lab)) == (7.0, ["RUNNING"] * 3 + ["COMPLETE"])


def test_replicates_with_the_same_result_are_all_told(lab, next_csv):
    own = [("trial", ""), ("value", "7"), ("x", "0.25"), ("kind", "a"), ("n", "2")]
    one = [(1, *cell) for cell in own]
    assert observe(lab, next_csv(*one)).told == 1
    for row, known in ((2, 1), (3, 2)):
        path = next_csv(*((i, *cell) for i in range(1, row + 1) for cell in own))
        observed = observe(lab, path)
        assert (observed.told, observed.known) == (1, known)
        observed = observe(lab, path)
        assert (observed.told, observed.known) == (0, known + 1)
    assert states(lab) == ["RUNNING"] * 3 + ["COMPLETE"] * 3


@pytest.mark.parametrize("another_file", [False, True])
@pytest.mark.parametrize("result", ["7", "failed"])
def test_a_replicate_of_a_suggestion_is_told_beside_it(lab, next_csv, another_file, result):
    suggested = () if another_file else ((1, "value", result),)
    observe(lab, next_csv((1, "value", result)))
    config = lab.configuration(lab.trials()[0])
    cells = {"trial": "", "value": result, "x": config["x"], "n": config["n"]}
    cells["kind"] = {"a": "a", "True": "TRUE"}.get(str(config["kind"]), "[1, 2]")
    path = next_csv(*suggested, *((2, name, text) for name, text in cells.items()))
    for told in (1, 0):
        observed = observe(lab, path)
        assert (observed.told, observed.known) == (told, 1 - told + len(suggested))
    state = "COMPLETE" if result == "7" else "FAIL"
    assert states(lab) == [state, "RUNNING", "RUNNING", state]


def test_a_replicate_of_what_was_tried_instead_or_by_a_worker_is_told(lab, next_csv):
    cells = [("value", "7"), ("x", "0.25"), ("n", "2"), ("kind", "a")]
    observe(lab, next_csv(*((1, *cell) for cell in cells)), as_tried=True)
    lab.study.enqueue_trial({"x": 0.5, "n": 2, "kind": '"a"'})
    with pytest.warns(UserWarning, match="Heartbeat of storage is supposed to be used"):
        lab.study.tell(lab.study.ask(distributions_of(lab.space)), 7.0)
    for x in ("0.25", "0.5"):
        path = next_csv((2, "trial", ""), *((2, *cell) for cell in cells), (2, "x", x))
        for told in (1, 0):
            assert observe(lab, path).told == told


def test_a_trial_of_a_worker_is_not_told_by_hand(lab, next_csv):
    lab.sampler.enqueue(lab.study, 1)
    with pytest.raises(TableError, match="trial 3 is for the workers"):
        observe(lab, next_csv((1, "trial", "3"), (1, "value", "1")))


def test_what_an_interrupted_suggest_left_in_the_queue_comes_first(lab):
    lab.sampler.enqueue(lab.study, 2)
    assert list(suggest(lab, 3)) == [0, 1, 2]
    assert states(lab) == ["RUNNING"] * 3


def call(capsys, *words):
    """The command's exit code and output, in this process."""
    try:
        main([str(word) for word in words])
        code = 0
    except SystemExit as end:
        code = end.code or 0
    out, err = capsys.readouterr()
    hints = [line for line in err.splitlines(keepends=True) if line.startswith("next: ")]
    assert len(hints) <= 1
    assert err.endswith("".join(hints))
    return code, out, err.removesuffix("".join(hints))


def test_the_commands(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)
    monkeypatch.chdir(tmp_path)
    folder.spec.write_text(LAB.format(objective="", extra=""))
    code, out, err = call(capsys, "suggest", "spec.toml", "-n", 2, "--csv", "next.csv")
    assert (code, err) == (0, "")
    assert out == (
        "next.csv: 2 experiments; fill in the column 'loss', then:\n"
        "  warpfront observe next.csv spec.toml\n"
    )
    table = (tmp_path / "next.csv").read_text()
    assert table.startswith("trial,x,n,kind,loss\n0,")
    assert call(capsys, "suggest", "spec.toml", "--pending") == (0, table, "")
    code, _, err = call(capsys, "suggest", "spec.toml", "--csv", "next.csv")
    assert code == 1
    assert err.startswith("error: next.csv: is there already, perhaps with results; observe it")
    first, second, third = table.splitlines()
    (tmp_path / "next.csv").write_text(f"{first}\n{second}0.25\n{third}\n")
    storage = f"sqlite:///{os.path.relpath(tmp_path / 'study.db')}"
    assert call(capsys, "observe", "next.csv", "--storage", storage) == (0, "1 results told\n", "")
    assert call(capsys, "observe", "next.csv", "spec.toml")[1] == "0 results told, 1 known before\n"
    code, out, _ = call(capsys, "best", "spec.toml")
    assert out.startswith("loss: 0.25 (trial 0)\nx: ")
    assert call(capsys, "suggest", "spec.toml", "--pending") == (0, f"{first}\n{third}\n", "")
    code, _, err = call(capsys, "tune", "spec.toml")
    assert code == 1
    assert "has no 'objective'; add one, evaluate by hand with `warpfront suggest`" in err


OLD = "x,n,kind,loss\n0.25,2,a,0.5\n0.25,2,a,0.5\n0.75,3,TRUE,failed\n0.5,1,a,\n"


@pytest.mark.parametrize("has_column", [False, True])
def test_old_results_begin_a_study(folder, tmp_path, capsys, monkeypatch, has_column):
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)
    monkeypatch.chdir(tmp_path)
    folder.spec.write_text(LAB.format(objective="", extra=""))
    old = tmp_path / "old.csv"
    header, *rows = OLD.splitlines()
    with_column = "\n".join([f"trial,{header}", *(f",{row}" for row in rows)])
    old.write_text(with_column if has_column else OLD)
    assert call(capsys, "observe", "old.csv", "spec.toml") == (0, "3 results told\n", "")
    known = (0, "0 results told, 3 known before\n", "")
    assert call(capsys, "observe", "old.csv", "spec.toml") == known
    code, out, _ = call(capsys, "suggest", "spec.toml")
    assert (code, out.splitlines()[1][:2]) == (0, "3,")
    code, out, err = call(capsys, "observe", "old.csv", "spec.toml")
    if has_column:
        assert (code, out, err) == known
    else:  # it might be what was suggested, told once more
        assert code == 1
        assert "no column 'trial', the first row has 'x', 'n', 'kind', 'loss'; put it back" in err
        assert err.endswith(", with nothing in it for experiments of your own\n")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("trial,x,n,kind,loss\n7,0.25,2,a,0.5\n", "row 2: there is no trial 7 in study 'study'"),
        ("x,n,kind,loss\n0.25,6,a,0.5\n", "row 2, column 'n': 6.0 is outside"),
        ("x,n,loss\n0.25,2,0.5\n", "there is no column 'kind'"),
        (None, "there is no such file"),
    ],
)
def test_a_table_with_a_mistake_begins_nothing(folder, tmp_path, capsys, monkeypatch, table, says):
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)
    monkeypatch.chdir(tmp_path)
    folder.spec.write_text(LAB.format(objective="", extra=""))
    if table is not None:
        (tmp_path / "old.csv").write_text(table)
    code, _, err = call(capsys, "observe", "old.csv", "spec.toml")
    assert code == 1
    assert f"old.csv: {says}" in err
    assert not list(tmp_path.glob("*.db"))


def test_suggest_prints_the_command_that_tells_the_same_study(
    folder, tmp_path, capsys, monkeypatch
):
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tune.toml").write_text(LAB.format(objective="", extra=""))
    given = ["--name", "night shift", "--storage", "sqlite:///both.db"]
    call(capsys, "suggest", "--storage", "sqlite:///both.db")
    _, out, _ = call(capsys, "suggest", "--csv", "my next.csv", *given)
    told = out.splitlines()[-1]
    assert told == (
        "  warpfront observe 'my next.csv' tune.toml --name 'night shift' "
        "--storage sqlite:///both.db"
    )
    table = (tmp_path / "my next.csv").read_text()
    (tmp_path / "my next.csv").write_text(table.rstrip("\n") + "0.25\n")
    assert call(capsys, *shlex.split(told)[1:]) == (0, "1 results told\n", "")
    assert call(capsys, "best", *given)[1].startswith("loss: 0.25 (trial 0)")
    monkeypatch.setenv("WARPFRONT_STORAGE", "sqlite:///both.db")
    _, out, _ = call(capsys, "suggest", "tune.toml", "--csv", "more.csv")
    assert out.endswith("  warpfront observe more.csv tune.toml\n")


def test_plain_optuna_sees_the_same_study(lab, next_csv):
    observe(lab, next_csv((1, "value", "0.5")))
    study = optuna.load_study(study_name="study", storage=lab.url)
    assert study.best_value == 0.5
    assert set(study.best_params) == {"x", "n", "kind"}
    study._storage._backend.engine.dispose()
    again = open_study(None, lab.url)
    assert again.space == lab.space
    again.close()


@pytest.mark.parametrize("moment", ["set_trial_param", "set_trial_state_values"])
def test_a_suggestion_that_was_interrupted_is_left_for_others(lab, monkeypatch, moment):
    storage = lab.study._storage

    def stop(*_, **__):
        raise KeyboardInterrupt

    lab.study.enqueue_trial({"x": 0.5, "n": 2, "kind": '"a"'})  # it waits without parameters
    with monkeypatch.context() as patch:
        patch.setattr(storage, moment, stop)
        with pytest.raises(KeyboardInterrupt):
            suggest(lab, 1)
    (trial,) = lab.trials()
    assert (trial.state, trial.user_attrs[HAND]) == (TrialState.WAITING, True)
    overview = Overview(lab.trials(), 10)
    assert overview.waiting() == []
    assert not overview.is_over
    assert [t.number for t in Overview(lab.repair(), 10).waiting()] == [0]  # for a worker
    assert list(suggest(lab, 1)) == [0]


def test_what_was_tried_instead_of_a_suggestion_ends_it_though_interrupted(
    lab, next_csv, monkeypatch
):
    def stop(*_, **__):
        raise KeyboardInterrupt

    path = next_csv((1, "value", "0.5"), (1, "x", "0.123"))
    with monkeypatch.context() as patch:
        patch.setattr("warpfront.cli.laboratory.lose", stop)
        with pytest.raises(KeyboardInterrupt):
            observe(lab, path, as_tried=True)
    assert states(lab) == ["RUNNING"] * 3 + ["COMPLETE"]
    again = observe(lab, path, as_tried=True)
    assert (again.told, again.known) == (0, 1)
    assert states(lab) == ["FAIL", "RUNNING", "RUNNING", "COMPLETE"]
    assert list(pending(lab)) == [1, 2]


def test_suggested_reals_are_rounded_unless_they_are_to_be_exact(lab):
    rounded, exact = suggest(lab, 3), suggest(lab, 3, exact=True)
    assert all(len(repr(c["x"])) <= 5 for c in rounded.values())
    assert any(len(repr(c["x"])) > 8 for c in exact.values())
    assert [lab.configuration(t)["x"] for t in lab.trials()[:3]] == [
        c["x"] for c in rounded.values()
    ]
