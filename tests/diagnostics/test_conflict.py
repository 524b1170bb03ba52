"""EI, PI and UCB over two parameters: values, optima, and whether they agree."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from warpfront import Boolean, Categorical, Integer, Real, Space
from warpfront.acquisition.ensemble import IMPROVEMENT_MARGIN, Ensemble
from warpfront.acquisition.functions import exploration_weight, lcb, log_ei, log_pi
from warpfront.dataset import Dataset
from warpfront.diagnostics.conflict import TOP, acquisition_conflict
from warpfront.diagnostics.measured import incumbent
from warpfront.errors import ConfigurationError
from warpfront.history import History
from warpfront.surrogate.model import ROWS_AT_A_TIME
from warpfront.surrogate.options import CANDIDATES
from warpfront.surrogate.selection import fit_model

SPACE = Space(
    rate=Real(1e-4, 1e-1, scale="log"),
    units=Integer(1, 8),
    kind=Categorical(["a", "b", "c"]),
    constant=Integer(3, 3),
    bias=Boolean(),
)


def fitted(history):
    """A candidate model of the objective."""
    data, options = Dataset.of(history), CANDIDATES["warped"]
    return fit_model(data, data.objective, options, np.random.default_rng(0))


def loss(config):
    return (np.log10(config["rate"]) + 2.5) ** 2 + 0.1 * config["units"] + 0.2 * config["bias"]


@pytest.fixture(scope="module")
def model():
    told = [(None, c, loss(c)) for c in SPACE.sample(24, seed=0)]
    return fitted(History(SPACE).tell(told))


@pytest.fixture(scope="module")
def found(model):
    return acquisition_conflict(model, "rate", "units", told=24, points=21)


def test_the_values_are_those_of_the_acquisitions(model, found):
    best = SPACE.encoding.decode(incumbent(model)[None])[0]
    tau = model.posterior(incumbent(model)[None])[0][0] - IMPROVEMENT_MARGIN
    kappa = exploration_weight(24, 1, 4)
    assert found.values["EI"].shape == (8, 21)
    for row, column in [(0, 0), (3, 7), (7, 20)]:
        rate = SPACE["rate"].decode(found.x[column])
        units = SPACE["units"].decode(found.y[row])
        X = SPACE.encoding.encode([best | {"rate": rate, "units": units}])
        mean, variance = model.posterior(X)
        std = np.sqrt(variance)
        expected = (log_ei(mean, std, tau), log_pi(mean, std, tau), -lcb(mean, std, kappa))
        for name, value in zip(("EI", "PI", "UCB"), expected, strict=True):
            assert found.values[name][row, column] == pytest.approx(value[0])


def test_the_optima_are_the_greatest_values(model, found):
    best = SPACE.encoding.decode(incumbent(model)[None])[0]
    for name, (row, column) in found.optima.items():
        assert found.values[name][row, column] == found.values[name].max()
        config = found.configs[name]
        assert config["units"] == SPACE["units"].decode(found.y[row])
        assert all(config[key] == best[key] for key in ("kind", "constant", "bias"))


def test_correlations_and_places_compare_them(found):
    assert set(found.correlations) == {("EI", "PI"), ("EI", "UCB"), ("PI", "UCB")}
    expected = spearmanr(found.values["EI"].ravel(), found.values["UCB"].ravel()).statistic
    assert found.correlations["EI", "UCB"] == pytest.approx(expected)
    at = found.values["UCB"][found.optima["EI"]]
    assert found.places["EI", "UCB"] == np.mean(found.values["UCB"] > at)
    assert found.is_conflicting == (max(found.places.values()) > TOP)


def test_far_from_all_data_ucb_and_pi_conflict():
    """PI stays beside the best point, and UCB goes where nothing is known."""
    space = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))
    points = np.random.default_rng(0).random((20, 2)) * 0.3
    told = [(None, {"x": a, "y": b}, a + b) for a, b in points.tolist()]
    model = fitted(History(space).tell(told))
    found = acquisition_conflict(model, "x", "y", told=20)
    assert found.is_conflicting
    assert found.optima["PI"] != found.optima["UCB"]


def test_a_bowl_known_everywhere_has_no_conflict():
    space = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))
    grid = np.linspace(0.0, 1.0, 9)
    told = [(None, {"x": a, "y": b}, (a - 0.52) ** 2 + (b - 0.48) ** 2) for a in grid for b in grid]
    model = fitted(History(space).tell(told))
    found = acquisition_conflict(model, "x", "y", told=81)
    assert not found.is_conflicting
    assert min(found.correlations.values()) > 0.5


def test_a_large_grid_is_computed_by_parts(model, monkeypatch):
    rows, real = [], Ensemble.__call__
    monkeypatch.setattr(Ensemble, "__call__", lambda self, X: rows.append(len(X)) or real(self, X))
    found = acquisition_conflict(model, "rate", "units", told=24, points=201)
    assert sum(rows) == found.values["EI"].size == 201 * 8
    assert max(rows) <= ROWS_AT_A_TIME


def test_categories_are_a_grid_of_their_choices(model):
    found = acquisition_conflict(model, "kind", "bias", told=24)
    assert found.values["PI"].shape == (2, 3)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("rate", "speed"), "'speed' is not in the space; choose two of rate, units"),
        (("rate", "constant"), "'constant' is a constant"),
        (("rate", "rate"), "'rate' is given twice"),
    ],
)
def test_other_parameters_are_an_error(model, names, message):
    with pytest.raises(ConfigurationError, match=message):
        acquisition_conflict(model, *names, told=24)
