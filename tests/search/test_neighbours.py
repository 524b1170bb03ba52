"""Trials beside the best points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.spaces import MIXED as SPACE
from warpfront import Boolean, Categorical, Integer, Real, Settings, Space
from warpfront.history import History, Trial
from warpfront.search import neighbours as module
from warpfront.search.domain import Domain
from warpfront.search.neighbours import (
    CANDIDATES,
    SETTLED,
    SPLINE_POINTS,
    SURE_BEYOND,
    beside,
    fit_spline,
    is_calm,
    is_neighbour,
    is_sure,
    moved_share,
    neighbours,
    rank_agreement,
)
from warpfront.search.population import best_points, elite_points
from warpfront.space.encoding import row_keys
from warpfront.surrogate.gp import FIT_POINTS, GaussianProcess
from warpfront.surrogate.kernels import KernelForm
from warpfront.surrogate.model import Model
from warpfront.surrogate.spline import Features


def loss(config):
    return (config["x"] - 0.3) ** 2 + abs(config["n"] - 17) / 50 + 0.3 * (config["c"] != "q")


class Scene:
    """A search that has come some way."""

    def __init__(self, space=SPACE, fixed=None, n=30, function=loss):
        configs = space.sample(n, seed=0)
        trials = tuple(Trial(i, c, "completed", function(c)) for i, c in enumerate(configs))
        self.history = History(space, trials)
        self.model = Model.fit(self.history, Settings(), 0)
        self.domain = Domain.of(space, fixed or {})
        self.tried = set(row_keys(space.encoding.encode(configs)))
        self.elite = elite_points(self.domain, self.model)
        self.best = best_points(self.domain, self.model, self.elite)

    def find(self, numbers, seed=0, *, calm=True):
        rng = np.random.default_rng(seed)
        model = self.model
        return neighbours(
            numbers, self.best, self.elite, model.gp, model.columns, self.history, self.domain,
            self.tried, rng, calm=calm,
        )  # fmt: skip


def slots(n):
    """The numbers of n trials that are neighbours."""
    return [k for k in range(SETTLED, 3 * (SETTLED + n)) if is_neighbour(k, calm=True)][:n]


@pytest.fixture(params=[True, False])
def calm(request):
    """Whether the spline is asked, or Thompson samples."""
    return request.param


def test_the_most_uncertain_point_is_tried_while_the_search_is_young_or_noisy():
    def roles(first, calm):
        return [k % 8 for k in range(first, first + 8) if is_neighbour(k, calm=calm)]

    assert roles(SETTLED, calm=True) == [1, 3, 5, 7]
    assert roles(SETTLED - 8, calm=True) == roles(SETTLED, calm=False) == [3, 5, 7]


def test_there_are_two_more_while_a_calm_model_is_not_sure():
    def roles(calm, sure):
        return [k % 8 for k in range(8) if is_neighbour(k, calm=calm, sure=sure)]

    assert roles(calm=True, sure=False) == [2, 3, 5, 6, 7]
    assert roles(calm=True, sure=True) == roles(calm=False, sure=False) == [3, 5, 7]


class Forecast:
    """Losses, and what a model would say of each from all others."""

    def __init__(self, y, predicted):
        self.y, self.leave_one_out = np.asarray(y, float), (np.asarray(predicted, float), None)


LINE = np.arange(40.0)


@pytest.mark.parametrize(
    ("y", "predicted", "completed", "sure"),
    [
        (LINE, np.exp(LINE), 40, True),  # the order is what counts
        (LINE, -LINE, 40, False),
        (LINE, np.r_[LINE[:20], np.zeros(20)], 40, True),  # of the better half
        (LINE, np.r_[LINE[19::-1], LINE[20:]], 40, False),
        (np.zeros(40), np.zeros(40), 40, False),  # a plateau
        (np.zeros(40), np.random.default_rng(0).random(40), 40, False),
        (LINE, np.zeros(40), 40, False),  # a model that knows nothing
        (LINE // 10, LINE, 40, False),  # ties have no order that could be known
        (LINE // 2, LINE, 40, True),
        (np.r_[LINE, -1.0, -2.0], np.r_[LINE, 50.0, 60.0], 40, True),  # failures do not count
        ([1.0, 9.0, 9.0], [1.0, 2.0, 3.0], 1, False),  # a single loss beside failures
        ([1.0, 2.0], [1.0, 2.0], 2, False),
        (np.arange(SURE_BEYOND), -np.arange(SURE_BEYOND), SURE_BEYOND, False),
        (np.arange(SURE_BEYOND + 1), -np.arange(SURE_BEYOND + 1), SURE_BEYOND + 1, True),
    ],
)
def test_a_model_is_sure_if_it_orders_the_better_half(y, predicted, completed, sure):
    assert is_sure(Forecast(y, predicted), completed) == sure


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30))
def test_a_rank_agreement_is_what_ties_in_a_random_order_would_give(pairs):
    a, b = np.array(pairs, dtype=float).T
    rng = np.random.default_rng(0)
    order = rng.permutation(len(a))
    assert rank_agreement(a[order], b[order]) == pytest.approx(rank_agreement(a, b), abs=1e-12)
    assert rank_agreement(b, a) == rank_agreement(a, b)

    def broken(values):  # ranks from 0, ties in a random order
        return np.argsort(np.lexsort((rng.random(len(values)), values)))

    drawn = [np.corrcoef(broken(a), broken(b))[0, 1] for _ in range(400)]
    assert abs(np.mean(drawn) - rank_agreement(a, b)) < 0.25  # five errors of two pairs


def test_a_rank_agreement_of_nine_tenths_will_do():
    swapped = LINE.copy()
    swapped[[0, 7]] = swapped[[7, 0]]  # 1 - 6 · 2 · 7² / (20 · 399) = 0.926
    assert is_sure(Forecast(LINE, swapped), 40)
    swapped[[1, 7]] = swapped[[7, 1]]
    swapped[[2, 9]] = swapped[[9, 2]]
    assert not is_sure(Forecast(LINE, swapped), 40)


@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_they_are_distinct_and_new(n, calm):
    scene = Scene()
    points, tried = scene.find(slots(n), calm=calm), scene.tried
    assert points.shape == (n, len(SPACE))
    keys = row_keys(points)
    assert len(set(keys)) == n
    assert not set(keys) & tried


def test_what_is_fixed_stays_so(calm):
    scene = Scene(fixed={"y": 10.0, "c": "r"})
    configs = scene.domain.decode(scene.find(slots(20), calm=calm))
    assert all(c in SPACE and c["y"] == 10.0 and c["c"] == "r" for c in configs)


def test_they_are_nearer_to_the_best_and_better_than_points_from_anywhere(calm):
    scene = Scene()
    domain, best = scene.domain, scene.best
    near, anywhere = scene.find(slots(60), calm=calm), domain.uniform(60, np.random.default_rng(1))

    def shared(points):
        return np.max([(points == e).sum(axis=1) for e in best], axis=0).mean()

    def mean_loss(points):
        return np.mean([loss(c) for c in domain.decode(domain.canonical(points))])

    assert shared(near) > shared(anywhere) + 1.0
    assert mean_loss(near) < 0.6 * mean_loss(anywhere)


def moved(scene, number, *, calm):
    """In how many coordinates thirty neighbours differ from the best."""
    points = [scene.find([number], seed, calm=calm)[0] for seed in range(30)]
    return np.array([min((p != b).sum() for b in scene.best) for p in points])


def test_the_narrow_ones_differ_in_one_coordinate_at_last(calm):
    assert np.all(moved(Scene(n=200), 11, calm=calm) == 1)


def test_the_others_differ_in_more():
    scene = Scene(n=200)
    for number in (13, 15):
        by_spline, by_sampling = (moved(scene, number, calm=calm).mean() for calm in (True, False))
        assert by_sampling > 2.0
        assert 1.0 < by_spline < by_sampling


def gp_of(y, noise, d=2):
    """A model of given losses (n,) whose noise has the given variance."""
    form = KernelForm(numeric=d, categories=0)
    theta = np.zeros(form.size)
    theta[form.NOISE] = np.log(noise)
    X = np.random.default_rng(0).random((len(y), d))
    return GaussianProcess.build(form, np.zeros(d, dtype=bool), theta, X, np.asarray(y, float))


HALF_FLAT = np.r_[np.zeros(10), np.linspace(0.0, 2.0, 10)]


@pytest.mark.parametrize(
    ("y", "noise", "d", "calm"),
    [
        (np.linspace(-1.7, 1.7, 20), 0.01, 2, True),
        (np.linspace(-1.7, 1.7, 20), 0.2, 2, False),
        (np.linspace(-1.7, 1.7, SPLINE_POINTS - 1), 0.01, 2, False),  # too few
        (np.linspace(-1.7, 1.7, 24), 0.01, 11, True),
        (np.linspace(-1.7, 1.7, 24), 0.01, 12, False),  # too few for so many columns
        (np.linspace(-1.7, 1.7, 2000), 0.01, 300, False),  # of which the spline sees a part
        (np.r_[np.linspace(-0.1, 0.1, 20), np.full(10, 3.0)], 0.01, 2, False),  # a noisy floor
        (np.r_[np.linspace(-0.1, 0.1, 20), np.full(10, 3.0)], 1e-5, 2, True),
        (HALF_FLAT, 1e-4, 2, False),  # a plateau
        (-HALF_FLAT, 1e-4, 2, True),
    ],
)
def test_losses_are_calm_where_noise_is_little_beside_the_better_half(y, noise, d, calm):
    features = Features(np.zeros(d, dtype=bool), np.full(d, np.inf))
    assert is_calm(gp_of(y, noise, d), features) == calm


def test_the_spline_is_asked_where_losses_are_calm_and_a_neighbour_is_wanted(monkeypatch):
    asked = []
    fit = module.fit_spline
    monkeypatch.setattr(module, "fit_spline", lambda *rest: asked.append(1) or fit(*rest))
    scene = Scene()
    scene.find([], calm=True)
    scene.find(slots(3), calm=False)
    assert not asked
    scene.find(slots(3), calm=True)
    assert len(asked) == 1


def test_by_the_spline_the_distance_has_half_the_weight_or_less_by_slot():
    def bowl(config):
        return (config["x"] - 0.4) ** 2 + (config["y"] - 0.6) ** 2

    scene = Scene(space=Space(x=Real(0, 1), y=Real(0, 1)), function=bowl)

    def gap(number):
        near = scene.model.gp.X
        points = [scene.find([number], seed)[0] for seed in range(20)]
        return np.mean([np.linalg.norm(near - p, axis=1).min() for p in points])

    assert gap(13) > gap(15) > gap(9) > 0.0  # among the same candidates
    assert gap(13) > 1.2 * gap(11)


def test_they_keep_away_from_what_is_pending():
    scene = Scene(space=Space(x=Real(0, 1), y=Real(0, 1)), function=lambda c: c["x"] + c["y"])
    first = scene.find([13])
    scene.model = replace(scene.model, gp=scene.model.gp.believe(first))
    again = scene.find([13])  # the same candidates
    assert np.linalg.norm(again - first) > 0.05


def test_they_keep_away_from_one_another():
    scene = Scene(space=Space(x=Real(0, 1), y=Real(0, 1)), function=lambda c: c["x"] + c["y"])
    points = scene.find([13, 21, 29, 37])  # half the weight is on the distance
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)[np.triu_indices(4, 1)]
    assert gaps.min() > 0.05


def test_huge_losses_overflow_nowhere_and_a_single_one_hides_no_other():
    space = Space(x=Real(0, 1))
    features = Features.of(space.encoding, np.array([True]))

    def curve(losses):
        told = [(None, {"x": i / 19}, y) for i, y in enumerate(losses)]
        rng = np.random.default_rng(0)
        spline = fit_spline(History(space).tell(told), np.array([True]), features, rng)
        return spline(np.linspace(0, 0.9, 9)[:, None])

    bowl = (np.arange(20) / 19 - 0.5) ** 2
    signed = np.where(bowl > np.median(bowl), 1.7e308, -1.7e308)
    assert np.ptp(curve(signed)) == pytest.approx(1.0, abs=0.2)
    assert np.allclose(curve(1e-14 * bowl), curve(np.r_[1e-14 * bowl[:-1], 1.7e308]), atol=1e-3)


def test_of_many_losses_the_spline_takes_a_part_with_the_best():
    space = Space(x=Real(0, 1), one=Categorical(["only"]))
    told = [(None, {"x": i / 799, "one": "only"}, (i / 799 - 0.3) ** 2) for i in range(800)]
    columns = space.encoding.levels > 1
    features = Features.of(space.encoding, columns)
    rng = np.random.default_rng(0)
    spline = fit_spline(History(space).tell(told), columns, features, rng)
    assert spline.Z.shape == (FIT_POINTS, 1)
    assert np.abs(spline.Z - 0.3).min() < 1e-3


def test_to_the_spline_failures_are_no_better_than_the_median():
    space = Space(x=Real(0, 1))
    told = [(None, {"x": x}, (x - 0.3) ** 2) for x in np.linspace(0, 0.6, 13)]
    told += [(None, {"x": x}, None) for x in (0.8, 0.9, 1.0)]
    history = History(space).tell(told)
    features = Features.of(space.encoding, np.array([True]))
    spline = fit_spline(history, np.array([True]), features, np.random.default_rng(0))
    low, cut, failed = spline(np.array([[0.3], [0.0], [0.9]]))
    assert failed == pytest.approx(cut, abs=0.02)
    assert low < cut - 0.5


def test_ever_fewer_coordinates_are_moved_and_always_one():
    shares = [moved_share(n) for n in (1, 2, 10, 100, 10_000)]
    assert shares == sorted(shares, reverse=True)
    assert (shares[0], shares[-1]) == (1.0, 0.0)
    scene = Scene()
    best, domain = scene.best, scene.domain
    for share, least, most in ((0.0, 1.0, 1.0), (0.5, 2.0, 3.5), (1.0, 4.0, 5.0)):
        points = beside(best[:1], share, domain, np.random.default_rng(0))
        moved = (points != best[:1]).sum(axis=1)
        assert len(points) == CANDIDATES
        assert least * 0.7 <= moved.mean() <= most  # a step may end on the same level


def test_some_steps_are_small_and_some_are_large():
    domain = Domain.of(Space(x=Real(0, 1)), {})
    steps = np.abs(beside(np.array([[0.5]]), 0.0, domain, np.random.default_rng(0)) - 0.5)
    assert np.mean(steps < 0.02) > 0.2
    assert np.mean(steps > 0.2) > 0.05


def test_every_one_of_several_best_points_has_neighbours():
    domain = Domain.of(SPACE, {})
    best = SPACE.encoding.encode(SPACE.sample(4, seed=2))
    points = beside(best, 0.0, domain, np.random.default_rng(0))
    nearest = np.argmax([(points == b).sum(axis=1) for b in best], axis=0)
    assert np.bincount(nearest, minlength=4).min() > 0.15 * CANDIDATES


def test_where_all_is_fixed_there_is_one_neighbour(calm):
    space = Space(x=Real(0, 1), n=Integer(1, 3))
    scene = Scene(space, fixed={"x": 0.5, "n": 2}, n=18, function=lambda c: c["x"] + c["n"])
    assert scene.domain.decode(scene.find(slots(4), calm=calm)) == [{"x": 0.5, "n": 2}]


def test_a_neighbourhood_that_is_used_up_gives_what_is_left(calm):
    space = Space(n=Integer(1, 9), b=Boolean())
    scene = Scene(space, n=18, function=lambda c: c["n"] + c["b"])
    rows = scene.domain.enumerate()
    scene.tried = set(row_keys(rows[2:]))
    found = set(row_keys(scene.find(slots(5), calm=calm)))
    assert found
    assert found <= set(row_keys(rows[:2]))
    scene.tried = set(row_keys(rows))
    assert len(scene.find(slots(5), calm=calm)) == 0
