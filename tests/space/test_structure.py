"""Structure: the sums, special values and limited counts that constraints ask for."""

from __future__ import annotations

import pytest

from warpfront import Boolean, Integer, Ordinal, Real, Space

SPACE = {
    "a": Real(0, 1),
    "b": Real(0, 2),
    "c": Real(-1, 1),
    "s": Real(0, 1, step=0.25),
    "n": Integer(0, 9),
    "o": Ordinal([1, 2, 4]),
    "deep": Boolean(),
}


def structure(*texts):
    return Space(SPACE, constraints=texts).structure


@pytest.mark.parametrize(
    ("text", "columns", "coefficients", "total"),
    [
        ("a + b == 1", (0, 1), (1, 1), 1),
        ("1 == b + a", (1, 0), (-1, -1), -1),
        ("2 * a - b / 4 + 0.5 == c", (0, 1, 2), (2, -0.25, -1), -0.5),
        ("(a + b) * 2 == 1 + a", (0, 1), (1, 2), 1),
        ("-(a - b) == 0", (0, 1), (-1, 1), 0),
        ("a + s + n + o == 3", (0, 3, 4, 5), (1, 1, 1, 1), 3),
        ("n == 3", (4,), (1,), 3),
        ("not a + b != 1", (0, 1), (1, 1), 1),
        ("0 < a == b", (0, 1), (1, -1), 0),
        ("deep and a == b", (0, 1), (1, -1), 0),
    ],
)
def test_equalities_of_sums_are_recognised(text, columns, coefficients, total):
    (found,) = structure(text).sums
    assert found.columns == columns
    assert found.coefficients == pytest.approx(coefficients)
    assert found.total == pytest.approx(total)
    assert found.tolerance > 0


@pytest.mark.parametrize(
    "text", ["n * o == 4", "a + b <= 1", "a + b != 1", "n == 3 or a < 0.5", "deep == (a < b)"]
)
def test_other_conditions_are_not_sums(text):
    assert structure(text).sums == ()


def test_terms_that_cancel_out_are_left_out():
    (found,) = structure("a + b - a == 1").sums
    assert found.columns == (1,)
    assert structure("a - a == 0").sums == ()


@pytest.mark.parametrize(
    ("text", "special"),
    [
        ("a == 0 or a >= 0.1", {0: (0.0,)}),
        ("a == 0.25 or b == 0.5 or a == 0.75", {0: (0.25, 0.75), 1: (0.5,)}),
        ("count(a > 0, b > 0, c > 0) <= 1", {0: (0.0,), 1: (0.0,)}),
        ("count(a <= 0, b < 2, 2 * c < 2) <= 1", {0: (0.0,), 1: (2.0,), 2: (1.0,)}),
        ("count(c == 0, 0 != a, s > 0, n > 0) >= 1", {0: (0.0,), 2: (0.0,)}),
        ("a > 0 or deep", {0: (0.0,)}),
        ("a > 0.5 or deep", {}),
        ("a > 0 and deep", {}),
        ("a + b > 0 or deep", {}),
        ("a >= 0 or deep", {}),
        ("n + count(a > 0, b > 0) <= 3", {0: (0.0,), 1: (0.0,)}),
    ],
)
def test_values_that_chance_would_miss_are_special(text, special):
    assert structure(text).special == special


@pytest.mark.parametrize(
    ("text", "values", "raising"),
    [
        ("count(a > 0, b > 0) <= 1", ((0, 0.0), (1, 0.0)), False),
        ("1 >= count(a > 0, b > 0)", ((0, 0.0), (1, 0.0)), False),
        ("count(a > 0, b != 0.5) < 2", ((0, 0.0), (1, 0.5)), False),
        ("count(a > 0, b > 0) == 1", ((0, 0.0), (1, 0.0)), False),
        ("count(a == 0, b <= 0) >= 1", ((0, 0.0), (1, 0.0)), True),
        ("not count(a == 0, b == 0) < 1", ((0, 0.0), (1, 0.0)), True),
    ],
)
def test_counts_that_can_be_restored_are_recognised(text, values, raising):
    (found,) = structure(text).counts
    assert (found.values, found.raising) == (values, raising)


@pytest.mark.parametrize(
    "text",
    [
        "count(a > 0, b > 0) >= 1",
        "count(a > 0, b > 0) != 1",
        "count(a > 0.5, b > 0) <= 1",
        "count(a > 0, deep) <= 1",
        "count(a > 0, a < 1) <= 1",
        "count(a > 0, b > 0) <= 1 or deep",
    ],
)
def test_other_counts_are_left_to_the_search(text):
    assert structure(text).counts == ()
