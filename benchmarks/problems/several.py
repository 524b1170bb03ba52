"""Problems of two or three objectives, some with bounds on further outcomes.

Each is written from its published equations. `reference` is that of the literature where it names
one. `ideal` is exact where the front has a formula; otherwise it is the hypervolume of all that
long runs of pymoo's NSGA-II have found, or BoTorch's value.
"""

from __future__ import annotations

import math
from types import MappingProxyType

import numpy as np

from benchmarks.problems.constrained import BEAM_SPACE, MATERIALS, PRICE_OF_A_BEAM, beam
from benchmarks.problems.problem import Configuration, Outcomes, Problem, by_name, vector
from benchmarks.tasks.synthetic import BRANIN, Floats, box
from warpfront import AtLeast, AtMost, Integer, Minimize, Real, Space

TWO = (Minimize("f1"), Minimize("f2"))
THREE = (*TWO, Minimize("f3"))

# Zitzler, Deb and Thiele, "Comparison of Multiobjective Evolutionary Algorithms", 2000. The front
# is where all but the first are 0; the references are those of BoTorch.
ZDT_REFERENCE = (11.0, 11.0)


def _zdt_distance(x: Floats) -> float:
    return float(1.0 + 9.0 * np.mean(x[1:]))


def _zdt1(config: Configuration) -> Outcomes:
    x = vector(config)
    g = _zdt_distance(x)
    return {"f1": x[0], "f2": g * (1.0 - math.sqrt(x[0] / g))}


def _zdt2(config: Configuration) -> Outcomes:
    x = vector(config)
    g = _zdt_distance(x)
    return {"f1": x[0], "f2": g * (1.0 - (x[0] / g) ** 2)}


def _zdt3(config: Configuration) -> Outcomes:
    x = vector(config)
    g = _zdt_distance(x)
    share = x[0] / g
    waves = share * math.sin(10.0 * math.pi * x[0])
    return {"f1": x[0], "f2": g * (1.0 - math.sqrt(share) - waves)}


ZDT1 = Problem(
    name="zdt1",
    part="tuning",
    space=box(6, 0, 1),
    goals=TWO,
    function=_zdt1,
    reference=ZDT_REFERENCE,
    ideal=121.0 - 1.0 / 3.0,  # below the front: the integral of 1 - sqrt(x)
)
ZDT2 = Problem(
    name="zdt2",
    part="confirmation",
    space=box(6, 0, 1),
    goals=TWO,
    function=_zdt2,
    reference=ZDT_REFERENCE,
    ideal=121.0 - 2.0 / 3.0,  # below the front: the integral of 1 - x²
)
ZDT3 = Problem(
    name="zdt3",
    part="tuning",
    space=box(6, 0, 1),
    goals=TWO,
    function=_zdt3,
    reference=ZDT_REFERENCE,
    ideal=128.77811613069076,  # BoTorch's; the front has five pieces
)


# Deb, Thiele, Laumanns and Zitzler, "Scalable Multi-Objective Optimization Test Problems", 2002:
# three objectives, of which the front is an eighth of the unit sphere.
def _dtlz2(config: Configuration) -> Outcomes:
    x = vector(config)
    radius = 1.0 + float(np.sum((x[2:] - 0.5) ** 2))
    a, b = 0.5 * math.pi * x[0], 0.5 * math.pi * x[1]
    return {
        "f1": radius * math.cos(a) * math.cos(b),
        "f2": radius * math.cos(a) * math.sin(b),
        "f3": radius * math.sin(a),
    }


DTLZ2 = Problem(
    name="dtlz2",
    part="tuning",
    space=box(5, 0, 1),
    goals=THREE,
    function=_dtlz2,
    reference=(1.1, 1.1, 1.1),
    ideal=1.1**3 - math.pi / 6.0,
)


# Branin's function, and Currin's exponential one: Currin, Mitchell, Morris and Ylvisaker, "A
# Bayesian Approach to the Design and Analysis of Computer Experiments", 1988; the pair is that of
# Belakaria, Deshwal and Doppa, "Max-value Entropy Search for Multi-Objective Optimization", 2019.
def _branin_currin(config: Configuration) -> Outcomes:
    x, y = config["x1"], config["x2"]
    damping = 1.0 - math.exp(-1.0 / (2.0 * y)) if y > 0.0 else 1.0
    above = 2300.0 * x**3 + 1900.0 * x**2 + 2092.0 * x + 60.0
    below = 100.0 * x**3 + 500.0 * x**2 + 4.0 * x + 20.0
    return {
        "f1": BRANIN.function({"x1": 15.0 * x - 5.0, "x2": 15.0 * y}),
        "f2": damping * above / below,
    }


BRANIN_CURRIN = Problem(
    name="branin-currin",
    part="tuning",
    space=box(2, 0, 1),
    goals=TWO,
    function=_branin_currin,
    reference=(18.0, 6.0),
    ideal=59.4015,  # BoTorch's is 59.3601
)


# The crash of a car of five plates: Liao, Li, Yang, Zhang and Li, "Multiobjective Optimization for
# Crash Safety Design of Vehicles Using Stepwise Regression Model", 2008.
def _vehicle_safety(config: Configuration) -> Outcomes:
    x1, x2, x3, x4, x5 = vector(config)
    mass = 1640.2823 + 2.3573285 * x1 + 2.3220035 * x2 + 4.5688768 * x3
    injury = 6.5856 + 1.15 * x1 - 1.0427 * x2 + 0.9738 * x3 + 0.8364 * x4
    injury += -0.3695 * x1 * x4 + 0.0861 * x1 * x5 + 0.3628 * x2 * x4
    intrusion = -0.0551 + 0.0181 * x1 + 0.1024 * x2 + 0.0421 * x3
    intrusion += -0.0073 * x1 * x2 + 0.024 * x2 * x3 - 0.0118 * x2 * x4
    return {
        "f1": mass + 7.7213633 * x4 + 4.4559504 * x5,
        "f2": injury - 0.1106 * x1**2 - 0.3437 * x3**2 + 0.1764 * x4**2,
        "f3": intrusion - 0.0204 * x3 * x4 - 0.008 * x3 * x5 - 0.0241 * x2**2 + 0.0109 * x4**2,
    }


VEHICLE_SAFETY = Problem(
    name="vehicle-safety",
    part="confirmation",
    space=box(5, 1, 3),
    goals=THREE,
    function=_vehicle_safety,
    reference=(1864.72022, 11.81993945, 0.2903999384),  # BoTorch's, as is the ideal
    ideal=246.81607081187002,
)


# A disc brake with a whole number of friction surfaces: Ray and Liew, "A Swarm Metaphor for
# Multiobjective Design Optimization", 2002.
def _disc_brake(config: Configuration) -> Outcomes:
    inner, outer = config["inner"], config["outer"]
    force, surfaces = config["force"], config["surfaces"]
    squares, cubes = outer**2 - inner**2, outer**3 - inner**3
    if squares <= 0.0:  # the bounds of the radii meet in no point
        return {"f1": math.nan}
    return {
        "f1": 4.9e-5 * squares * (surfaces - 1.0),
        "f2": 9.82e6 * squares / (force * surfaces * cubes),
        "distance": outer - inner,
        "pressure": force / (3.14 * squares),
        "heat": 2.22e-3 * force * cubes / squares**2,
        "torque": 2.66e-2 * force * surfaces * cubes / squares,
    }


DISC_BRAKE = Problem(
    name="disc-brake",
    part="tuning",
    space=Space(
        inner=Real(55, 80), outer=Real(75, 110), force=Real(1000, 3000), surfaces=Integer(11, 20)
    ),
    goals=(
        *TWO,
        AtLeast("distance", 20.0),
        AtMost("pressure", 0.4),
        AtMost("heat", 1.0),
        AtLeast("torque", 900.0),
    ),
    function=_disc_brake,
    reference=(5.7771, 3.9651),  # BoTorch's
    ideal=11.2115,
)


# The same authors' welded beam: what it costs, and how far it bends.
def _welded_beam_two(config: Configuration) -> Outcomes:
    weld, seam = config["weld"], config["seam"]
    height, width = config["height"], config["width"]
    radius = math.sqrt(0.25 * (seam**2 + (weld + height) ** 2))
    direct = 6_000.0 / (math.sqrt(2.0) * weld * seam)
    polar = 2.0 * 0.707 * weld * seam * (seam**2 / 12.0 + 0.25 * (weld + height) ** 2)
    torsion = 6_000.0 * (14.0 + 0.5 * seam) * radius / polar
    return {
        "f1": 1.10471 * weld**2 * seam + 0.04811 * height * width * (14.0 + seam),
        "f2": 2.1952 / (height**3 * width),
        "shear": math.sqrt(direct**2 + torsion**2 + seam * direct * torsion / radius),
        "stress": 504_000.0 / (height**2 * width),
        "overlap": weld - width,
        "buckling": 64_746.022 * (1.0 - 0.0282346 * height) * height * width**3,
    }


WELDED_BEAM_TWO = Problem(
    name="welded-beam-two",
    part="confirmation",
    space=Space(
        weld=Real(0.125, 5), seam=Real(0.1, 10), height=Real(0.1, 10), width=Real(0.125, 5)
    ),
    goals=(
        *TWO,
        AtMost("shear", 13_600.0),
        AtMost("stress", 30_000.0),
        AtMost("overlap", 0.0),
        AtLeast("buckling", 6_000.0),
    ),
    function=_welded_beam_two,
    reference=(40.0, 0.015),  # BoTorch's
    ideal=0.51267,
)


# A truss of four bars: Cheng and Li, "Generalized Center Method for Multiobjective Engineering
# Optimization", 1999. Volume, and displacement of the joint.
def _four_bar_truss(config: Configuration) -> Outcomes:
    a, b, c, d = vector(config)
    force, young, length, root = 10.0, 2e5, 200.0, math.sqrt(2.0)
    return {
        "f1": length * (2.0 * a + root * b + math.sqrt(c) + d),
        "f2": force * length / young * (2.0 / a + 2.0 * root / b - 2.0 * root / c + 2.0 / d),
    }


FOUR_BAR_TRUSS = Problem(
    name="four-bar-truss",
    part="confirmation",
    space=Space(a=Real(1, 3), b=Real(math.sqrt(2), 3), c=Real(math.sqrt(2), 3), d=Real(1, 3)),
    goals=TWO,
    function=_four_bar_truss,
    reference=(3_000.0, 0.05),
    ideal=63.5324,
)


def _cantilevers_two(config: Configuration) -> Outcomes:
    mass, safety, deflection = beam(config)
    price = MATERIALS[config["material"]][3]
    cost = price * mass * (1.3 if config["profile"] == "box" else 1.0)
    return {
        "f1": cost + PRICE_OF_A_BEAM * config["beams"],
        "f2": deflection,
        "safety": safety,
    }


CANTILEVERS_TWO = Problem(
    name="cantilevers-two",
    part="confirmation",
    space=BEAM_SPACE,
    goals=(*TWO, AtLeast("safety", 1.5)),
    function=_cantilevers_two,
    reference=(300.0, 50.0),
    ideal=13_749.9,
)

SEVERAL = MappingProxyType(
    by_name(
        [
            ZDT1,
            ZDT3,
            DTLZ2,
            BRANIN_CURRIN,
            DISC_BRAKE,
            ZDT2,
            VEHICLE_SAFETY,
            WELDED_BEAM_TWO,
            FOUR_BAR_TRUSS,
            CANTILEVERS_TWO,
        ]
    )
)
"""All of them, by name: five for tuning, then five for confirmation."""
