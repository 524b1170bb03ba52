"""Whether a task is noisy, heteroscedastic or non-stationary, and whether acquisitions conflict."""

from __future__ import annotations
