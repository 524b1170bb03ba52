"""Placeholders in shell commands: where a value can be quoted, and where it cannot."""

import subprocess

import pytest

from warpfront.cli.placeholders import fill, quoted_placeholder


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("t '{x}'", "'{x}"),
        ('t "{x}"', '"{x}'),
        ("t 'a {x} b'", "'a {x}"),
        ('t "a {x} b"', '"a {x}'),
        ("t 'a'' {x}'", "' {x}"),
        (r't "\" {x}"', r'"\" {x}'),
        (r"t '\' '{x}'", "'{x}"),
        (r"t \\'{x}'", "'{x}"),
        (r"t \{x}", r"\{x}"),
        ('t "it\'s {x}"', "\"it's {x}"),
        ("t '$({x})'", "'$({x}"),
        ("t \"$(u '{x}')\"", "'{x}"),
        ('t "$(u) {x}"', '"$(u) {x}'),
        ("t # it's\nu '{x}'", "'{x}"),
        ("t '{{{x}}}'", "'{{{x}"),
    ],
)
def test_a_placeholder_in_quotes_is_found(text, found):
    assert quoted_placeholder(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "printf %s {x}",
        "printf %s ''{x}\"\"",
        "printf '%s' {x}",
        r"printf %s {x} \'",
        r"printf %s\\ {x}",
        "printf %s {x} # it's",
        "# it's\nprintf %s {x}",
        'printf %s "$(printf %s {x})"',
        'printf %s "$(printf \'%s\' "$( (printf %s {x}) )")"',
        "printf '{{%s}}' {x}",
        "printf %s a#'b' {x}",
    ],
)
def test_elsewhere_a_value_reaches_the_program_as_it_is(text):
    assert quoted_placeholder(text) is None
    value = """it's "$HOME" `ls` \\ ; #"""
    command = fill(text, {"x": value}, quote=True)
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
    assert value in done.stdout
