"""Findings: what a diagnosis found, in plain language, and the settings that follow from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from warpfront.analysis.texts import number
from warpfront.diagnostics.calibration import INTERVAL_LEVEL, Calibration
from warpfront.diagnostics.comparison import LEVEL, Comparison
from warpfront.diagnostics.conflict import Conflict
from warpfront.diagnostics.correlation import TELLING_PAIRS
from warpfront.diagnostics.fit import FitComparison
from warpfront.diagnostics.noise import MOST_REPEATS, Noise
from warpfront.diagnostics.spread import SpreadTests
from warpfront.settings import Settings
from warpfront.surrogate.models import candidate_models
from warpfront.surrogate.options import CANDIDATES

NOISY_SHARE = 0.1
"""From this share of noise on, the prior of the paper's model, which expects 1 %, is misleading."""

MUCH_NOISIER = 3.0
"""Noise that is measured so many times as large as the model's is mentioned."""


@dataclass(frozen=True)
class Finding:
    """One answer.

    Attributes
    ----------
    topic
        What was asked.
    text
        What was found, or why it could not be told.
    is_known
        Whether there is an answer.
    settings
        The fields of :class:`warpfront.Settings` that should change, with their new values.
    """

    topic: str
    text: str
    is_known: bool = True
    settings: Mapping[str, Any] = field(default_factory=dict)


def spread_finding(
    found: SpreadTests,
    settings: Settings,
    fit: FitComparison | None = None,
    maximize: bool = False,
) -> Finding:
    """Heteroscedasticity; no output transform is advised that the comparison of fits found bad.

    ``maximize``: whether greater values are better.
    """
    topic = "Is the noise the same everywhere?"
    besides = ""
    if found.failed:
        besides = f" {found.failed} failed evaluations were left out."
    if found.is_heteroscedastic is None:
        return Finding(topic, f"{found.note}{besides}", is_known=False)
    k, n = len(found.repeats), int(found.repeats.sum())
    if found.note is not None:
        text = (
            f"{k} configurations, {n} evaluations: {found.note} If it should be noisy, see whether "
            "its random numbers have a fixed seed."
        )
        return Finding(topic, text + besides)
    tests = (
        f"{k} configurations, {n} evaluations: Levene {_p(found.levene_p)}, Fligner-Killeen "
        f"{_p(found.fligner_p)}"
    )
    odd = int((found.repeats % 2).sum())
    if odd:
        besides += (
            f" Where the number of repeats is odd (configurations: {odd}), one of them is the "
            "median itself, and the tests find less."
        )
    low, high = (number(float(end), 3) for end in (found.spreads.min(), found.spreads.max()))
    ratio = "infinitely many" if math.isinf(found.ratio) else number(found.ratio, 3)
    size = (
        f"The standard deviations go from {low} to {high}; their 90 % quantile is {ratio} times "
        f"their 10 % quantile, and equal noise would give about {number(found.expected_ratio, 2)} "
        "by chance."
    )
    if not found.is_heteroscedastic:
        return Finding(topic, f"No evidence against it ({tests}). {size}{besides}")
    text = f"No, the task is heteroscedastic ({tests}). {size}"
    changes = {}
    if found.correlation_p < LEVEL:
        where = "worse" if (found.correlation > 0.0) != maximize else "better"
        text += (
            f" The spread is larger where values are {where} (rank correlation "
            f"{found.correlation:.2f}), which an output transform can even out"
        )
        if fit is not None and fit.output_warp.verdict == "significantly worse":
            text += ", but it does harm to the fit."
        else:
            text += "."
            if not _has_transform(settings):
                changes = _with_transform(settings, "robust")
    else:
        if math.isnan(found.correlation_p) or k < TELLING_PAIRS:
            text += (
                f" Whether the spread follows the level of the values cannot be told from {k} such "
                "configurations"
            )
        else:
            text += (
                " There is no sign that the spread follows the level of the values (rank "
                f"correlation {found.correlation:.2f}, {_p(found.correlation_p)})"
            )
        text += (
            "; only if it does can an output transform even it out. Trust single evaluations less, "
            "and repeat the best."
        )
    return Finding(topic, text + besides, settings=changes)


def fit_findings(found: FitComparison, settings: Settings) -> list[Finding]:
    """Output transform and non-stationarity."""
    changes: list[dict[str, Any]] = [{}, {}]
    has_warp = settings.input_warp and _can_warp(settings)
    if found.output_warp.verdict == "significantly worse" and _has_transform(settings):
        changes[0] = {"output_warp": "none"}
    elif found.output_warp.verdict == "significantly better" and not _has_transform(settings):
        changes[0] = _with_transform(settings, found.output_kind)
    if found.input_warp.verdict == "significantly worse" and has_warp:
        changes[1] = {"input_warp": False}
    elif found.input_warp.verdict == "significantly better" and not has_warp:
        changes[1] = {"input_warp": True, **_with_warped(settings)}
    return [
        Finding(
            "Does the output transform help?",
            _gain(found.output_warp, f"the output transform ({found.output_kind})"),
            settings=changes[0],
        ),
        Finding(
            "Is the task non-stationary: does the input warp help?",
            _gain(found.input_warp, "the input warp"),
            settings=changes[1],
        ),
    ]


def _can_warp(settings: Settings) -> bool:
    return any(CANDIDATES[name].input_warp for name in settings.models)


def _has_transform(settings: Settings) -> bool:
    return any(options.output_warp != "none" for options in candidate_models(settings))


def _with_transform(settings: Settings, kind: str) -> dict[str, Any]:
    """What changes so that a model has an output transform."""
    changes = {} if settings.output_warp is None else {"output_warp": kind}
    return {**changes, **_with_warped(settings)}


def _with_warped(settings: Settings) -> dict[str, Any]:
    """What changes so that a model can have an input warp and an output transform."""
    return {} if _can_warp(settings) else {"models": ("warped", *settings.models)}


def _with_wide_noise(settings: Settings) -> dict[str, Any]:
    """What changes so that no model expects 1 % of noise: the paper's has another in its place."""
    if "paper" not in settings.models:
        return {}
    names = ("warped" if name == "paper" else name for name in settings.models)
    return {"models": tuple(dict.fromkeys(names))}


def _gain(found: Comparison, what: str) -> str:
    if found.verdict == "no difference":
        return f"There is no difference: {what} changes nothing here."
    factor = math.exp(min(abs(found.difference), 700.0))
    change = f"{number(factor, 3)} times as probable" + (
        "" if found.difference > 0.0 else " without it"
    )
    answer = {
        "significantly better": "Yes",
        "better": "Perhaps, but it may be chance",
        "worse": "No evidence of it",
        "significantly worse": "No, it does harm",
    }[found.verdict]
    return (
        f"{answer}: with {what} the log predictive density of a held-out value changes by "
        f"{found.difference:+.3f} (95 % interval {found.low:+.3f} to {found.high:+.3f}, "
        f"{_p(found.p_value)}, {found.pairs} splits), so that it is {change}."
    )


def conflict_finding(found: Conflict, settings: Settings) -> Finding:
    """Acquisition conflict."""
    names = " and ".join(found.parameters)
    shown = ", ".join(f"{a}-{b} {value:.2f}" for (a, b), value in found.correlations.items())
    (one, other), place = max(found.places.items(), key=lambda item: item[1])
    correlations = f"Rank correlations over {names}: {shown}."
    if not found.is_conflicting:
        why = "all prefer the same point or equally good ones"
        if place > 0.0:
            why = f"each holds at most {_percent(place)} of all points better than another's best"
        return Finding("Do EI, PI and UCB conflict?", f"Hardly: {why}. {correlations}")
    text = (
        f"Yes: {other} holds {_percent(place)} of all points better than the best point of {one}. "
        f"{correlations} The ensemble of all three weighs them against each other."
    )
    changes = {} if settings.acquisition == "ensemble" else {"acquisition": "ensemble"}
    return Finding("Do EI, PI and UCB conflict?", text, settings=changes)


def noise_finding(found: Noise, settings: Settings, uneven: bool = False) -> Finding:
    """The share of noise, and repeats; ``uneven``: where the noise is not the same everywhere."""
    is_measured = found.source != "model" and not math.isnan(found.measured)
    text = (
        f"The model cannot tell {_percent(found.share)} of the variance of the (transformed) "
        "values from noise"
    )
    if not math.isnan(found.measured):
        few = "" if is_measured else "few "
        text += f"; by the {few}repeats {_percent(found.measured)} is noise"
    text += f". {_one_evaluation(found, uneven)}"
    if is_measured and found.measured > max(NOISY_SHARE, MUCH_NOISIER * found.share):
        text += " So the model takes some of the noise for structure."
    rivals = found.contenders[1:]
    ties = sum(c.repeats is None for c in rivals)
    if rivals and found.repeats > 1:
        text += (
            f" Evaluate each of the best {len(found.contenders)} configurations {found.repeats} "
            "times and take the one with the best average: then a configuration that differs from "
            "the best is mistaken for it with a chance below 5 %."
        )
    elif rivals and ties < len(rivals):
        text += " One evaluation tells apart the best configurations that differ."
    if ties:
        text += (
            f" {ties} of the {len(rivals)} next best cannot be told from the best even by "
            f"{MOST_REPEATS} repeats"
        )
        text += " of such noise." if _is_average(found, uneven) else ": they are as good as equal."
    share = found.measured if is_measured else found.share
    changes = _with_wide_noise(settings) if share > NOISY_SHARE else {}
    return Finding(
        "How noisy is it, and how often should the best be repeated?", text, True, changes
    )


def _is_average(found: Noise, uneven: bool) -> bool:
    """Whether noise that differs from place to place is known as an average only."""
    return uneven and found.source != "best"


def _one_evaluation(found: Noise, uneven: bool) -> str:
    if found.std == 0.0 and found.source != "model":
        which = "repeats of the best" if found.source == "best" else "all repeats"
        return f"One evaluation of the best is enough: {which} gave the same value each time."
    size = f"varies by about ±{number(found.std, 2)}"
    if _is_average(found, uneven):
        return f"One evaluation {size} on average over the space: at the best it may be far less."
    if found.source == "model":
        return f"If the model is right, one evaluation of the best {size}."
    return f"One evaluation of the best {size}."


def calibration_finding(found: Calibration, settings: Settings) -> Finding:
    """Calibration."""
    n = len(found.pit)
    answer = {
        "calibrated": "No evidence against it",
        "overconfident": "No, the model is overconfident",
        "underconfident": "No, the model is too cautious",
    }[found.verdict]
    text = (
        f"{answer}: of {n} configurations left out one by one, "
        f"{_percent(found.coverage(INTERVAL_LEVEL))} fell into their {INTERVAL_LEVEL:.0%} "
        f"intervals and {_percent(found.coverage(0.5))} into their 50% intervals "
        f"({_p(found.p_value)})."
    ).replace("0% i", "0 % i")
    changes: dict[str, Any] = {}
    if found.verdict == "overconfident":
        text += " Its optima are less certain than it says."
        changes = _with_wide_noise(settings)
    return Finding("Can the model's intervals be trusted?", text, settings=changes)


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _percent(share: float) -> str:
    percent = 100.0 * share
    return f"{percent:.0f} %" if percent >= 10.0 or percent == 0.0 else f"{percent:.2g} %"
