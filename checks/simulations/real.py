"""Predictions of `plan` from an eighth of the items of real data, against the halves of all items.

`python -m simulations.real` reads the shared-task files that the tests read, and puts the outcomes on the page of
simulations.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from shared_data import SHARED_DATA

from metaeval.config import ExperimentConfig
from metaeval.config.data import DataConfig
from metaeval.inference.clusters import Clusters, deal_groups
from metaeval.inference.pairs import Evidence
from metaeval.inference.statistics import Curve, PairDeviations
from metaeval.measures import measure
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.parts import count_groups
from metaeval.scoring.resamples import split_clusters, split_halves
from metaeval.stats.pairs import count_pairs, tau_b
from metaeval.study.labels import LabelStudy
from metaeval.study.read import read_study
from simulations.__main__ import PAGE, REAL
from simulations.generators import Codes, Floats

MEASURES = ("accuracy", "macro-f1", "mcc")
PILOTS, HALVES = 100, 500

SETS = {
    "fnc1": "unrelated,disagree,discuss,agree",
    "sentiment_so": "-1<0<1",
    "cebab_stars_judges": "1<2<3<4<5",
}

TEXT = f"""{REAL}

`plan` on {PILOTS} random pilots of an eighth of the items (whole clusters where there are), predicting the tau of two
test sets of half of the items: that of {HALVES} random halves of all items. Pilots overlap, and the systems of a set
stay the same, so that a row is one case of how systems are spread, and no share has a bound.
`PYTHONPATH=tests:checks python -m simulations.real` makes this table from the data of the tests that need real data.

| data | systems | measure | tau of halves | predicted | bias | covers |
|---|---:|---|---:|---:|---:|---:|
"""


def study_of(folder: Path, scale: ClassScale, measures: Sequence[str]) -> LabelStudy:
    """A set with `gold.csv` and a folder of systems."""
    data = DataConfig(task="labels", gold=str(folder / "gold.csv"), runs=(str(folder / "systems"),))
    study = read_study(ExperimentConfig(data=data.overlaid(labels=scale), measures=tuple(measures)))
    assert isinstance(study, LabelStudy)
    return study


def read(name: str, labels: str) -> LabelledRuns:
    """The labels of a set of the shared-task files."""
    runs = study_of(SHARED_DATA / name, ClassScale.parse(labels), MEASURES).runs
    assert isinstance(runs, LabelledRuns)
    return runs


def bodies(runs: LabelledRuns) -> Clusters:
    """The body of each item of FNC-1, whose items are in the order of the official file."""
    with (SHARED_DATA / "fnc1/native/competition_test_stances.csv").open(encoding="utf-8", newline="") as file:
        column = [row["Body ID"] for row in csv.DictReader(file)]
    return Clusters.of("Body ID", [column[int(item.removeprefix("fnc")) - 1] for item in runs.items])


def halves(runs: LabelledRuns, clusters: Clusters | None) -> Floats:
    """Mean tau between random halves of all items, (M,)."""
    samples = LabelSamples(runs, tuple(map(measure, MEASURES)))
    if clusters is None:
        item_plan = split_halves(samples, trials=HALVES, seed=1)
        every = [item_plan.score(block) for block in item_plan.blocks]
    else:
        cluster_plan = split_clusters(samples, [clusters], trials=HALVES, seed=1)
        every = [cube for block in cluster_plan.blocks for cube in cluster_plan.score(block)]
    cubes = np.concatenate([cube.oriented().values for cube in every])
    tau: Floats = np.nanmean(tau_b(count_pairs(cubes[:, 0], cubes[:, 1])), axis=0)
    return tau


def pilot(random: np.random.Generator, codes: Codes) -> Codes:
    """The items of random clusters with an eighth of all items."""
    sizes = np.bincount(codes)
    order = random.permutation(len(sizes))
    number = int(np.abs(np.cumsum(sizes[order]) - len(codes) / 8).argmin()) + 1
    return np.flatnonzero(np.isin(codes, order[:number]))


def predictions(runs: LabelledRuns, codes: Codes, random: np.random.Generator) -> Floats:
    """Tau of half of all items and the ends of its interval, from a pilot, (3, M)."""
    items = pilot(random, codes)
    pilot_runs = LabelledRuns(
        tuple(runs.items[item] for item in items.tolist()), runs.gold[items], runs.predicted[:, items], runs.systems,
        runs.scale,
    )  # fmt: skip
    clusters = np.unique(codes[items], return_inverse=True)[1]
    groups = deal_groups(np.bincount(clusters), random)[clusters]
    every = count_groups(pilot_runs, groups, random).parts([measure(name) for name in MEASURES])
    curves = [Curve.of(PairDeviations.of(Evidence.draw((parts,), random, 199))) for parts in every]
    ratio = np.array([len(codes) / 2 / len(items)])
    return np.array([[float(curve.tau(ratio, deviations=far)[0]) for curve in curves] for far in (0.0, -1.96, 1.96)])


def rows(name: str, runs: LabelledRuns, clusters: Clusters | None) -> Iterator[str]:
    """The rows of a set of data."""
    codes = np.arange(len(runs.items)) if clusters is None or clusters.codes is None else clusters.codes
    truth = halves(runs, clusters)
    random = np.random.default_rng(20201)
    estimates = np.array([predictions(runs, codes, random) for _ in range(PILOTS)])
    value, low, high = estimates.transpose(1, 0, 2)
    covers = ((low <= truth) & (truth <= high)).mean(axis=0)
    for index, measure_name in enumerate(MEASURES):
        mean = value[:, index].mean()
        numbers = f"{truth[index]:.3f} | {mean:.3f} | {mean - truth[index]:+.3f} | {covers[index]:.2f}"
        yield f"| {name} | {len(runs.systems)} | {measure_name} | {numbers} |"


def table() -> Iterator[str]:
    """The rows of all sets."""
    for name, labels in SETS.items():
        runs = read(name, labels)
        yield from rows(f"{name}, {len(runs.items):,} items", runs, None)
        if name == "fnc1":
            clusters = bodies(runs)
            yield from rows(f"{name}, {len(clusters.sizes):,} bodies", runs, clusters)


def put(lines: Sequence[str], page: Path) -> None:
    """Replace the table of a page."""
    simulated = page.read_text(encoding="utf-8").partition(REAL)[0].rstrip()
    page.write_text(f"{simulated}\n\n{TEXT}" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if not SHARED_DATA.is_dir():
        sys.exit(f"the shared-task files are not there: {SHARED_DATA}; name a folder in METAEVAL_SHARED_DATA")
    every = list(table())
    print("\n".join(every))
    put(every, Path(PAGE))
