"""Optuna's own contract tests of samplers."""

import pytest
from optuna.distributions import FloatDistribution

from tests.integrations.conftest import QUICK
from warpfront.integrations.optuna import HEBOSampler

samplers = pytest.importorskip(
    "optuna.testing.pytest_samplers", reason="this version of Optuna has no contract tests"
)


class TestHEBOSampler(
    samplers.BasicSamplerTestCase,
    samplers.RelativeSamplerTestCase,
    samplers.MultiObjectiveSamplerTestCase,
):
    @pytest.fixture
    def sampler(self):
        return lambda: HEBOSampler(seed=0, settings=QUICK)


class TestHEBOSamplerOnAGivenSpace(samplers.MultiObjectiveSamplerTestCase):
    @pytest.fixture
    def sampler(self):
        space = {"x": FloatDistribution(0.0, 1.0)}
        return lambda: HEBOSampler(seed=0, search_space=space, settings=QUICK)
