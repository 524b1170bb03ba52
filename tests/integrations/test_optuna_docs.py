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
    assert names["study"].best_value == 5.0  # of the five parameters of the space
    assert len(names["study"].trials) == 9
