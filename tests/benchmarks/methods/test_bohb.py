"""How the two adapters of BOHB-BB fill a batch, with the package replaced by a stub."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from benchmarks.methods import registry
from benchmarks.methods.adapter import Run
from benchmarks.methods.adapters.bohb import BOHB
from benchmarks.methods.parameters import parse_space
from warpfront import Real, Space

SPACE = Space(x=Real(0, 1)).to_dict()


class Generator:
    """Stands for HpBandSter's: the k-th maximisation gives x = 0.k."""

    def __init__(self, space, **options):
        self.options, self.maximisations, self.told = options, 0, []

    def get_config(self, budget):
        self.maximisations += 1
        return {"x": self.maximisations / 10}, {}

    def new_result(self, job, update_model):
        self.told.append((job.kwargs["config"]["x"], job.result, update_model))


class ConfigurationSpace:
    """Samples x = 0.99 only."""

    def __init__(self, seed):
        pass

    def add(self, dimensions):
        pass

    def sample_configuration(self):
        return {"x": 0.99}


@pytest.fixture(autouse=True)
def stubs(monkeypatch):
    config_space = ModuleType("ConfigSpace")
    config_space.ConfigurationSpace = ConfigurationSpace
    config_space.UniformFloatHyperparameter = lambda *_: None
    generators = ModuleType("hpbandster.optimizers.config_generators.bohb")
    generators.BOHB = Generator
    monkeypatch.setitem(sys.modules, "ConfigSpace", config_space)
    monkeypatch.setitem(sys.modules, generators.__name__, generators)
    monkeypatch.setattr("numpy.random.seed", lambda seed: None)


def begin(fill, batch):
    run = Run(parse_space(SPACE), SPACE, seed=0, batch=batch, rounds=2)
    return BOHB(run, fill)


def xs(configs):
    return [config["x"] for config in configs]


def test_the_papers_choice_is_one_maximisation_and_random_points():
    assert xs(begin("random", 4).ask(4)) == [0.1, 0.99, 0.99, 0.99]


def test_the_other_is_as_many_maximisations_as_points():
    adapter = begin("independent", 4)
    assert xs(adapter.ask(4)) == [0.1, 0.2, 0.3, 0.4]
    assert xs(adapter.ask(2)) == [0.5, 0.6]


@pytest.mark.parametrize("fill", ["random", "independent"])
def test_a_batch_of_one_is_the_package_as_it_is(fill):
    adapter = begin(fill, 1)
    assert xs(adapter.ask(1)) == [0.1]
    assert adapter._generator.options == {}
    assert begin(fill, 2)._generator.options == {"random_fraction": 0.0}


@pytest.mark.parametrize("fill", ["random", "independent"])
def test_the_model_is_updated_once_a_batch(fill):
    adapter = begin(fill, 3)
    configs = adapter.ask(3)
    adapter.tell(configs, [1.0, None, 2.0])
    results = [(result, update) for _, result, update in adapter._generator.told]
    assert results == [({"loss": 1.0}, False), (None, False), ({"loss": 2.0}, True)]


def test_both_are_registered():
    assert registry.find("bohb").module == ("bohb", "random")
    assert registry.find("bohb-independent").module == ("bohb", "independent")
