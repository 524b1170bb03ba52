"""Placeholders in shell commands: where a value can be quoted, and where it cannot."""

import subprocess

import pytest

from warpfront.cli.placeholders import fill, unsafe_placeholder


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
        (r"t $'\'{x}'", r"$'\'{x}"),
    ],
)
def test_a_placeholder_in_quotes_is_found(text, found):
    mark = "backslash" if found.startswith("\\") else "quotes"
    shown = " ".join(found.split())
    assert unsafe_placeholder(text) == (
        f"remove the {mark} at {shown}; values are quoted for the shell anyway"
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("cat <<EOF\n{x}\nEOF\n", "a here-document"),
        ("cat <<'EOF' | t\nit's\n{x}\nEOF\n", "a here-document"),
        ("cat <<-EOF\n\ta\n\t{x}\n\tEOF\n", "a here-document"),
        ("cat <<A <<B\na\nA\n{x}\nB\n", "a here-document"),
        ("cat <<{x}\n1\n", "the end mark"),
        ("t $(( {x} + 1 ))", "an arithmetic expression"),
        ('t "$(( (1 + (2)) + {x} ))"', "an arithmetic expression"),
        ("t $[{x}]", "an arithmetic expression"),
        ("(( {x} )) && t", "an arithmetic expression"),
        ("t `u {x}`", "backquotes"),
        ('t "`u {x}`"', "backquotes"),
        ('t "$(case a in a) u "{x}";; esac)"', "or after 'case'"),
    ],
)
def test_a_placeholder_that_quotes_do_not_protect_is_refused(text, what):
    found = unsafe_placeholder(text)
    assert found is not None
    assert found.startswith(f"{{x}} is not safe in {what}")


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
        "cat <<EOF\nit's (\nEOF\nprintf %s {x}",
        "cat <<EOF; printf %s {x}\na\nEOF",
        "printf %s $((1 << 2)) {x}",
        "printf %s `echo '('` {x}",
        "case a in a) printf %s {x};; esac",
    ],
)
def test_elsewhere_a_value_reaches_the_program_as_it_is(text):
    assert unsafe_placeholder(text) is None
    value = """it's "$HOME" `ls` \\ ; #"""
    command = fill(text, {"x": value}, quote=True)
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
    assert value in done.stdout
