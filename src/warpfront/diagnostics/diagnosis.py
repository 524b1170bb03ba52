"""Diagnose a task: all questions at once, as far as the data answer them."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from warpfront.analysis.model_view import ModelView, why_no_model
from warpfront.checks import whole_number
from warpfront.dataset import Dataset
from warpfront.diagnostics.calibration import Calibration, calibrate
from warpfront.diagnostics.conflict import Conflict, acquisition_conflict, check_pair
from warpfront.diagnostics.findings import (
    Finding,
    calibration_finding,
    conflict_finding,
    fit_findings,
    noise_finding,
    spread_finding,
)
from warpfront.diagnostics.fit import SPLITS, FitComparison, compare_fits
from warpfront.diagnostics.groups import Group, as_groups, merged, repeated, without_penalties
from warpfront.diagnostics.noise import Noise, estimate_noise
from warpfront.diagnostics.spread import SpreadTests, spread_tests
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.optimizers.ask_tell import AskTell
from warpfront.result import Result, history_of, settings_of
from warpfront.settings import Settings

WIDTH = 92
"""Columns of the text."""


@dataclass(frozen=True, eq=False)  # == of arrays is not a bool
class Diagnosis:
    """What is known about a task, and what follows from it.

    Attributes
    ----------
    history, settings
        What was diagnosed, with which components.
    groups
        The repeated evaluations.
    spread
        Tests whether the noise is the same everywhere.
    fit
        Whether input warp and output transform help; None if there are too few trials or all have
        the same value.
    conflict
        EI, PI and UCB over two parameters; None without a model or a second parameter.
    noise
        How much is chance; None without a model.
    calibration
        Whether the model's intervals hold; None without a model, or with too few configurations.
    findings
        All of it in plain language, an answer or the reason why there is none for each question.

    Examples
    --------
    >>> from warpfront import Real, Space, minimize
    >>> space = Space(x=Real(-2, 2), y=Real(-2, 2))
    >>> result = minimize(lambda c: c["x"] ** 2 + c["y"] ** 2, space, budget=16, seed=0)
    >>> found = diagnose(result.history, splits=4)
    >>> found.findings[0].is_known  # nothing was evaluated twice
    False
    >>> found.noise.repeats
    1
    """

    history: History
    settings: Settings
    groups: tuple[Group, ...]
    spread: SpreadTests
    fit: FitComparison | None
    conflict: Conflict | None
    noise: Noise | None
    calibration: Calibration | None
    findings: tuple[Finding, ...]

    @property
    def changes(self) -> dict[str, Any]:
        """The settings that should change, with their new values."""
        changes: dict[str, Any] = {}
        for finding in self.findings:
            changes.update(finding.settings)
        return changes

    @property
    def advised(self) -> Settings:
        """The settings with these changes."""
        return replace(self.settings, **self.changes)

    @property
    def advice(self) -> str:
        """Which settings follow, in plain language; the values as in a TOML file."""
        if not any(finding.is_known for finding in self.findings):
            return "Nothing is known yet from which settings could follow."
        if not self.changes:
            return "The settings in use fit what was found: change nothing."
        shown = ", ".join(f"{name} = {json.dumps(value)}" for name, value in self.changes.items())
        return f"Change these settings: {shown}."

    def __str__(self) -> str:
        known, unknown = (
            [f"{f.topic}\n{_paragraph(f.text)}" for f in self.findings if f.is_known is wanted]
            for wanted in (True, False)
        )
        parts = ["WHAT WAS FOUND", *(known or ["Nothing yet."])]
        parts += ["WHICH SETTINGS FOLLOW", self.advice]
        if unknown:
            parts += ["WHAT COULD NOT BE TOLD", *unknown]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Describe the diagnosis as plain JSON data; a number that is not finite is None.

        Examples
        --------
        >>> from warpfront import Real, Space
        >>> diagnose(History(Space(x=Real(0, 1)))).to_dict()["spread"]["levene_p"] is None
        True
        """
        conflict = self.conflict and {
            "parameters": list(self.conflict.parameters),
            "optima": dict(self.conflict.configs),
            "correlations": {"-".join(k): v for k, v in self.conflict.correlations.items()},
            "places": {"-".join(k): v for k, v in self.conflict.places.items()},
            "is_conflicting": self.conflict.is_conflicting,
        }
        fit = self.fit and {
            name: value if isinstance(value, str) else {**asdict(value), "verdict": value.verdict}
            for name, value in vars(self.fit).items()
        }
        calibration = self.calibration and {
            "coverage": {str(p): self.calibration.coverage(p) for p in (0.5, 0.8, 0.9, 0.95)},
            "p_value": self.calibration.p_value,
            "verdict": self.calibration.verdict,
            "pit": self.calibration.pit.tolist(),
        }
        noise = self.noise and {**asdict(self.noise), "repeats": self.noise.repeats}
        spread = vars(self.spread) | {"is_heteroscedastic": self.spread.is_heteroscedastic}
        found: dict[str, Any] = _plain(
            {
                "trials": len(self.history.completed),
                "groups": [{"config": g.config, "losses": g.losses} for g in self.groups],
                "spread": spread,
                "fit": fit,
                "conflict": conflict,
                "noise": noise,
                "calibration": calibration,
                "findings": [asdict(finding) for finding in self.findings],
                "changes": self.changes,
            }
        )
        return found


def _unknown(topic: str, error: NotEnoughDataError) -> Finding:
    """A question without an answer, and the reason why there is none."""
    why = str(error)
    return Finding(topic, f"{why[0].upper()}{why[1:]}.", is_known=False)


def _paragraph(text: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )


def _sentence(error: Exception) -> str:
    return f"{str(error)[0].upper()}{str(error)[1:]}."


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # NumPy's
        value = value.tolist()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def diagnose(
    history: History | Result | AskTell,
    settings: Settings | None = None,
    *,
    repeats: Sequence[Group] = (),
    parameters: tuple[str, str] | None = None,
    splits: int = SPLITS,
    seed: int = 0,
) -> Diagnosis:
    """Ask of a task what the paper asks of its own; it evaluates nothing.

    Of several objectives it is the first that is diagnosed. All values are as they were measured,
    also where they are maximised.

    Parameters
    ----------
    history
        What was tried; the result of ``minimize`` or an optimiser is as good. Configurations that
        were tried more than once count as repeats.
    settings
        The components of the method as they are used; None: those of the optimiser, if one is
        given, or the default ones.
    repeats
        Further repeated evaluations, which the model does not see.
    parameters
        Over which two parameters EI, PI and UCB are compared; None: the most important ones.
    splits
        Over how many random splits the fits are compared.
    seed
        Of the fits and the splits.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.diagnostics import diagnose
    >>> space = Space(x=Real(0, 1), y=Real(0, 1))
    >>> told = [(None, c, math.sin(12 * c["x"] ** 4) + c["y"]) for c in space.sample(32, seed=0)]
    >>> found = diagnose(History(space).tell(told), Settings(input_warp=False), splits=8)
    >>> found.changes
    {'input_warp': True}
    """
    settings = settings_of(history, settings)
    history = history_of(history)
    maximize = history.problem.objective.sign < 0.0
    seed = whole_number("seed", seed, 0)
    if parameters is not None:
        check_pair(history.space, parameters)
    with np.errstate(under="ignore"):
        told = merged(history.space, repeated(history), as_groups(repeats))
        groups = without_penalties(told, Dataset.of(history), settings)
        spread = spread_tests([group.losses for group in groups])
        fit = conflict = noise = calibration = None
        try:
            fit = compare_fits(history, settings, splits=splits, seed=seed)
            findings = fit_findings(fit, settings)
        except NotEnoughDataError as error:
            findings = [_unknown("Do output transform and input warp help?", error)]
        findings.insert(0, spread_finding(spread, settings, fit, maximize))
        missing = why_no_model(history)
        if missing is not None:
            rest = "Conflict of acquisitions, noise and calibration"
            findings.append(Finding(rest, missing, is_known=False))
        else:
            view = ModelView(history, settings, seed)
            names = parameters or tuple(history.space.names[j] for j in view.order[:2])
            if len(names) == 2:
                conflict = acquisition_conflict(view.model, *names, told=view.models.data.told)
                findings.append(conflict_finding(conflict, settings))
            else:
                why = "This needs two parameters that vary."
                findings.append(Finding("Do EI, PI and UCB conflict?", why, is_known=False))
            noise = estimate_noise(view.model, [group.losses for group in groups])
            findings.append(noise_finding(noise, settings, bool(spread.is_heteroscedastic)))
            try:
                calibration = calibrate(view.model)
                findings.append(calibration_finding(calibration, settings))
            except NotEnoughDataError as error:  # of few configurations, evaluated repeatedly
                findings.append(_unknown("Can the model's intervals be trusted?", error))
    return Diagnosis(
        history=history,
        settings=settings,
        groups=tuple(groups),
        spread=spread,
        fit=fit,
        conflict=conflict,
        noise=noise,
        calibration=calibration,
        findings=tuple(findings),
    )
