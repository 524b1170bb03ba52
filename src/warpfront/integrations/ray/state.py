"""The state of a search as JSON, written by Ray at times of its own choosing."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from warpfront.errors import StateError
from warpfront.integrations.ray.layout import Layout
from warpfront.optimizers.hebo import HEBO
from warpfront.space import Configuration

FORMAT_VERSION = 1


@dataclass
class State:
    """What a search knows.

    Attributes
    ----------
    optimizer
        All that was suggested and told.
    waiting
        Configurations that are to be evaluated first, and that were not suggested yet.
    live
        The number of the trial that each of Ray's trials evaluates.
    """

    optimizer: HEBO
    waiting: list[Configuration] = field(default_factory=list)
    live: dict[str, int] = field(default_factory=dict)

    def write(self, path: str | os.PathLike[str], layout: Layout) -> None:
        """Write it, and where the parameters stand in Ray's configurations."""
        text = json.dumps(
            {
                "warpfront_ray": FORMAT_VERSION,
                "layout": layout.to_json(),
                "waiting": self.waiting,
                "live": self.live,
                "optimizer": json.loads(self.optimizer.to_json()),
            },
            allow_nan=False,
        )
        Path(path).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> tuple[State, Layout | None]:
        """What :meth:`write` wrote; no layout if it has values that JSON cannot hold."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
            if not isinstance(data, dict) or data.get("warpfront_ray") != FORMAT_VERSION:
                raise StateError(f'it has no "warpfront_ray": {FORMAT_VERSION}')
            optimizer = HEBO.from_json(json.dumps(data["optimizer"]))
            waiting = [optimizer.space.validate(c, partial=True) for c in data["waiting"]]
            live = {str(key): int(number) for key, number in data["live"].items()}
            return cls(optimizer, waiting, live), Layout.from_json(optimizer.space, data["layout"])
        except OSError as error:
            raise StateError(f"{str(path)!r} cannot be read: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise StateError(f"{str(path)!r} is not the state of a HEBOSearch: {what}") from None
