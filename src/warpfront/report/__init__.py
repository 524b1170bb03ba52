"""A page that shows what an optimisation did, and a figure that compares runs."""

from __future__ import annotations

from warpfront.report.runs import plot_convergence
from warpfront.report.write import write_report

__all__ = ["plot_convergence", "write_report"]
