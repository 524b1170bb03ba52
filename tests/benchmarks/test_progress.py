"""Progress without a terminal: plain lines, and a sign of life in a long silence."""

from __future__ import annotations

import time

from benchmarks.progress import Progress


def test_a_line_says_how_much_is_done(capsys):
    with Progress(4.0) as progress:
        progress.advance(1.0, "first")
        progress.say("first: 0.1 CPU s")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(" 25%, ")
    assert said[0].endswith(" min left: first: 0.1 CPU s")


def test_after_a_long_silence_it_says_that_it_is_at_work(capsys):
    with Progress(2.0, quiet_seconds=0.05) as progress:
        progress.advance(1.0, "first")
        time.sleep(0.3)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == " 50%, at work for 0.0 min"


def test_without_anything_to_do_it_is_silent(capsys):
    with Progress(0.0, quiet_seconds=0.01):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
