"""Whatever an objective does, it costs its own trial at the most, and the run goes on."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from optuna.trial import TrialState

from tests.cli.conftest import Folder
from tests.faults import hostile
from warpfront.cli.spec import read_spec
from warpfront.cli.study import create_study, storage_url
from warpfront.cli.trials import Overview

SPEC = """
name = "study"
trials = {trials}
seed = 0
[space.kind]
type = "categorical"
choices = {names}
[objective]
time_limit = "5s"
{objective}
"""
slow = pytest.mark.slow


def environment():
    kept = {k: v for k, v in os.environ.items() if not k.startswith("WARPFRONT")}
    return {**kept, "PYTHONUNBUFFERED": ""}


@pytest.mark.parametrize(
    "where", ["this thread", "threads", "processes", pytest.param("dask", marks=slow)]
)
def test_in_minimize(where, tmp_path):
    # A module of that name, so that processes can import it.
    shutil.copy(hostile.__file__, tmp_path / "hostile.py")
    code = f"import hostile; hostile.run_minimize({where!r}, {str(tmp_path / 'found')!r})"
    guarded = f"if __name__ == '__main__':\n    {code}\n"
    (tmp_path / "run.py").write_text(guarded)
    done = subprocess.run(
        [sys.executable, "run.py"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=100,
    )
    assert (tmp_path / "found").exists(), done.stderr.decode(errors="replace")[-3000:]
    found = json.loads((tmp_path / "found").read_text())
    assert found["stopped"] == "budget"
    states = {name: state for name, state, *_ in found["trials"]}
    assert len(found["trials"]) == len(states)
    assert states == {
        name: "failed" if hostile.KINDS[name].fails else "completed"
        for name in hostile.kinds_for(where)
    }
    kept = json.loads((tmp_path / "run.json").read_text())  # also after the directory has changed
    assert len(kept["optimizer"]["trials"]) == len(states)


def test_in_tune(tmp_path):
    tune(tmp_path, "function", without=("segfault", "os._exit"))  # "kills itself" is the same


@slow
@pytest.mark.parametrize("where", ["function", "command"])
def test_all_in_tune(where, tmp_path):
    tune(tmp_path, where)


def tune(tmp_path, where, without=()):
    folder = Folder(tmp_path)
    shutil.copy(hostile.__file__, tmp_path / "hostile.py")
    names = [name for name in hostile.kinds_for(where) if name not in without]
    objective = 'python = "hostile:loss"'
    if where == "command":
        objective = f"command = {json.dumps([sys.executable, 'hostile.py', '{kind}'])}"
    folder.spec.write_text(
        SPEC.format(trials=len(names), names=json.dumps(names), objective=objective)
    )
    spec = read_spec(folder.spec)
    opened = create_study(spec, storage_url(spec, None))
    for name in names:
        opened.study.enqueue_trial({"kind": name})
    opened.close()
    done = folder.run("tune", "spec.toml", "--workers", 2, "--on-error", "record")
    assert done.returncode == 0, done.stderr[-3000:]
    states = {t.params["kind"]: t.state for t in Overview(folder.trials()).counted}
    assert states == {
        name: TrialState.FAIL if hostile.KINDS[name].fails else TrialState.COMPLETE
        for name in names
    }
    assert len(Overview(folder.trials()).counted) == len(names)
