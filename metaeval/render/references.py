"""The works behind a report in BibTeX."""

from __future__ import annotations

from metaeval.model.report import Report
from metaeval.model.works import METAEVAL, WORKS, bibtex, cited


def references(report: Report) -> str:
    """The entries of this software, of the sources of the measures, and of the works that the methods cite."""
    keys = {METAEVAL, *report.provenance.sources.values(), *cited(report.methods)}
    return bibtex(sorted(keys & WORKS.keys()), version=report.provenance.version)
