"""Where evaluations fail: said only if it is no chance."""

import numpy as np
import pytest

from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.analysis.failures import common_reason, failure_region
from warpfront.history import History

SPACE = Space(
    rate=Real(1e-4, 1.0, scale="log"),
    depth=Integer(1, 12),
    kind=Categorical(["a", "b", "c"]),
    size=Ordinal(["small", "medium", "large", "huge"]),
    bias=Boolean(),
)


def told(fails, n=60, space=SPACE):
    configs = space.sample(n, seed=1)
    return History(space).tell([(None, c, None if fails(c) else 1.0) for c in configs])


@pytest.mark.parametrize(
    ("fails", "condition"),
    [
        (lambda c: c["depth"] > 10, "depth above 10"),
        (lambda c: c["depth"] < 3, "depth below 3"),
        (lambda c: c["kind"] == "b", "kind = b"),
        (lambda c: c["size"] == "huge", "size from huge on"),
        (lambda c: c["bias"], "bias = true"),
    ],
)
def test_a_condition_that_all_failures_meet_is_found(fails, condition):
    history = told(fails)
    found = failure_region(history)
    assert found.condition == condition
    assert (found.failed, found.completed) == (len(history.of_state("failed")), 0)


def test_the_limit_of_a_real_parameter_is_a_short_number_between():
    history = told(lambda c: c["rate"] > 0.1)
    name, side, limit = failure_region(history).condition.split()
    failed = [t.config["rate"] for t in history.of_state("failed")]
    good = [t.config["rate"] for t in history.completed]
    assert (name, side) == ("rate", "above")
    assert max(good) < float(limit) < min(failed)
    assert len(limit) <= 5


def test_a_few_exceptions_are_counted():
    history = told(lambda c: c["depth"] > 8 and c["rate"] > 2e-4)
    found = failure_region(history)
    assert found.condition == "depth above 8"
    assert found.completed == sum(t.config["depth"] > 8 for t in history.completed) > 0


def test_failures_at_random_have_no_condition():
    rng = np.random.default_rng(0)
    found = [failure_region(told(lambda _: rng.random() < 0.2)) for _ in range(20)]
    assert sum(region is not None for region in found) <= 2
    assert failure_region(told(lambda c: c["depth"] == 12 and c["bias"], 12)) is None  # too few
    assert failure_region(told(lambda _: True)) is None


def test_the_condition_of_a_conditional_parameter_needs_it_to_be_active():
    space = Space(kind=Categorical(["tree", "net"]), depth=Integer(1, 9, when={"kind": "tree"}))
    history = told(lambda c: c.get("depth", 0) > 6, 60, space)
    found = failure_region(history)
    assert found.condition == "depth above 6"
    assert found.completed == 0


def test_the_most_common_reason():
    config = SPACE.sample(1, seed=0)[0]
    failures = [(None, config, OSError("full")), (None, config, None), (None, config, None)]
    assert common_reason(History(SPACE).tell(failures))[1] == 2
    assert common_reason(History(SPACE)) is None
