"""Expressions: what texts mean, what they refuse, and how far rows are from satisfying them."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests import strategies as my
from tests.space import expressions as random_expressions
from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.errors import SpaceError
from warpfront.space.columns import Columns
from warpfront.space.expressions import EQUALITY, Expression

SPACE = Space(
    {
        "a": Real(0, 1),
        "b": Real(0, 1),
        "c": Real(0, 1),
        "n": Integer(1, 9),
        "kernel": Categorical(["rbf", "poly", "linear"]),
        "other": Categorical(["linear", "poly"]),
        "size": Ordinal(["s", "m", "l"]),
        "width": Ordinal([16, 32, 64]),
        "mix": Categorical(["auto", 1, None, True]),
        "bias": Boolean(),
        "learning rate": Real(1e-4, 1, scale="log"),
        "max": Real(0, 1),
        "true": Real(0, 1),
        "größe": Real(0, 1),
        'say "x"': Categorical(['a"b', "it's", "`"]),
        "ﬁt": Real(0, 1),
    }
)
PARAMETERS = {name: SPACE[name] for name in SPACE}
BASE = {
    "a": 0.25,
    "b": 0.5,
    "c": 0.75,
    "n": 4,
    "kernel": "rbf",
    "other": "poly",
    "size": "m",
    "width": 32,
    "mix": "auto",
    "bias": True,
    "learning rate": 0.01,
    "max": 0.5,
    "true": 0.5,
    "größe": 0.5,
    'say "x"': "it's",
    "ﬁt": 0.5,
}


def degree(text, **changed):
    """The degree of violation in the base configuration."""
    names = {"rate": "learning rate"}
    config = BASE | {names.get(name, name): value for name, value in changed.items()}
    rows = Columns.of(SPACE.encoding, [SPACE.validate(config)])
    return float(Expression(text, PARAMETERS).violation(rows)[0])


# --- Meaning -----------------------------------------------------------------------------------

HOLDS = [
    "a <= b",
    "a < b < c",
    "c > b >= a",
    "0 < a <= 0.25",
    "a + b + c == 1.5",
    "a + b - c == 0",
    "2 * a == b",
    "b / a == 2",
    "c // a == 3",
    "n % 2 == 0",
    "-n % 5 == 1",
    "c % a == 0",
    "n ** 2 == 16",
    "2 ** n == 16",
    "2 ** -1 == b",
    "-a ** 2 == -0.0625",
    "+a == a",
    "min(a, b, c) == a",
    "max(a, b) == b",
    "abs(a - c) == 0.5",
    "log(exp(a)) == a",
    "sqrt(a) == b",
    "count(a > 0.3, b > 0.3, c > 0.3) == 2",
    "count(a > 0.3, b > 0.3, c > 0.3) <= n",
    "1 < count(bias, not bias, kernel == 'rbf') < 3",
    "count(a < b, b < c) == count(bias, c > a)",
    'kernel == "rbf"',
    "'rbf' == kernel",
    'kernel != "poly"',
    'kernel in ("rbf", "poly")',
    'kernel in ["rbf"]',
    'kernel not in ("linear", "poly")',
    "kernel != other",
    "n in (2, 4, 8)",
    "n not in (3, n + 1)",
    "a in (0.25,)",
    'size == "m"',
    'size < "l"',
    '"s" < size <= "m"',
    "width == 32",
    "width * n <= 128",
    'mix == "auto"',
    "mix != 1",
    "mix != none",
    "mix != None",
    "mix not in (true, 1)",
    "bias",
    "not (not bias)",
    "bias == true",
    "bias != False",
    "bias == (a < b)",
    "(a > b) == (b > c)",
    "(a > b) != (a < b)",
    "bias and a < b",
    "a > b or bias",
    "not (a > b and bias)",
    "not a > b",
    "`learning rate` < 0.1",
    "`max` == 0.5",
    "max(`max`, a) == 0.5",
    "`true` == 0.5",
    "größe == 0.5",
    "`größe` == 0.5",
    "ﬁt == 0.5",
    '`say "x"` == "it\'s"',
    '`say "x"` != \'a"b\'',
    '`say "x"` in ("a""b", \'it\'\'s\')',
    "1e-3 <= `learning rate` <= 1E2",
    ".25 == a",
    "  a <= b  ",
    "a\n  <= b\n and\tbias",
    "(a <= (b))",
]


@pytest.mark.parametrize("text", HOLDS)
def test_a_condition_that_holds_is_not_violated(text):
    assert degree(text) == 0.0


@pytest.mark.parametrize("text", HOLDS)
def test_its_opposite_is_violated(text):
    assert degree(f"not ({text.strip()})") > 0.0
    assert degree(f"not (not ({text.strip()}))") == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b <= a", 0.25),
        ("a >= b", 0.25),
        ("a + b <= 0.25", 0.5),
        ("a == 0.5", 0.25),
        ("b <= a and c <= a", 0.75),
        ("b <= a or c <= a", 0.25),
        ("not (a <= b)", 0.25),
        ("a > b > c", 0.5),
        ("n in (1, 6)", 2.0),
        ("kernel == 'poly'", 1.0),
        ("size == 'l'", 1.0),
        ("size == 's' or size == 'l'", 1.0),
        ("size in ('s', 'l')", 1.0),
        ("not bias", 1.0),
        ("kernel == other", 1.0),
        ("count(a > 0, b > 0, c > 0) <= 1", 0.75),  # a and b must go to 0
        ("count(a > 0, b > 0, c > 0) < 3", 0.25),
        ("count(a > 0.5, b > 0.75, c > 0.5) >= 2", 0.25),
        ("count(a > 0.5, b > 0.75, c > 0.5) > 2", 0.5),
        ("count(a > 0.5, b > 0.75, c > 0.5) == 3", 0.5),
        ("count(a > 0.5, b > 0.75, c > 0.5) == 0", 0.25),
        ("count(a > 0.5, b > 0.75, c > 0.5) != 1", 0.25),
    ],
)
def test_the_degree_says_how_far_it_is(text, expected):
    assert degree(text) == pytest.approx(expected, abs=1e-9)


def test_a_strict_comparison_is_violated_where_both_are_equal():
    assert 0.0 < degree("a < 0.25") < 1e-12
    assert 0.0 < degree("a > 0", a=0.0) < 1e-12
    assert degree("a > 0", a=5e-324) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "1 / a <= 5",
        "log(a) <= 5",
        "log(a - 0.5) <= 5",
        "sqrt(a - 0.5) <= 5",
        "0 / a <= 5",
        "5 // a <= 5",
        "5 % a <= 5",
        "1 / (1 / a) <= 5",
        "(1 / a) ** 0 <= 5",
        "min(1 / a, 3) <= 5",
        "abs(1 / a) >= 0",
        "exp(5000 * b) >= 0",
        "exp(exp(100 * b)) >= 0",
        "(1e90 * b) ** 100 >= 0",
        "a ** -1 <= 5",
        "count(a > 0.5) <= 1 / a",
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_undefined_is_violated_without_a_warning(text):
    with np.errstate(all="raise"):
        assert degree(text, a=0.0) == math.inf
        assert degree(f"not ({text})", a=0.0) == math.inf
        assert degree(f"bias or {text}", a=0.0) == 0.0


def test_computed_numbers_are_compared_up_to_rounding():
    space = Space({f"x{i}": Real(0, 1, step=0.1) for i in range(3)})
    config = {"x0": 0.1, "x1": 0.2, "x2": 0.3}
    rows = Columns.of(space.encoding, [config])
    parameters = {name: space[name] for name in space}
    assert 0.1 + 0.2 > 0.3
    for text in ("x0 + x1 <= x2", "x0 + x1 == x2", "x2 // x0 == 3", "x2 % x0 == 0"):
        assert Expression(text, parameters).holds(rows)[0]
    for text in ("x0 + x1 > x2", "x0 + x1 != x2", "x0 < 0.1", "x0 > 0.1"):
        assert not Expression(text, parameters).holds(rows)[0]
    whole = Expression("n + 1 == 1000000001", {"n": Integer(1, 2 * 10**9)})
    encoding = Space(n=Integer(1, 2 * 10**9)).encoding
    found = whole.holds(Columns.of(encoding, [{"n": 10**9}, {"n": 10**9 + 1}]))
    assert found.tolist() == [True, False]


def test_an_equality_of_real_numbers_has_a_tolerance():
    assert degree("a + b == 0.75", a=0.25 + 0.5 * EQUALITY) == 0.0
    assert degree("a + b == 0.75", a=0.25 + 5 * EQUALITY) > 0.0


# --- Inactive parameters -----------------------------------------------------------------------

TREES = Space(
    booster=Categorical(["tree", "linear"]),
    depth=Integer(1, 12, when={"booster": "tree"}),
    shape=Categorical(["x", "y"], when={"booster": "tree"}),
    deep=Boolean(when={"booster": "tree"}),
    a=Real(0, 1),
)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("depth <= 3", True),
        ("not depth <= 3", True),
        ("depth > 3 and depth <= 3", True),
        ("min(depth, 3) == 99", True),
        ("depth in (1, 2)", True),
        ("depth not in (1, 2)", True),
        ("shape == 'x'", True),
        ("shape != 'x'", True),
        ("deep", True),
        ("not deep", True),
        ("deep == (a > 2)", True),
        ("depth <= 3 and a > 0.5", False),
        ("depth <= 3 or a > 0.5", True),
        ("count(depth > 0, a >= 0) == 1", True),
        ("count(depth > 0, a >= 0) == 2", False),
        ("count(not depth > 0, a >= 0) >= 2", False),
        ("count(a >= 0) <= depth - 100", True),
    ],
)
def test_a_comparison_with_an_inactive_parameter_is_satisfied(text, holds):
    expression = Expression(text, {name: TREES[name] for name in TREES})
    config = TREES.validate({"booster": "linear", "a": 0.25})
    assert expression.holds(Columns.of(TREES.encoding, [config]))[0] == holds
    encoded = Columns(TREES.encoding, TREES.encoding.encode([config]))
    assert expression.holds(encoded)[0] == holds


# --- What is refused ---------------------------------------------------------------------------

REFUSED = [
    # (text, the place of the caret, a part of the message)
    ("", 0, "is empty"),
    ("   ", 0, "is empty"),
    ("a + d <= 1", 4, "unknown name 'd'; there are a, b, c"),
    ("`learning rat` < 1", 0, "did you mean 'learning rate'?"),
    ("sizes == 's'", 0, "did you mean 'size'?"),
    ("kernel == rbf", 10, 'values need quotes: "rbf"'),
    ("min < 1", 0, "min is a function: min(...)"),
    ('kernel == "rfb"', 10, "'rfb' is not among the choices of 'kernel'; did you mean 'rbf'?"),
    ('kernel in ("rbf", 3)', 18, "3 is not among the choices"),
    ("kernel == none", 10, "None is not among"),
    ("kernel == size + 1", 17 - 7, "'kernel' (Categorical) cannot be compared with a number"),
    ("kernel == a", 10, "cannot be compared with a number"),
    ('a < "x"', 4, "a number cannot be compared with a text"),
    ("bias < true", 0, "conditions have no order"),
    ("bias == 1", 8, "cannot be compared with a number"),
    ("kernel < 'rbf'", 0, "have no order; make it Ordinal"),
    ("kernel < other", 0, "with == and != only"),
    ("bias + 1 < 2", 0, "a number is expected, not 'bias' (Boolean)"),
    ("(a < b) + 1 < 2", 1, "count(...) turns conditions into a number"),
    ("kernel * 2 < 2", 0, "a number is expected, not 'kernel' (Categorical)"),
    ("a", 0, "this is a number; compare it"),
    ("a + b", 0, "this is a number; compare it"),
    ("a and b < 1", 0, "this is a number; compare it"),
    ("not n", 4, "this is a number; compare it"),
    ("kernel", 0, "this is not a condition"),
    ("'x'", 0, "this is a value"),
    ("1 < 2", 0, "no parameter is mentioned"),
    ("true", 0, "no parameter is mentioned"),
    ("count(a) < 1", 6, "this is a number; compare it"),
    ("count() < 1", 0, "count(...) takes 1 argument or more, not 0"),
    ("abs(a, b) < 1", 0, "abs(...) takes 1 argument, not 2"),
    ("max(a) < 1", 0, "max(...) takes 2 arguments or more, not 1"),
    ("count(*a) < 1", 0, "takes plain arguments only"),
    ("sin(a) < 1", 0, "there is no function 'sin'"),
    ("mn(a, b) < 1", 0, "did you mean min?"),
    ("`max`(a, b) < 1", 0, "there is no function 'max'"),
    ("(min)(a, b)(c) < 1", 0, "only these functions can be called"),
    ("a < (b, c)", 4, "use 'in' with a list"),
    ("a in b", 5, "a list of values is expected"),
    ("a in ()", 5, "a list of values is expected"),
    ("kernel in 'rbf'", 10, "a list of values is expected"),
    ("a = 1", 2, "unexpected '='; use == to compare"),
    ("a & b", 2, "use 'and'"),
    ("a | b", 2, "use 'or'"),
    ("!a", 0, "use 'not'"),
    ("~a < 1", 0, "use 'not'"),
    ("a ^ 2 < 1", 2, "use ** for a power"),
    ("a < 1 # all", 6, "comments are not part"),
    ("a; b", 1, "several constraints in a list"),
    ("a.real < 1", 1, "attributes are not part"),
    ("a[0] < 1", 0, "subscripts are not part"),
    ("{a} < 1", 0, "use round brackets"),
    ("a @ b < 1", 2, "not part of the language"),
    ("a \\\n < 1", 2, "not part of the language"),
    ("lambda: 1", 6, "only an expression is expected"),
    ("(a := 1) < 2", 3, "only an expression is expected"),
    ("[x for x in a]", 0, "comprehensions are not part"),
    ("max(x for x in a) < 1", 0, "takes 2 arguments or more, not 1"),
    ("a if b else c", 0, "'if ... else' is not part"),
    ("a < 1 if bias else b < 1", 0, "'if ... else' is not part"),
    ("a is b", 0, "'is' is not part"),
    ("a is not none", 0, "'is' is not part"),
    ("a << b < 1", 0, "this operator is not part"),
    ("a <> b", None, "cannot be read"),
    ("await a", 0, "is not part of the language"),
    ("yield", None, "cannot be read"),
    ("import os", None, "cannot be read"),
    ("a < 1 or", None, "cannot be read"),
    ("(a < 1", None, "cannot be read"),
    ("a < 1)", None, "cannot be read"),
    ("a b", None, "cannot be read"),
    ("007 < a", None, "cannot be read"),
    ('f"{a}" == "x"', 0, "a quote must stand by itself"),
    ('b"a" == "x"', 0, "a quote must stand by itself"),
    ('kernel == "a"b', 13, "an operator is missing"),
    ("kernel == \"a\"'b'", 13, "an operator is missing"),
    ('kernel == "a', 10, "is not closed"),
    ("`a < 1", 0, "is not closed"),
    ("1j < a", 0, "not a number"),
    ("0x10 < a", 0, "not a number"),
    ("1_000 < n", 0, "not a number"),
    ("1.5.2 < n", 0, "not a number"),
    ("1or bias", 0, "not a number"),
    ("a² < 1", 0, "put unusual names in `backticks`"),
    ("a $ 1", 2, "put unusual names"),
    ("a < \x00 b", 4, "put unusual names"),
    ("... < a", 0, "attributes are not part"),
    ("__import__('os').system('x') < 1", 16, "attributes are not part"),
    ("__import__('os') < 1", 0, "there is no function '__import__'"),
    ("a.__class__ == 1", 1, "attributes are not part"),
    ("1e400 < a", 0, "too large"),
    (f"{'9' * 50} < a", 0, "too large"),
    (f"{'9' * 5000} < a", 0, "too large"),
    ("9 ** 9 ** 9 < a", 5, "an exponent beyond 100"),
    ("9 ** 99 ** 99 < a", 5, "undefined, or too large"),
    ("a ** 101 < a", 5, "an exponent beyond 100"),
    ("a ** -101 < a", 5, "an exponent beyond 100"),
    ("10 ** 100 * 10 ** 100 < a", 0, "undefined, or too large"),
    ("1 / 0 < a", 0, "undefined, or too large"),
    ("log(0) < a", 0, "undefined, or too large"),
    ("- - - - - a < 1", 8, "nested too deeply"),
    ("not not not not not bias", 16, "nested too deeply"),
    ("(" * 60 + "a" + ")" * 60 + " < 1", None, "nested too deeply"),
    ("[" * 60 + "]" * 60, None, "nested too deeply"),
    ("max(a, " * 60 + "b" + ")" * 60 + " < 1", None, "nested too deeply"),
    ("a ** " * 60 + "a < 1", None, "nested too deeply"),
    ("a" * 20_000, None, "longer than 10000 characters"),
    ("a+" * 4_999 + "a", None, None),
]


@pytest.mark.parametrize(("text", "place", "message"), REFUSED, ids=lambda x: repr(x)[:40])
@pytest.mark.filterwarnings("error")
def test_the_rest_is_refused_with_its_place(text, place, message):
    with pytest.raises(SpaceError) as caught:
        Expression(text, PARAMETERS)
    complaint = str(caught.value)
    if message is not None:
        assert message in complaint
    *_, shown, caret = complaint.split("\n")
    assert caret.strip() == "^"
    assert len(caret) <= max(len(shown) + 1, 5)
    if place is not None:
        assert caret.index("^") - 4 == place
        assert shown[4:] == "".join(c if c.isprintable() else " " for c in text.strip())[:76]


def test_the_caret_of_a_long_text_stands_under_the_place():
    text = " + ".join(["a"] * 100) + " <= oops + " + " + ".join(["b"] * 100)
    with pytest.raises(SpaceError, match="unknown name 'oops'") as caught:
        Expression(text, PARAMETERS)
    *_, shown, caret = str(caught.value).split("\n")
    assert shown[caret.index("^") :].startswith("oops")
    assert len(shown) <= 80


def test_nested_comparisons_do_not_multiply_the_work():
    text = "bias"
    for _ in range(25):
        text = f"({text}) == (a < b)"
    with pytest.raises(SpaceError, match="nested too deeply"):
        Expression(text, PARAMETERS)
    text = "bias"
    for _ in range(25):
        text = f"count({text}, a < b) >= 1"
    with pytest.raises(SpaceError, match="nested too deeply"):
        Expression(text, PARAMETERS)


def test_long_sums_are_read():
    space = Space({f"x{i}": Real(0, 1) for i in range(1000)})
    text = " + ".join(space.names) + " <= 1"
    rows = Columns(space.encoding, np.zeros((3, 1000)))
    assert Expression(text, {name: space[name] for name in space}).holds(rows).all()


# --- Random texts ------------------------------------------------------------------------------

NAMES = ["a", "n", "kernel", "bias", "min", "count", "true", "`learning rate`", '"rbf"', "1", "0.5"]
NAMES += ["(", ")", "[", "]", ",", "and", "or", "not", "in", "if", "else", "lambda", ":", ".", "="]
NAMES += [
    "<",
    "<=",
    "==",
    "!=",
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "for",
    "is",
    "{",
    "}",
    "f",
    "#",
]
NAMES += [
    "__class__",
    "__import__",
    "exec",
    "eval",
    "1e9",
    "1j",
    "\n",
    "\\",
    "'",
    '"',
    "`",
    "é",
    "ﬁ",
]


def read_or_refused(text):
    """The expression, or None if it was refused with its place."""
    try:
        return Expression(text, PARAMETERS)
    except SpaceError as error:
        if "^" not in str(error).split("\n")[-1]:
            raise
        return None


@hypothesis_settings(max_examples=300)
@given(st.lists(st.sampled_from(NAMES), max_size=12), st.sampled_from(["", " "]))
def test_any_tokens_are_read_or_refused(tokens, between):
    text = between.join(tokens)
    expression = read_or_refused(text)
    if expression is not None:
        X = SPACE.encoding.from_unit(np.random.default_rng(0).random((5, len(SPACE))))
        degrees = expression.violation(Columns(SPACE.encoding, X))
        assert degrees.shape == (5,)
        assert np.all(degrees >= 0)  # also: no NaN


@hypothesis_settings(max_examples=200)
@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    read_or_refused(text)


def test_nothing_is_run_while_a_text_is_read():
    events: list[str] = []
    listening = [True]
    sys.addaudithook(lambda event, _: events.append(event) if listening else None)
    for text, *_ in REFUSED:
        with pytest.raises(SpaceError):
            Expression(text, PARAMETERS)
    for text in HOLDS:
        Expression(text, PARAMETERS)
    listening.clear()
    assert "compile" in events  # ast.parse is the built-in compile with a flag
    assert {"exec", "import", "open", "os.system"}.isdisjoint(events)


@hypothesis_settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_random_expressions_mean_what_python_says(data):
    space = data.draw(my.small_spaces())
    node = data.draw(random_expressions.conditions(space, 3, equal=True))
    parameters = {name: space[name] for name in space}
    try:
        expression = Expression(node.text, parameters)
    except SpaceError as error:
        assert "no parameter" in str(error) or "undefined" in str(error)  # noqa: PT017
        assume(False)
    configs = data.draw(st.lists(my.configurations(space), min_size=1, max_size=5))
    told = expression.holds(Columns.of(space.encoding, configs))
    encoded = Columns(space.encoding, space.encoding.encode(configs))
    np.testing.assert_array_equal(told, expression.holds(encoded))
    for holds, config in zip(told, configs, strict=True):
        expected = random_expressions.judge(node, config)
        assert expected is None or bool(holds) == expected


@hypothesis_settings(max_examples=100)
@given(st.data())
def test_rows_are_judged_alone(data):
    space = data.draw(my.small_spaces())
    node = data.draw(random_expressions.conditions(space, 2, equal=True))
    try:
        expression = Expression(node.text, {name: space[name] for name in space})
    except SpaceError:
        assume(False)
    U = np.random.default_rng(data.draw(st.integers(0, 99))).random((7, len(space)))
    X = space.encoding.canonical(space.encoding.from_unit(U))
    together = expression.violation(Columns(space.encoding, X))
    alone = [expression.violation(Columns(space.encoding, X[i : i + 1]))[0] for i in range(7)]
    np.testing.assert_array_equal(together, alone)
    assert np.all((together == 0) == expression.holds(Columns(space.encoding, X)))
