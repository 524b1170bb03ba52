"""What every step of an outcome transform, and every chain of them, must do."""

from __future__ import annotations

import numpy as np
import pytest

from warpfront.surrogate.transforms import (
    BoxCox,
    Cut,
    Standardise,
    Transform,
    YeoJohnson,
    fit_transform,
)

POSITIVE = np.exp(np.random.default_rng(0).normal(size=40))
SIGNED = np.random.default_rng(1).normal(size=40) ** 3
OUTLIER = np.append(SIGNED, 50.0)

STEPS = {
    "cut": (Cut(1e9), SIGNED),
    "cut of outliers": (Cut.fit(OUTLIER), SIGNED),
    "standardise": (Standardise.fit(SIGNED), SIGNED),
    **{f"Box-Cox {zeta}": (BoxCox(zeta), POSITIVE) for zeta in (-2.0, 0.0, 0.5, 1.0, 3.0)},
    **{f"Yeo-Johnson {z}": (YeoJohnson(z), SIGNED) for z in (-0.5, 0.0, 0.5, 1.0, 2.0, 2.5)},
    "chain": (Transform((Standardise(1.0, 3.0), YeoJohnson(0.4), Standardise(0.2, 2.0))), SIGNED),
    **{
        f"fitted {warp}, {name}": (fit_transform(y, warp), y)
        for warp in ("power", "robust", "none")
        for name, y in {"positive": POSITIVE, "signed": SIGNED, "negative": -POSITIVE}.items()
    },
}
every_step = pytest.mark.parametrize(("step", "y"), STEPS.values(), ids=STEPS)


def cut_of(step):
    return step.at if isinstance(step, Cut) else getattr(step, "cut", np.inf)


@every_step
def test_it_increases(step, y):
    line = np.linspace(y.min(), min(y.max(), cut_of(step)), 200)
    assert np.all(np.diff(step(line)) > 0.0)


@every_step
def test_the_inverse_gives_back_what_was_not_cut(step, y):
    expected = np.minimum(y, cut_of(step))
    np.testing.assert_allclose(step.inverse(step(y)), expected, rtol=1e-7, atol=1e-9)


@every_step
def test_the_slope_is_that_of_finite_differences(step, y):
    y = y[y < cut_of(step) - 1e-3]
    h = 1e-6 * np.maximum(np.abs(y), 1e-3)
    numerical = (step(y + h) - step(y - h)) / (2.0 * h)
    np.testing.assert_allclose(np.exp(step.log_slope(y)), numerical, rtol=1e-4)


@every_step
def test_the_inverse_of_anything_is_finite_and_never_decreases(step, y):
    t = np.linspace(-40.0, 40.0, 401)
    if isinstance(step, (BoxCox, YeoJohnson)):  # where the end of its range is infinity, clipped
        step = Transform((Standardise(0.0, 1.0), step))
    found = step.inverse(t)
    assert np.all(np.isfinite(found))
    assert np.all(np.diff(found) >= 0.0)


@every_step
def test_it_works_elementwise_and_leaves_its_argument_alone(step, y):
    before = y.copy()
    together = step(y)
    np.testing.assert_array_equal(y, before)
    one_by_one = np.concatenate([step(y[[i]]) for i in range(len(y))])
    np.testing.assert_allclose(together, one_by_one, rtol=1e-12)
    assert step(y[:0]).shape == step.inverse(y[:0]).shape == step.log_slope(y[:0]).shape == (0,)


@every_step
def test_steps_are_plain_values(step, y):
    rebuilt = type(step)(**{name: getattr(step, name) for name in step.__dataclass_fields__})
    assert rebuilt == step
    assert hash(rebuilt) == hash(step)
