"""The variance components of the scores under each measure that is a mean over items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.analyses.reliability.settings import ReliabilitySettings
from metaeval.analyses.sentences import components_of
from metaeval.errors import conflict, refuse, setting
from metaeval.inference.parts import Components
from metaeval.stats.trials import PassedAll, passed_all
from metaeval.study.capabilities import ADDITIVE, REPLICATES
from metaeval.study.study import Progress, Study, check_rankable

WHAT = "an analysis of what makes scores differ"


@dataclass(frozen=True)
class Reliabilities:
    """The components by index of the measure; measures that are no mean over items, or undefined, have none.

    passes: pass^k by index of the measure and of the system, of those whose runs succeed (1) or fail (0) on items.
    """

    components: dict[int, Components]
    passes: dict[tuple[int, int], list[PassedAll]]


def check(study: Study, settings: ReliabilitySettings) -> None:
    """Raise an `InputError` where variances cannot be separated: of one item, or crossed clusters."""
    study.check_measures()
    if not study.systems:
        check_rankable(study)
    study.need(ADDITIVE, WHAT)
    if len(study.origin.clusters) > 1:
        columns = " and ".join(clusters.column for clusters in study.origin.clusters)
        other = f"clusters by {columns}, which cross each other"
        hint = f"name one, as in {setting('clusters', study.origin.clusters[0].column)}"
        raise refuse(None, conflict("components of variance", other, "one column of clusters", hint))
    number = len(study.origin.clusters[0].sizes) if study.origin.clusters else len(study.items)
    if number < 2:
        found = f"a single {'cluster' if study.origin.clusters else 'item'}"
        raise refuse(None, found, "at least two, because variances are compared between them", kind="count")


def analyse(study: Study, settings: ReliabilitySettings, *, progress: Progress) -> Reliabilities:
    """Separate the variances of each measure."""
    check(study, settings)
    return Reliabilities(components_of(study, WHAT), _passes(study))


def _passes(study: Study) -> dict[tuple[int, int], list[PassedAll]]:
    replicates = study.find(REPLICATES)
    if replicates is None:
        return {}
    codes = study.origin.clusters[0].item_codes if study.origin.clusters else np.arange(len(study.items))
    passes = {}
    for index in replicates.additive.indices:
        worths = replicates.additive.worths(index)
        if not np.isin(worths, (0, 1)).all():
            continue
        for system in range(len(study.systems)):
            runs = worths[replicates.system_of_run == system]
            if len(runs) > 1:
                passes[index, system] = passed_all(runs.sum(axis=0).astype(np.int64), len(runs), codes)
    return passes
