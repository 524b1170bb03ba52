"""The pictures of a diagnosis: what is drawn, before it becomes pixels."""

import numpy as np
import pytest

from warpfront.diagnostics import figures
from warpfront.diagnostics.figures import draw_spread
from warpfront.diagnostics.spread import spread_tests

STEPS = np.array([-1.5, -0.5, 0.5, 1.5])


@pytest.fixture(autouse=True)
def _figures_instead_of_pictures(monkeypatch):
    monkeypatch.setattr(figures, "picture", lambda figure, name, alt: figure)


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("least", [0.0, 0.01, 1.0])
def test_each_spread_is_drawn_at_its_own_height(least, maximize):
    """Also that of the noisiest configuration, and of the one with the worst level."""
    levels = [1.0, 2.0, 3.0, 4.0, 5.0, 90.0]
    scales = [least, 1.0, 1.1, 1.2, 1.3, 15.0]
    found = spread_tests([a + b * STEPS for a, b in zip(levels, scales, strict=True)])
    (axes,) = draw_spread(found, maximize).axes
    x, y = axes.lines[0].get_data()
    np.testing.assert_array_equal(x, -found.levels if maximize else found.levels)
    np.testing.assert_array_equal(y, found.spreads)
    for places, (low, high) in ((x, axes.get_xlim()), (y, axes.get_ylim())):
        assert low < min(places) <= max(places) < high


def test_equal_levels_have_an_axis():
    found = spread_tests([3.0 + STEPS, 3.0 + 2.0 * STEPS])
    (axes,) = draw_spread(found, maximize=False).axes
    assert axes.lines[0].get_xdata().tolist() == [3.0, 3.0]


def test_spreads_of_more_magnitudes_than_a_logarithmic_axis_holds():
    found = spread_tests([1e-315 * STEPS, 1e50 * STEPS])
    (axes,) = draw_spread(found, maximize=False).axes
    assert axes.lines[0].get_ydata().tolist() == found.spreads.tolist()
