"""Problems of one objective and bounds on further outcomes.

Each is written from its published equations. `optimum` and `optimiser` were found by SciPy's
differential evolution with a penalty, and agree with the literature; the tests evaluate the
optimiser. `typical` is the median of the feasible ones among 20,000 random configurations.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np

from benchmarks.problems.problem import Configuration, Outcomes, Problem, by_name, vector
from benchmarks.tasks.synthetic import BRANIN, HARTMANN6, box
from warpfront import AtLeast, AtMost, Categorical, Integer, Maximize, Minimize, Real, Space


def _at(**values: Any) -> Configuration:
    return MappingProxyType(values)


# Gardner, Kusner, Xu, Weinberger and Cunningham, "Bayesian Optimization with Inequality
# Constraints", 2014, section 4.1: simulation functions 1 and 2.
def _gardner_waves(config: Configuration) -> Outcomes:
    x, y = config["x"], config["y"]
    return {
        "loss": math.cos(2 * x) * math.cos(y) + math.sin(x),
        "c": math.cos(x) * math.cos(y) - math.sin(x) * math.sin(y),
    }


GARDNER_WAVES = Problem(
    name="gardner-waves",
    part="tuning",
    space=Space(x=Real(0, 6), y=Real(0, 6)),
    goals=(Minimize("loss"), AtMost("c", 0.5)),
    function=_gardner_waves,
    optimum=-2.0,
    optimiser=_at(x=1.5 * math.pi, y=0.0),
    typical=0.03797,
)


def _gardner_islands(config: Configuration) -> Outcomes:
    x, y = config["x"], config["y"]
    return {"loss": math.sin(x) + y, "c": math.sin(x) * math.sin(y)}


# The product is smallest where sin x = -1, and there y = arcsin 0.95. About 1.8 % is
# feasible.
GARDNER_ISLANDS = Problem(
    name="gardner-islands",
    part="confirmation",
    space=Space(x=Real(0, 6), y=Real(0, 6)),
    goals=(Minimize("loss"), AtMost("c", -0.95)),
    function=_gardner_islands,
    optimum=math.asin(0.95) - 1.0,
    optimiser=_at(x=1.5 * math.pi, y=math.asin(0.95)),
    typical=5.399,
)


# Hartmann's function in a ball: Letham, Karrer, Ottoni and Bakshy, "Constrained Bayesian
# Optimization with Noisy Experiments", 2019; to be maximised here.
def _hartmann_ball(config: Configuration) -> Outcomes:
    return {"yield": -HARTMANN6.function(config), "norm": float(np.linalg.norm(vector(config)))}


HARTMANN_BALL = Problem(
    name="hartmann-ball",
    part="tuning",
    space=box(6, 0, 1),
    goals=(Maximize("yield"), AtMost("norm", 1.0)),
    function=_hartmann_ball,
    optimum=-HARTMANN6.minimum,
    optimiser=HARTMANN6.minimisers[0],
    typical=0.3165,
)


# Branin in a disk: Gelbart, Snoek and Adams, "Bayesian Optimization with Unknown Constraints",
# 2014.
def _branin_disk(config: Configuration) -> Outcomes:
    x1, x2 = config["x1"], config["x2"]
    return {"loss": BRANIN.function(config), "disk": (x1 - 2.5) ** 2 + (x2 - 7.5) ** 2}


BRANIN_DISK = Problem(
    name="branin-disk",
    part="confirmation",
    space=BRANIN.space,
    goals=(Minimize("loss"), AtMost("disk", 50.0)),
    function=_branin_disk,
    optimum=BRANIN.minimum,
    optimiser=BRANIN.minimisers[1],
    typical=32.49,
)


# A vessel of plates of whole sixteenths of an inch: Sandgren, "Nonlinear Integer and Discrete
# Programming in Mechanical Design Optimization", 1990.
def _pressure_vessel(config: Configuration) -> Outcomes:
    cylinder, head = 0.0625 * config["cylinder"], 0.0625 * config["head"]
    r, length = config["radius"], config["length"]
    return {
        "cost": 0.6224 * cylinder * r * length
        + 1.7781 * head * r**2
        + 3.1661 * cylinder**2 * length
        + 19.84 * cylinder**2 * r,
        "cylinder_lacks": 0.0193 * r - cylinder,
        "head_lacks": 0.00954 * r - head,
        "volume": math.pi * r**2 * length + 4.0 / 3.0 * math.pi * r**3,
    }


PRESSURE_VESSEL = Problem(
    name="pressure-vessel",
    part="tuning",
    space=Space(
        cylinder=Integer(1, 99), head=Integer(1, 99), radius=Real(10, 200), length=Real(10, 200)
    ),
    goals=(
        Minimize("cost"),
        AtMost("cylinder_lacks", 0.0),
        AtMost("head_lacks", 0.0),
        AtLeast("volume", 1_296_000.0),
    ),
    function=_pressure_vessel,
    optimum=6059.714335048869,
    optimiser=_at(cylinder=13, head=7, radius=42.09844559585469, length=176.6365958424596),
    typical=145_025.0,
)


# A welded beam: Coello Coello, "Use of a Self-Adaptive Penalty Approach for Engineering
# Optimization Problems", 2000.
_LOAD, _LENGTH = 6000.0, 14.0
_YOUNG, _SHEAR_MODULUS = 30e6, 12e6


def _welded_beam(config: Configuration) -> Outcomes:
    weld, seam = config["weld"], config["seam"]
    height, width = config["height"], config["width"]
    moment = _LOAD * (_LENGTH + seam / 2.0)
    radius = math.sqrt(seam**2 / 4.0 + ((weld + height) / 2.0) ** 2)
    polar = 2.0 * math.sqrt(2.0) * weld * seam * (seam**2 / 12.0 + ((weld + height) / 2.0) ** 2)
    direct = _LOAD / (math.sqrt(2.0) * weld * seam)
    torsion = moment * radius / polar
    slenderness = height / (2.0 * _LENGTH) * math.sqrt(_YOUNG / (4.0 * _SHEAR_MODULUS))
    beam = 0.04811 * height * width * (14.0 + seam)
    return {
        "cost": 1.10471 * weld**2 * seam + beam,
        "shear": math.sqrt(direct**2 + direct * torsion * seam / radius + torsion**2),
        "stress": 6.0 * _LOAD * _LENGTH / (width * height**2),
        "deflection": 4.0 * _LOAD * _LENGTH**3 / (_YOUNG * height**3 * width),
        "buckling": 4.013
        * _YOUNG
        * math.sqrt(height**2 * width**6 / 36.0)
        / _LENGTH**2
        * (1.0 - slenderness),
        "overlap": weld - width,
        "material": 0.10471 * weld**2 + beam,
    }


WELDED_BEAM = Problem(
    name="welded-beam",
    part="confirmation",
    space=Space(weld=Real(0.125, 2), seam=Real(0.1, 10), height=Real(0.1, 10), width=Real(0.1, 2)),
    goals=(
        Minimize("cost"),
        AtMost("shear", 13_600.0),
        AtMost("stress", 30_000.0),
        AtMost("deflection", 0.25),
        AtLeast("buckling", 6_000.0),
        AtMost("overlap", 0.0),
        AtMost("material", 5.0),
    ),
    function=_welded_beam,
    optimum=1.724852308597547,
    optimiser=_at(
        weld=0.20572963978607883,
        seam=3.4704886656289213,
        height=9.036623910357697,
        width=0.2057296397860856,
    ),
    typical=5.411,
)


# A spring under tension and compression: Belegundu, "A Study of Mathematical Programming Methods
# for Structural Optimization", 1982; formulas as in Coello Coello, 2000. About 0.8 % is feasible.
def _spring(config: Configuration) -> Outcomes:
    wire, coil, turns = config["wire"], config["coil"], config["turns"]
    with np.errstate(divide="ignore"):
        bending = np.divide(
            4.0 * coil**2 - wire * coil, np.float64(12_566.0 * (coil * wire**3 - wire**4))
        )
    return {
        "weight": (turns + 2.0) * coil * wire**2,
        "deflection": coil**3 * turns / (71_785.0 * wire**4),
        "shear": bending + 1.0 / (5_108.0 * wire**2),
        "surge": 140.45 * wire / (coil**2 * turns),
        "diameter": wire + coil,
    }


SPRING = Problem(
    name="spring",
    part="tuning",
    space=Space(wire=Real(0.05, 2), coil=Real(0.25, 1.3), turns=Real(2, 15)),
    goals=(
        Minimize("weight"),
        AtLeast("deflection", 1.0),
        AtMost("shear", 1.0),
        AtLeast("surge", 1.0),
        AtMost("diameter", 1.5),
    ),
    function=_spring,
    optimum=0.012665232788324236,
    optimiser=_at(wire=0.051689075526427875, coil=0.3567180872761159, turns=11.288945380167988),
    typical=0.06747,
)


# A speed reducer: Golinski, "Optimal Synthesis Problems Solved by Means of Nonlinear Programming
# and Random Methods", 1970; the bounds of the second length as in Rao, "Engineering
# Optimization", 1996. About 0.1 % is feasible.
def _speed_reducer(config: Configuration) -> Outcomes:
    face, module, teeth, l1, l2, d1, d2 = vector(config)
    tooth = module * teeth
    return {
        "weight": 0.7854 * face * module**2 * (3.3333 * teeth**2 + 14.9334 * teeth - 43.0934)
        - 1.508 * face * (d1**2 + d2**2)
        + 7.4777 * (d1**3 + d2**3)
        + 0.7854 * (l1 * d1**2 + l2 * d2**2),
        "bending": 27.0 / (face * module * tooth),
        "surface": 397.5 / (face * tooth**2),
        "deflection1": 1.93 * l1**3 / (tooth * d1**4),
        "deflection2": 1.93 * l2**3 / (tooth * d2**4),
        "stress1": math.sqrt((745.0 * l1 / tooth) ** 2 + 16.9e6) / (110.0 * d1**3),
        "stress2": math.sqrt((745.0 * l2 / tooth) ** 2 + 157.5e6) / (85.0 * d2**3),
        "space": tooth / 40.0,
        "slim": 5.0 * module / face,
        "wide": face / (12.0 * module),
        "shaft1": (1.5 * d1 + 1.9) / l1,
        "shaft2": (1.1 * d2 + 1.9) / l2,
    }


SPEED_REDUCER = Problem(
    name="speed-reducer",
    part="confirmation",
    space=Space(
        face=Real(2.6, 3.6),
        module=Real(0.7, 0.8),
        teeth=Integer(17, 28),
        length1=Real(7.3, 8.3),
        length2=Real(7.3, 8.3),
        diameter1=Real(2.9, 3.9),
        diameter2=Real(5.0, 5.5),
    ),
    goals=(
        Minimize("weight"),
        *(
            AtMost(name, 1.0)
            for name in (
                "bending",
                "surface",
                "deflection1",
                "deflection2",
                "stress1",
                "stress2",
                "space",
                "slim",
                "wide",
                "shaft1",
                "shaft2",
            )
        ),
    ),
    function=_speed_reducer,
    optimum=2994.471066147233,
    optimiser=_at(
        face=3.500000000000104,
        module=0.7000000000000064,
        teeth=17,
        length1=7.300000000008922,
        length2=7.715319911485886,
        diameter1=3.350214666096725,
        diameter2=5.286654464980264,
    ),
    typical=4461.9,
)


# Mishra's bird in a disk: Mishra, "Some New Test Functions for Global Optimization and
# Performance of Repulsive Particle Swarm Method", 2006.
def _bird(config: Configuration) -> Outcomes:
    x, y = config["x"], config["y"]
    return {
        "loss": math.sin(y) * math.exp((1.0 - math.cos(x)) ** 2)
        + math.cos(x) * math.exp((1.0 - math.sin(y)) ** 2)
        + (x - y) ** 2,
        "disk": (x + 5.0) ** 2 + (y + 5.0) ** 2,
    }


BIRD = Problem(
    name="bird",
    part="confirmation",
    space=Space(x=Real(-10, 0), y=Real(-6.5, 0)),
    goals=(Minimize("loss"), AtMost("disk", 25.0)),
    function=_bird,
    optimum=-106.76453674926341,
    optimiser=_at(x=-3.1302467940790124, y=-1.582142272469328),
    typical=11.97,
)


# Several parallel cantilevers share a load at their ends: our own, from the formulas of beams.
# N, mm and MPa; density in kg/mm³, prices in euros a kilogram.
MATERIALS = MappingProxyType(
    {
        "steel": (210e3, 250.0, 7.85e-6, 1.0),
        "aluminium": (70e3, 270.0, 2.70e-6, 3.5),
        "titanium": (110e3, 850.0, 4.43e-6, 25.0),
        "pine": (11e3, 40.0, 0.5e-6, 1.5),
    }
)
"""Young's modulus, strength, density, price."""
TIP_LOAD, REACH = 8_000.0, 1_500.0
PRICE_OF_A_BEAM = 6.0


def beam(config: Configuration) -> tuple[float, float, float]:
    """Mass of all beams, strength over stress, and deflection of the tip."""
    young, strength, density, _ = MATERIALS[config["material"]]
    width, height = config["width"], config["height"]
    area, inertia = width * height, width * height**3 / 12.0
    if config["profile"] == "box":
        wall = config["wall"] * width
        inner = width - 2.0 * wall, height - 2.0 * wall
        if inner[1] > 0.0:
            area -= inner[0] * inner[1]
            inertia -= inner[0] * inner[1] ** 3 / 12.0
    load = TIP_LOAD / config["beams"]
    stress = load * REACH * (height / 2.0) / inertia
    deflection = load * REACH**3 / (3.0 * young * inertia)
    return config["beams"] * density * area * REACH, strength / stress, deflection


BEAM_SPACE = Space(
    material=Categorical(list(MATERIALS)),
    profile=Categorical(["solid", "box"]),
    width=Real(10, 120),
    height=Real(10, 240),
    wall=Real(0.02, 0.4),
    beams=Integer(1, 4),
)


def _cantilevers(config: Configuration) -> Outcomes:
    mass, safety, deflection = beam(config)
    price = MATERIALS[config["material"]][3]
    cost = price * mass * (1.3 if config["profile"] == "box" else 1.0)
    return {
        "cost": cost + PRICE_OF_A_BEAM * config["beams"],
        "safety": safety,
        "deflection": deflection,
        "slenderness": config["height"] / config["width"],
    }


CANTILEVERS = Problem(
    name="cantilevers",
    part="tuning",
    space=BEAM_SPACE,
    goals=(
        Minimize("cost"),
        AtLeast("safety", 1.5),
        AtMost("deflection", 8.0),
        AtMost("slenderness", 4.0),
    ),
    function=_cantilevers,
    optimum=24.129022274872845,
    optimiser=_at(
        material="steel",
        profile="box",
        width=90.56145598916916,
        height=239.99999999998542,
        wall=0.0200000000000006,
        beams=1,
    ),
    typical=480.66,
)

CONSTRAINED = MappingProxyType(
    by_name(
        [
            GARDNER_WAVES,
            HARTMANN_BALL,
            PRESSURE_VESSEL,
            SPRING,
            CANTILEVERS,
            GARDNER_ISLANDS,
            BRANIN_DISK,
            WELDED_BEAM,
            SPEED_REDUCER,
            BIRD,
        ]
    )
)
"""All of them, by name: five for tuning, then five for confirmation."""
