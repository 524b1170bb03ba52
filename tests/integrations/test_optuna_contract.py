"""Optuna's own contract tests of samplers."""

import pytest
from optuna.distributions import FloatDistribution

from warpfront.integrations.optuna import HEBOSampler

samplers = pytest.importorskip(
    "optuna.testing.pytest_samplers", reason="this version of Optuna has no contract tests"
)


class TestHEBOSampler(
    samplers.BasicSamplerTestCase,
    samplers.RelativeSamplerTestCase,
    samplers.SingleOnlySamplerTestCase,
):
    @pytest.fixture
    def sampler(self):
        return lambda: HEBOSampler(seed=0)


class TestHEBOSamplerOnAGivenSpace(samplers.SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return lambda: HEBOSampler(seed=0, search_space={"x": FloatDistribution(0.0, 1.0)})
