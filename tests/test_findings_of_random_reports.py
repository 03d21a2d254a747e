"""Findings of random studies: every number stands in a table, every comparison is significant there, and no finding
contradicts its table or another command on the same data."""

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


def unknown_numbers(sentence: str, numbers: np.ndarray) -> list[str]:
    """Numbers of a sentence that round to none of the known ones."""
    missing = []
    for text in NUMBER.findall(sentence):
        decimals = len(text.partition(".")[2])
        value = float(text.replace(",", ""))
        if value not in STATED and not (np.abs(numbers - value) <= 0.5000001 * 10.0**-decimals).any():
            missing.append(text)
    return missing


@pytest.mark.parametrize("name", CALLS)
@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(20, 150))
@settings(max_examples=4)
def test_numbers_and_comparisons_of_findings_stand_in_tables(name: str, seed: int, systems: int, items: int) -> None:
    result: Result = getattr(metaeval, name)(study("usual", seed, systems, items), MEASURES, **CALLS[name])
    # Shares of few repetitions, of measures and of pairs, and the smallest p-value of a list, are counts of rows.
    counts = [*range(systems * (systems - 1) + 1), items, *(25.0 * step for step in range(5))]
    numbers = np.array([*numbers_of(result), *counts])
    for sentence in (finding.sentence for finding in result.findings):
        assert unknown_numbers(sentence, numbers) == [], sentence
        worse = re.search(r"\)\. (.+) (?:is|are) significantly less .+ than (\S+) \(", sentence)
        if worse:
            letters = {row["measure"]: set(letters_of(row, sentence)) for row in result.main.records()}
            measures = [measure for measure in MEASURES if measure in worse[1]]
            assert all(not letters[measure] & letters[worse[2]] for measure in measures), sentence


def letters_of(row: dict[str, Any], finding: str) -> str:
    """The letters of the criterion that a finding is about."""
    criterion = next((stem for stem in ("stab", "sens", "disti") if stem in finding), "")
    column = {"stab": "consistency_letters", "sens": "discrimination_letters"}.get(criterion, "letters")
    return str(row.get(column, row.get("letters", "")))


HARD = (*MEASURES, "mcc", "gmr")
KINDS = ("few systems", "equal", "copies", "constant", "missing class", "26 classes", "one cluster of 70 %")
PAIRS = re.compile(r"(?<![\w.=:-])([\d,]+) of ([\d,]+) (?!other|trivial)")
PERCENTAGES = re.compile(r"(?<![\w.=:-])(\d[\d,]*(?:\.\d+)?) ?%")
SUPERLATIVE = re.compile(r"^(.+?) (?:(?:is|are) the|distinguish(?:es)? the) most .*?\)\. (.+?) (?:is|are|d)")


def study(kind: str, seed: int, systems: int, items: int) -> metaeval.Runs:
    """Data of a kind on which sentences were once untrue, or usual ones."""
    random = np.random.default_rng(seed)
    names = "".join(map(chr, range(97, 123 if kind == "26 classes" else 100)))
    classes = len(names)
    shares = random.dirichlet(np.full(3, 3.0)) if kind == "usual" else None
    gold = random.choice(classes - (kind == "missing class"), size=items, p=shares)
    number = 2 if kind == "few systems" else systems
    skill = np.full((number, 1), 0.6) if kind == "equal" else random.uniform(0.2, 0.9, (number, 1))
    predicted = np.where(random.random((number, items)) < skill, gold, random.integers(classes, size=(number, items)))
    if kind == "copies":
        predicted[1:] = predicted[random.integers(2, size=number - 1)]
    if kind == "constant":
        predicted[0] = gold[0]
    labels = {f"s{index}": [names[code] for code in row] for index, row in enumerate(predicted.tolist())}
    threads = ["big" if index < 0.7 * items else f"t{index // 2}" for index in range(items)]
    return metaeval.from_labels(
        labels,
        gold=[names[code] for code in gold.tolist()],
        labels="<".join(names),
        clusters={"thread": threads} if kind == "one cluster of 70 %" else None,
    )


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 10_000), st.integers(3, 8), st.integers(20, 120))
@settings(max_examples=3)
def test_no_finding_contradicts_a_table_or_another_command(kind: str, seed: int, systems: int, items: int) -> None:
    data = study(kind, seed, systems, items)
    results: dict[str, Result] = {}
    calls = {**CALLS, "merge_classes": {**QUICK, "adjacent": True}, "explain": QUICK}
    for name, arguments in calls.items():
        results[name] = getattr(metaeval, name)(data, HARD, **arguments)
        for sentence in [*(finding.sentence for finding in results[name].findings), *map(str, results[name].notes)]:
            for part, whole in PAIRS.findall(sentence):
                assert int(part.replace(",", "")) <= int(whole.replace(",", "")), sentence
            assert all(float(share.replace(",", "")) <= 100 for share in PERCENTAGES.findall(sentence)), sentence
    check_compare(results["compare"])
    check_best_scores(results["score"])
    check_superlatives(results["stability"], "expected", 1)
    check_superlatives(results["power"], "expected", 1)
    check_superlatives(results["merge_classes"], "corrected", -1)
    check_verdict(results["recommend"], results["compare"])
    check_robustness(results["robustness"])
    for name in ("compare", "power", "robustness", "recommend"):
        warns = any("unequal clusters" in finding.sentence for finding in results[name].findings)
        assert warns == (kind == "one cluster of 70 %" and bool(results[name].findings)), name


def rows_of(result: Result, name: str) -> list[dict[str, Any]]:
    return next((list(table.records()) for table in result.tables if table.name == name), [])


def check_compare(result: Result) -> None:
    """The systems that may be the best have rank 1, and data are too few only where nothing is significant."""
    better = {(row["measure"], row["better"]) for row in rows_of(result, "comparisons") if row["better"]}
    assert all(row["best"] == (row["rank_low"] and row["rank_low"] == 1) for row in rows_of(result, "tiers"))
    sentences = [finding.sentence for finding in result.findings]
    assert not (better and any("too few" in sentence and " under " not in sentence for sentence in sentences))
    for finding in sentences:
        claim = re.match(r"(\S+) (?:is|has the best score .*,) significantly better than .*? under ([^(]+)", finding)
        if claim and len(result.main.rows) > 1:
            measures = [name for name in HARD if "measures" in claim[2] or name in claim[2]] or HARD
            count = re.match(r"\d+", claim[2])
            least = int(count[0]) if count else len(measures)
            assert sum((measure, claim[1]) in better for measure in measures) >= least, finding


def check_best_scores(result: Result) -> None:
    """Systems that have or share the best score are first."""
    ranks = {row["system"]: row for row in rows_of(result, "ranks")} or {}
    for sentence in (finding.sentence for finding in result.findings):
        claim = re.match(r"(.+?) (has|share) the best score under", sentence)
        if claim and ranks:
            first = {name for name, row in ranks.items() if all(row[measure] in (1, None) for measure in HARD)}
            systems = set(re.findall(r"s\d", claim[1]))
            assert systems <= first, sentence
            assert (claim[2] == "share") == (len(first) > 1), sentence


def check_superlatives(result: Result, column: str, sign: int) -> None:
    """What is the most of something has better values than what is significantly less."""
    values: dict[Any, Any] = {row["measure"]: row[column] for row in result.main.records()}
    for sentence in (finding.sentence for finding in result.findings):
        claim = SUPERLATIVE.match(sentence)
        if claim:
            best, worse = (
                [name for name in HARD if re.search(rf"(?<![\w-]){name}(?![\w-])", part)] for part in claim.groups()
            )
            assert min(sign * values[name] for name in best) > max((sign * values[name] for name in worse), default=-9)


def check_verdict(verdict: Result, compared: Result) -> None:
    """Contested pairs differ significantly in `compare`, too, and the sentences say what the tables say."""
    better = {
        (row["measure"], frozenset((row["system"], row["other"]))): row["better"]
        for row in rows_of(compared, "comparisons")
        if row["better"]
    }
    for row in rows_of(verdict, "contested"):
        assert better[row["measure"], frozenset((row["system"], row["other"]))] == row["better"]
    for row in verdict.main.records():
        assert row["separates"] <= sum(measure == row["measure"] for measure, _ in better)
    (outcome,) = rows_of(verdict, "verdict")
    choice, *others = (finding.sentence for finding in verdict.findings)
    matters = "the choice matters for" in choice and "for no pair" not in choice
    assert matters == (outcome["contested"] > 0), choice
    verdicts = {row["measure"]: row["verdict"] for row in verdict.main.records()}
    advised = [name for name, word in verdicts.items() if word in ("keep", "use", "report")]
    assert advised == [name for name in (outcome["measure"], outcome["second"]) if name], verdicts
    for sentence in others:
        if sentence.startswith("do not use"):
            assert not any(str(name) in sentence for name, word in verdicts.items() if word == "passes"), sentence


def check_robustness(result: Result) -> None:
    """No measure is called robust that is undefined, or under which a trivial system beats a real one."""
    table = {row.pop("measure"): list(row.values()) for row in map(dict, rows_of(result, "robustness_significant"))}
    for sentence in (finding.sentence for finding in result.findings):
        robust = re.search(r"no trivial system significantly beats a(?:ny)? real one under ([^;]+)", sentence)
        names = [name for name in table if robust and name in robust[1]]
        assert not any(any(table[name]) for name in names), sentence
