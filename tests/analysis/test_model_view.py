"""What the pictures get from the model, against the model itself."""

import math

import numpy as np
import pytest

from warpfront import (
    AtMost,
    Boolean,
    Categorical,
    Integer,
    Maximize,
    Ordinal,
    Real,
    Settings,
    Space,
)
from warpfront.analysis.model_view import LEAST, ModelView, grid, warp_curve, why_no_model
from warpfront.history import History
from warpfront.problem import Problem

SPACE = Space(
    rate=Real(1e-4, 1.0, scale="log"),
    units=Integer(1, 9),
    kind=Categorical(["a", "b", "c"]),
    fixed=Real(2.0, 2.0),
)
QUICK = Settings(models=["warped"])


def told(space, loss, n=24, seed=0):
    return History(space).tell([(None, c, loss(c)) for c in space.sample(n, seed=seed)])


def bumpy(config):
    bump = (math.log10(config["rate"]) + 2.0) ** 2
    return math.exp(0.5 * bump) + 0.05 * config["units"] + (config["kind"] == "b")


HISTORY = told(SPACE, bumpy)


@pytest.fixture(scope="module")
def view():
    return ModelView(HISTORY, QUICK, seed=0)


@pytest.fixture(scope="module")
def flipped():
    """Minus the same losses, which are maximised."""
    told = [(None, dict(t.config), -t.value) for t in HISTORY.trials]
    history = History(Problem(SPACE, (Maximize(),))).tell(told)
    return ModelView(history, QUICK, seed=0)


def along(view, j):
    """The configurations of a slice."""
    X = np.tile(view.best, (len(view.slice(j).positions), 1))
    X[:, j] = view.slice(j).positions
    return SPACE.encoding.decode(X)


@pytest.mark.parametrize("j", [0, 1, 2])
def test_a_slice_is_what_the_model_predicts_through_the_best(view, j):
    found = view.slice(j)
    configs = along(view, j)
    name = SPACE.names[j]
    best = HISTORY.best.config
    assert all({**c, name: best[name]} == best for c in configs)
    for curve, q in ((found.low, 0.05), (found.median, 0.5), (found.high, 0.95)):
        np.testing.assert_allclose(curve, view.model.quantile(configs, q), rtol=1e-6)
    assert np.all((found.low <= found.median) & (found.median <= found.high))


def test_the_median_is_the_mean_before_the_inverse_transform(view):
    X = SPACE.encoding.encode(along(view, 0))
    mean, _ = view.model.posterior(X)
    inside = np.abs(mean) < 1.0  # far outside the predictions are limited
    expected = view.model.transform.inverse(mean)
    np.testing.assert_allclose(view.slice(0).median[inside], expected[inside], rtol=1e-6)
    assert view.model.transform.power is not None


def test_maximising_shows_the_users_values(view, flipped):
    loss, value = view.slice(0), flipped.slice(0)
    np.testing.assert_allclose(value.median, -loss.median)
    np.testing.assert_allclose(value.low, -loss.high)
    np.testing.assert_allclose(value.high, -loss.low)
    np.testing.assert_allclose(flipped.surface(0, 1, 9)[2], -view.surface(0, 1, 9)[2])
    np.testing.assert_array_equal(flipped.values, -view.values)
    assert flipped.best_value == -HISTORY.best.value
    np.testing.assert_array_equal(flipped.importance.total, view.importance.total)


def test_a_surface_is_the_median_at_each_point(view):
    x, y, median = view.surface(0, 1, 7)
    assert median.shape == (len(y), len(x)) == (9 if len(y) == 9 else 7, 7)
    best = HISTORY.best.config
    config = {**best, "rate": SPACE["rate"].decode(x[2]), "units": SPACE["units"].decode(y[3])}
    assert median[3, 2] == pytest.approx(view.model.quantile(config, 0.5)[0], rel=1e-6)


def test_the_warps_are_those_of_the_kernel(view):
    gp = view.model.gp
    assert list(view.warps) == [0, 1]  # numeric, and not constant
    a, b = gp.kernel.warp_of(gp.theta)
    np.testing.assert_allclose(list(view.warps.values()), np.column_stack([a, b]))
    x, warped = warp_curve(a[0], b[0])
    points = gp.kernel.points(gp.theta, np.column_stack([x, x, x, x]))
    np.testing.assert_allclose(warped, points.U[:, 0], atol=1e-12)


def test_without_an_input_warp_there_are_no_curves():
    assert ModelView(HISTORY, Settings(models=["warped"], input_warp=False), seed=0).warps == {}


def test_constants_come_nowhere(view):
    assert sorted(view.order) == [0, 1, 2]
    assert view.importance.total[3] == 0.0


def test_the_importance_of_an_additive_function_is_found():
    space = Space(x=Real(0, 1), y=Real(0, 1), z=Real(0, 1))
    history = told(space, lambda c: 3.0 * c["x"] - 1.0 * c["y"], n=48)
    view = ModelView(history, Settings(models=["warped"], output_warp="none"), seed=0)
    np.testing.assert_allclose(view.importance.first, [0.9, 0.1, 0.0], atol=0.03)
    np.testing.assert_allclose(view.importance.total, [0.9, 0.1, 0.0], atol=0.03)
    assert view.order == [0, 1, 2]
    assert view.explained > 0.98


def test_levels_of_a_category_weigh_the_same():
    space = Space(c=Categorical(["a", "b", "c", "d"]), x=Real(0, 1))
    levels = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0}  # variance 1.25, that of x 1/12 times 9
    history = told(space, lambda c: levels[c["c"]] + 3.0 * c["x"], n=48)
    view = ModelView(history, Settings(models=["warped"], output_warp="none"), seed=0)
    np.testing.assert_allclose(view.importance.total, [0.625, 0.375], atol=0.05)


def test_noise_is_not_explained():
    rng = np.random.default_rng(0)
    history = told(Space(x=Real(0, 1), y=Real(0, 1)), lambda _: float(rng.normal()), n=40)
    assert ModelView(history, Settings(models=["warped"]), seed=0).explained < 0.3


def test_the_best_is_the_one_that_the_summary_names():
    space = Space(x=Real(0, 1))
    values = {0.9: 1.0, 0.1: 1.0, 0.5: 2.0, 0.3: 3.0}  # a tie: the earlier one counts
    history = History(space).tell([(None, {"x": x}, y) for x, y in values.items()])
    assert ModelView(history, QUICK, seed=0).best.tolist() == [0.9]


@pytest.mark.parametrize(
    ("parameter", "points", "length"),
    [
        (Real(0, 1), 50, 50),
        (Real(0, 1, step=0.25), 50, 5),
        (Integer(1, 10**9), 50, 50),
        (Ordinal(list("abc")), 50, 3),
        (Boolean(), 50, 2),
        (Categorical(list(range(99))), 50, 99),  # no category may be left out
    ],
)
def test_a_grid_has_all_levels_or_spreads(parameter, points, length):
    found = grid(parameter, points)
    assert len(found) == length
    assert np.all(np.diff(found) > 0.0)


@pytest.mark.parametrize(
    ("space", "values", "reason"),
    [
        (Space(x=Real(0, 1)), [], "at least 3 completed trials; there are 0"),
        (Space(x=Real(0, 1)), [1.0, math.nan, 2.0], "there are 2"),
        (Space(x=Real(0, 1)), [4.0] * 5, "the same value"),
        (Space(x=Real(1, 1)), [1.0, 2.0, 3.0], "constants"),
        (Space(x=Real(0, 1)), [1.0, 2.0, 3.0], None),
    ],
)
def test_what_is_missing_for_a_model_is_said(space, values, reason):
    configs = space.sample(len(values), seed=0)
    history = History(space).tell([(None, c, v) for c, v in zip(configs, values, strict=True)])
    said = why_no_model(history)
    assert said is None if reason is None else reason in said
    assert LEAST == 3


class TestFailures:
    SPACE = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))

    def view(self, penalty, fails):
        rng = np.random.default_rng(1)
        history = told(
            self.SPACE, lambda c: penalty if fails(c, rng) else c["x"] ** 2 + c["y"], n=60
        )
        return ModelView(history, QUICK, seed=0)

    def test_penalties_are_shown_as_failures(self):
        penalised, failed = (self.view(p, lambda c, _: c["y"] > 0.6) for p in (1e6, math.nan))
        np.testing.assert_array_equal(penalised.failures, failed.failures)
        np.testing.assert_array_equal(penalised.values, failed.values)
        np.testing.assert_array_equal(penalised.model.gp.theta, failed.model.gp.theta)
        assert (penalised.penalties, failed.penalties) == (len(failed.failures), 0)

    @pytest.mark.parametrize("penalty", [1e6, math.nan])
    def test_failures_have_no_values(self, penalty):
        view = self.view(penalty, lambda _, rng: rng.random() < 0.3)
        assert len(view.failures) > 6
        assert len(view.values) == len(view.observed) == 60 - len(view.failures)
        assert max(view.values) < 3.0


def test_of_several_goals_the_first_objective_is_shown_through_a_feasible_best():
    space = Space(x=Real(0.0, 1.0))
    problem = Problem(space, (AtMost("b", 0.5), Maximize("a"), Maximize("c")))
    told = [(None, {"x": x}, {"a": x, "b": x, "c": -x}) for x in np.linspace(0, 1, 11).tolist()]
    told.append((None, {"x": 0.55}, {"b": 0.1}))  # a was not measured
    view = ModelView(History(problem).tell(told), QUICK, seed=0)
    assert view.best_value == view.best[0] == 0.2  # halfway along the feasible front
    assert len(view.values) == 11
    assert np.all(np.diff(view.slice(0).median) > 0)
