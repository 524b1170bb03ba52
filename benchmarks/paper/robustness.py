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
reach
    the largest noise and perturbation of the theorem, in the limit of rho and delta to 1
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.options import positive
from benchmarks.paper import options as shared
from benchmarks.paper.model import fit_paper_model
from benchmarks.paper.results import Findings, picture, publish
from benchmarks.paper.samples import Sampled, add_samples, derive, name_from
from benchmarks.report.figures import DPI, WIDTH, finish, new_figure
from benchmarks.report.page import pipes
from benchmarks.report.sheets import write_sheet
from benchmarks.report.tables import Table
from warpfront.acquisition.ensemble import MonteCarlo
from warpfront.acquisition.functions import exploration_weight, lcb
from warpfront.acquisition.robustness import robust_scales
from warpfront.surrogate.gp import GaussianProcess

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

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""One a case, with the measured bounds."""

STEP = 1e-5
"""Of the central differences for A1."""

MULTIPLES = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Of sigma_n: the theorem's noise, and controls with more, where the inequality must fail."""

LOUD = 3
"""The control of the table, among these."""

RELEASED, PERTURBATION = "released noise, on the mean", "default perturbation"

NOTE = f"""\
UCB on GPs fitted to {OBSERVATIONS} samples of each task with the paper's model. *Share*: points ×
draws of the noise at which noisy acquisition and robust expectation differ by at most rho; the
theorem promises at least 1 − delta. *Largest shift*: of the expectation from the unperturbed
acquisition, as a share of rho; the proof allows 1/4. *Control*: the share with
{MULTIPLES[LOUD]:.0f} times the noise, where the promise need not hold. *Measured* bounds: the
largest gradient at the points used, and what the fitted GP says of its mean and variance. *Printed*
bounds: the appendix's closed forms of A1, A2 and A3, as they stand; they are so wide that hardly
any perturbation is left. (They rest on a posterior deviation no smaller than the prior variance,
which does not hold near observations, A2 lacks a factor N² and A3 a factor N; the measured bounds
need none of this.)
The shares are 1 because the proof is a chain of worst cases: by its sigma_n, rho is some twenty
standard deviations of the noise."""

REACH_NOTE = """\
*Default*: what is added unless `rho` is given, on the same GPs. *The theorem's largest*: sigma_n
and sigma_epsilon in the limit of rho and delta to 1, with the measured bounds; both grow with rho
and delta, so no choice of them justifies more. The released noise is sqrt(2) times the noise
deviation of the GP, added to its mean; the perturbation is that of the logarithms of the
hyper-parameters in `robustness="monte-carlo"`."""


@dataclass(frozen=True)
class Bounds:
    """A1, A2 and A3, and whose they are."""

    whose: str
    gradient_norm: float
    mean_square: float
    variance: float


@dataclass(frozen=True)
class Check:
    """The theorem on one GP: scales by the formulas, and what Monte Carlo says."""

    bounds: str  # whose A1, A2 and A3
    rho: float
    delta: float
    sigma_n: float
    sigma_epsilon: float
    samples: float  # N_epsilon, which the formulas need; whole, but may be beyond any integer type
    shares: list[float]  # with each multiple of sigma_n
    largest_shift: float  # of the expectation, as a share of rho

    @property
    def share(self) -> float:
        """With the theorem's own noise."""
        return self.shares[0]


@dataclass(frozen=True)
class Reach:
    """What is added by default, and the most that the theorem allows."""

    noise: float
    most_noise: float
    perturbation: float
    most_perturbation: float


@dataclass(frozen=True)
class Checks:
    """The theorem on the GP of one task."""

    sampled: Sampled
    points: int
    models: int

    @property
    def name(self) -> str:
        """Path of its file."""
        return name_from(self, ITEM, __file__, self.points, self.models)

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return 4e-3 * self.models * len(CASES)

    def compute(self) -> dict[str, Any]:
        """All cases."""
        history = self.sampled.history(OBSERVATIONS)
        gp, space = fit_paper_model(history).gp, history.space
        rng = np.random.default_rng(0)
        X = space.encoding.encode(space.sample(self.points, 1, method="uniform"))
        kappa = exploration_weight(history.told, BATCH, gp.kernel.columns.d)
        found = [
            check(gp, X, kappa, rho, delta, bounds, self.models, rng)
            for bounds in (measured(gp, X, kappa), as_printed(gp, kappa))
            for rho, delta in CASES
        ]
        return {"checks": [asdict(one) for one in found], "reach": asdict(reach(gp, X, kappa))}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    sizes = [
        f"{points} points and {models} perturbed models a task" for points, models in (SMALL, FULL)
    ]
    shared.add_size(parser, f"the quick tier, {sizes[0]}", f"all 108 tasks, {sizes[1]}")
    shared.add_tasks(parser)
    parser.add_argument("--points", type=positive, metavar="N", help="at which to compare")
    parser.add_argument("--models", type=positive, metavar="N", help="perturbed, for expectations")
    add_samples(parser)
    shared.add_work(parser)
    shared.add_output(parser)


def execute(options: argparse.Namespace) -> int:
    """Check what is not checked yet, then write the table; return the exit status."""
    points, models = FULL if options.full else SMALL
    points, models = options.points or points, options.models or models
    tasks = shared.tasks_of(options)
    kept = derive(tasks, options, lambda sampled: Checks(sampled, points, models))
    if not options.full:
        options.points, options.models = points, models
    found = {task: [Check(**case) for case in one["checks"]] for task, one in kept.items()}
    reaches = {task: Reach(**one["reach"]) for task, one in kept.items()}
    write_sheet(options.output / f"{ITEM}.csv", *_sheet(found))
    write_sheet(options.output / f"{ITEM}-reach.csv", *_reach_sheet(reaches))
    draw(list(found.values()), options.output / f"{ITEM}.png")
    findings = Findings(
        item=ITEM,
        title="The robustness theorem by Monte Carlo",
        size=f"{len(found)} of 108 tasks, {points} points × {DRAWS} draws of the noise, "
        f"{models} perturbed models",
        brief="\n\n".join(
            [
                pipes(table(list(found.values()))),
                NOTE,
                pipes(reach_table(list(reaches.values()))),
                REACH_NOTE,
            ]
        ),
        rest=[picture(ITEM, "share against the noise")],
    )
    return publish(
        findings, options, ["full", "tier", "tasks", "without", "points", "models", "samples"]
    )


def check(
    gp: GaussianProcess,
    X: Floats,
    kappa: float,
    rho: float,
    delta: float,
    bounds: Bounds,
    models: int,
    rng: np.random.Generator,
) -> Check:
    """Compare noisy acquisition and robust expectation at points (m, d)."""
    scales = robust_scales(
        rho,
        delta,
        parameters=gp.kernel.size,
        gradient_norm=bounds.gradient_norm,
        mean_square=bounds.mean_square,
        variance=bounds.variance,
        kappa=kappa,
    )
    shifts = rng.normal(0.0, scales.sigma_epsilon, (models, gp.kernel.size))
    values = [acquisition(gp.with_theta(gp.theta + shift), X, kappa) for shift in shifts]
    expectation, plain = np.mean(values, axis=0), acquisition(gp, X, kappa)
    noise = rng.standard_normal((DRAWS, len(X)))

    def share(sigma: float) -> float:
        return float(np.mean(np.abs(plain + sigma * noise - expectation) <= rho))

    return Check(
        bounds=bounds.whose,
        rho=rho,
        delta=delta,
        sigma_n=scales.sigma_n,
        sigma_epsilon=scales.sigma_epsilon,
        samples=float(scales.samples),
        shares=[share(multiple * scales.sigma_n) for multiple in MULTIPLES],
        largest_shift=float(np.abs(expectation - plain).max()) / rho,
    )


def reach(gp: GaussianProcess, X: Floats, kappa: float) -> Reach:
    """The defaults on a fitted GP beside the theorem's scales for rho = delta = 1."""
    bounds = measured(gp, X, kappa)
    limit = robust_scales(
        1.0,
        1.0,
        parameters=gp.kernel.size,
        gradient_norm=bounds.gradient_norm,
        mean_square=bounds.mean_square,
        variance=bounds.variance,
        kappa=kappa,
    )
    return Reach(
        noise=float(np.sqrt(2.0 * gp.noise)),
        most_noise=limit.sigma_n,
        perturbation=MonteCarlo().perturbation,
        most_perturbation=limit.sigma_epsilon,
    )


def measured(gp: GaussianProcess, X: Floats, kappa: float) -> Bounds:
    """What holds of a fitted GP at points (m, d)."""
    variance = gp.kernel.largest_variance(gp.theta)
    return Bounds(
        "measured",
        gradient_norm=float(gradient_norms(gp, X, kappa).max()),
        mean_square=variance * float(gp.t @ gp.alpha),  # by Cauchy and Schwarz
        variance=variance,
    )


def as_printed(gp: GaussianProcess, kappa: float) -> Bounds:
    """The closed forms of the appendix (its claim), with the constants of a fitted GP."""
    kernel, theta = gp.kernel, gp.theta
    n, p = len(gp.t), kernel.size
    # Samples of one configuration are averaged, which leaves less noise.
    noise = float(gp.targets.variance(gp.noise).min())
    c = float(np.abs(gp.t).max())  # C; the prior mean, and so M4, is 0
    m0 = float(kernel.diagonal(theta, gp.points).min())
    m1 = kernel.largest_variance(theta)
    differences = [
        (gp.with_theta(theta + step), gp.with_theta(theta - step)) for step in STEP * np.eye(p)
    ]
    slopes = [
        kernel.covariance(up.theta, up.points, up.points)
        - kernel.covariance(down.theta, down.points, down.points)
        for up, down in differences
    ]
    m2 = float(np.linalg.norm(slopes, axis=0).max()) / (2.0 * STEP)
    root = np.sqrt(p)
    of_mean = c * n**2 * m2 / noise * (1.0 + n**2 * m1 * root / noise)
    of_deviation = n**1.5 * m1 * m2 / (2.0 * noise * m0) * (n**2 * root * m1 / noise + 2.0)
    return Bounds(
        "printed",
        gradient_norm=of_mean + kappa * of_deviation,
        mean_square=2.0 * c**2 * m1**2 / noise**2,
        variance=m1 + m1**2 / noise,
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
        for step in STEP * np.eye(gp.kernel.size)
    ]
    return np.asarray(np.linalg.norm(columns, axis=0)) / (2.0 * STEP)


def table(found: Sequence[Sequence[Check]]) -> Table:
    """One line a case, over all tasks."""
    head = ["rho", "delta", "bounds", "promised share", "smallest share of a task", "mean share"]
    head += ["sigma_n, median", "sigma_epsilon, median", "largest shift / rho", "control"]
    lines = [head]
    for cases in zip(*found, strict=True):
        shares = [one.share for one in cases]
        lines.append(
            [
                f"{cases[0].rho:g}",
                f"{cases[0].delta:g}",
                cases[0].bounds,
                f"{1.0 - cases[0].delta:.2f}",
                f"{min(shares):.4f}",
                f"{np.mean(shares):.4f}",
                f"{np.median([one.sigma_n for one in cases]):.2g}",
                f"{np.median([one.sigma_epsilon for one in cases]):.2g}",
                f"{max(one.largest_shift for one in cases):.2g}",
                f"{np.mean([one.shares[LOUD] for one in cases]):.3f}",
            ]
        )
    return lines


def reach_table(found: Sequence[Reach]) -> Table:
    """How many tasks' defaults lie beyond the theorem."""
    lines = [["what is added", "default", "the theorem's largest", "tasks", "beyond the theorem"]]
    for name, given, most in (
        (RELEASED, "noise", "most_noise"),
        (PERTURBATION, "perturbation", "most_perturbation"),
    ):
        values, limits = (np.array([getattr(one, key) for one in found]) for key in (given, most))
        beyond = int(np.sum(values > limits))
        shares = f"{beyond} ({beyond / len(found):.0%})"
        lines.append([name, _range(values), _range(limits), str(len(found)), shares])
    return lines


def _range(values: Floats) -> str:
    low, high = f"{values.min():.2g}", f"{values.max():.2g}"
    return low if low == high else f"{low} to {high}, median {np.median(values):.2g}"


def draw(found: Sequence[Sequence[Check]], path: Path) -> None:
    """The share against the noise, mean over tasks, with what is promised at sigma_n."""
    figure = new_figure(WIDTH, 4.2)
    axes = figure.subplots()
    for cases, colour in zip(zip(*found, strict=True), COLOURS, strict=False):
        mean = np.mean([one.shares for one in cases], axis=0)
        label = f"rho {cases[0].rho:g}, delta {cases[0].delta:g}"
        axes.plot(MULTIPLES, mean, marker="o", color=colour, label=label)
        axes.axhline(1.0 - cases[0].delta, color=colour, linestyle=":", linewidth=1.0)
    axes.set_xscale("log")
    axes.set_ylim(0.0, 1.02)
    finish(axes, "noise, in multiples of the theorem's sigma_n", "share within rho")
    axes.legend(frameon=False, fontsize=9, title="dotted: promised at 1")
    figure.savefig(path, dpi=DPI)


def _sheet(
    found: Mapping[str, Sequence[Check]],
) -> tuple[list[str], list[list[str | int | float | None]]]:
    head = ["task", "bounds", "rho", "delta", "sigma_n", "sigma_epsilon", "n_epsilon"]
    head += [*(f"share_{multiple:g}" for multiple in MULTIPLES), "largest_shift"]
    rows: list[list[str | int | float | None]] = []
    for task, cases in found.items():
        for one in cases:
            scales = [one.sigma_n, one.sigma_epsilon, one.samples]
            case = [one.rho, one.delta, *scales, *one.shares, one.largest_shift]
            rows.append([task, one.bounds, *case])
    return head, rows


def _reach_sheet(
    found: Mapping[str, Reach],
) -> tuple[list[str], list[list[str | int | float | None]]]:
    head = ["task", "released_noise", "largest_sigma_n", "perturbation", "largest_sigma_epsilon"]
    rows: list[list[str | int | float | None]] = [
        [task, one.noise, one.most_noise, one.perturbation, one.most_perturbation]
        for task, one in found.items()
    ]
    return head, rows
