"""`diagnose`: what it says, when it spends evaluations, and where these are kept."""

import io
import json
import os
import signal
from collections import Counter

import pytest
from optuna.trial import TrialState, create_trial

from tests.cli.conftest import FUNCTION, PATIENT, is_running, wait_until
from tests.cli.test_laboratory import call
from warpfront import Integer, Space
from warpfront.cli.diagnose import (
    check_parameters,
    describe_changes,
    describe_cost,
    find_subject,
)
from warpfront.cli.errors import StudyError
from warpfront.cli.repeats import FIRST_REPEAT, find_repeats, queue, repeats_of, request
from warpfront.cli.spec import read_spec
from warpfront.cli.study import REPEATS, create_study, open_study, storage_url
from warpfront.cli.trials import LOST, OWNER, Overview
from warpfront.history import History
from warpfront.integrations.optuna import distributions_of, load_history

NOISY = """
import os, random, time
from pathlib import Path

def loss(c):
    here = Path(__file__).parent
    with (here / "calls").open("a") as file:
        file.write(f"{os.environ['WARPFRONT_TRIAL']} {c['n']}\\n")
    calls = len((here / "calls").read_text().splitlines())
    while calls > 5 and (here / "wait").exists():
        time.sleep(0.05)
    return c["n"] + (c["n"] - 0.9) * random.gauss(0.0, 1.0) + (c["x"] - 0.3) ** 2
"""
"""An objective whose noise grows with n. If the file `wait` is there, the sixth call waits."""

CHANGES = {"input_warp": False, "output_warp": "none"}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)


@pytest.fixture
def study(folder):
    """A study of 14 trials, and the objective to go on with."""
    folder.write(function=NOISY)
    fill(folder)
    return folder


def fill(folder, n=14):
    spec = read_spec(folder.spec)
    opened = create_study(spec, storage_url(spec, None))
    for i, config in enumerate(spec.space.sample(n, seed=5)):
        trial = create_trial(
            value=config["n"] + 0.1 * i, params=config, distributions=distributions_of(spec.space)
        )
        opened.study.add_trial(trial)
    opened.close()


def calls(folder):
    file = folder.path / "calls"
    return file.read_text().splitlines() if file.exists() else []


def repeats_in(folder):
    spec = read_spec(folder.spec)
    opened = open_study(spec, storage_url(spec, None), "study" + REPEATS)
    try:
        return opened.trials()
    finally:
        opened.close()


def completed(trials):
    return {t.number: t.value for t in trials if t.state == TrialState.COMPLETE}


class TestWithoutSpending:
    def test_nobody_to_ask_means_no(self, study, capsys, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.StringIO())
        code, out, err = call(capsys, "diagnose", "spec.toml")
        assert code == 0
        assert out.startswith("WHAT WAS FOUND")
        assert "WHAT COULD NOT BE TOLD\n\nIs the noise the same everywhere?" in out
        assert err == (
            "the test of equal noise needs 60 evaluations (10 configurations x 6 repeats); "
            "nothing is evaluated without --yes\n"
        )
        assert calls(study) == []
        spec = read_spec(study.spec)
        assert find_repeats(spec, storage_url(spec, None), "study") is None

    def test_a_no_on_a_terminal(self, study, capsys, monkeypatch):
        asked = []
        monkeypatch.setattr("warpfront.cli.diagnose.is_terminal", lambda: True)
        monkeypatch.setattr("typer.confirm", lambda text, **_: asked.append(text))
        code, _, err = call(capsys, "diagnose", "--configurations", 3, "--repeats", 4, "spec.toml")
        assert (code, err) == (0, "")
        (question,) = asked
        assert question.startswith("The test of equal noise needs 12 evaluations (3 configurations")
        assert question.endswith("Evaluate them now?")
        assert calls(study) == []

    def test_json_page_and_chosen_parameters(self, study, capsys):
        words = ("--storage", "sqlite:///study.db", "--json", "--output", "page.html")
        code, out, err = call(capsys, "diagnose", *words, "--parameters", "n,x")
        assert code == 0
        found = json.loads(out)
        assert found["study"] == "study"
        assert found["trials"] == 14
        assert found["conflict"]["parameters"] == ["n", "x"]
        assert err.endswith("for these, give a SPEC with an objective\nwrote page.html\n")
        assert "What was found" in (study.path / "page.html").read_text("utf-8")

    def test_repeats_of_the_study_itself_are_used(self, folder, capsys):
        """A space that is used up is evaluated again and again by `tune`."""
        folder.write()
        text = folder.spec.read_text().replace('x = { type = "real", low = 0.0, high = 1.0 }\n', "")
        folder.spec.write_text(text.replace("high = 5", "high = 2"))
        spec = read_spec(folder.spec)
        opened = create_study(spec, storage_url(spec, None))
        for i in range(8):
            params = {"n": 1 + i % 2}
            opened.study.add_trial(
                create_trial(
                    value=i * params["n"] * 1.0,
                    params=params,
                    distributions=distributions_of(spec.space),
                )
            )
        opened.close()
        code, out, err = call(
            capsys, "diagnose", "spec.toml", "--configurations", 2, "--repeats", 4
        )
        assert (code, err) == (0, "")  # nothing is missing, so nobody is asked
        assert "2 configurations, 8 evaluations" in out


class TestChanges:
    """The settings that follow can be pasted into the SPEC of a new study."""

    @pytest.mark.parametrize(
        ("ending", "rest"),
        [
            (".toml", "[space]\nx = { type = 'real', low = 0.0, high = 1.0 }\n"),
            (".yaml", "space:\n  x: {type: real, low: 0.0, high: 1.0}\n"),
            (".yml", "space:\n  x: {type: real, low: 0.0, high: 1.0}\n"),
        ],
    )
    def test_they_are_read_as_they_are_meant(self, tmp_path, ending, rest):
        path = tmp_path / f"new{ending}"
        changes = {**CHANGES, "models": ("warped", "additive")}
        path.write_text(f"{describe_changes(changes, path)}\n{rest}")
        settings = read_spec(path).settings
        assert {name: getattr(settings, name) for name in changes} == changes

    def test_they_are_printed_last(self, study, capsys, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.StringIO())
        monkeypatch.setattr("warpfront.diagnostics.Diagnosis.changes", CHANGES)
        code, out, _ = call(capsys, "diagnose", "spec.toml")
        assert code == 0
        assert "input_warp = False" not in out
        assert out.endswith(
            "put these into the SPEC of a new study.\n\n"
            '[settings]\ninput_warp = false\noutput_warp = "none"\n'
        )


class TestMistakes:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--parameters", "x"), "give two of x, n, with a comma in between"),
            (("--parameters", "x,z"), "give two of x, n, with a comma in between"),
            (("--parameters", "x,x"), "give two of x, n, with a comma in between"),
            (("--repeats", 5), "--repeats 5: of an odd number one is the median itself"),
            (("--output", "none/page.html"), "--output none/page.html: there is no folder"),
        ],
    )
    def test_they_are_one_line_before_anything_is_spent(self, study, capsys, words, message):
        code, out, err = call(capsys, "diagnose", "spec.toml", "--yes", *words)
        assert (code, out) == (1, "")
        assert message in err
        assert err.count("\n") == 1
        assert calls(study) == []

    def test_a_constant_has_no_map(self, folder):
        folder.write()
        text = folder.spec.read_text().replace("high = 5", "high = 1")
        folder.spec.write_text(text)
        spec = read_spec(folder.spec)
        subject = find_subject(spec, storage_url(spec, None), None)
        with pytest.raises(Exception, match="'n' is a constant"):
            check_parameters(subject, "x,n")

    def test_a_study_of_somebody_else_in_the_place_of_the_repeats(self, study):
        spec = read_spec(study.spec)
        url = storage_url(spec, None)
        opened = create_study(spec, url, "study" + REPEATS)
        opened.study.add_trial(
            create_trial(
                value=1.0, params={"x": 0.5, "n": 1}, distributions=distributions_of(spec.space)
            )
        )
        opened.close()
        with pytest.raises(StudyError, match="has no repeats, but trials of its own"):
            find_repeats(spec, url, "study")


class TestQueue:
    @pytest.fixture
    def parts(self, study):
        spec = read_spec(study.spec)
        url = storage_url(spec, None)
        opened = open_study(spec, url)
        history = load_history(opened.study, opened.space)
        opened.close()
        return spec, url, history

    def ask(self, parts, k, n):
        spec, url, history = parts
        beside = find_repeats(spec, url, "study")
        wanted = request(history, beside, k, n, 0)
        if beside is not None:
            beside.close()
        return wanted

    def trials(self, parts, wanted):
        spec, url, _ = parts
        opened, budget = queue(spec, url, "study", wanted)
        trials = opened.trials()
        opened.close()
        return trials, budget

    def waiting(self, trials):
        return [t for t in trials if t.state == TrialState.WAITING]

    def test_it_holds_each_configuration_so_often_round_by_round(self, parts):
        wanted = self.ask(parts, 3, 4)
        assert wanted.missing == 12
        trials, budget = self.trials(parts, wanted)
        assert budget == len(trials) == 12
        configs = [tuple(t.system_attrs["fixed_params"].items()) for t in trials]
        assert configs[:3] == configs[3:6] == configs[9:]
        assert len(set(configs)) == 3
        losses = {tuple(t.config.items()): t.value for t in parts[2].completed}
        assert losses[configs[0]] == min(losses.values())

    def test_asking_again_adds_nothing(self, parts):
        self.trials(parts, self.ask(parts, 3, 4))
        trials, budget = self.trials(parts, self.ask(parts, 3, 4))
        assert budget == len(trials) == 12

    def test_more_and_fewer_are_what_was_asked_for(self, parts):
        self.trials(parts, self.ask(parts, 2, 4))
        trials, budget = self.trials(parts, self.ask(parts, 3, 6))
        assert budget == len(self.waiting(trials)) == 18
        trials, budget = self.trials(parts, self.ask(parts, 2, 4))
        assert budget == len(self.waiting(trials)) == 8
        assert Overview(trials, budget).room == 0

    def test_what_is_done_is_not_done_again(self, parts):
        spec, url, history = parts
        opened, _ = queue(spec, url, "study", self.ask(parts, 2, 4))
        for trial, value in zip(opened.trials()[:3], (1.0, None, 2.0), strict=True):
            state = TrialState.FAIL if value is None else TrialState.COMPLETE
            opened.study._storage.set_trial_state_values(trial._trial_id, TrialState.RUNNING)
            values = None if value is None else [value]
            opened.study._storage.set_trial_state_values(trial._trial_id, state, values)
        assert [len(group.losses) for group in repeats_of(opened)] == [2, 1]
        opened.close()
        wanted = self.ask(parts, 2, 4)
        assert wanted.missing == 5
        assert describe_cost(wanted, 4, 60.0, 2) == (
            "the test of equal noise needs 5 evaluations (2 configurations x 4 repeats, 3 of 8 "
            "done; about 2m 30s)"
        )
        assert self.trials(parts, wanted)[1] == 8
        # A study that has grown meanwhile does not change what was begun.
        more = history.tell([(None, c, 0.0) for c in history.space.sample(4, seed=77)])
        beside = find_repeats(spec, url, "study")
        assert request(more, beside, 2, 4, 0).configs == wanted.configs
        beside.close()


@pytest.mark.parametrize(("times", "missing"), [(6, 54), (2, 14)])
def test_what_the_study_repeated_counts_but_does_not_choose(times, missing):
    """The ten best of forty were tried twice: three of them are among ten of all ranks."""
    values = [*range(1, 41), *range(1, 11)]
    told = [(None, {"n": n}, float(n)) for n in values]
    found = request(History(Space(n=Integer(1, 40))).tell(told), None, 10, times, 0)
    chosen = [config["n"] for config in found.configs.values()]
    assert chosen == [1, 5, 10, 14, 18, 23, 27, 31, 36, 40]
    assert [found.wanted[key] for key in found.configs] == [times - 2] * 3 + [times] * 7
    assert found.missing == missing


class TestSpending:
    def test_killed_in_the_middle_it_resumes(self, study, capsys):
        """The paper's tests, end to end: killed at the sixth evaluation, resumed, and repeated."""
        (study.path / "wait").touch()
        command = ("diagnose", "spec.toml", "--yes", "--configurations", 4, "--repeats", 4)
        with study.started(*command, "--workers", 1) as process:
            wait_until(lambda: len(calls(study)) == 6)
            worker = next(t for t in repeats_in(study) if t.state == TrialState.RUNNING)
            pid = worker.user_attrs[OWNER]["pid"]
            process.send_signal(signal.SIGSTOP)  # so that it cannot start another worker
            os.kill(pid, signal.SIGKILL)
            process.kill()
            process.wait(PATIENT)
        wait_until(lambda: not is_running(pid))
        before = completed(repeats_in(study))
        assert len(before) == 5
        (study.path / "wait").unlink()
        code, out, err = call(capsys, *command, "--workers", 1)
        assert code == 0, err
        assert err.startswith(
            "the test of equal noise needs 11 evaluations (4 configurations x 4 repeats, 5 of 16 "
            "done)\n"
        )
        assert "4 configurations, 16 evaluations" in out
        trials = repeats_in(study)
        after = completed(trials)
        assert len(after) == 16
        assert {number: after[number] for number in before} == before
        assert [LOST in t.user_attrs for t in trials if t.state == TrialState.FAIL] == [True]
        assert len(calls(study)) == 17  # all of them, and the one that was killed
        assert set(Counter(t.params["x"] for t in trials if t.number in after).values()) == {4}
        # The objective was told numbers that are not those of the study's own trials.
        assert all(int(line.split()[0]) >= FIRST_REPEAT for line in calls(study))
        # The study itself does not know of it: not its budget, nor commands that look for it.
        assert len(study.trials()) == 14
        opened = open_study(None, storage_url(None, "sqlite:///study.db"))
        assert opened.name == "study"
        opened.close()
        # And a further run has nothing to spend.
        code, out, err = call(capsys, *command, "--json")
        assert (code, err) == (0, "")
        assert sum(len(g["losses"]) for g in json.loads(out)["groups"]) == 16
        assert len(calls(study)) == 17

    def test_a_spec_that_was_never_tuned(self, folder, capsys):
        folder.write(function=FUNCTION)
        command = ("diagnose", "spec.toml", "--yes", "--configurations", 8, "--repeats", 4)
        code, out, err = call(capsys, *command)
        assert code == 0, err
        assert "the objective is deterministic" in " ".join(out.split())
        assert "Does the output transform help?" in out
        # There are the repeats, and no study: `tune` still begins it.
        spec = read_spec(folder.spec)
        with pytest.raises(StudyError, match="there is no study 'study'"):
            open_study(spec, storage_url(spec, None))


def test_the_seed_of_an_unseeded_spec_is_the_study_s(folder):
    folder.write()
    folder.spec.write_text(folder.spec.read_text().replace("seed = 0\n", ""))
    spec = read_spec(folder.spec)
    url = storage_url(spec, None)
    before = find_subject(spec, url, None)
    opened, _ = queue(spec, url, "study", request(before.history, None, 2, 4, before.seed))
    opened.close()
    fill(folder, 3)
    after = find_subject(spec, url, None)
    assert len(after.history.completed) == 3
    opened, budget = queue(
        spec, url, "study", request(after.history, find_repeats(spec, url, "study"), 2, 4, 1)
    )
    assert budget == 8
    opened.close()
