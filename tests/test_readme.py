"""The README: what a newcomer copies first runs as it stands there."""

import re
import runpy
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_snippets_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    pytest.importorskip("optuna")
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    Path("snippets.py").write_text("\n".join(snippets), encoding="utf-8")
    names = runpy.run_path("snippets.py")
    assert len(snippets) == 4
    assert names["optimizer"].best.value < 1e-3
    assert f"trial {names['optimizer'].best.number}" in capsys.readouterr().out
    assert len(names["result"].trials) == 64
    assert names["study"].best_value < 1e-3
    assert names["search"].best_score_ > 0.9
