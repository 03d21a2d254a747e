"""Agreement of metrics with verdicts of people, against a loop over resamples of items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.paired import Comparison, faster
from metaeval.judges.preferences.compute import agreement_of_metrics
from metaeval.judges.preferences.study import Verdicts

METRICS, VERDICTS, ITEMS, RESAMPLES = 10, 20_000, 1_000, 1_000
THEIRS = 20
"""Number of resamples that the loop draws."""


def judged(verdicts: int) -> Verdicts:
    """Verdicts on pairs of ten systems, of which metrics see a part."""
    random = np.random.default_rng(1)
    left = random.integers(10, size=verdicts)
    right = (left + random.integers(1, 10, size=verdicts)) % 10
    items, none = np.sort(random.integers(ITEMS, size=verdicts)), np.zeros(verdicts, dtype=np.intp)
    quality = random.normal(size=(verdicts, 2))
    winner = np.sign(np.rint(quality[:, 0] - quality[:, 1])).astype(np.int8)
    scores = {f"m{number}": np.rint(2 * (quality + random.normal(size=(verdicts, 2)))) for number in range(METRICS)}
    return Verdicts(
        items=items,
        clusters=items,
        language_pairs=none,
        left=left,
        right=right,
        judges=none,
        winner=winner,
        certainty=np.ones(verdicts),
        weight=np.ones(verdicts),
        scores=scores,
        length=np.full((verdicts, 2), np.nan),
        judges_family=none.astype(np.int8),
        displayed=np.ones(verdicts, dtype=np.bool_),
        systems=tuple(map(str, range(10))),
        names_of_judges=("people",),
        names_of_language_pairs=("",),
        number_of_items=ITEMS,
    )


def taus(verdicts: Verdicts, rows: NDArray[np.intp]) -> list[float]:
    """Kendall-like tau of each metric, its ties discordant."""
    winner = verdicts.winner[rows]
    coefficients = []
    for scores in verdicts.scores.values():
        agree = np.sign(scores[rows, 0] - scores[rows, 1]) * winner
        coefficients.append(float((2.0 * (agree > 0).sum() - (winner != 0).sum()) / (winner != 0).sum()))
    return coefficients


def by_loop(verdicts: Verdicts, resamples: int) -> NDArray[np.float64]:
    """Taus in resamples of items."""
    random = np.random.default_rng(2)
    rows = np.split(np.arange(len(verdicts.items)), np.flatnonzero(np.diff(verdicts.items)) + 1)
    samples = random.integers(len(rows), size=(resamples, len(rows)))
    return np.array([taus(verdicts, np.concatenate([rows[item] for item in sample])) for sample in samples])


def compare(rounds: int, *, verdicts: int = VERDICTS, resamples: int = RESAMPLES) -> Comparison:
    """The loop has an interval of one tau for each metric; metaeval has all treatments of ties, accuracy, and tests."""
    data, theirs = judged(verdicts), min(THEIRS, resamples)
    people = np.ones(verdicts, dtype=np.bool_)
    (ours,) = agreement_of_metrics(data, people, "discordant", 1)
    expected = taus(data, np.arange(verdicts))
    np.testing.assert_allclose([estimate.value for estimate in ours.estimates["discordant"]], expected, atol=1e-12)
    return faster(
        f"agreement of {METRICS} metrics with {verdicts:,} verdicts, with intervals and tests",
        lambda: agreement_of_metrics(data, people, "discordant", 1),
        peer="a loop of numpy over resamples of items, without tests",
        theirs=lambda: by_loop(data, theirs),
        claim="",
        rounds=rounds,
        share_of_their_work=theirs / resamples,
    )
