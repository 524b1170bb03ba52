"""What holds of every suggestion, for any space and any history."""

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import configurations, histories, losses, parameters, spaces
from warpfront import HEBO, Boolean, Categorical, Integer, Real, Settings, Space
from warpfront.history import History
from warpfront.optimizers.hebo import suggest
from warpfront.space.encoding import row_keys

pytestmark = pytest.mark.usefixtures("quick_paper")
QUICK = {"population": 16, "generations": 3, "initial": 2}
PRESETS = (Settings(**QUICK), Settings.paper(**QUICK))
EXAMPLES = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def wishes(draw, space):
    """Values at which some parameters of a space are held, mostly none."""
    if draw(st.integers(0, 2)):
        return {}
    config = draw(configurations(space))
    return {name: config[name] for name in draw(st.sets(st.sampled_from(space.names)))}


@st.composite
def scenes(draw):
    """A space and a history, from one value to fifty dimensions and a thousand levels."""
    kind = draw(st.sampled_from(["any", "any", "any", "one value", "levels", "many"]))
    if kind == "any":
        space = draw(spaces())
    elif kind == "one value":
        constants = [Real(2, 2), Integer(5, 5), Categorical([None])]
        more = draw(st.lists(parameters(), max_size=1))
        space = Space({f"p{i}": p for i, p in enumerate(constants + more)})
    elif kind == "levels":
        space = Space(c=Categorical(list(range(1000))), p=draw(parameters()))
    else:
        few = draw(st.lists(parameters(), min_size=1, max_size=4))
        space = Space({f"p{i}": few[i % len(few)] for i in range(draw(st.integers(50, 60)))})
    return draw(histories(space, max_trials=4 if kind == "many" else 10))


def is_native(value):
    if isinstance(value, list):
        return all(map(is_native, value))
    if isinstance(value, dict):
        return all(map(is_native, value.values()))
    return type(value) in (float, int, str, bool, type(None))


@given(st.data())
@EXAMPLES
def test_suggestions_are_always_inside_the_space(data):
    history = data.draw(scenes())
    space, fixed = history.space, data.draw(wishes(history.space))
    n, seed = data.draw(st.integers(1, 9)), data.draw(st.integers(0, 2**64))
    preset = data.draw(st.sampled_from(PRESETS))
    proposals = suggest(history, n, seed=seed, fixed=fixed, settings=preset)
    assert len(proposals) == n
    batch = [proposal.config for proposal in proposals]
    for config in batch:
        assert list(config) == list(space.names)
        assert config in space
        assert all(map(is_native, config.values()))
        assert all(
            config[name] == value for name, value in space.validate(fixed, partial=True).items()
        )
    # Handed out, told and saved, a configuration stays what it is.
    assert [space.validate(json.loads(json.dumps(config))) for config in batch] == batch


@given(st.data())
@EXAMPLES
def test_suggestions_are_new_as_long_as_there_is_anything_new(data):
    history = data.draw(scenes())
    n = data.draw(st.integers(1, 9))
    batch = suggest(history, n, seed=0, fixed={}, settings=PRESETS[0])
    encode = history.space.encoding.encode
    tried = set(row_keys(encode([t.config for t in history.trials])))
    replicates = {row_keys(encode([p.config]))[0] for p in batch if p.proposer == "replicate"}
    new = [p.config for p in batch if p.proposer != "replicate"]
    fresh = set(row_keys(encode(new))) - tried
    assert replicates <= tried
    if history.space.size <= 4096 or history.space.size == math.inf:
        assert len(fresh) == min(len(new), history.space.size - len(tried))
    else:
        assert fresh or not new


@given(st.data())
@EXAMPLES
def test_the_order_of_observations_does_not_matter(data):
    space = data.draw(spaces(max_size=4))
    pairs = st.tuples(configurations(space), losses())
    outcomes = data.draw(st.lists(pairs, min_size=1, max_size=9))
    shuffled = data.draw(st.permutations(outcomes))
    waiting = data.draw(st.lists(configurations(space), max_size=3))
    waiting_shuffled = data.draw(st.permutations(waiting))
    preset = data.draw(st.sampled_from(PRESETS))

    def suggestions(told, pending):
        history = History(space).tell([(None, config, value) for config, value in told])
        return suggest(history.ask(pending), 3, seed=1, fixed={}, settings=preset)

    assert suggestions(outcomes, waiting) == suggestions(shuffled, waiting_shuffled)


@given(st.data())
@EXAMPLES
def test_the_same_seed_gives_the_same_suggestions(data):
    history = data.draw(scenes())
    seed = data.draw(st.integers(0, 2**64))
    preset = data.draw(st.sampled_from(PRESETS))
    copy = History.from_list(
        Space.from_dict(json.loads(json.dumps(history.space.to_dict()))),
        json.loads(json.dumps(history.to_list())),
    )
    first, second = (suggest(h, 4, seed=seed, fixed={}, settings=preset) for h in (history, copy))
    assert first == second


@given(st.data())
@settings(max_examples=25)
def test_a_run_of_any_shape_can_be_resumed_after_any_step(data):
    space = data.draw(spaces(max_size=3))
    optimizer = HEBO(space, seed=3, settings=PRESETS[0])
    resumed = HEBO.from_json(optimizer.to_json())
    waiting = []
    for _ in range(data.draw(st.integers(1, 5))):
        if waiting and data.draw(st.booleans()):
            place = data.draw(st.integers(0, len(waiting) - 1))
            suggestion, value = waiting.pop(place), data.draw(losses())
            optimizer.tell(suggestion, value)
            resumed.tell(suggestion, value)
        else:
            n = data.draw(st.integers(1, 4))
            batch = optimizer.ask(n)
            assert resumed.ask(n) == batch
            waiting += batch
        resumed = HEBO.from_json(resumed.to_json())
    assert resumed.history == optimizer.history
    assert resumed.ask(2) == optimizer.ask(2)


@pytest.mark.parametrize("preset", PRESETS, ids=["default", "paper"])
@pytest.mark.parametrize(
    "space",
    [
        Space(x=Real(1, 1)),
        Space(c=Categorical([{"a": [1, None]}])),
        Space(c=Categorical(list(range(1000)))),
        Space(c=Categorical(list(range(1000))), n=Integer(1, 10**9, scale="log"), b=Boolean()),
        Space({f"x{i}": Real(0, 1) for i in range(60)}),
        Space({f"n{i}": Integer(0, 10**12) for i in range(60)}),
        Space({f"b{i}": Boolean() for i in range(60)}),
    ],
    ids=["constant", "one choice", "levels", "mixed", "reals", "integers", "booleans"],
)
def test_extreme_spaces_are_searched(space, preset):
    optimizer = HEBO(space, seed=0, settings=preset)
    rng = np.random.default_rng(0)
    for _ in range(4):
        batch = optimizer.ask(5)
        assert all(config in space for config in batch)
        optimizer.tell(batch, rng.normal(size=5))
    tried = set(row_keys(space.encoding.encode([t.config for t in optimizer.history.trials])))
    assert len(tried) == min(20, space.size)
