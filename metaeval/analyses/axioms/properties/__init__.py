"""Formal properties of measures of labels and of distributions: importing this package fills the registries."""

from metaeval.analyses.axioms.properties import declared
from metaeval.analyses.axioms.properties.checking import CounterExample, Verdict, find_verdicts
from metaeval.analyses.axioms.properties.spec import DISTRIBUTION_PROPERTIES, PROPERTIES, FormalProperty, Relation

__all__ = [
    "DISTRIBUTION_PROPERTIES",
    "PROPERTIES",
    "CounterExample",
    "FormalProperty",
    "Relation",
    "Verdict",
    "declared",
    "find_verdicts",
]
