"""Corrected means of systems, against the loop that leaves out each group of items of each system."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.paired import Comparison, faster
from metaeval.config import ExperimentConfig
from metaeval.judges.correct.compute import analyse
from metaeval.judges.correct.settings import CorrectSettings
from metaeval.judges.correct.study import CorrectStudy
from metaeval.study.study import Sources, no_progress

SYSTEMS, ITEMS, LABELLED = 10, 20_000, 0.1

Numbers = NDArray[np.float64]


def judged(items: int) -> CorrectStudy:
    """Scores of ten systems by a judge, a tenth of them also by people, in clusters of about 50 items."""
    random = np.random.default_rng(1)
    person = random.normal(3, 1, (SYSTEMS, items))
    judge = person + random.normal(0.3, 0.7, person.shape)
    human = np.where(random.random(items) < LABELLED, person, np.nan)
    clusters = np.arange(items) % (items // 50 + 2)
    names = tuple(map(str, range(SYSTEMS)))
    return CorrectStudy(ExperimentConfig(), Sources((), (), {}, ()), names, judge, human, clusters, ("item", "items"))


def one_mean(judge: Numbers, human: Numbers) -> float:
    """PPI++ of one system, with λ of at most 1 where the judge and people have the same spread."""
    is_rated = ~np.isnan(human)
    f, y, others = judge[is_rated], human[is_rated], judge[~is_rated]
    slope = min(np.cov(f, y)[0, 1] / np.var(judge, ddof=1), np.std(y, ddof=1) / np.std(judge, ddof=1))
    weight = slope / (1 + len(f) / len(others))
    return float(y.mean() - weight * (f.mean() - others.mean()))


def by_loop(study: CorrectStudy) -> list[tuple[float, float]]:
    """The corrected mean of each system and its standard error."""
    estimates = []
    for judge, human in zip(study.judge, study.human, strict=True):
        mean = one_mean(judge, human)
        subsets = (study.clusters != cluster for cluster in range(int(study.clusters.max()) + 1))
        squares = [(one_mean(judge[rows], human[rows]) - mean) ** 2 for rows in subsets]
        estimates.append((mean, float(np.sqrt((len(squares) - 1) / len(squares) * sum(squares)))))
    return estimates


def compare_correct(rounds: int, *, items: int = ITEMS) -> Comparison:
    """A loop of numpy without tests of differences, which metaeval makes in the same time."""
    study = judged(items)
    result = analyse(study, CorrectSettings(), progress=no_progress)
    assert result is not None
    # The means of people alone stand where the judge does not help.
    expected = np.where(result.alone, np.nanmean(study.human, axis=1), [mean for mean, _ in by_loop(study)])
    np.testing.assert_allclose(result.mean, expected, rtol=1e-9)
    return faster(
        f"corrected means of {SYSTEMS} systems × {items:,} items with intervals and tests",
        lambda: analyse(study, CorrectSettings(), progress=no_progress),
        peer="a loop of numpy over clusters, without tests",
        theirs=lambda: by_loop(study),
        claim="",
        rounds=rounds,
    )
