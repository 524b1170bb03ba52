"""The page about spaces: its snippets run as they stand there, one after the other."""

import re
import runpy
from pathlib import Path

import pytest

from warpfront.errors import SpaceError

PAGE = (Path(__file__).parents[2] / "docs" / "spaces.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)


def test_the_snippets_run(tmp_path):
    path = tmp_path / "snippets.py"
    path.write_text("\n".join(SNIPPETS), encoding="utf-8")
    names = runpy.run_path(str(path))
    assert len(SNIPPETS) == 5
    assert names["space"].names == ("rate", "layers", "momentum")


def test_the_error_is_the_one_that_is_shown(tmp_path):
    shown = re.search(r"^```text\n(.*?)\n```", PAGE, re.M | re.S)[1]
    wrong = SNIPPETS[0].replace("'degree <= 3 or kernel == \"poly\"'", "'kernel == \"rfb\"'")
    assert wrong != SNIPPETS[0]
    path = tmp_path / "wrong.py"
    path.write_text(wrong, encoding="utf-8")
    with pytest.raises(SpaceError) as caught:
        runpy.run_path(str(path))
    assert str(caught.value) == shown
