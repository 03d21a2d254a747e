"""metaeval: which evaluation measure should you trust for your task?

    import metaeval

    runs = metaeval.from_labels({"svm": ["yes", "no"], "bert": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    metaeval.score(runs, ["cem-ord", "accuracy"]).to_pandas()

Names are imported when they are used, `typing`, too: until this module is imported, the program cannot handle an
interrupt.
"""

from __future__ import annotations

from metaeval.version import __version__ as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from metaeval.analyses import *  # noqa: F403
    from metaeval.analyses.score.settings import ScoreSettings
    from metaeval.api.commands import (
        check,
        demo,
        describe_measure,
        doctor,
        list_measures,
        report,
        run,
        scoring_program,
        validate,
    )
    from metaeval.api.data import from_distributions, from_frame, from_labels, from_scores, from_texts, read
    from metaeval.config import DataConfig, ExperimentConfig
    from metaeval.config.read import read_config
    from metaeval.errors import ConfigError, InputError, MetaevalError, UnknownName
    from metaeval.judges import *  # noqa: F403
    from metaeval.measures import Measure, ScaleType, Trait, measure, preset
    from metaeval.measures.declare import label_measure
    from metaeval.measures.plugins import load_plugin
    from metaeval.measures.statistics import item_measure, sum_measure, text_measure
    from metaeval.model.report import Finding, Report, Table
    from metaeval.model.runs import DerivationRuns, LabelledRuns, NumericRuns, TextRuns
    from metaeval.model.scale import ClassScale
    from metaeval.model.scores import Direction, ItemScores, ScoreCube
    from metaeval.papers.reproduction import reproduce
    from metaeval.render.result import Result
    from metaeval.scoring.confusion import WeighableItems, count, merge, reweight
    from metaeval.scoring.labels import score_counts, score_labels
    from metaeval.scoring.numeric import score_numbers
    from metaeval.scoring.texts import score_derivations, score_texts
    from metaeval.study.runs import Runs

    __all__ = [
        # Data
        "Runs", "from_distributions", "from_frame", "from_labels", "from_scores", "from_texts", "read", "read_config",
        # Commands
        "check", "demo", "describe_measure", "doctor", "list_measures", "report", "reproduce", "run",
        "scoring_program", "validate",
        # Measures of one's own
        "ScaleType", "Trait", "item_measure", "label_measure", "load_plugin", "sum_measure", "text_measure",
        # Results and errors
        "Finding", "Report", "Result", "Table",
        "ConfigError", "InputError", "MetaevalError", "UnknownName",
        # Parts
        "ClassScale", "DataConfig", "DerivationRuns", "Direction", "ExperimentConfig", "ItemScores", "LabelledRuns",
        "Measure", "NumericRuns", "ScoreSettings", "ScoreCube", "TextRuns", "WeighableItems", "count", "measure",
        "merge", "preset", "reweight", "score_counts",
        "score_derivations", "score_labels", "score_numbers", "score_texts",
    ]  # fmt: skip

_HOMES = {
    "metaeval.api.data": ("from_distributions", "from_scores", "from_frame", "from_labels", "from_texts", "read"),
    "metaeval.study.runs": ("Runs",),
    "metaeval.render.result": ("Result",),
    "metaeval.api.commands": (
        "check",
        "demo",
        "describe_measure",
        "doctor",
        "list_measures",
        "report",
        "run",
        "scoring_program",
        "validate",
    ),
    "metaeval.papers.reproduction": ("reproduce",),
    "metaeval.analyses.score.settings": ("ScoreSettings",),
    "metaeval.config": ("DataConfig", "ExperimentConfig"),
    "metaeval.config.read": ("read_config",),
    "metaeval.errors": ("ConfigError", "InputError", "MetaevalError", "UnknownName"),
    "metaeval.measures": ("Measure", "ScaleType", "Trait", "measure", "preset"),
    "metaeval.measures.declare": ("label_measure",),
    "metaeval.measures.plugins": ("load_plugin",),
    "metaeval.measures.statistics": ("item_measure", "sum_measure", "text_measure"),
    "metaeval.model.runs": ("LabelledRuns", "NumericRuns", "DerivationRuns", "TextRuns"),
    "metaeval.model.report": ("Finding", "Report", "Table"),
    "metaeval.model.scale": ("ClassScale",),
    "metaeval.model.scores": ("Direction", "ItemScores", "ScoreCube"),
    "metaeval.scoring.confusion": ("WeighableItems", "count", "merge", "reweight"),
    "metaeval.scoring.texts": ("score_derivations", "score_texts"),
    "metaeval.scoring.labels": ("score_counts", "score_labels"),
    "metaeval.scoring.numeric": ("score_numbers",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    from metaeval.registry import ANALYSES, declaration, load

    if name == "__all__":
        return [*_HOME_OF, *(analysis.replace("-", "_") for analysis in ANALYSES)]
    if name in _HOME_OF:
        return load(_HOME_OF[name], name)
    if name.replace("_", "-") not in ANALYSES:
        raise AttributeError(f"module 'metaeval' has no attribute '{name}'")
    load("metaeval.api.commands")  # defines what calling an analysis does
    return declaration(name)


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]
