"""The display: lines for files, a picture for terminals, and the facts that both show."""

import io
import re

import pytest
from optuna.trial import TrialState, create_trial
from rich.cells import cell_len
from rich.console import Console

from warpfront.cli.display import LINES, LiveDisplay, PlainDisplay
from warpfront.cli.measured import Found
from warpfront.cli.plan import resume_command
from warpfront.cli.progress import Progress
from warpfront.cli.shown import WIDTH, sparkline
from warpfront.goals import AtMost, Minimize

BEST = create_trial(state=TrialState.COMPLETE, value=0.25)
BEST.number = 7


def progress(**changes):
    facts = {
        "name": "digits",
        "goals": (Minimize("loss"),),
        "infeasible": 0,
        "budget": 100,
        "completed": 30,
        "failed": 2,
        "running": 1,
        "by_hand": 0,
        "waiting": 0,
        "best": [Found(BEST, {"loss": 0.25})],
        "configs": [{"rate": 0.001, "kind": "[odd]"}],
        "curve": [4.0, 2.0, 1.0, 0.5, 0.25],
        "failure": (9, "exit code 1: [bold]boom"),
    }
    return Progress(**facts | changes)


def test_plain_lines_name_trials_and_where_the_study_is():
    file = io.StringIO()
    display = PlainDisplay(Console(file=file, highlight=False))
    display.update(progress(), {}, ["trial 8: loss 1"])
    display.update(progress(budget=None, best=[], configs=[], failed=0), {}, ["trial 9: [x]"])
    display.update(progress(), {}, [])
    display.close()
    assert file.getvalue().splitlines() == [
        "trial 8: loss 1 (32/100 done, best loss 0.25 (trial 7), 2 failed)",
        "trial 9: [x] (30 done, no success yet)",
    ]


def test_many_trials_at_a_time_are_counted():
    file = io.StringIO()
    display = PlainDisplay(Console(file=file))
    display.update(progress(), {}, [f"trial {i}" for i in range(LINES + 5)])
    lines = file.getvalue().splitlines()
    assert len(lines) == LINES + 1
    assert lines[-1].startswith("... and 5 more trials")


@pytest.fixture
def screen():
    file = io.StringIO()
    display = LiveDisplay(Console(file=file, force_terminal=True, width=100, highlight=False))
    yield display, file.getvalue
    display.close()


def test_the_live_display_shows_everything(screen):
    display, text = screen
    display.update(progress(completed=20), {}, [])
    display.update(progress(), {"worker 1": "trial 33 for 5s", "worker 2": "choosing"}, [])
    display.say("a line [of] the objective")
    shown = text()
    for part in (
        "digits",
        "32/100",
        "left",
        "best loss 0.25",
        "(trial 7)",
        "█▄▂▁▁",
        "rate=0.001  kind=[odd]",
        "2 failed; trial 9: exit code 1: [bold]boom",
        "worker 1: trial 33 for 5s   worker 2: choosing",
        "a line [of] the objective",
    ):
        assert part in shown, part


def test_the_live_display_begins_with_nothing(screen):
    display, text = screen
    display.update(
        progress(budget=None, completed=0, failed=0, best=[], configs=[], failure=None), {}, []
    )
    assert "digits" in text()
    assert "best" not in text()


def test_a_flood_of_lines_is_cut_and_obeys_nothing(screen):
    display, text = screen
    display.say("\n".join(f"line {i} \x1b[2J\x1b]0;title\x07done" for i in range(50_000)))
    display.update(progress(), {}, [])
    shown = text()
    assert "... 49950 more lines" in shown
    assert "line 49999 done" in shown
    assert "line 100 " not in shown
    assert "\x1b[2J" not in shown
    assert "title" not in shown


@pytest.mark.parametrize("width", [1, 7, 20, 33, 200])
def test_the_live_display_wraps_at_any_width(width):
    file = io.StringIO()
    display = LiveDisplay(Console(file=file, force_terminal=True, width=width, highlight=False))
    display.update(progress(), {"worker 1": "trial 33 for 5s", "worker 2": "choosing"}, [])
    display.close()
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", file.getvalue()).splitlines()
    assert max(map(cell_len, lines)) <= width
    whole = "".join("".join(lines).split())
    assert "2failed;trial9:exitcode1:[bold]boom" in whole
    assert "rate=0.001kind=[odd]" in whole
    assert "worker2:choosing" in whole


def test_several_objectives_and_bounds_have_a_headline():
    goals = (Minimize("loss"), AtMost("memory", 5))
    found = [Found(BEST, {"loss": 0.25, "memory": 3.0}), Found(BEST, {"loss": 0.5, "memory": 1.0})]
    assert progress(goals=goals, best=found[:1]).headline() == (
        "best loss 0.25, memory 3 (trial 7)"
    )
    nothing = progress(goals=goals, best=[], configs=[], infeasible=4)
    assert nothing.headline() == "no feasible trial yet (4 violate a bound)"
    front = progress(goals=(Minimize("loss"), Minimize("memory")), best=found)
    assert front.headline() == "front of 2 trials: loss 0.25 to 0.5, memory 1 to 3"


@pytest.mark.parametrize(
    ("curve", "bars"),
    [
        ([], ""),
        ([1.0], "▁"),
        ([1.0, 1.0], "▁▁"),
        ([0.0, 1.0], "▁█"),
        ([float("inf"), 1.0], "▁▁"),
        ([1e9, *range(8, 0, -1)], "█▇▆▅▄▃▂▁"),
    ],
)
def test_sparklines(curve, bars):
    assert sparkline(curve) == bars


def test_a_long_sparkline_is_short():
    assert len(sparkline(range(1_000))) == WIDTH


def test_the_command_that_resumes_can_be_pasted_and_has_no_password():
    assert resume_command(["tune", "my spec.toml"], None) == "warpfront tune 'my spec.toml'"
    masked = "postgresql://u:***@h/db"
    for words in (["--storage", "postgresql://u:p@h/db"], ["--storage=postgresql://u:p@h/db"]):
        line = resume_command(["tune", *words], masked)
        assert ":p@" not in line
        assert "u:***@h" in line
