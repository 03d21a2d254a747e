"""The analyses: each is a folder, and a line in this file, so that `metaeval --help` imports none of them.

The folder of an analysis has its name, with `_` for `-`, and contains

    __init__.py   its declaration: an `Analysis` of the same name
    settings.py   its options; imports no numpy
    compute.py    check(study, settings), analyse(study, settings, *, progress): numbers
    report.py     tabulate(study, settings, result): tables, notes, findings
    plots.py      plots of its tables (optional)
"""

from __future__ import annotations

# `typing` and the registry take a hundred times as long to import as this module, which the program does before it can
# handle an interrupt.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from metaeval.analyses.agreement import agreement as agreement
    from metaeval.analyses.axioms import axioms as axioms
    from metaeval.analyses.compare import compare as compare
    from metaeval.analyses.contrast import contrast as contrast
    from metaeval.analyses.correct import correct as correct
    from metaeval.analyses.correlate import correlate as correlate
    from metaeval.analyses.declaration import Analysis
    from metaeval.analyses.explain import explain as explain
    from metaeval.analyses.merge_classes import merge_classes as merge_classes
    from metaeval.analyses.plan import plan as plan
    from metaeval.analyses.power import power as power
    from metaeval.analyses.preferences import preferences as preferences
    from metaeval.analyses.recommend import recommend as recommend
    from metaeval.analyses.references import references as references
    from metaeval.analyses.reliability import reliability as reliability
    from metaeval.analyses.robustness import robustness as robustness
    from metaeval.analyses.score import score as score
    from metaeval.analyses.sensitivity import sensitivity as sensitivity
    from metaeval.analyses.similarity import similarity as similarity
    from metaeval.analyses.stability import stability as stability
    from metaeval.analyses.summary import summary as summary

START = "Start here"

GROUPS: dict[str, dict[str, str]] = {
    START: {
        "recommend": "Which measure should you trust for your task?",
        "score": "Score systems under measures and rank them.",
    },
    "Judge the measures": {
        "similarity": "Do measures rank systems similarly?",
        "stability": "Is a measure's ranking the same on other items?",
        "merge-classes": "Does a measure notice the distinction between classes?",
        "sensitivity": "What does a parameter do?",
        "robustness": "Can a measure be gamed? Trivial systems among the real ones.",
        "reliability": "What makes scores differ: systems, items, or chance?",
        "power": "How well does a measure distinguish systems?",
        "explain": "Why do two measures disagree?",
        "axioms": "Which formal properties does a measure have?",
        "contrast": "Which errors does a measure see?",
        "summary": "All criteria for measures in one table.",
    },
    "Compare systems, plan a study": {
        "compare": "Which systems are significantly better than others?",
        "plan": "How many items, systems or annotators are enough?",
        "references": "How many references are enough?",
    },
    "Human scores": {
        "correlate": "Do measures correlate with human scores?",
        "agreement": "Do annotators agree, and could a judge replace one of them?",
        "correct": "What are the scores if a judge rates all items, people some?",
        "preferences": "Do metrics and judges prefer what people prefer?",
    },
}
"""One sentence about each analysis, in the order of the help, grouped by what a user wants."""

ANALYSES = {name: sentence for group in GROUPS.values() for name, sentence in group.items()}


def register_all() -> None:
    """Register the packages of the analyses."""
    from metaeval import registry

    for name in ANALYSES:
        if registry.ANALYSES.registered(name) is None:
            registry.ANALYSES.register(name, f"metaeval.analyses.{name.replace('-', '_')}")


def analysis(name: str) -> Analysis[Any, Any]:
    """The analysis of a name, spelled as on the command line or as in Python."""
    from metaeval import registry

    declared: Analysis[Any, Any] = registry.declaration(name.replace("_", "-"))
    return declared
