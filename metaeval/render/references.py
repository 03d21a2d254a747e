"""The works behind a report in BibTeX."""

from __future__ import annotations

from metaeval.model.report import Report
from metaeval.model.works import METAEVAL, WORKS, bibtex, cited


def references(report: Report) -> str:
    """The entries of this software, of the sources of the measures, and of the works that the methods cite.

    The citation text of a measure of others is a note, whose key is the name of the measure.
    """
    sources = report.provenance.sources
    keys = {METAEVAL, *sources.values(), *cited(report.methods)}
    notes = {text: name.partition(":")[0] for name, text in reversed([*sources.items()]) if text not in WORKS}
    return bibtex(sorted(keys & WORKS.keys()), version=report.provenance.version, notes=notes)
