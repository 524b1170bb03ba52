"""optuna-dashboard shows a study of ours, in a real browser."""

import contextlib
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import optuna
import pytest

from tests.chromium import PATIENCE, browser
from tests.integrations.conftest import QUICK
from warpfront.integrations.optuna import HEBOSampler

pytest.importorskip("optuna_dashboard", reason="optuna-dashboard is not installed")

START = "import sys; from optuna_dashboard._cli import main; sys.exit(main())"


def objective(trial):
    x = trial.suggest_float("x", 0, 1)
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    kind = trial.suggest_categorical("kind", ["a", None])
    trial.report(x + 1.0, 0)
    if trial.number == 3:
        raise optuna.TrialPruned
    return float("nan") if trial.number == 4 else x + rate + (kind is None)


@contextlib.contextmanager
def dashboard(url, log):
    """The address of a dashboard on a free port of the loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", START, url, "--host", "127.0.0.1", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            end = time.monotonic() + PATIENCE
            while not answers(f"{address}/api/studies"):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.2)
            yield address
        finally:
            process.terminate()
            process.wait(PATIENCE)


def answers(address):
    try:
        with urllib.request.urlopen(address, timeout=10) as response:  # noqa: S310
            return json.load(response)
    except OSError:
        return None


def test_the_dashboard_shows_our_study(storages, tmp_path):
    study = optuna.create_study(
        study_name="ours", storage=storages(), sampler=HEBOSampler(0, settings=QUICK)
    )
    study.optimize(objective, n_trials=9)
    with (
        dashboard(f"sqlite:///{tmp_path}/study.db", tmp_path / "log") as address,
        browser() as page,
    ):
        page.open(f"{address}/dashboard")
        page.wait_for("document.body.innerText.includes('ours')")
        page.open(f"{address}/dashboard/studies/1/trials")
        page.wait_for("document.body.innerText.includes('Trial 8')")
        text = page.text
        for expected in ("Trial 2\nComplete", "Trial 3\nPruned", "Trial 4\nFail"):
            assert expected in text
        page.open(f"{address}/dashboard/studies/1")
        page.wait_for("document.querySelectorAll('.js-plotly-plot').length >= 1")
        best = study.best_trial
        page.wait_for(f"document.body.innerText.includes('number={best.number}')")
        assert page.errors == []
