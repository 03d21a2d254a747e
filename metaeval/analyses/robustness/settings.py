"""How trivial systems are put among the real ones; there is nothing to set."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings


@dataclass(frozen=True, kw_only=True)
class RobustnessSettings(AnalysisSettings, section="robustness"):
    """Can a measure be gamed? Trivial systems among the real ones.

    How many real systems each trivial one beats. For labels: the majority class, every constant class, chance. For
    texts: nothing at all, a sentence of the reference again and again, the reference shuffled; with --sources also the
    words that matter most in them, and their first sentences.

    >>> import metaeval
    >>> metaeval.robustness("configs/rumour2017.yaml", ["accuracy", "macro-f1"]).main.name
    'robustness'

    \b
    metaeval robustness --config configs/news.yaml --sources sample_data/news/sources
    """
