"""Findings of random studies: every number stands in a table, and every comparison is significant there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metaeval
from metaeval.render.result import Result

pytestmark = pytest.mark.slow

MEASURES = ("accuracy", "macro-f1", "kappa:weights=linear", "mae:average=macro")
QUICK = {"permutations": 99}
CALLS: dict[str, dict[str, Any]] = {
    "score": {},
    "similarity": QUICK,
    "stability": {"trials": 10, **QUICK},
    "merge_classes": QUICK,
    "power": QUICK,
    "compare": QUICK,
    "robustness": QUICK,
    "summary": {"trials": 10},
    "recommend": {"halves": 4, **QUICK},
}
NUMBER = re.compile(r"(?<![\w.=:-])(-?\d[\d,]*(?:\.\d+)?)(?![\w=])")
STATED = {0.05, 95.0, 0.9, 16.0, *(float(number) for number in range(len(MEASURES) + 1))}
"""Levels, margins, the most pilots that `plan` extrapolates to, and numbers of measures."""


def study(seed: int, systems: int, items: int) -> metaeval.Runs:
    """Systems of random skill on three ordered classes."""
    random = np.random.default_rng(seed)
    gold = random.choice(3, size=items, p=random.dirichlet(np.full(3, 3.0)))
    skill = random.uniform(0.2, 0.9, (systems, 1))
    said = np.where(random.random((systems, items)) < skill, gold, random.integers(3, size=(systems, items)))
    names = ("low", "mid", "high")
    labels = {f"s{number}": [names[code] for code in row] for number, row in enumerate(said.tolist())}
    return metaeval.from_labels(labels, gold=[names[code] for code in gold.tolist()], labels="low<mid<high")


def numbers_of(result: Result) -> Iterator[float]:
    """All numbers of the tables, their differences from 0 to 100 as percentages, and the sizes of tables."""
    for table in result.tables:
        rows = list(table.records())
        yield len(rows)
        yield from (len({row[name] for row in rows}) for name in (rows[0] if rows else ()))
        for row in rows:
            for cell in row.values():
                if isinstance(cell, (int, float)) and not isinstance(cell, bool):
                    yield from (float(cell), 100 * float(cell), abs(float(cell)))
                elif isinstance(cell, str):
                    yield from (float(text.replace(",", "")) for text in NUMBER.findall(cell))
        yield from (float(text.replace(",", "")) for text in NUMBER.findall(table.title))


def unknown_numbers(sentence: str, known: np.ndarray) -> list[str]:
    """Numbers of a sentence that round to none of the known ones."""
    missing = []
    for text in NUMBER.findall(sentence):
        decimals = len(text.partition(".")[2])
        value = float(text.replace(",", ""))
        if value not in STATED and not (np.abs(known - value) <= 0.5000001 * 10.0**-decimals).any():
            missing.append(text)
    return missing


@pytest.mark.parametrize("name", CALLS)
@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(20, 150))
@settings(max_examples=4)
def test_numbers_and_comparisons_of_findings_stand_in_tables(name: str, seed: int, systems: int, items: int) -> None:
    result: Result = getattr(metaeval, name)(study(seed, systems, items), MEASURES, **CALLS[name])
    # Shares of few repetitions, of measures and of pairs, and the smallest p-value of a list, are counts of rows.
    counts = [*range(systems * (systems - 1) + 1), items, *(25.0 * step for step in range(5))]
    known = np.array([*numbers_of(result), *counts])
    for finding in (each.sentence for each in result.findings):
        assert unknown_numbers(finding, known) == [], finding
        worse = re.search(r"; (.+) (?:is|are) significantly less .+ than (\S+) \(", finding)
        if worse:
            letters = {row["measure"]: set(letters_of(row, finding)) for row in result.main.records()}
            named = [each for each in MEASURES if each in worse[1]]
            assert all(not letters[each] & letters[worse[2]] for each in named), finding


def letters_of(row: dict[str, Any], finding: str) -> str:
    """The letters of the criterion that a finding is about."""
    own = next((word for word in ("stab", "sens", "disti") if word in finding), "")
    column = {"stab": "consistency_letters", "sens": "discrimination_letters"}.get(own, "letters")
    return str(row.get(column, row.get("letters", "")))
