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


def _read(path: str, *, systems: list[str] | None = None, text_items: bool = False, **of: tuple[str, ...]) -> Rated:
    table = pd.read_csv(SHARED_DATA / path, dtype={"item": str} if text_items else None)
    order = systems or sorted(set(table["system"]))

    def cube(names: tuple[str, ...]) -> Scores:
        wide = [table.pivot_table(index="system", columns="item", values=name).loc[order] for name in names]
        return np.stack([one.to_numpy(dtype=np.float64) for one in wide])

    people = of["people"]
    left_out = {"system", "item", "doc", "char_len_diff", "n_errors", "n_major_errors", *people}
    measures = tuple(name for name in table.columns if name not in left_out)
    return Rated(cube(measures), cube(people), measures, people)


def golden(folder: str) -> Any:
    return json.loads((SHARED_DATA / folder / "goldens.json").read_text())


def realsumm() -> Rated:
    systems = golden("realsumm")["systems_in_order"]
    return _read("realsumm/realsumm_scores.csv", systems=systems, people=("human_litepyramid_recall",))


def newsroom() -> Rated:
    people = ("human_coherence", "human_fluency", "human_informativeness", "human_relevance")
    return _read("newsroom/newsroom.csv", text_items=True, people=people)


def ted_ende() -> Rated:
    return _read("wmt21_ted_ende/ted_ende.csv", people=("human_mqm_neg_penalty",))


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
