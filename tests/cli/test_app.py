"""The command as people meet it: help, completion, examples, errors of one line, exit codes."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import optuna
import pytest
from sqlalchemy import Engine
from sqlalchemy.event import listen, remove

from tests.cli.conftest import PATIENT, wait_until
from tests.cli.test_laboratory import call
from warpfront import HEBO
from warpfront.cli import main
from warpfront.cli.spec import read_spec
from warpfront.cli.study import BUDGET, create_study
from warpfront.cli.views import _report_folder
from warpfront.extras import install_line

COMMANDS = (
    "tune",
    "worker",
    "suggest",
    "observe",
    "export",
    "best",
    "status",
    "report",
    "diagnose",
    "dashboard",
    "init",
)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")


def test_the_entry_point_of_the_package_is_this_one():
    from importlib.metadata import entry_points

    found = [e.value for e in entry_points(group="console_scripts") if e.name == "warpfront"]
    assert found in ([], ["warpfront.cli:main"])  # none if the package is not installed


def test_help_is_quick_and_lists_the_commands(folder):
    code = (
        "import sys; sys.argv = ['warpfront', '--help']\n"
        "from warpfront.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print([m for m in ('optuna', 'scipy', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
    assert all(re.search(rf"\b{name}\b", done.stdout) for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name, capsys):
    code, out, _ = call(capsys, name, "--help")
    assert code == 0
    assert f"Example: warpfront {name}" in " ".join(out.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_for_a_shell(folder, shell, capsys, monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    code, out, _ = call(capsys, "--show-completion", shell)
    assert code == 0
    assert "_WARPFRONT_COMPLETE" in out


def test_completion_completes(capsys, monkeypatch):
    monkeypatch.setenv("_WARPFRONT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "warpfront st")
    monkeypatch.setenv("COMP_CWORD", "1")
    _, out, _ = call(capsys)
    assert out.split() == ["status"]


def test_version(capsys):
    assert call(capsys, "--version") == (0, "warpfront 0.1.0\n", "")


@pytest.mark.parametrize("words", [["--command"], ["--yaml"], ["x.yml", "--command"], ["d/x.toml"]])
def test_init_writes_an_example_that_can_be_read_and_overwrites_nothing(words, tmp_path, capsys):
    code, out, err = call(capsys, "init", *words)
    assert (code, err) == (0, "")
    spec, script = (tmp_path / line.split()[1] for line in out.splitlines()[:2])
    read = read_spec(spec)
    assert read.space.names == ("learning_rate", "layers", "activation", "bias")
    assert read.name == spec.stem
    assert compile(script.read_text(), str(script), "exec")
    before = spec.read_text()
    code, _, err = call(capsys, "init", *words)
    assert (code, err.count("\n")) == (1, 1)
    assert "is there already; choose another folder or name" in err
    assert spec.read_text() == before


@pytest.mark.parametrize(
    "file",
    ["42.yaml", "true.yaml", "a: b #c.yml", 'a"b.toml', "a\\b.toml", "größe 😀.toml", "42.toml"],
)
def test_init_writes_a_name_that_reads_back(file, tmp_path, capsys):
    code, out, err = call(capsys, "init", file)
    assert (code, err) == (0, "")
    assert read_spec(tmp_path / file).name == file.rpartition(".")[0]
    assert shlex.split(out.splitlines()[-1].removeprefix("try it: ")) == ["warpfront", "tune", file]


def test_the_examples_give_the_same_losses(tmp_path, capsys):
    config = {"learning_rate": 0.001, "layers": 2, "activation": "relu", "bias": True}
    call(capsys, "init", "a/tune.toml")
    call(capsys, "init", "b/tune.toml", "--command")
    from warpfront.cli.objective import Evaluator

    sys.path[:], before = list(sys.path), list(sys.path)
    try:
        values = []
        for name in "ab":
            evaluator = Evaluator(read_spec(tmp_path / name / "tune.toml"), "s")
            values.append(evaluator.evaluate(config, 0))
            evaluator.close()
    finally:
        sys.path[:] = before
        sys.modules.pop("objective", None)
        os.environ.pop("WARPFRONT_TRIAL", None)
        os.environ.pop("WARPFRONT_STUDY", None)
    assert values[0] == values[1]
    assert values[0][0]["loss"] == pytest.approx(0.9)


@pytest.fixture
def study(folder):
    """A study with two completed trials, a failed and a waiting one, of a budget of 9."""
    folder.write(extra='direction = "maximize"')
    opened = create_study(read_spec(folder.spec), f"sqlite:///{folder.path}/study.db")
    opened.study.set_user_attr(BUDGET, 9)
    opened.sampler.enqueue(opened.study, 4)
    for value in (1.5, 2.5, None):
        waiting = [t for t in opened.trials() if t.state.name == "WAITING"]
        trial = optuna.Trial(opened.study, waiting[0]._trial_id)
        opened.study._storage.set_trial_state_values(
            waiting[0]._trial_id, optuna.trial.TrialState.RUNNING
        )
        trial.set_user_attr("reason", "no luck")
        state = optuna.trial.TrialState.FAIL if value is None else None
        opened.study.tell(trial, value, state=state)
    opened.close()
    return f"sqlite:///{folder.path}/study.db"


def test_best_and_status(study, capsys):
    code, out, err = call(capsys, "best", "--storage", study)
    assert (code, err) == (0, "")
    assert re.fullmatch(r"value: 2.5 \(trial 1\)\nx: [\d.]+\nn: \d\n", out)
    best = json.loads(call(capsys, "best", "spec.toml", "--json")[1])
    assert (best["trial"], best["value"], list(best["config"])) == (1, 2.5, ["x", "n"])
    status = json.loads(call(capsys, "status", "spec.toml", "--json")[1])
    assert status == {
        "study": "study",
        "trials": 9,
        "completed": 2,
        "failed": 1,
        "running": 0,
        "by_hand": 0,
        "waiting": 1,
        "best": best,
        "last_failure": {"trial": 2, "reason": "no luck"},
    }
    out = call(capsys, "status", "--storage", study)[1]
    assert "study: study\ntrials: 9\ncompleted: 2\nfailed: 1\nwaiting: 1\nbest: trial 1" in out


def test_under_noise_another_trial_is_recommended(folder, capsys):
    folder.write(extra='direction = "maximize"')
    luck = [("0.9", 6), ("0.3", 5), ("0.9", 0), ("0.3", 5.5), ("0.9", 0), ("0.3", 5), ("0.9", 0)]
    rows = [f"{x},3,{value}" for x, value in luck]
    (folder.path / "old.csv").write_text("\n".join(["x,n,value", *rows]))
    call(capsys, "observe", "old.csv", "spec.toml")
    assert call(capsys, "best", "spec.toml")[1].startswith("value: 6 (trial 0)\nx: 0.9\n")
    with folder.opened() as opened:
        optimizer = HEBO(opened.space, opened.seed, opened.settings)
    optimizer.tell([{"x": float(x), "n": 3} for x, _ in luck], [-value for _, value in luck])
    expected = optimizer.recommendation
    assert expected.config["x"] == 0.3
    code, out, err = call(capsys, "best", "spec.toml", "--recommended")
    assert (code, err) == (0, "")
    assert out == f"value: {-expected.value:g} (trial {expected.number})\nx: 0.3\nn: 3\n"
    found = json.loads(call(capsys, "best", "spec.toml", "--recommended", "--json")[1])
    config = {"x": 0.3, "n": 3}
    assert found == {"trial": expected.number, "value": -expected.value, "config": config}


def test_the_report_is_written_where_it_is_wanted(study, tmp_path, capsys):
    code, out, err = call(capsys, "report", "spec.toml", "--output", "pages")
    assert (code, err) == (0, "")
    page = tmp_path / out.strip()
    assert page.parent == tmp_path / "pages"
    assert "study" in page.read_text()
    assert list(page.parent.iterdir()) == [page]
    assert "Timeline" in page.read_text()  # the trials of a study have dates


def test_a_report_that_cannot_be_written_is_one_line(study, tmp_path, capsys):
    for name, words in (("afile", ["--output", "afile"]), ("study-report", [])):
        (tmp_path / name).touch()
        code, out, err = call(capsys, "report", "spec.toml", *words)
        assert (code, out) == (1, "")
        assert err.startswith(f"error: {name}: cannot be written ([Errno 17] File exists")
        assert err.endswith("; give another folder with --output\n")


@pytest.mark.parametrize(
    ("study", "folder"),
    [("../evil", "evil"), ("/etc/x", "etc-x"), ("..", "study"), ("größe 1.5", "größe-1.5")],
)
def test_a_report_is_written_to_a_folder_here_whatever_the_study_is_called(study, folder):
    assert str(_report_folder(study)) == f"{folder}-report"


def test_before_a_success_best_says_so_with_a_code_of_its_own(folder, capsys):
    folder.write()
    create_study(read_spec(folder.spec), f"sqlite:///{folder.path}/study.db").close()
    for words in ([], ["--recommended"]):
        code, out, err = call(capsys, "best", "spec.toml", *words)
        assert (code, out) == (3, "")
        assert err == "error: no trial of 'study' has succeeded yet\n"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (
            ["tune", "none.toml"],
            1,
            "none.toml: there is no such file; `warpfront init` writes an example",
        ),
        (["best"], 1, "say which study: give its SPEC, or --storage URL"),
        (
            ["best", "--storage", "study.db"],
            1,
            "the storage is not a URL; write such as sqlite:///",
        ),
        (
            ["best", "--storage", "foo://x"],
            1,
            "storage foo://x: 'foo' is not a database known here",
        ),
        (["best", "--storage", "sqlite:///n.db"], 1, "there is no study in sqlite:///"),
        (["worker", "spec.toml"], 1, "there is no study in sqlite:///"),
        (["observe", "none.csv", "--storage", "sqlite:///n.db"], 1, "there is no study in"),
        (
            ["status", "spec.toml"],
            1,
            "; `warpfront tune SPEC` begins one, or by hand `warpfront suggest SPEC`",
        ),
        (
            ["observe", "spec.toml", "next.csv"],
            1,
            "next.csv: is not a SPEC; the CSV comes first: warpfront observe CSV SPEC",
        ),
        (["tune", "spec.toml", "--timeout", "soon"], 2, "'soon' is not a duration; write seconds"),
        (["tune", "spec.toml", "--trials", "0"], 2, "--trials"),
        (["tune"], 1, "there is no tune.toml, tune.yaml or tune.yml here; give the SPEC"),
        (["turn"], 2, "No such command 'turn'"),
    ],
)
def test_a_mistake_is_said_and_has_its_code(folder, capsys, words, code, says):
    folder.write()
    found, out, err = call(capsys, *words)
    assert (found, out) == (code, "")
    assert says in " ".join(err.split())
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_without_a_spec_the_one_that_is_here_is_taken(folder, capsys):
    folder.write()
    folder.spec.rename("tune.toml")
    code, out, err = call(capsys, "suggest", "--csv", "next.csv")
    assert (code, err) == (0, "")
    assert out.endswith("  warpfront observe next.csv\n")
    assert call(capsys, "observe", "next.csv") == (0, "0 results told\n", "")
    assert json.loads(call(capsys, "status", "--json")[1])["by_hand"] == 1
    (folder.path / "tune.yml").touch()
    for name in ("tune", "status"):
        code, _, err = call(capsys, name)
        assert code == 1
        assert "there are tune.toml and tune.yml here; say which SPEC you mean" in err
    status = call(capsys, "status", "--json", "--storage", f"sqlite:///{folder.path}/study.db")
    assert json.loads(status[1])["by_hand"] == 1


def test_debug_shows_the_traceback(capsys):
    for words in (["best", "--debug"], ["--debug", "best"]):
        code, _, err = call(capsys, *words)
        assert code == 1
        assert "Traceback (most recent call last)" in err
        assert err.endswith("error: say which study: give its SPEC, or --storage URL\n")


@pytest.mark.parametrize("module", ["typer", "optuna", "rich"])
def test_a_missing_package_is_one_line_that_installs_it(folder, module):
    folder.write()
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from warpfront.cli import main\nmain(['tune', 'spec.toml'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder.path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.endswith(install_line("study") + "\n")


def test_an_unexpected_error_is_one_line_too(capsys, monkeypatch):
    monkeypatch.setattr("warpfront.cli.spec.read_spec", lambda path: 1 / 0)
    code, _, err = call(capsys, "tune", "spec.toml")
    assert (code, err) == (
        1,
        "error: unexpected ZeroDivisionError: division by zero; --debug shows where\n",
    )


def test_ctrl_c_has_its_code(capsys, monkeypatch):
    def interrupt(path):
        raise KeyboardInterrupt

    monkeypatch.setattr("warpfront.cli.spec.read_spec", interrupt)
    code, out, err = call(capsys, "best", "spec.toml")
    assert (code, out) == (130, "")
    assert "Traceback" not in err


def test_the_dashboard_is_on_this_machine_only_and_ends_with_ctrl_c(folder, study):
    with folder.started("dashboard", "spec.toml", "--port", "0") as server:
        said = wait_until(lambda: (folder.path / "stdout").read_text())
        address = said.split()[0]
        assert address.startswith("http://127.0.0.1:")
        page = urllib.request.urlopen(address, timeout=60).read().decode()  # noqa: S310
        assert "Optuna Dashboard" in page
        rebound = urllib.request.Request(address, headers={"Host": "evil.example"})  # noqa: S310
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(rebound, timeout=60)  # noqa: S310
        server.send_signal(signal.SIGINT)
        assert server.wait(PATIENT) == 0


def test_main_takes_the_words_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["warpfront", "--version"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert capsys.readouterr().out == "warpfront 0.1.0\n"


def test_each_command_ends_with_the_next_useful_one(study, folder, capsys):
    for words, hint in {
        ("best", "spec.toml"): "report spec.toml",
        ("best", "--storage", study): f"report --storage {study}",
        ("status", "spec.toml", "--name", "study"): "best spec.toml --name study",
        ("report", "spec.toml"): "diagnose spec.toml",
    }.items():
        with pytest.raises(SystemExit) as end:
            main([*words])
        assert not end.value.code
        assert capsys.readouterr().err.endswith(f"next: warpfront {hint}\n")


def test_a_database_that_cannot_be_written_says_so(study, folder, capsys):
    def protect(connection, _):
        connection.execute("PRAGMA query_only = ON").close()

    listen(Engine, "connect", protect)
    try:
        code, _, err = call(capsys, "suggest", "spec.toml", "--storage", study)
    finally:
        remove(Engine, "connect", protect)
    assert (code, err.count("\n")) == (1, 1)
    assert "attempt to write a readonly database; the file, or its file system, cannot be" in err


def test_no_error_carries_escapes_to_the_terminal(capsys):
    code, _, err = call(capsys, "best", "\x1b[31mred\x1b[0m.toml")
    assert code == 1
    assert "\x1b" not in err
    assert "red.toml" in err
