"""The use cases: read, score, analyse, report. The only package that knows everyone.

A use case is imported when it is asked for, so that a command waits for no other.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metaeval.experiment.agreements import agreement
    from metaeval.experiment.catalogue import measures
    from metaeval.experiment.comparisons import compare
    from metaeval.experiment.correlations import correlate
    from metaeval.experiment.criteria import summary
    from metaeval.experiment.explanations import explain
    from metaeval.experiment.fewer_references import references
    from metaeval.experiment.files import validate
    from metaeval.experiment.formal_properties import axioms
    from metaeval.experiment.gaming import robustness
    from metaeval.experiment.merges import merge_classes
    from metaeval.experiment.plans import plan
    from metaeval.experiment.powers import power
    from metaeval.experiment.reproduction import reproduce
    from metaeval.experiment.scores import score
    from metaeval.experiment.sections import run
    from metaeval.experiment.sensitivities import sensitivity
    from metaeval.experiment.shipped import samples
    from metaeval.experiment.similarities import similarity
    from metaeval.experiment.stabilities import stability

_HOME_OF = {
    "agreement": "agreements",
    "axioms": "formal_properties",
    "compare": "comparisons",
    "correlate": "correlations",
    "explain": "explanations",
    "measures": "catalogue",
    "merge_classes": "merges",
    "plan": "plans",
    "power": "powers",
    "references": "fewer_references",
    "reproduce": "reproduction",
    "robustness": "gaming",
    "run": "sections",
    "samples": "shipped",
    "score": "scores",
    "sensitivity": "sensitivities",
    "similarity": "similarities",
    "stability": "stabilities",
    "summary": "criteria",
    "validate": "files",
}

__all__ = [
    "agreement",
    "axioms",
    "compare",
    "correlate",
    "explain",
    "measures",
    "merge_classes",
    "plan",
    "power",
    "references",
    "reproduce",
    "robustness",
    "run",
    "samples",
    "score",
    "sensitivity",
    "similarity",
    "stability",
    "summary",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'metaeval.experiment' has no attribute '{name}'")
    return getattr(importlib.import_module(f"metaeval.experiment.{_HOME_OF[name]}"), name)
