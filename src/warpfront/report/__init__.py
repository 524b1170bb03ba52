"""Pictures of what an optimisation did."""

from __future__ import annotations

from warpfront.report.convergence import plot_convergence

__all__ = ["plot_convergence"]
