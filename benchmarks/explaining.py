"""Explanations of the disagreement of each two of nine measures, for which there is no peer."""

from __future__ import annotations

from benchmarks.paired import Comparison, alone
from benchmarks.rankings import study_of
from benchmarks.resampling import MEASURES
from benchmarks.score_table import ITEMS, reference_runs
from metaeval.analyses.explain.compute import find_disagreements
from metaeval.analyses.explain.settings import ExplainSettings
from metaeval.config import ExperimentConfig
from metaeval.study.study import no_progress


def compare_explain(rounds: int, *, items: int = ITEMS) -> Comparison:
    """What `metaeval explain --all` computes."""
    runs = reference_runs(items)
    return alone(
        f"what {len(MEASURES)} × {len(MEASURES)} measures disagree over, {len(runs.systems)} systems, {items:,} items",
        lambda: find_disagreements(study_of(runs, ExperimentConfig()), ExplainSettings(), progress=no_progress),
        claim="≤ 1 second",
        rounds=rounds,
    )
