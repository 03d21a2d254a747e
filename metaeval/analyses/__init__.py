"""The analyses: a folder each, and here a line each, so that `metaeval --help` imports none of them.

An analysis NAME is the folder `NAME` (with `_` for `-`) of

    __init__.py   its declaration: an `Analysis` of the same name
    settings.py   its options; imports no numpy
    compute.py    check(study, settings), analyse(study, settings, *, track): numbers
    tables.py     tabulate(study, settings, found): tables, notes, findings
    plots.py      plots of its tables, where it has some
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metaeval.analyses.compare import compare as compare
    from metaeval.analyses.correlate import correlate as correlate
    from metaeval.analyses.declaration import Analysis
    from metaeval.analyses.explain import explain as explain
    from metaeval.analyses.merge_classes import merge_classes as merge_classes
    from metaeval.analyses.score import score as score
    from metaeval.analyses.stability import stability as stability

ANALYSES: dict[str, str] = {
    "score": "Score systems under measures, and rank them.",
    "similarity": "Do measures rank systems alike?",
    "stability": "Is a measure's ranking the same on other items?",
    "merge-classes": "Does a measure notice the distinction between classes?",
    "correlate": "Do measures agree with people?",
    "sensitivity": "What does a parameter do?",
    "agreement": "Do annotators agree? And would a judge do as well?",
    "robustness": "Can a measure be gamed? Trivial systems among the real ones.",
    "compare": "Which systems are better than which?",
    "plan": "How many items, systems or annotators are enough?",
    "power": "How well does a measure tell systems apart?",
    "references": "How many references are enough?",
    "explain": "Why do two measures disagree?",
    "axioms": "Which formal properties does a measure have?",
    "summary": "All criteria for measures in one table.",
}
"""Every analysis and its sentence, in the order of the help."""

PENDING = frozenset(
    {
        "similarity",
        "sensitivity",
        "agreement",
        "robustness",
        "plan",
        "power",
        "references",
        "axioms",
        "summary",
    }
)
"""Those that are not folders yet."""


def declared() -> Iterator[str]:
    """The names of the analyses that are folders."""
    return (name for name in ANALYSES if name not in PENDING)


def is_declared(attribute: str) -> bool:
    """Whether a name of Python, as merge_classes, is that of an analysis with a folder."""
    return attribute.replace("_", "-") in ANALYSES and attribute.replace("_", "-") not in PENDING


def analysis(name: str) -> Analysis[Any, Any]:
    """The analysis of a name."""
    attribute = name.replace("-", "_")
    found: Analysis[Any, Any] = getattr(importlib.import_module(f"metaeval.analyses.{attribute}"), attribute)
    return found


def load_plots() -> None:
    """Import the plots of every analysis, which declares them."""
    for name in declared():
        module = f"metaeval.analyses.{name.replace('-', '_')}.plots"
        if importlib.util.find_spec(module) is not None:
            importlib.import_module(module)
