"""Judges beside people: preferences, corrected scores, contrasts. A part of its own that the core does not import.

Each analysis has a folder as in `metaeval.analyses`, with its reader; `register_analyses` adds them to the registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metaeval import registry

if TYPE_CHECKING:
    from metaeval.judges.contrast import contrast as contrast
    from metaeval.judges.correct import correct as correct
    from metaeval.judges.preferences import preferences as preferences

_ENTRIES = {
    "contrast": ("Judge the measures", "Which errors does a measure see?", "axioms"),
    "correct": ("Human scores", "What are the scores if a judge rates all items, people some?", "agreement"),
    "preferences": ("Human scores", "Do metrics and judges prefer what people prefer?", "correct"),
}
"""Heading, sentence, and the analysis after which each stands in the help."""


def register_analyses() -> None:
    """Register the folders of the analyses."""
    for name, (heading, sentence, before) in _ENTRIES.items():
        if registry.ANALYSES.registered(name) is None:
            entry = registry.AnalysisEntry(f"metaeval.judges.{name}", heading, sentence)
            registry.ANALYSES.register(name, entry, after=before)
