"""The direction of imports, checked by import-linter with the contracts of pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CONTRACTS = [
    "Layers: each imports only from those below it",
    "The core needs NumPy and SciPy only",
]


@pytest.fixture(scope="module")
def report():
    pytest.importorskip("importlinter")
    code = "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())"
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_contract_is_broken(report):
    assert report.returncode == 0, report.stdout + report.stderr
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in report.stdout


@pytest.mark.parametrize("name", CONTRACTS)
def test_each_contract_is_there_and_kept(report, name):
    assert f"{name} KEPT" in " ".join(report.stdout.split())


def test_every_module_has_its_room():
    """A new file at the top of the package must be given its place in the layers."""
    text = (ROOT / "pyproject.toml").read_text()
    rooms = {
        path.stem if path.is_file() else path.name
        for path in (ROOT / "src" / "warpfront").iterdir()
        if (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").exists()
    }
    assert rooms
    for room in rooms:
        assert f"warpfront.{room}" in text
