"""Made-up studies for the tests of `correct`."""

import numpy as np
from numpy.typing import NDArray

from metaeval.config import ExperimentConfig
from metaeval.inference.clusters import Clusters
from metaeval.inference.pairs import PairTests
from metaeval.judges.correct.compute import Corrected, analyse
from metaeval.judges.correct.settings import CorrectSettings, Sample
from metaeval.judges.correct.study import CorrectStudy
from metaeval.study.study import Sources, no_progress

Numbers = NDArray[np.float64]


def study_of(judge: Numbers, human: Numbers, clusters: NDArray[np.intp] | None = None, seed: int = 1) -> CorrectStudy:
    """A study of scores, NaN where missing, (S, N)."""
    groupings = () if clusters is None else (Clusters("topic", clusters, np.bincount(clusters).astype(np.int64)),)
    codes = np.arange(judge.shape[1]) if clusters is None else clusters
    names = tuple(f"s{number}" for number in range(len(judge)))
    origin = Sources((), (), {}, (), groupings)
    return CorrectStudy(ExperimentConfig(seed=seed), origin, names, judge, human, codes, ("item", "items"))


def corrected(
    judge: Numbers,
    human: Numbers,
    clusters: NDArray[np.intp] | None = None,
    sampled_by: Sample | None = "random",
    *,
    width: float | None = None,
) -> Corrected:
    """The result of `correct`."""
    settings = CorrectSettings(interval_width=width, sampled_by=sampled_by)
    result = analyse(study_of(judge, human, clusters), settings, progress=no_progress)
    assert result is not None
    return result


def pair_tests(result: Corrected) -> PairTests:
    """The tests of the differences of several systems."""
    assert result.differences is not None
    return result.differences.tests


def made_up(
    systems: int = 3, items: int = 200, labelled: int = 60, *, size: int = 1, seed: int = 1, steps: float = 0.0
) -> tuple[Numbers, Numbers, NDArray[np.intp] | None]:
    """Scores of a judge and of people, and clusters of `size` items; steps: of ratings from 1 to 5, with ties."""
    random = np.random.default_rng(seed)
    clusters = None if size == 1 else np.arange(items) // size
    quality = 3 + random.normal(0, 0.6, items) + (0.0 if clusters is None else random.normal(0, 0.6, items)[clusters])
    human = quality + random.normal(0, 0.6, (systems, items)) + 0.3 * np.arange(systems)[:, np.newaxis]
    judge = human + random.normal(0.3, 0.7, (systems, items))
    if steps:
        judge, human = (np.clip(np.rint(scores / steps) * steps, 1, 5) for scores in (judge, human))
    return judge, np.where(random.permutation(items) < labelled, human, np.nan), clusters


def binary(zeros: tuple[int, int], ones: tuple[int, int], others: tuple[int, int]) -> tuple[Numbers, Numbers]:
    """Labels of one system; numbers of items, and of which the judge says 1, of human 0, human 1 and without."""
    parts = [
        ([1.0] * positives + [0.0] * (all_ - positives), [label] * all_)
        for (all_, positives), label in ((zeros, 0.0), (ones, 1.0), (others, np.nan))
    ]
    judge, human = (np.concatenate([part[side] for part in parts])[np.newaxis] for side in (0, 1))
    return judge, human
