"""The robust ensemble of three acquisitions (paper, "Tackling Acquisition Conflict & Robustness").

Glossary
--------
X : (m, d)
    encoded candidates.
F : (m, k)
    objectives, all minimised: LCB, -log EI, -log PI, or one of them, or that of a joint batch.
tau
    improvement threshold: the posterior mean at the best observed point, less a small margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from warpfront.acquisition.batch import Batch, Conditional
from warpfront.acquisition.functions import exploration_weight, lcb, log_ei, log_pi
from warpfront.acquisition.robustness import robust_scales
from warpfront.settings import Settings
from warpfront.surrogate.gp import GaussianProcess

Floats = NDArray[np.float64]

IMPROVEMENT_MARGIN = 1e-4
"""How far below the incumbent an improvement must fall, in standardised units."""

KINDS = {
    "ensemble": ("lcb", "ei", "pi"),
    "lcb": ("lcb",),
    "ei": ("ei",),
    "pi": ("pi",),
    "qucb": ("qucb",),
    "qei": ("qei",),
    "qpi": ("qpi",),
}
"""The objectives of each acquisition that settings name."""
JOINT = ("qei", "qpi", "qucb")
"""Those of a joint batch (section 2.2)."""
BOUNDS = ("lcb", "qucb")
"""Those that are minimised as they are, not as logarithms that are maximised."""

Penalty = Callable[[Floats], Floats]
"""What is added to each objective, such as minus the log-probability of feasibility, (m,)."""


@dataclass(frozen=True)
class MonteCarlo:
    """Options of the Monte Carlo form of robustness.

    Attributes
    ----------
    perturbation
        Standard deviation of the perturbation of the logarithms of the hyper-parameters.
    samples
        How many perturbed models.
    """

    perturbation: float = 0.1
    samples: int = 8


@dataclass(frozen=True)
class Ensemble:
    """The objectives that NSGA-II minimises. Calling it draws fresh noise from its generator."""

    models: tuple[GaussianProcess, ...]
    tau: float
    kappa: float
    kinds: tuple[str, ...]
    mean_noise: float  # standard deviation of the noise added to the posterior mean
    value_noise: float  # standard deviation of the noise added to each acquisition
    rng: np.random.Generator
    penalty: Penalty | None = None
    batches: tuple[Batch, ...] = ()  # one for each model; none if points are valued one by one

    @classmethod
    def build(
        cls,
        gp: GaussianProcess,
        incumbent: Floats,
        settings: Settings,
        *,
        n: int,
        q: int,
        rng: np.random.Generator,
        penalty: Penalty | None = None,
        monte_carlo: MonteCarlo | None = None,
        batch: tuple[Floats, Floats] | None = None,
    ) -> Ensemble:
        """Assemble the ensemble on a fitted GP.

        Parameters
        ----------
        gp
            The model, already conditioned on pending points unless these are in ``batch``.
        incumbent
            The encoded best observed point, (d,).
        settings
            Which acquisitions, and how they are made robust.
        n, q
            Observations so far, and the size of the batch, pending points included.
        rng
            Source of the noise and of the perturbations.
        penalty
            Added to all objectives: feasibility, say.
        monte_carlo
            Options of ``robustness="monte-carlo"``.
        batch
            For joint acquisitions: the points (p, d) of the batch so far, pending ones included,
            and standard normal draws (s, >= p).
        """
        tau = float(gp.mean(incumbent[None, :])[0]) - IMPROVEMENT_MARGIN
        kappa = exploration_weight(n, q, gp.kernel.columns.d)
        kinds = KINDS[settings.acquisition]
        models: tuple[GaussianProcess, ...] = (gp,)
        mean_noise, value_noise = 0.0, 0.0
        if settings.robustness == "noise":
            if settings.rho is None:
                mean_noise = math.sqrt(2.0 * gp.noise)
            else:
                variance = gp.kernel.largest_variance(gp.theta)
                value_noise = robust_scales(
                    settings.rho,
                    settings.delta,
                    parameters=gp.kernel.size,
                    gradient_norm=1.0,  # only sigma_epsilon depends on it
                    # |mean(x)|^2 <= k(x, x) y' (K + noise I)^-1 y, by Cauchy and Schwarz
                    mean_square=variance * float(gp.t @ gp.alpha),
                    variance=variance,
                    kappa=kappa,
                ).sigma_n
        elif settings.robustness == "monte-carlo":
            options = MonteCarlo() if monte_carlo is None else monte_carlo
            models = perturbed(gp, options.perturbation, options.samples, rng)
        batches = () if batch is None else tuple(Batch.of(model, *batch) for model in models)
        return cls(models, tau, kappa, kinds, mean_noise, value_noise, rng, penalty, batches)

    def __call__(self, X: Floats) -> Floats:
        """Objectives (m, k) of candidates (m, d)."""
        values = np.array([self._acquisitions(i, X) for i in range(len(self.models))])  # (s, k, m)
        F = np.empty((len(X), len(self.kinds)))
        for k, kind in enumerate(self.kinds):
            if len(self.models) == 1:
                expected = values[0, k]
            elif kind in BOUNDS:
                expected = values[:, k].mean(axis=0)
            else:  # the expectation of EI or PI, not of its logarithm
                expected = logsumexp(values[:, k], axis=0) - math.log(len(self.models))
            F[:, k] = expected if kind in BOUNDS else -expected
        if self.value_noise:
            F += self.rng.normal(0.0, self.value_noise, F.shape)
        if self.penalty is not None:
            F += self.penalty(X)[:, None]
        return F

    def _acquisitions(self, i: int, X: Floats) -> list[Floats]:
        """The acquisitions by one of the models."""
        if self.batches:
            at = self.batches[i].condition(X)
            return [
                self._joint(kind, i, replace(at, mean=self._noisy(at.mean))) for kind in self.kinds
            ]
        mean, variance = self.models[i].predict(X)
        std = np.sqrt(variance)
        return [self._single(kind, self._noisy(mean), std) for kind in self.kinds]

    def _noisy(self, mean: Floats) -> Floats:
        if not self.mean_noise:
            return mean
        return mean + self.rng.normal(0.0, self.mean_noise, len(mean))

    def _single(self, kind: str, mean: Floats, std: Floats) -> Floats:
        if kind == "lcb":
            return lcb(mean, std, self.kappa)
        function = log_ei if kind == "ei" else log_pi
        return function(mean, std, self.tau)

    def _joint(self, kind: str, i: int, at: Conditional) -> Floats:
        if kind == "qucb":
            return self.batches[i].lcb(at, self.kappa)
        function = self.batches[i].log_ei if kind == "qei" else self.batches[i].log_pi
        return function(at, self.tau)


def perturbed(
    gp: GaussianProcess, scale: float, samples: int, rng: np.random.Generator
) -> tuple[GaussianProcess, ...]:
    """The same data under hyper-parameters theta + N(0, scale^2 I), several times."""
    low, high = gp.kernel.priors.bounds.T
    return tuple(
        gp.with_theta(np.clip(gp.theta + rng.normal(0.0, scale, gp.kernel.size), low, high))
        for _ in range(samples)
    )
