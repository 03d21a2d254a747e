"""The fastest peers that a user could install: compiled code for ROUGE, tau-b and bootstrapped correlations."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import rouge
from benchmarks.correlations import bootstrapped
from benchmarks.paired import Comparison, faster
from benchmarks.resampling import MANY_SYSTEMS
from metaeval.measures.text.vocabulary import Vocabulary
from metaeval.measures.text.words import rouge as tokenizer
from metaeval.stats.association import kendall_b

METRICS, RESAMPLES = 10, 10_000
COEFFICIENTS = {"pearson": "pearson", "spearman": "spearman", "kendall-b": "kendall"}

Scores = NDArray[np.float64]


def compare_rouge(rounds: int, *, pairs: int = rouge.PAIRS) -> Comparison:
    """The six variants of rouge-score-rs, which is written in Rust, from strings."""
    scorer: Any = import_module("rouge_score_rs.rouge_scorer").RougeScorer(list(rouge.THEIR_NAMES))
    candidates, references = rouge.texts(pairs)

    def theirs() -> list[Any]:
        return [scorer.score(reference, candidate) for candidate, reference in zip(candidates, references, strict=True)]

    def ours() -> dict[str, Any]:
        vocabulary = Vocabulary(tokenizer)
        return rouge.their_scores(rouge.encoded(candidates, vocabulary), rouge.encoded(references, vocabulary))

    rouge.check(ours(), theirs())
    name = f"ROUGE-1 to 4, L and Lsum of {pairs:,} pairs of texts, from strings"
    return faster(name, ours, peer="rouge-score-rs", theirs=theirs, claim="≥ 0.67 times faster", rounds=rounds)


def compare_tau(values: int, rounds: int, *, pairs: int = 500) -> Comparison:
    """tau-b by hyper-corr, which is compiled; values: distinct ones of a ranking, 0 for no ties."""
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, pairs, MANY_SYSTEMS))
    if values:
        x, y = random.integers(values, size=(2, pairs, MANY_SYSTEMS)).astype(np.float64)
    tau: Any = import_module("hyper_corr").kendalltau

    def theirs() -> list[float]:
        return [float(tau(one, other)[0]) for one, other in zip(x, y, strict=True)]

    np.testing.assert_allclose(kendall_b(x, y), theirs(), rtol=0, atol=1e-9)
    return faster(
        f"{pairs:,} tau-b of {MANY_SYSTEMS:,} systems, {f'{values} values' if values else 'no ties'}",
        lambda: kendall_b(x, y),
        peer="hyper-corr",
        theirs=theirs,
        claim="≥ 1 times faster" if values else "≥ 0.83 times faster",
        rounds=rounds,
    )


def compare_bootstrap(systems: int, coefficient: str, rounds: int, *, resamples: int = RESAMPLES) -> Comparison:
    """Correlations in bootstrap resamples of systems by correlation-with-confidence, which is written in Rust."""
    random = np.random.default_rng(1)
    human = random.normal(size=systems)
    metric = human + random.normal(size=(METRICS, systems))
    core: Any = import_module("correlation_with_confidence._core")
    columns = np.ascontiguousarray(human[:, np.newaxis]), np.ascontiguousarray(metric.T)

    def theirs() -> Any:
        return core.correlate(*columns, [COEFFICIENTS[coefficient]], resamples, True, 1, 1)

    def ours() -> Scores:
        columns = metric[:, :, np.newaxis], human[np.newaxis, :, np.newaxis]
        return bootstrapped(*columns, coefficient, level="system", resampled="systems", resamples=resamples)

    # The samples are drawn: their medians agree within some standard errors.
    medians = np.nanmedian(ours()[..., 0], axis=0), np.nanmedian(theirs()[:, 0], axis=1)
    np.testing.assert_allclose(*medians, atol=5 / resamples**0.5)
    return faster(
        f"{resamples:,} bootstrap samples of {coefficient} of {METRICS} metrics, {systems} systems",
        ours,
        peer="correlation-with-confidence",
        theirs=theirs,
        claim="≥ 2 times faster" if systems >= 100 else "≥ 1 times faster",
        rounds=rounds,
    )
