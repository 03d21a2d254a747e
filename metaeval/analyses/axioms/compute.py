"""Verdicts on the formal properties of measures, with the smallest counter-examples."""

from __future__ import annotations

from collections.abc import Iterator

from metaeval.analyses.axioms.properties import Verdict, find_verdicts
from metaeval.analyses.axioms.properties.declared import pairs_of
from metaeval.analyses.axioms.properties.search import Candidates, candidates_of, searches
from metaeval.analyses.axioms.settings import AxiomsSettings
from metaeval.analyses.axioms.study import AxiomsStudy
from metaeval.model.runs import DataKind
from metaeval.stats.resample import seed_for
from metaeval.study.study import Progress


def analyse(study: AxiomsStudy, settings: AxiomsSettings, *, progress: Progress) -> list[list[Verdict]]:
    """A verdict on each property (inner) of each measure (outer), from all small cases and random ones."""
    check(study, settings)
    parts = searches(settings.cases, seed=seed_for(study.config.seed, "axioms"))
    kinds = {measure.declaration.reads for measure in study.measures}
    label_properties, distribution_properties = (
        [axiom for axiom in study.properties if axiom.reads is kind and kind in kinds]
        for kind in (DataKind.LABELS, DataKind.DISTRIBUTIONS)
    )

    def candidates() -> Iterator[Candidates]:
        for part in progress(parts, "Search for counter-examples"):
            if label_properties:
                yield candidates_of(label_properties, part)
            if distribution_properties:
                yield candidates_of(distribution_properties, part, pairs_of(part))

    return find_verdicts(study.measures, study.properties, candidates())


def check(study: AxiomsStudy, settings: AxiomsSettings) -> None:
    """Raise an `InputError` for a measure of something other than labels or distributions."""
    for measure in study.measures:
        if measure.declaration.reads is not DataKind.DISTRIBUTIONS:
            measure.check_reads(DataKind.LABELS)
