"""Formal properties of measures of labels: importing this package fills the registry."""

# Importing registers, so this is the order of the documentation.
# isort: off
from metaeval.measures.axioms import ordinal, perfection, invariances
from metaeval.measures.axioms.spec import PROPERTIES, FormalProperty, Relation
from metaeval.measures.axioms.checking import CounterExample, Verdict, check

# isort: on

__all__ = [
    "check", "CounterExample", "Verdict", "PROPERTIES", "FormalProperty", "Relation",
    "ordinal", "perfection", "invariances",
]  # fmt: skip
