"""The least that each job must move and compute: a floor under its time on a given machine.

A formula says what of a job is counted, in words and in numbers. Bytes are those of what is read and of what comes out,
once each; FLOPs those of the plain vectorised method, a comparison or a step on a 64-bit word counting as one. What is
drawn at random, parsed, sorted or looked up is not counted. Shortcuts, as sums of groups, could go below such a floor.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks import (
    agreement,
    big,
    contrasting,
    correcting,
    correlations,
    derivations,
    distributions,
    fastest,
    kernels,
    power,
    preferring,
    rankings,
    resampling,
    rouge,
    swapping,
    testing,
)
from benchmarks import metrics_task as metrics
from benchmarks.machine import Rates
from benchmarks.score_table import ITEMS, SYSTEMS
from metaeval.scoring.labels import is_additive

CLASSES = 3
MEASURES = len(resampling.MEASURES)
ADDITIVE = sum(map(is_additive, resampling.MEASURES))
"""How many of the measures are means over items."""

PAIRS_OF_SYSTEMS = SYSTEMS * (SYSTEMS - 1) // 2
PAIRS_OF_MEASURES = MEASURES * (MEASURES - 1) // 2
FLOAT = 8
WORD = 64

PARQUET, CHARACTERS = 0.26, 13
"""Bytes of a label in the made Parquet files, as it is compressed; of an id, as it is not."""

PATTERNS = 646_000
"""Of the items that repeat them, in the full size."""


@dataclass(frozen=True)
class Work:
    """What a job must do at least. counted: what of it, in words."""

    counted: str
    bytes: float
    flops: float

    def seconds(self, rates: Rates) -> float:
        """The time it takes at these rates: the longer of moving and of computing, as if one hid behind the other."""
        return max(self.bytes / rates.bytes, self.flops / rates.flops)


def score_table(*, items: int = ITEMS) -> Work:
    return Work("codes read once, one addition each", items * (SYSTEMS + 1), items * SYSTEMS)


def _counts_of_samples(samples: int) -> float:
    return _products(samples, ITEMS, SYSTEMS)


def _products(samples: int, rows: float, systems: int) -> float:
    """Multiplications and additions of the matrix products, all gold classes together; the last class is a rest."""
    return 2.0 * samples * rows * systems * (CLASSES - 1)


def halves(*, trials: int = resampling.TRIALS) -> Work:
    taus = 2.0 * trials * MEASURES * PAIRS_OF_SYSTEMS
    return Work(
        "matrix products of the halves' weights with indicators; signs of pairs of systems",
        ITEMS * (SYSTEMS + 1) + trials * MEASURES * FLOAT,
        _counts_of_samples(trials) + taus,
    )


def _tau(pairs: int, systems: int) -> Work:
    compared = systems * (systems - 1) / 2
    # Sorting both rankings is less where there are many systems.
    least = min(3 * compared, 2 * systems * systems.bit_length())
    return Work("comparisons of systems; scores read once", 2.0 * pairs * systems * FLOAT, pairs * least)


def tau(*, pairs: int = 9_000) -> Work:
    return _tau(pairs, resampling.MIN_SYSTEMS)


def long_tau(*, pairs: int = 500) -> Work:
    return _tau(pairs, resampling.MANY_SYSTEMS)


def bootstrap_of_systems(systems: int, *, resamples: int = fastest.RESAMPLES) -> Work:
    return Work(
        "a byte a draw; a multiplication a system, metric and resample",
        float(resamples) * systems,
        2.0 * resamples * systems * fastest.METRICS,
    )


def similarity(*, replicates: int = rankings.RESAMPLES) -> Work:
    taus = 3.0 * replicates * PAIRS_OF_MEASURES * PAIRS_OF_SYSTEMS
    return Work(
        "matrix products of the bootstrap; signs of pairs of systems",
        ITEMS * (SYSTEMS + 1) + replicates * PAIRS_OF_MEASURES * FLOAT,
        _counts_of_samples(replicates) + taus,
    )


def merges(*, replicates: int = rankings.REPLICATES) -> Work:
    taus = 3.0 * replicates * MEASURES * len(rankings.MERGED) * PAIRS_OF_SYSTEMS
    return Work(
        "matrix products of the bootstrap; signs of pairs of systems",
        ITEMS * (SYSTEMS + 1) + replicates * MEASURES * len(rankings.MERGED) * FLOAT,
        _counts_of_samples(replicates) + taus,
    )


def tukey(*, permutations: int = resampling.PERMUTATIONS) -> Work:
    cells = resampling.TRIALS * MEASURES
    return Work("one addition a cell and permutation", cells * FLOAT, float(permutations) * cells)


def power_of_measures(*, resamples: int = power.RESAMPLES) -> Work:
    groups = min(ITEMS, 1024)
    pairs = SYSTEMS * (SYSTEMS - 1) / 2
    return Work(
        "the product of signs with the parts of groups, and the pairs of systems",
        ITEMS * (SYSTEMS + 1),
        2.0 * resamples * MEASURES * (groups * SYSTEMS + pairs),
    )


def letters(*, systems: int = testing.USUAL[0], items: int = testing.USUAL[1]) -> Work:
    groups, pairs = min(items, 1024), systems * (systems - 1) / 2
    return Work(
        "the product of signs with the parts of groups, and the pairs of systems",
        items * (systems + 1),
        2.0 * testing.PERMUTATIONS * len(testing.MEASURES) * (groups * systems + pairs),
    )


def letters_of_many(*, systems: int = testing.LARGE[0], items: int = testing.LARGE[1]) -> Work:
    return letters(systems=systems, items=items)


def explain(*, items: int = ITEMS) -> Work:
    return score_table(items=items)


def alpha(*, units: int = agreement.UNITS) -> Work:
    cells = agreement.ANNOTATORS * units
    return Work(
        "ratings read once; one addition each and the squares of units × values",
        cells * FLOAT,
        cells + 4.0 * units * agreement.RATINGS,
    )


def preferences(*, verdicts: int = preferring.VERDICTS, **_: int) -> Work:
    signs, groups, metrics = 4999, min(verdicts, preferring.ITEMS), preferring.METRICS
    return Work(
        "scores of both sides and winners read once; signed sums of what items add to each tau",
        verdicts * (2 * metrics + 1) * FLOAT,
        3.0 * verdicts * metrics + 2.0 * signs * groups * metrics,
    )


def contrast(*, pairs: int = contrasting.PAIRS) -> Work:
    cells = contrasting.MEASURES * pairs
    return Work("both scores of a pair read once, and compared", 2 * cells * FLOAT, 3.0 * cells)


def correct(*, items: int = correcting.ITEMS) -> Work:
    cells = correcting.SYSTEMS * items
    return Work("scores of judge and people read once; five sums of products", 2 * cells * FLOAT, 10.0 * cells)


def randomisation(*, items: int = swapping.ITEMS, resamples: int = swapping.RESAMPLES) -> Work:
    return Work("the product of signs with differences", 2 * items * FLOAT, 2.0 * items * resamples)


def swap_test(*, resamples: int = correlations.SWAPPED, **_: int) -> Work:
    pairs = correlations.SYSTEMS * (correlations.SYSTEMS - 1) / 2
    cells = correlations.SYSTEMS * correlations.ITEMS
    return Work(
        "signs of pairs of systems, item by item", 3 * cells * FLOAT, 4.0 * resamples * correlations.ITEMS * pairs
    )


def global_swap_tests(*, resamples: int = correlations.SWAPPED, **_: int) -> Work:
    measures, cells = correlations.MEASURES, correlations.SYSTEMS * correlations.ITEMS
    pairs = measures * (measures - 1) / 2
    return Work(
        "weights of all pairs of measures, times the swaps",
        (measures + 1) * cells * FLOAT,
        2.0 * resamples * cells * pairs,
    )


def correlation_bootstrap(*, resamples: int = correlations.DRAWN, **_: int) -> Work:
    pairs = correlations.SYSTEMS * (correlations.SYSTEMS - 1) / 2
    measures, cells = correlations.MEASURES, correlations.SYSTEMS * correlations.ITEMS
    return Work(
        "signs of pairs of systems, weighted by how often they were drawn",
        (measures + 1) * cells * FLOAT,
        # For each measure what is concordant, and for the people what is not tied.
        2.0 * (measures + 1) * resamples * correlations.ITEMS * pairs,
    )


def metrics_task(
    work: str, *, items: int = metrics.ITEMS, resamples: int = metrics.RESAMPLES,
    permutations: int = metrics.PERMUTATIONS,
) -> Work:  # fmt: skip
    """Products of pairs of systems at level item, and of each score once elsewhere."""
    cells, pairs = metrics.SYSTEMS * items, metrics.MEASURES * (metrics.MEASURES - 1) / 2
    products = [(metrics.SYSTEMS - 1) / 2 if level == "item" else 1.0 for level, _ in metrics.WORK[work]]
    return Work(
        "products of pairs of systems, or of scores, with resamples and swaps",
        (metrics.MEASURES + 1) * cells * FLOAT * len(products),
        2.0 * cells * (resamples * metrics.MEASURES * sum(products) + permutations * pairs * len(products)),
    )


def kernel(*, pairs: int = kernels.PAIRS, **_: int) -> Work:
    return _kernels(pairs, 1)


def kernel_grid(*, pairs: int = kernels.PAIRS, **_: int) -> Work:
    return _kernels(pairs, len(kernels.DECAYS))


def _kernels(pairs: int, decays: int) -> Work:
    # Two recurrences of a multiplication and an addition, the product with the match, and the sum.
    cells = float(pairs) * kernels.WORDS**2 * (kernels.LENGTH - 1) * decays
    return Work(
        "six FLOPs a cell of the dynamic programme and length; words read, kernels written",
        float(pairs) * FLOAT * (2 * kernels.WORDS + kernels.LENGTH * decays),
        6 * cells,
    )


def rouge_from_strings(*, pairs: int = rouge.PAIRS) -> Work:
    return _rouge(pairs, 6.7, "characters")


def rouge_from_codes(*, pairs: int = rouge.PAIRS) -> Work:
    return _rouge(pairs, FLOAT, "codes")


def _rouge(pairs: int, bytes_a_word: float, read: str) -> Work:
    words = rouge.SENTENCES * (rouge.SHORTEST + rouge.LONGEST) / 2
    # Longest common subsequences in words of bits, of whole texts and of every two sentences; skip bigrams one by one.
    subsequences = 2 * words * (-(-words // WORD) + rouge.SENTENCES)
    n_grams, skipped = 4 * 2 * words, 2 * words * (words / 2 + 4 + 9 + 5)
    return Work(
        f"{read} read once; one step an n-gram or skip bigram, and a word of bits for subsequences",
        2 * pairs * words * bytes_a_word,
        pairs * (subsequences + n_grams + skipped),
    )


def alignment(*, items: int = derivations.ITEMS) -> Work:
    # About two steps against three, of three parts of some 20 characters each.
    characters, steps = 20, 2 * 3 * derivations.REFERENCES
    return Work(
        "characters read once; edit distances in words of bits",
        items * (derivations.REFERENCES + 1) * 3 * 3 * characters,
        float(items) * steps * 3 * characters,
    )


def divergences(*, items: int = distributions.ITEMS) -> Work:
    cells = float(items) * distributions.SYSTEMS * distributions.CLASSES
    scores = items * distributions.SYSTEMS * len(distributions.MEASURES)
    return Work("probabilities read once, scores written; ten steps each", (cells + scores) * FLOAT, 10 * cells)


def patterns(*, items: int = big.ITEMS) -> Work:
    cells = float(items) * (big.SYSTEMS + 1)
    return Work(
        "Parquet read, and ids and labels once it is decoded; one step each",
        cells * (PARQUET + 1) + items * CHARACTERS,
        cells + items,
    )


def halves_of_patterns(*, items: int = big.ITEMS, trials: int = big.TRIALS) -> Work:
    # Patterns grow more slowly than items, as words do in a text (Heaps' law).
    pattern_count = PATTERNS * (items / big.ITEMS) ** 0.55
    return Work(
        "patterns read once; matrix products of the halves' weights with indicators",
        pattern_count * (big.SYSTEMS + 1 + FLOAT),
        _products(trials, pattern_count, big.SYSTEMS),
    )
