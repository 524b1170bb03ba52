"""The robust ensemble of three acquisitions (paper, "Tackling Acquisition Conflict & Robustness").

Glossary
--------
X : (m, d)
    encoded candidates, restricted to the columns that the model uses.
F : (m, k)
    objectives, all minimised: LCB, -log EI, -log PI, or one of them.
tau
    improvement threshold: the posterior mean at the best observed point, less a small margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from warpfront.acquisition.functions import exploration_weight, lcb, log_ei, log_pi
from warpfront.acquisition.robustness import robust_scales
from warpfront.settings import Settings
from warpfront.surrogate.gp import GaussianProcess

Floats = NDArray[np.float64]

IMPROVEMENT_MARGIN = 1e-4
"""How far below the incumbent an improvement must fall, in standardised units."""


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
    ) -> Ensemble:
        """Assemble the ensemble on a fitted GP.

        Parameters
        ----------
        gp
            The model, already conditioned on pending points.
        incumbent
            The encoded best observed point, (d,).
        settings
            Which acquisitions, and how they are made robust.
        n, q
            Observations so far, and the size of the batch, pending points included.
        rng
            Source of the noise and of the perturbations.
        """
        tau = float(gp.predict(incumbent[None, :])[0][0]) - IMPROVEMENT_MARGIN
        kappa = exploration_weight(n, q, gp.form.d)
        chosen = settings.acquisition
        kinds = ("lcb", "ei", "pi") if chosen == "ensemble" else (chosen,)
        models: tuple[GaussianProcess, ...] = (gp,)
        mean_noise, value_noise = 0.0, 0.0
        if settings.robustness == "noise":
            if settings.rho is None:
                mean_noise = math.sqrt(2.0 * gp.noise)
            else:
                variance = gp.form.largest_variance(gp.theta)
                value_noise = robust_scales(
                    settings.rho,
                    settings.delta,
                    parameters=gp.form.size,
                    gradient_norm=1.0,  # only sigma_epsilon depends on it
                    # |mean(x)|^2 <= k(x, x) y' (K + noise I)^-1 y, by Cauchy and Schwarz
                    mean_square=variance * float(gp.y @ gp.alpha),
                    variance=variance,
                    kappa=kappa,
                ).sigma_n
        elif settings.robustness == "monte-carlo":
            models = perturbed(gp, settings.perturbation, settings.samples, rng)
        return cls(models, tau, kappa, kinds, mean_noise, value_noise, rng)

    def __call__(self, X: Floats) -> Floats:
        """Objectives (m, k) of candidates (m, d)."""
        values = np.array([self._acquisitions(gp, X) for gp in self.models])  # (s, k, m)
        F = np.empty((len(X), len(self.kinds)))
        for k, kind in enumerate(self.kinds):
            if len(self.models) == 1:
                expected = values[0, k]
            elif kind == "lcb":
                expected = values[:, k].mean(axis=0)
            else:  # the expectation of EI or PI, not of its logarithm
                expected = logsumexp(values[:, k], axis=0) - math.log(len(self.models))
            F[:, k] = expected if kind == "lcb" else -expected
        if self.value_noise:
            F += self.rng.normal(0.0, self.value_noise, F.shape)
        return F

    def _acquisitions(self, gp: GaussianProcess, X: Floats) -> list[Floats]:
        mean, variance = gp.predict(X)
        std = np.sqrt(variance)
        result = []
        for kind in self.kinds:
            noisy = mean
            if self.mean_noise:
                noisy = mean + self.rng.normal(0.0, self.mean_noise, len(X))
            if kind == "lcb":
                result.append(lcb(noisy, std, self.kappa))
            else:
                function = log_ei if kind == "ei" else log_pi
                result.append(function(noisy, std, self.tau))
        return result


def perturbed(
    gp: GaussianProcess, scale: float, samples: int, rng: np.random.Generator
) -> tuple[GaussianProcess, ...]:
    """The same data under hyper-parameters theta + N(0, scale^2 I), several times."""
    low, high = gp.form.bounds.T
    return tuple(
        gp.with_theta(np.clip(gp.theta + rng.normal(0.0, scale, gp.form.size), low, high))
        for _ in range(samples)
    )
