"""Settings of `summary`, which otherwise uses those of the analyses that it combines."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import COMMAND_LINE, PYTHON, AnalysisSettings, whole


@dataclass(frozen=True, kw_only=True)
class SummarySettings(AnalysisSettings, section="summary", in_signature=False):
    """All criteria for measures in one table.

    For each measure: its groups of similar measures, its consistency (stability of the ranking on random halves), its
    power, its discrimination (tau after classes are merged; lower is better), the share of systems that trivial ones
    beat, and its correlation with human scores, each with an interval, a rank and letters; and whether it is
    Pareto-optimal. Criteria that do not apply are left out. The criteria are not weighted.

    >>> import metaeval
    >>> result = metaeval.summary("configs/stance.yaml", ["cem-ord", "accuracy", "macro-f1"], trials=20)
    >>> list(result.to_pandas().columns[:3])
    ['measure', 'group', 'consistency']

    \b
    metaeval summary --config configs/stance.yaml
    metaeval summary --config configs/stance.yaml -m cem-ord -m accuracy
    """

    # In a YAML file, the section of each analysis has its own number.
    trials: int | None = whole(
        None,
        "Number of random splits",
        at_least=1,
        default_text="1000",
        where=frozenset({COMMAND_LINE, PYTHON}),
    )
