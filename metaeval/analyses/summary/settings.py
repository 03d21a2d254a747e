"""How the criteria are computed: as the sections of the analyses say that the summary combines."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import COMMAND_LINE, PYTHON, AnalysisSettings, whole


@dataclass(frozen=True, kw_only=True)
class SummarySettings(AnalysisSettings, section="summary", in_signature=False):
    """All criteria for measures in one table.

    Group of alike measures, consistency (stability of the ranking on random halves), discrimination (merge-classes; the
    lower, the better), ranks and intervals, and which measures no other beats on both. Nothing is weighted.

    >>> import metaeval
    >>> result = metaeval.summary("configs/stance.yaml", ["cem-ord", "accuracy", "macro-f1"], trials=20)
    >>> list(result.to_pandas().columns[:3])
    ['measure', 'group', 'consistency']

    \b
    metaeval summary --config configs/stance.yaml
    """

    # In a YAML file every analysis says its own.
    trials: int | None = whole(
        None,
        "Random splits, and bootstrap replicates",
        at_least=1,
        default_text="1000",
        where=frozenset({COMMAND_LINE, PYTHON}),
    )
