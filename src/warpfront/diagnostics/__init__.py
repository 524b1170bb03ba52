"""Whether a task is noisy, heteroscedastic or non-stationary, and whether acquisitions conflict."""

from __future__ import annotations

from warpfront.diagnostics.diagnosis import Diagnosis, diagnose
from warpfront.diagnostics.groups import Group
from warpfront.diagnostics.page import write_diagnosis

__all__ = ["Diagnosis", "Group", "diagnose", "write_diagnosis"]
