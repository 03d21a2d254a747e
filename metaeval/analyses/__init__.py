"""The analyses: each is a folder, and a line in this file, so that `metaeval --help` imports none of them.

The folder of an analysis has its name, with `_` for `-`, and contains

    __init__.py   its declaration: an `Analysis` of the same name
    settings.py   its options; imports no numpy
    compute.py    check(study, settings), analyse(study, settings, *, progress): numbers
    report.py     tabulate(study, settings, result): tables, notes, findings
    plots.py      plots of its tables (optional)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metaeval import registry

if TYPE_CHECKING:
    from metaeval.analyses.agreement import agreement as agreement
    from metaeval.analyses.audit import audit as audit
    from metaeval.analyses.axioms import axioms as axioms
    from metaeval.analyses.compare import compare as compare
    from metaeval.analyses.correlate import correlate as correlate
    from metaeval.analyses.explain import explain as explain
    from metaeval.analyses.items import items as items
    from metaeval.analyses.leaderboard import leaderboard as leaderboard
    from metaeval.analyses.merge_classes import merge_classes as merge_classes
    from metaeval.analyses.plan import plan as plan
    from metaeval.analyses.power import power as power
    from metaeval.analyses.recommend import recommend as recommend
    from metaeval.analyses.references import references as references
    from metaeval.analyses.reliability import reliability as reliability
    from metaeval.analyses.robustness import robustness as robustness
    from metaeval.analyses.score import score as score
    from metaeval.analyses.sensitivity import sensitivity as sensitivity
    from metaeval.analyses.similarity import similarity as similarity
    from metaeval.analyses.stability import stability as stability
    from metaeval.analyses.summary import summary as summary

_SENTENCES = {
    "Start here": {
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
        "summary": "All criteria for measures in one table.",
    },
    "Compare systems, plan a study": {
        "audit": "Which submissions can be accepted?",
        "leaderboard": "Where do the submissions of a shared task stand?",
        "compare": "Which systems are significantly better than others?",
        "plan": "How many items, systems or annotators are enough?",
        "references": "How many references are enough?",
        "items": "Which items and gold labels should you check?",
    },
    "Human scores": {
        "correlate": "Do measures correlate with human scores?",
        "agreement": "Do annotators agree, and could a judge replace one of them?",
    },
}
"""One sentence about each analysis, in the order of the help, by what a user wants."""


def register_analyses() -> None:
    """Register the folders of the analyses."""
    for heading, sentences in _SENTENCES.items():
        for name, sentence in sentences.items():
            if registry.ANALYSES.registered(name) is None:
                package = f"metaeval.analyses.{name.replace('-', '_')}"
                registry.ANALYSES.register(name, registry.AnalysisEntry(package, heading, sentence))
