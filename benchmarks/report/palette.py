"""One look for each method, the same in every picture of every report."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.methods.registry import METHODS
from benchmarks.report.statistics import BASELINE, family_of

# Okabe and Ito's colours without blue (ours), yellow (too pale for lines) and black; olive and
# wine from Tol's muted scheme. They can be told apart with any common colour vision.
_COLOURS = ("#E69F00", "#D55E00", "#56B4E9", "#009E73", "#CC79A7", "#999933", "#882255")
_BLUE = "#0072B2"
_DASHES = ("-", (0, (1.2, 1.0)))
_VARIANT_DASHES = (
    (
        *((0, (5, 1.5)), (0, (5, 1.5, 1.2, 1.5)), (0, (2.5, 1.5))),
        (0, (2.5, 1.5, 1.2, 1.5, 1.2, 1.5)),
    ),
    (
        *((0, (8, 1.5)), (0, (8, 1.5, 1.2, 1.5)), (0, (8, 1.5, 1.2, 1.5, 1.2, 1.5))),
        (0, (8, 3)),
    ),
)
"""Of the variants of a family, by how often its colour was used before."""

GREY = "0.45"
"""Of random search."""


@dataclass(frozen=True)
class Look:
    """How a method's line is drawn; lines on top have a higher `layer`."""

    colour: str
    dashes: str | tuple[float, tuple[float, ...]]
    width: float = 1.4
    layer: int = 3


EXPECTED = Look(GREY, "--", layer=2)
"""Of random search's expectation."""


def look_of(method: str) -> Look:
    """The look of a method: a colour for the family, dashes for its further variants.

    Examples
    --------
    >>> look_of("turbo").colour == look_of("turbo+").colour != look_of("hebo").colour
    True
    """
    if method == BASELINE:
        return Look(_BLUE, "-", width=2.4, layer=4)
    family = family_of(method)
    members = [name for name in METHODS if family_of(name) == family]
    place = members.index(method) if method in members else 1  # other settings: a variant
    if family == BASELINE:
        return Look(_BLUE, _VARIANT_DASHES[0][(place - 1) % len(_VARIANT_DASHES[0])])
    if family == "random":
        return Look(GREY, "-")
    families = [f for f in dict.fromkeys(map(family_of, METHODS)) if f not in (BASELINE, "random")]
    if family not in families:
        return Look("black", ":")
    cycle, colour = divmod(families.index(family), len(_COLOURS))
    if place == 0:
        return Look(_COLOURS[colour], _DASHES[cycle % len(_DASHES)])
    dashes = _VARIANT_DASHES[cycle % len(_VARIANT_DASHES)]
    return Look(_COLOURS[colour], dashes[(place - 1) % len(dashes)])
