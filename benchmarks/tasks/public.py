"""Tasks that nobody here wrote: tables of real training runs, and COCO's functions.

Each family has a part for tuning and a part for confirmation, which is looked at once for each
candidate of a new default. The two share no data set and no instance of a function.
"""

from __future__ import annotations

from types import MappingProxyType

from benchmarks.tasks.coco import Bbob, BbobMixint, CocoFunction
from benchmarks.tasks.coco_noise import BbobNoisy
from benchmarks.tasks.table import Table

TABLES_TUNING = (
    *(Table(f"hpobench_{data}") for data in ("car", "kc1", "segment", "vehicle")),
    *(Table(f"hpolib_{data}") for data in ("parkinsons_telemonitoring", "protein_structure")),
    Table("nasbench201_cifar10"),
)
TABLES_CONFIRMATION = (
    *(
        Table(f"hpobench_{data}")
        for data in ("australian", "blood_transfusion", "credit_g", "phoneme")
    ),
    *(Table(f"hpolib_{data}") for data in ("naval_propulsion", "slice_localization")),
    *(Table(f"nasbench201_{data}") for data in ("cifar100", "imagenet")),
)

FOR_TUNING, FOR_CONFIRMATION = range(1, 6), range(6, 11)
"""Instances of COCO's functions."""

_CONFIRMING = (2, 3, 5, 6, 8, 9, 10, 12, 14, 15, 17, 19, 20, 21, 22, 24)
"""Three functions or four of each of COCO's five groups."""

BBOB_TUNING = tuple(
    Bbob(f, (3, 5, 10)[i % 3], FOR_TUNING[i % 5]) for i, f in enumerate(range(1, 25))
)
BBOB_CONFIRMATION = tuple(
    Bbob(f, (20, 40)[i % 2], FOR_CONFIRMATION[i % 5]) for i, f in enumerate(_CONFIRMING)
)

# In threes, one for each model of the noise, on the same instance of the same function.
BBOB_NOISY_TUNING = tuple(
    BbobNoisy(f, 5, FOR_TUNING[i // 3]) for i, f in enumerate(range(101, 116))
)
BBOB_NOISY_CONFIRMATION = tuple(
    BbobNoisy(f, 5, FOR_CONFIRMATION[i // 3]) for i, f in enumerate(range(116, 131))
)

# Even functions, among them the rotated ellipsoid (10) of five parameters, a known weak spot of
# version 0.1, and odd ones.
MIXINT_TUNING = tuple(
    BbobMixint(f, (5, 10)[i % 2], FOR_TUNING[i % 5]) for i, f in enumerate(range(2, 25, 2))
)
MIXINT_CONFIRMATION = tuple(
    BbobMixint(f, (5, 10)[i % 2], FOR_CONFIRMATION[i % 5]) for i, f in enumerate(range(1, 25, 2))
)

_PARTS: dict[str, tuple[Table, ...] | tuple[CocoFunction, ...]] = {
    "tables-tuning": TABLES_TUNING,
    "tables-confirmation": TABLES_CONFIRMATION,
    "bbob-tuning": BBOB_TUNING,
    "bbob-confirmation": BBOB_CONFIRMATION,
    "bbob-noisy-tuning": BBOB_NOISY_TUNING,
    "bbob-noisy-confirmation": BBOB_NOISY_CONFIRMATION,
    "mixint-tuning": MIXINT_TUNING,
    "mixint-confirmation": MIXINT_CONFIRMATION,
}

PUBLIC = MappingProxyType({task.name: task for part in _PARTS.values() for task in part})
"""All of them, by name."""

_NAMES = {name: tuple(task.name for task in part) for name, part in _PARTS.items()}

PUBLIC_SETS = MappingProxyType(
    {
        **_NAMES,
        "tables": _NAMES["tables-tuning"] + _NAMES["tables-confirmation"],
        "mixint": _NAMES["mixint-tuning"] + _NAMES["mixint-confirmation"],
    }
)
"""Names of the tasks of each part, and of two families in whole."""
