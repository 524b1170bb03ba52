"""docs/optuna.md says what runs."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "optuna.md"


def test_the_code_of_the_page_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    code = "\n".join(blocks)
    assert "n_trials=100" in code
    names = {"loss": lambda *values, **named: float(len(values) + len(named))}
    exec(code.replace("n_trials=100", "n_trials=3"), names)  # noqa: S102
    assert len(names["batch"]) == 8
    assert all(trial.value == 2.0 for trial in names["study"].trials)  # two parameters each
    history = names["history"]
    assert [goal.name for goal in history.goals] == ["accuracy", "latency", "memory"]
    assert len(history.completed) == 16
    assert all(trial.outcomes["memory"] <= 512 for trial in history.front)
    assert all(trial.noise == {"accuracy": 0.01} for trial in history.trials)
