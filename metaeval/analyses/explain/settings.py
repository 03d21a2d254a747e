"""Which disagreements of measures are explained."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import COMMAND_LINE, PYTHON, AnalysisSettings, Text, Texts, several, whole


@dataclass(frozen=True, kw_only=True)
class ExplainSettings(AnalysisSettings, section="explain"):
    """Why do two measures disagree?

    The pairs of systems that the two measures order differently, and what makes them do so: with labels the kinds of
    errors, whose contributions sum to the difference of the systems; with texts or a table of scores the items.

    >>> import metaeval
    >>> metaeval.explain("configs/stance.yaml", ["cem-ord", "accuracy"], max_pairs=1).to_pandas()["verdict"].tolist()
    ['opposed']

    \b
    metaeval explain cem-ord accuracy --config configs/stance.yaml
    metaeval explain --all --config configs/stance.yaml
    """

    max_pairs: int = whole(10, "Of systems, most disagreement first", at_least=1)
    max_items: int = whole(5, "Of texts or a table, for each pair of systems", at_least=1)
    systems: Texts = several(
        Text(), (), "Given twice: explain these two systems", flag="--system", metavar="NAME", default_text=None,
        where=frozenset({COMMAND_LINE, PYTHON}), signed=False,
    )  # fmt: skip
