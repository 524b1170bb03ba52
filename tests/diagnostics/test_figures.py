"""The figures of a diagnosis: what is drawn."""

import numpy as np
import pytest

from warpfront.diagnostics.figures import draw_spread
from warpfront.diagnostics.spread import spread_tests

STEPS = np.array([-1.5, -0.5, 0.5, 1.5])


def drawn(found, maximize=False):
    figure = draw_spread(found, maximize).figure
    return figure.data[0], figure.layout


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("least", [0.0, 0.01, 1.0])
def test_each_spread_is_drawn_at_its_own_height(least, maximize):
    """Also that of the noisiest configuration, and of the one with the worst level."""
    levels = [1.0, 2.0, 3.0, 4.0, 5.0, 90.0]
    scales = [least, 1.0, 1.1, 1.2, 1.3, 15.0]
    found = spread_tests([a + b * STEPS for a, b in zip(levels, scales, strict=True)])
    dots, layout = drawn(found, maximize)
    np.testing.assert_array_equal(dots.x, -found.levels if maximize else found.levels)
    np.testing.assert_array_equal(dots.y, found.spreads)
    for places, axis in ((dots.x, layout.xaxis), (dots.y, layout.yaxis)):
        places = np.log10(places) if axis.type == "log" else places
        assert axis.range[0] < min(places) <= max(places) < axis.range[1]


def test_equal_levels_have_an_axis():
    dots, layout = drawn(spread_tests([3.0 + STEPS, 3.0 + 2.0 * STEPS]))
    assert list(dots.x) == [3.0, 3.0]
    assert layout.xaxis.range[0] < 3.0 < layout.xaxis.range[1]


def test_spreads_of_more_magnitudes_than_a_logarithmic_axis_holds():
    found = spread_tests([1e-315 * STEPS, 1e50 * STEPS])
    dots, layout = drawn(found)
    assert list(dots.y) == found.spreads.tolist()
    assert layout.yaxis.type is None
