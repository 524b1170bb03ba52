"""Event files of TensorBoard, read back."""

from __future__ import annotations

import pytest

from tests.integrations.trackers.files import tensorboard_scalars
from tests.integrations.trackers.scene import TRIALS, run

pytest.importorskip("tensorboardX")

from warpfront.integrations.tensorboard import TensorBoardCallback

pytestmark = pytest.mark.filterwarnings("ignore")  # of protocol buffers


def test_curves_are_over_the_number_of_outcomes(tmp_path):
    result = run(TensorBoardCallback(tmp_path))
    scalars = tensorboard_scalars(tmp_path)
    values = [(n + 1, t.value) for n, t in enumerate(result.trials) if t.value is not None]
    assert [step for step, _ in scalars["value"]] == [step for step, _ in values]
    assert [v for _, v in scalars["value"]] == pytest.approx([v for _, v in values], rel=1e-6)
    assert scalars["best_value"][-1] == (TRIALS, pytest.approx(result.best.value, rel=1e-6))
    assert scalars["failed"][-1] == (TRIALS, len(result.history.of_state("failed")))
    assert "too far to the right" in str(scalars["failures/text_summary"])


def test_each_trial_has_its_parameters_and_outcomes(tmp_path):
    result = run(TensorBoardCallback(str(tmp_path)))
    for trial in result.trials:
        found = tensorboard_scalars(tmp_path / f"trial-{trial.number}")
        start = str(found["_hparams_/session_start_info"])
        assert all(name in start for name in ("x", "layers", "depth (m)"))
        assert found["hparam/failed"][0][1] == float(trial.state == "failed")
        if trial.value is not None:
            assert found["hparam/value"][0][1] == pytest.approx(trial.value, rel=1e-6)


def test_tensorboard_itself_reads_the_files(tmp_path):
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator"
    ).EventAccumulator(str(tmp_path))
    result = run(TensorBoardCallback(tmp_path))
    accumulator.Reload()
    assert accumulator.Scalars("best_value")[-1].value == pytest.approx(result.best.value)
