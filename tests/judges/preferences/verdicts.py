"""Verdicts made by hand for the tests of `preferences`."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from metaeval.judges.preferences.study import Verdicts


def verdicts_of(rows: ArrayLike, **more: Any) -> Verdicts:
    """Verdicts of judge x on systems s0, s1 … from item, left, right and winner, (V, 4); more: other fields."""
    item, left, right, winner = np.asarray(rows).T
    none, number = np.zeros(len(item), dtype=np.intp), len(item)
    fields: dict[str, Any] = {
        "items": item, "clusters": item, "language_pairs": none, "left": left, "right": right, "judges": none,
        "winner": winner.astype(np.int8), "certainty": np.ones(number), "weight": np.ones(number), "scores": {},
        "length": np.full((number, 2), np.nan), "judges_family": none.astype(np.int8),
        "displayed": none.astype(np.bool_),
        "systems": tuple(f"s{code}" for code in range(max(left.max(), right.max()) + 1)), "names_of_judges": ("x",),
        "names_of_language_pairs": ("",), "number_of_items": len(set(item.tolist())),
    }  # fmt: skip
    return Verdicts(**(fields | more))
