"""Settings of `robustness`."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, alpha, whole


@dataclass(frozen=True, kw_only=True)
class RobustnessSettings(AnalysisSettings, section="robustness"):
    """Can a measure be gamed? Trivial systems among the real ones.

    Counts the real systems that each trivial system beats, and those that it beats significantly. For labels: the
    majority class, every constant class, and random predictions. For texts: empty output, a repeated sentence of the
    reference, the shuffled reference; with the sources of the items also their words with the highest tf-idf, and their
    first sentences.

    >>> import metaeval
    >>> metaeval.robustness("configs/rumour2017.yaml", ["accuracy", "macro-f1"]).main.name
    'robustness'

    \b
    metaeval robustness --config configs/news.yaml --sources sample_data/news/sources
    metaeval robustness --config configs/stance.yaml -m accuracy -m cem-ord
    """

    permutations: int = whole(4999, "Number of permutations", at_least=1)
    alpha: float = alpha("Significance level of the tests")
