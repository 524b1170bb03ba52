"""Spaces that several tests search."""

from warpfront import Boolean, Categorical, Integer, Real, Space

MIXED = Space(
    x=Real(0, 1),
    y=Real(1e-3, 1e3, scale="log"),
    n=Integer(1, 50),
    b=Boolean(),
    c=Categorical(["p", "q", "r"]),
)
