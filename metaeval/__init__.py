"""metaeval: which evaluation measure should you trust for your task?

    import metaeval

    report = metaeval.score(metaeval.read_config("configs/stance.yaml"))
    report.to_pandas()

Names are imported when they are used, so that `import metaeval` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from metaeval.config import DataConfig, ExperimentConfig, ScoreConfig, read_config
    from metaeval.errors import ConfigError, InputError, MetaevalError, UnknownName
    from metaeval.experiment import merge_classes, run, score, similarity, stability, summary, validate
    from metaeval.measures import Measure, measure, preset
    from metaeval.model.labels import LabelledRuns, NumericRuns
    from metaeval.model.report import Report, Table
    from metaeval.model.scale import ClassScale
    from metaeval.model.scores import Direction, ItemScores, ScoreCube
    from metaeval.model.texts import DerivationRuns, TextRuns
    from metaeval.scoring.confusion import WeighableItems, count, merge, reweight
    from metaeval.scoring.derivations import score_derivations
    from metaeval.scoring.labels import score_counts, score_labels
    from metaeval.scoring.numeric import score_numbers
    from metaeval.scoring.texts import score_texts

_HOMES = {
    "metaeval.config": ("DataConfig", "ExperimentConfig", "ScoreConfig", "read_config"),
    "metaeval.errors": ("ConfigError", "InputError", "MetaevalError", "UnknownName"),
    "metaeval.experiment": ("merge_classes", "run", "score", "similarity", "stability", "summary", "validate"),
    "metaeval.measures": ("Measure", "measure", "preset"),
    "metaeval.model.labels": ("LabelledRuns", "NumericRuns"),
    "metaeval.model.report": ("Report", "Table"),
    "metaeval.model.scale": ("ClassScale",),
    "metaeval.model.scores": ("Direction", "ItemScores", "ScoreCube"),
    "metaeval.model.texts": ("DerivationRuns", "TextRuns"),
    "metaeval.scoring.confusion": ("WeighableItems", "count", "merge", "reweight"),
    "metaeval.scoring.derivations": ("score_derivations",),
    "metaeval.scoring.labels": ("score_counts", "score_labels"),
    "metaeval.scoring.numeric": ("score_numbers",),
    "metaeval.scoring.texts": ("score_texts",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ClassScale", "ConfigError", "DataConfig", "DerivationRuns", "Direction", "ExperimentConfig", "InputError",
    "ItemScores", "LabelledRuns", "Measure", "MetaevalError", "NumericRuns", "Report", "ScoreConfig", "ScoreCube",
    "Table", "TextRuns", "UnknownName", "WeighableItems", "count", "measure", "merge", "merge_classes", "preset",
    "read_config", "reweight", "run", "score", "score_counts", "score_derivations", "score_labels", "score_numbers",
    "score_texts", "similarity", "stability", "summary", "validate",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'metaeval' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
