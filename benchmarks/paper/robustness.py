"""``python -m benchmarks paper robustness``: the theorem of the appendix, by Monte Carlo.

The theorem ("Details of Robust Acquisition"): for accuracy rho and confidence delta there are a
noise sigma_n and a perturbation sigma_epsilon such that the noisy acquisition and its expectation
over perturbed hyper-parameters differ by at most rho, with probability at least 1 - delta. Here on
GPs fitted to the tasks, with both scales from the appendix's formulas.

Glossary
--------
theta : (p,)
    logarithms of the hyper-parameters of the GP
A1, A2, A3
    bounds of the norm of the acquisition's gradient in theta, of E[mu^2] and of E[sigma^2]
share
    part of the pairs (point, draw of the noise) at which the two differ by at most rho
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.options import positive
from benchmarks.paper import options as shared
from benchmarks.paper.pieces import Pieces, carry_out
from benchmarks.paper.results import Findings, publish
from benchmarks.paper.samples import history_of, samples_of, told
from benchmarks.report.page import pipes
from benchmarks.report.sheets import write_sheet
from benchmarks.report.tables import Table
from benchmarks.tasks.registry import TASKS
from warpfront import Settings
from warpfront.acquisition.functions import exploration_weight, lcb
from warpfront.acquisition.robustness import RobustScales, robust_scales
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.model import Model

Floats = NDArray[np.float64]

ITEM = "robustness"

CASES = ((0.5, 0.05), (0.1, 0.05), (0.1, 0.5), (0.02, 0.01))
"""(rho, delta); the losses are standardised, so that rho is in their standard deviations."""

OBSERVATIONS, BATCH = 32, 8
"""What the GP is fitted to, and the batch that the weight of UCB is for."""

SMALL, FULL = (64, 100), (512, 1000)
"""(points, perturbed models) of the two sizes."""

DRAWS = 1000
"""Of the noise at each point."""

STEP = 1e-5
"""Of the central differences for A1."""

LOUD = 30.0
"""The control: with so many times sigma_n the inequality must fail."""

NOTE = f"""\
UCB on GPs fitted to {OBSERVATIONS} samples of each task with the paper's model. *Share*: points ×
draws of the noise at which noisy acquisition and robust expectation differ by at most rho; the
theorem promises at least 1 − delta. *Largest shift*: of the expectation from the unperturbed
acquisition, as a share of rho; the proof allows 1/4. *Control*: the share with {LOUD:.0f} times the
noise. A1 is the largest gradient at the points used, A2 and A3 follow from the fitted GP (Cauchy
and Schwarz); the appendix's own closed forms of them are bounds many orders of magnitude wider,
which make both scales smaller still. The share is always 1 because the proof is a chain of
worst cases: sigma_n alone puts rho at four or more of its own standard deviations."""


@dataclass(frozen=True)
class Check:
    """The theorem on one GP: scales by the formulas, and what Monte Carlo says."""

    rho: float
    delta: float
    sigma_n: float
    sigma_epsilon: float
    samples: float  # N_epsilon, which the formulas need; whole, but may be beyond any integer type
    share: float
    largest_shift: float  # of the expectation, as a share of rho
    control: float


@dataclass(frozen=True)
class Checks:
    """The theorem on the GP of one task."""

    task: str
    configs: str  # of the observations, as JSON
    losses: tuple[float | None, ...]
    points: int
    models: int

    @property
    def name(self) -> str:
        """Path of its file."""
        return f"robustness/{self.task}-{len(self.losses)}-{self.points}-{self.models}"

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return 2e-3 * self.models * len(CASES)

    def compute(self) -> dict[str, Any]:
        """All cases."""
        import json

        space = TASKS[self.task].space
        history = told(space, json.loads(self.configs), self.losses)
        gp = Model.fit(history, Settings.paper(starts=2), seed=0).gp
        rng = np.random.default_rng(0)
        X = space.encoding.encode(space.sample(self.points, 1, method="uniform"))
        kappa = exploration_weight(len(self.losses), BATCH, gp.form.d)
        found = [check(gp, X, kappa, rho, delta, self.models, rng) for rho, delta in CASES]
        return {"checks": [asdict(one) for one in found]}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    sizes = [f"{points} points and {models} perturbed models a task" for points, models in (SMALL, FULL)]
    shared.add_size(parser, f"the quick tier, {sizes[0]}", f"all 108 tasks, {sizes[1]}")
    shared.add_tasks(parser)
    parser.add_argument("--points", type=positive, metavar="N", help="at which to compare")
    parser.add_argument("--models", type=positive, metavar="N", help="perturbed, for expectations")
    shared.add_work(parser)
    shared.add_output(parser)


def execute(options: argparse.Namespace) -> int:
    """Check what is not checked yet, then write the table; return the exit status."""
    import json

    points, models = FULL if options.full else SMALL
    points, models = options.points or points, options.models or models
    tasks = shared.tasks_of(options)
    samples = samples_of(tasks, OBSERVATIONS)
    pieces = Pieces(options.records)
    carry_out(list(dict.fromkeys(samples.values())), options.records, options.jobs)
    wanted = []
    for task in tasks:
        data = pieces.read(samples[task])
        losses = data["losses"][TASKS[task].metric]
        wanted.append(Checks(task, json.dumps(data["configs"]), tuple(losses), points, models))
    carry_out(wanted, options.records, options.jobs)
    found = {one.task: [Check(**case) for case in pieces.read(one)["checks"]] for one in wanted}
    write_sheet(
        options.output / f"{ITEM}.csv",
        ["task", *asdict(next(iter(found.values()))[0])],
        [[task, *asdict(one).values()] for task, cases in found.items() for one in cases],
    )
    findings = Findings(
        item=ITEM,
        title="The robustness theorem by Monte Carlo",
        size=f"{len(tasks)} of 108 tasks, {points} points × {DRAWS} draws of the noise, "
        f"{models} perturbed models",
        brief=f"{pipes(table(list(found.values())))}\n\n{NOTE}",
    )
    return publish(findings, options, ["full", "tier", "tasks", "points", "models"])


def check(
    gp: GaussianProcess,
    X: Floats,
    kappa: float,
    rho: float,
    delta: float,
    models: int,
    rng: np.random.Generator,
) -> Check:
    """Compare noisy acquisition and robust expectation at points (m, d)."""
    scales = scales_of(gp, X, kappa, rho, delta)
    shifts = rng.normal(0.0, scales.sigma_epsilon, (models, gp.form.size))
    values = [acquisition(gp.with_theta(gp.theta + shift), X, kappa) for shift in shifts]
    expectation, plain = np.mean(values, axis=0), acquisition(gp, X, kappa)
    noise = rng.standard_normal((DRAWS, len(X)))

    def share(sigma: float) -> float:
        return float(np.mean(np.abs(plain + sigma * noise - expectation) <= rho))

    return Check(
        rho=rho,
        delta=delta,
        sigma_n=scales.sigma_n,
        sigma_epsilon=scales.sigma_epsilon,
        samples=float(scales.samples),
        share=share(scales.sigma_n),
        largest_shift=float(np.abs(expectation - plain).max()) / rho,
        control=share(LOUD * scales.sigma_n),
    )


def scales_of(
    gp: GaussianProcess, X: Floats, kappa: float, rho: float, delta: float
) -> RobustScales:
    """Sigma_n and sigma_epsilon by the formulas, for a GP and points (m, d)."""
    variance = gp.form.largest_variance(gp.theta)
    return robust_scales(
        rho,
        delta,
        parameters=gp.form.size,
        gradient_norm=float(gradient_norms(gp, X, kappa).max()),
        mean_square=variance * float(gp.y @ gp.alpha),  # by Cauchy and Schwarz
        variance=variance,
        kappa=kappa,
    )


def acquisition(gp: GaussianProcess, X: Floats, kappa: float) -> Floats:
    """The bound of the proof, (m,): the UCB of minus the loss is minus our LCB."""
    mean, variance = gp.predict(X)
    return -lcb(mean, np.sqrt(variance), kappa)


def gradient_norms(gp: GaussianProcess, X: Floats, kappa: float) -> Floats:
    """Norms of the acquisition's gradient in theta at each point, by central differences, (m,)."""
    columns = [
        acquisition(gp.with_theta(gp.theta + step), X, kappa)
        - acquisition(gp.with_theta(gp.theta - step), X, kappa)
        for step in STEP * np.eye(gp.form.size)
    ]
    return np.asarray(np.linalg.norm(columns, axis=0)) / (2.0 * STEP)


def table(found: Sequence[Sequence[Check]]) -> Table:
    """One line a case, over all tasks."""
    head = ["rho", "delta", "promised share", "smallest share of a task", "mean share"]
    head += ["sigma_n, median", "sigma_epsilon, median", "largest shift / rho", "control"]
    lines = [head]
    for cases in zip(*found, strict=True):
        shares = [one.share for one in cases]
        lines.append(
            [
                f"{cases[0].rho:g}",
                f"{cases[0].delta:g}",
                f"{1.0 - cases[0].delta:.2f}",
                f"{min(shares):.4f}",
                f"{np.mean(shares):.4f}",
                f"{np.median([one.sigma_n for one in cases]):.2g}",
                f"{np.median([one.sigma_epsilon for one in cases]):.2g}",
                f"{max(one.largest_shift for one in cases):.2g}",
                f"{np.mean([one.control for one in cases]):.3f}",
            ]
        )
    return lines
