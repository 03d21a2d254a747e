"""The use cases: read, score, analyse, report. The only package that knows everyone."""

from metaeval.experiment.agreements import agreement
from metaeval.experiment.catalogue import measures
from metaeval.experiment.correlations import correlate
from metaeval.experiment.criteria import summary
from metaeval.experiment.files import validate
from metaeval.experiment.merges import merge_classes
from metaeval.experiment.references import references
from metaeval.experiment.reproduction import reproduce
from metaeval.experiment.robustness import robustness
from metaeval.experiment.scores import score
from metaeval.experiment.sections import run
from metaeval.experiment.sensitivities import sensitivity
from metaeval.experiment.similarities import similarity
from metaeval.experiment.stabilities import stability

__all__ = [
    "agreement",
    "correlate",
    "measures",
    "merge_classes",
    "references",
    "reproduce",
    "robustness",
    "run",
    "score",
    "sensitivity",
    "similarity",
    "stability",
    "summary",
    "validate",
]
