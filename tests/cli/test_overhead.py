"""What the whole stack costs a trial beyond the optimiser's own step, on SQLite."""

import io
import time

import pytest
from rich.console import Console

from tests.integrations.test_optuna_overhead import instead
from warpfront import Categorical, Integer, Real, Space
from warpfront.cli.display import PlainDisplay
from warpfront.cli.objective import Evaluator
from warpfront.cli.patience import Patience
from warpfront.cli.progress import progress_of
from warpfront.cli.spec import PythonObjective, Spec
from warpfront.cli.study import create_study
from warpfront.cli.trials import Overview
from warpfront.cli.worker import Worker
from warpfront.integrations.optuna import sampler as sampler_module

SPACE = Space(
    rate=Real(1e-5, 1e-1, scale="log"),
    momentum=Real(0, 1),
    units=Integer(8, 256, scale="log"),
    kind=Categorical(["a", "b", "c"]),
)
LIMIT = 0.050
"""Seconds of a trial at most, with 100 trials in the study."""


def quiet(line):
    pass


@pytest.fixture
def overhead(tmp_path, monkeypatch):
    """CPU seconds of a trial without the optimiser's step, in runs of some trials."""
    # In the place of the optimiser's step: a random point, which costs next to nothing.
    monkeypatch.setattr(sampler_module, "suggest", instead)
    monkeypatch.setattr(sampler_module, "needs_initial_design", lambda *_: True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("WARPFRONT_TRIAL", "WARPFRONT_STUDY"):
        monkeypatch.setenv(name, "")
    (tmp_path / "overhead_objective.py").write_text("def loss(c): return c['rate']")
    objective = PythonObjective("overhead_objective", "loss")
    spec = Spec(tmp_path / "s.toml", "s", SPACE, objective, seed=0)
    opened = create_study(spec, f"sqlite:///{tmp_path}/s.db")
    display = PlainDisplay(Console(file=io.StringIO()))

    def run(budget):
        trials = len(opened.trials())
        worker = Worker(opened, Evaluator(spec, "s"), budget, 1, Patience(quiet), quiet)
        begin = time.process_time()
        worker.run()
        spent = time.process_time() - begin
        begin = time.process_time()
        display.update(progress_of(opened, Overview(opened.trials()), budget), {}, ["trial"])
        return spent / (budget - trials) + time.process_time() - begin

    yield run
    opened.close()


@pytest.mark.slow
def test_the_stack_at_a_hundred_and_at_a_thousand_trials(overhead):
    overhead(90)
    hundred = overhead(110)
    overhead(990)
    thousand = overhead(1_010)
    print(f"overhead: {1e3 * hundred:.1f} ms at 100 trials, {1e3 * thousand:.1f} ms at 1,000")
    assert hundred < LIMIT
    assert thousand < 10 * hundred
