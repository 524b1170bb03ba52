"""Environments that hold a package of this repository's own history."""

from __future__ import annotations

import subprocess
import tarfile

import pytest

from benchmarks.methods.environments import HEBO, WARPFRONT_0_1
from benchmarks.workers.environment import (
    REPOSITORY,
    Environment,
    EnvironmentUnavailableError,
    _archive,
    _run,
)


def has(revision):
    command = ["git", "-C", str(REPOSITORY), "cat-file", "-e", f"{revision}^{{commit}}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_the_package_of_a_revision_is_packed_and_nothing_else(tmp_path):
    if not has(WARPFRONT_0_1.revision):
        pytest.skip("this checkout has no history")
    packed = tmp_path / "packed.tar.gz"
    _run(_archive(WARPFRONT_0_1.revision, packed), tmp_path / "log")
    with tarfile.open(packed) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()} - {""}
    assert {name.partition("/")[0] for name in names} == {
        "src",
        "pyproject.toml",
        "README.md",
        "LICENSE",
    }
    assert "src/warpfront/optimizers/hebo.py" in names


def test_a_revision_that_is_not_there_is_named(tmp_path):
    with pytest.raises(EnvironmentUnavailableError, match="0000000"):
        _run(_archive("0000000", tmp_path / "packed.tar.gz"), tmp_path / "log")


def test_another_revision_makes_an_environment_stale(tmp_path):
    one = Environment(tmp_path, (("numpy",),), revision="562b638")
    other = Environment(tmp_path, (("numpy",),), revision="d970dc2")
    assert one._stamp_text != other._stamp_text


def test_environments_without_a_revision_need_not_be_made_again():
    lines = [" ".join(arguments) for arguments in HEBO.installs]
    assert HEBO._stamp_text == "\n".join([*lines, ""]) + "\n"


def test_the_log_is_named_before_the_environment_is_made(tmp_path, monkeypatch, capsys):
    made = Environment(tmp_path / "toy", (("numpy",),))
    said = []

    def run(command, log):
        said.append(capsys.readouterr().err)
        assert log.is_file()

    monkeypatch.setattr("benchmarks.workers.environment._run", run)
    made.path.mkdir()
    with pytest.raises(FileNotFoundError):  # no interpreter was made, so there is no folder
        made.ensure("python")
    assert f"pip's output is in {tmp_path / 'toy.log'}" in said[0]
