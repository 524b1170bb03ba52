"""Pictures of what an optimisation did, and a page that shows them all."""

from __future__ import annotations

from warpfront.report.convergence import plot_convergence
from warpfront.report.write import write_report

__all__ = ["plot_convergence", "write_report"]
