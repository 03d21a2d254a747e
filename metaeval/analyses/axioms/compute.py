"""Verdicts on the formal properties of measures, with the smallest counter-examples."""

from __future__ import annotations

from metaeval.analyses.axioms.properties import Verdict, find_verdicts
from metaeval.analyses.axioms.properties.candidates import candidates_of
from metaeval.analyses.axioms.properties.search_space import searches
from metaeval.analyses.axioms.settings import AxiomsSettings
from metaeval.analyses.axioms.study import AxiomsStudy
from metaeval.model.data_kind import DataKind
from metaeval.stats.resample import seed_for
from metaeval.study.study import Progress


def analyse(study: AxiomsStudy, settings: AxiomsSettings, *, progress: Progress) -> list[list[Verdict]]:
    """A verdict on each property (inner) of each measure (outer), from all small confusion matrices and random ones."""
    check(study, settings)
    parts = searches(settings.cases, seed=seed_for(study.config.seed, "axioms"))
    candidates = (candidates_of(study.properties, part) for part in progress(parts, "Search for counter-examples"))
    return find_verdicts(study.measures, study.properties, candidates)


def check(study: AxiomsStudy, settings: AxiomsSettings) -> None:
    """Raise an `InputError` for a measure of something other than labels."""
    for measure in study.measures:
        measure.check_reads(DataKind.LABELS)
