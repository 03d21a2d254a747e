"""Settings of `explain`."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import COMMAND_LINE, PYTHON, AnalysisSettings, Text, Texts, alpha, several, whole


@dataclass(frozen=True, kw_only=True)
class ExplainSettings(AnalysisSettings, section="explain"):
    """Why do two measures disagree?

    Lists the pairs of systems that two measures order differently, and what causes the disagreement: for labels the
    errors in the confusion matrix, whose contributions sum to the difference of the systems; for other data the items.
    Says which of these pairs both measures order significantly, and which systems gain or lose ranks.

    >>> import metaeval
    >>> metaeval.explain("configs/stance.yaml", ["cem-ord", "accuracy"], max_pairs=1).to_pandas()["verdict"].tolist()
    ['opposed']

    \b
    metaeval explain cem-ord accuracy --config configs/stance.yaml
    metaeval explain --all --config configs/stance.yaml
    """

    max_pairs: int = whole(
        10, "Maximum number of pairs of systems: contested ones first, then the strongest disagreements", at_least=1
    )
    max_items: int = whole(5, "Maximum number of items for each pair of systems (texts or a table)", at_least=1)
    systems: Texts = several(
        Text(),
        (),
        "Two systems to explain",
        flag="--system",
        metavar="NAME",
        default_text=None,
        where=frozenset({COMMAND_LINE, PYTHON}),
        signed=False,
    )
    permutations: int = whole(4999, "Number of random sign changes of the groups of items", at_least=1)
    alpha: float = alpha()
