"""The variance components of the scores under each measure that is a mean over items."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.analyses.reliability.settings import ReliabilitySettings
from metaeval.analyses.sentences import components_of
from metaeval.errors import conflict, refuse, setting
from metaeval.inference.parts import Components
from metaeval.study.capabilities import ADDITIVE
from metaeval.study.study import Progress, Study, check_rankable

WHAT = "an analysis of what makes scores differ"


@dataclass(frozen=True)
class Reliabilities:
    """The components by index of the measure; measures that are no mean over items, or undefined, have none."""

    components: dict[int, Components]


def check(study: Study, settings: ReliabilitySettings) -> None:
    """Raise an `InputError` where variances cannot be separated: of one system, one item, or crossed clusters."""
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
    return Reliabilities(components_of(study, WHAT))
