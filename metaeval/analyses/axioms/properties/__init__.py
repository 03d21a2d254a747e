"""Formal properties of measures of labels: importing this package fills the registry."""

# Importing registers, so this is the order of the documentation.
# isort: off
from metaeval.analyses.axioms.properties import ordinal, perfection, invariances
from metaeval.analyses.axioms.properties.spec import PROPERTIES, FormalProperty, Relation
from metaeval.analyses.axioms.properties.checking import CounterExample, Verdict, find_verdicts

# isort: on

__all__ = [
    "find_verdicts", "CounterExample", "Verdict", "PROPERTIES", "FormalProperty", "Relation",
    "ordinal", "perfection", "invariances",
]  # fmt: skip
