"""Formal properties of measures of labels: importing this package fills the registry."""

from metaeval.analyses.axioms.properties import declared
from metaeval.analyses.axioms.properties.checking import CounterExample, Verdict, find_verdicts
from metaeval.analyses.axioms.properties.spec import PROPERTIES, FormalProperty, Relation

__all__ = ["PROPERTIES", "CounterExample", "FormalProperty", "Relation", "Verdict", "declared", "find_verdicts"]
