"""Scores of measures and human scores of the same summaries and translations, and results of other tools."""

import json
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from shared_data import SHARED_DATA

Scores = NDArray[np.float64]


class Rated(NamedTuple):
    """metric (M, S, N), human (H, S, N), and their names."""

    metric: Scores
    human: Scores
    measures: tuple[str, ...]
    people: tuple[str, ...]


def golden(folder: str) -> Any:
    return json.loads((SHARED_DATA / folder / "goldens.json").read_text())


def realsumm() -> Rated:
    # As texts, of which every version of pandas makes the same numbers.
    table = pd.read_csv(SHARED_DATA / "realsumm/realsumm_scores.csv", dtype=str).astype({"item": int})
    order = golden("realsumm")["systems_in_order"]

    def cube(names: tuple[str, ...]) -> Scores:
        wide = [table.pivot(index="system", columns="item", values=name).loc[order] for name in names]
        return np.stack([one.to_numpy(dtype=np.float64) for one in wide])

    people = ("human_litepyramid_recall",)
    measures = tuple(name for name in table.columns if name not in {"system", "item", *people})
    return Rated(cube(measures), cube(people), measures, people)


def nlpstats_calls(test: str) -> list[dict[str, Any]]:
    """The calls of one of nlpstats' own tests, with their results; NaN as floats."""

    def revived(entry: dict[str, Any]) -> Any:
        return float(entry["float"]) if set(entry) == {"float"} else entry

    text = (SHARED_DATA / "goldens" / "nlpstats_vectors.json").read_text()
    tests = json.loads(text, object_hook=revived)["tests"]
    events = next(one["events"] for one in tests if one["test"].endswith("." + test))
    return [event for event in events if "call" in event and "result" in event]


OF_NLPSTATS = {"kendall": "kendall-b", "input": "item", "inputs": "items"}
"""Our names of what nlpstats calls otherwise."""


def name_of(theirs: str) -> str:
    return OF_NLPSTATS.get(theirs, theirs)
