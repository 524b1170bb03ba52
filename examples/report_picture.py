"""Tune a support vector machine, write the report, and take the picture of it for the docs.

    python examples/report_picture.py docs/images/report.png

The task is small, so that it takes a minute: nu, kernel and scaling of scikit-learn's NuSVC on the
breast-cancer data. A nu that the classes do not allow is a failed trial. The picture needs Chromium
and Pillow (``pip install '.[bench]'``); without an argument the report is written, and no picture.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import NuSVC

from warpfront import Categorical, Integer, Maximize, Real, Space, minimize
from warpfront.report import write_report

SPACE = Space(
    nu=Real(0.01, 1.0),
    gamma=Real(1e-5, 1.0, scale="log"),
    kernel=Categorical(["rbf", "poly", "sigmoid"]),
    degree=Integer(2, 5, when={"kernel": "poly"}),
    scaling=Categorical(["range", "standard"]),
)
SCALERS = {"range": MinMaxScaler, "standard": StandardScaler}
WIDTH, HEIGHT, COLOURS = 1240, 1420, 200
"""Of the picture, in pixels, and how many colours it keeps."""


def accuracy(config: dict[str, Any]) -> float:
    """The cross-validated accuracy."""
    X, y = load_breast_cancer(return_X_y=True)
    settings = {name: value for name, value in config.items() if name != "scaling"}
    model = make_pipeline(SCALERS[config["scaling"]](), NuSVC(**settings, max_iter=20_000))
    return float(cross_val_score(model, X, y, cv=5, error_score="raise").mean())


def take_picture(page: Path, target: Path) -> None:
    """The upper part of the page as a small PNG file."""
    from PIL import Image

    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if program is None:
        sys.exit("there is no Chromium: the report was written, its picture was not taken")
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--screenshot={shot}"]
        options += [f"--window-size={WIDTH},{HEIGHT}", "--virtual-time-budget=20000"]
        subprocess.run([program, *options, page.absolute().as_uri()], check=True)  # noqa: S603
        Image.open(shot).convert("RGB").quantize(COLOURS).save(target, optimize=True)


def main() -> None:
    """Tune, write the report, and take the picture if it is wanted."""
    result = minimize(
        accuracy,
        SPACE,
        40,
        seed=0,
        workers=ThreadPoolExecutor(2),
        goals=[Maximize("accuracy")],
        on_error="record",
        progress=False,
    )
    facts = {"Model": "NuSVC of scikit-learn", "Data": "breast cancer, 5-fold cross-validation"}
    page = write_report(result, "demo-output", title="Support vector machine", facts=facts)
    print(page)
    if len(sys.argv) > 1:
        take_picture(page, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
