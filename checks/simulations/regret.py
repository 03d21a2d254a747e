"""How good a measure is that was chosen on half of the items and systems, on the other half of real data.

`python -m simulations.regret` reads the shared-task files that the tests read, and writes the tables and their page.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from shared_data import SHARED_DATA

from metaeval.analyses.recommend.compute import gather
from metaeval.analyses.recommend.evidence import Examined, examine
from metaeval.analyses.recommend.settings import RecommendSettings
from metaeval.analyses.recommend.verdict import Advice, Verdict, judge
from metaeval.inference.statistics import PairDeviations, expected_tau
from metaeval.measures import measure
from metaeval.measures.presets import candidates
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.labels import merge_runs, score_counts
from metaeval.study.labels import LabelStudy
from metaeval.study.study import no_progress
from simulations.generators import Codes, Floats
from simulations.real import SETS, study_of

PAGE, TABLE, VERDICTS = map(Path, ("docs/regret.md", "docs/assets/regret.csv", "docs/assets/regret_verdicts.csv"))
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"

SPLITS = 60
MIN_SYSTEMS = 4
"""Systems of the smallest half of the systems."""

DRAWS = 20
"""Draws of each damage to each system."""

DATA = {"FNC-1": "fnc1", "Stack Overflow": "sentiment_so", "CEBaB": "cebab_stars_judges"}
"""Folders of the shared-task files."""

TWO_CLASSES = {
    "FNC-1, two classes": ("FNC-1", ("disagree", "discuss", "agree")),
    "Stack Overflow, two classes": ("Stack Overflow", ("0", "1")),
}
"""A data set, and which of its classes become one."""

NO_CONSTANT = "FNC-1, without its constant system"
"""One submission predicts the same class for all items, so that some measures have no score for it."""

SETTINGS = RecommendSettings(permutations=999)

RULES = ("recommend", "first by convention", "accuracy", "macro-f1", "most consistent", "random", "best in hindsight")
QUESTIONS = {
    "Regret of consistency": "{:.3f}",
    "Damage missed": "{:.3f}",
    "Gamed": "{:.2f}",
}
"""What the chosen measure is judged by, lower better, and how its mean is printed."""

MEAN, MORE = "mean", "more than recommend"
OF_CHECKS = ("candidates", "excluded", "by reliability", "named")
"""Rows over the data sets, and columns of verdicts."""


@dataclass(frozen=True)
class Outcomes:
    """Of K splits of a data set, by rules R and questions Q.

    losses: (K, Q, R), NaN where a rule chooses no measure. verdicts: of `recommend` on the half that chooses.
    """

    losses: Floats
    verdicts: tuple[Verdict, ...]


def halves(runs: LabelledRuns, random: np.random.Generator) -> tuple[LabelledRuns, LabelledRuns]:
    """A random half of items and systems, and the other half; with all systems where too few are left for it."""
    items, systems = random.permutation(len(runs.items)), random.permutation(len(runs.systems))
    half, number = len(items) // 2, max(MIN_SYSTEMS, len(systems) // 2)
    others = systems[number:] if len(systems) - number >= MIN_SYSTEMS else systems
    return part(runs, items[:half], systems[:number]), part(runs, items[half:], others)


def part(runs: LabelledRuns, items: Codes, systems: Codes) -> LabelledRuns:
    """Some items and systems, in their order."""
    items, systems = np.sort(items), np.sort(systems)
    return LabelledRuns(
        tuple(runs.items[item] for item in items.tolist()), runs.gold[items], runs.predicted[np.ix_(systems, items)],
        tuple(runs.systems[system] for system in systems.tolist()), runs.scale,
    )  # fmt: skip


def look(study: LabelStudy, runs: LabelledRuns) -> tuple[Examined, Floats]:
    """What `recommend` finds for the M candidates on some of the data, and their consistency, (M,).

    Consistency is the expected tau-a between random halves: pairs that a measure ties or leaves without a score count
    0, because tau-b, which leaves them out, would favour measures that tie most systems.
    """
    material = gather(replace(study, runs=runs), SETTINGS, progress=no_progress)
    pairs, consistency = comb(material.systems, 2), np.zeros(len(material.measures))
    for index, evidence in enumerate(material.evidence):
        deviations = PairDeviations.of(evidence.select(np.arange(material.systems)))
        if deviations.vary.any():
            consistency[index] = expected_tau(deviations.t, deviations.vary) * deviations.vary.sum() / pairs
    return examine(material, alpha=SETTINGS.alpha), consistency


def sample_cells(cells: Codes, number: int, random: np.random.Generator) -> Codes:
    """How many of this number of items are drawn from each cell (C, C), (DRAWS, C, C)."""
    samples = random.multivariate_hypergeometric(cells.ravel(), number, size=DRAWS, method="marginals")
    return samples.reshape(DRAWS, *cells.shape)


def by_majority(cells: Codes, random: np.random.Generator) -> Codes:
    """Five percent of the predictions are the majority class instead."""
    changes = sample_cells(cells, round(0.05 * cells.sum()), random)
    damaged = cells - changes
    damaged[..., cells.sum(axis=1).argmax()] += changes.sum(axis=-1)
    return damaged


def by_chance(cells: Codes, random: np.random.Generator) -> Codes:
    """Five percent of the predictions are random classes instead."""
    changes = sample_cells(cells, round(0.05 * cells.sum()), random)
    return cells - changes + random.multinomial(changes.sum(axis=-1), np.full(len(cells), 1 / len(cells)))


def by_distance(cells: Codes, random: np.random.Generator) -> Codes:
    """A tenth of the errors are one class farther from gold, those that can be."""
    gold, predicted = np.indices(cells.shape)
    can_move = ((predicted > gold) & (predicted < len(cells) - 1)) | ((predicted < gold) & (predicted > 0))
    errors, movable = cells.sum() - np.trace(cells), np.where(can_move, cells, 0)
    changes = sample_cells(movable, min(max(1, round(0.1 * errors)), int(movable.sum())), random)
    damaged = cells - changes
    damaged[..., 1:] += np.where(predicted > gold, changes, 0)[..., :-1]
    damaged[..., :-1] += np.where(predicted < gold, changes, 0)[..., 1:]
    return damaged


def damage_missed(runs: LabelledRuns, names: Sequence[str], random: np.random.Generator) -> Floats:
    """Share of the systems with each damage that each measure does not score lower than before, (D, M)."""
    counts, scale, measures = counts_of(runs).astype(np.int64), runs.scale, [measure(name) for name in names]
    damages = [by_majority, by_chance, *([by_distance] if scale.ordered and len(scale) > 2 else [])]
    damaged = np.array([[damage(cells, random) for cells in counts] for damage in damages])

    def score(cells: NDArray[np.int64], *axes: str) -> Floats:
        return score_counts(cells, measures, scale=scale, systems=runs.systems, axes=axes).oriented().values

    after = score(np.moveaxis(damaged, 1, 2), "damage", "draw")
    # A draw that changes no count does no damage.
    changed = np.moveaxis((damaged != counts[:, np.newaxis]).any(axis=(-2, -1)), 1, 2)[:, :, np.newaxis]
    missed = np.where(changed, ~(after < score(counts)), np.nan)
    shares: Floats = np.nanmean(missed, axis=(1, 3))
    return shares


def chosen(evidence: Examined, verdict: Verdict, consistency: Floats) -> Floats:
    """The probability with which each rule but the last chooses each candidate, (R - 1, M); NaN if it chooses none.

    Of two measures that `recommend` reports, the first counts.
    """
    names = evidence.measures
    shares = np.zeros((len(RULES) - 1, len(names)))
    fixed = (0, names.index("accuracy"), names.index("macro-f1"))
    for row, index in enumerate((next(iter(verdict.choice), None), *fixed, int(consistency.argmax()))):
        shares[row] = np.nan if index is None else np.arange(len(names)) == index
    shares[-1] = 1 / len(names)
    return shares


def outcomes(study: LabelStudy, *, splits: int, seed: int = 20201) -> Outcomes:
    """Choose a measure by each rule on one half of the data, and judge it on the other."""
    random, losses, verdicts = np.random.default_rng(seed), [], []
    assert isinstance(study.runs, LabelledRuns)
    for _ in range(splits):
        one, other = halves(study.runs, random)
        evidence, consistency = look(study, one)
        verdicts.append(judge(evidence, SETTINGS))
        there, consistency_there = look(study, other)
        missed = damage_missed(other, there.measures, random).mean(axis=0)
        measure_losses = np.array([consistency_there.max() - consistency_there, missed, there.beaten > 0])
        by_rule = measure_losses @ chosen(evidence, verdicts[-1], consistency).T
        losses.append(np.concatenate([by_rule, measure_losses.min(axis=1, keepdims=True)], axis=1))
    return Outcomes(np.array(losses), tuple(verdicts))


def studies() -> Iterator[tuple[str, LabelStudy]]:
    """The data sets, each with the candidates of its scale, and variants of them."""
    every = {}
    for name, folder in DATA.items():
        scale = ClassScale.parse(SETS[folder])
        every[name] = study_of(SHARED_DATA / folder, scale, [str(candidate) for candidate in candidates(scale)])
        yield name, every[name]
    runs = every["FNC-1"].runs
    assert isinstance(runs, LabelledRuns)
    vary = np.flatnonzero(runs.predicted.min(axis=1) < runs.predicted.max(axis=1))
    yield NO_CONSTANT, replace(every["FNC-1"], runs=part(runs, np.arange(len(runs.items)), vary))
    for name, (source, labels) in TWO_CLASSES.items():
        runs = every[source].runs
        assert isinstance(runs, LabelledRuns)
        scale = runs.scale.merge(labels)
        yield name, replace(every[source], runs=merge_runs(runs, scale), measures=candidates(scale))


def interval(values: Floats, cut: tuple[float, float], form: str) -> str:
    """The mean of a few data sets and its 95 % interval by the t distribution, within the possible values."""
    mean, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
    far = stats.t.ppf(0.975, len(values) - 1) * error
    low, high = np.clip([mean - far, mean + far], *cut)
    return f"{form.format(mean)} [{form.format(low)}, {form.format(high)}]"


def question_rows(index: int, results: dict[str, Outcomes]) -> Iterator[list[str]]:
    """The rows of a question: one for each data set, the means of the data sets, and their variants."""
    form = list(QUESTIONS.values())[index]
    means = {name: np.nanmean(result.losses[:, index], axis=0) for name, result in results.items()}
    rows = {name: [name, *map(form.format, values)] for name, values in means.items()}
    yield from (rows[name] for name in DATA)
    values = np.array([means[name] for name in DATA])
    yield [MEAN, *(interval(column, (0, 1), form) for column in values.T)]
    more = [interval(column, (-1, 1), form.replace(":", ":+")) for column in (values - values[:, :1]).T[1:]]
    yield [MORE, "", *more]
    yield from (rows[name] for name in rows if name not in DATA)


def verdict_rows(results: dict[str, Outcomes]) -> Iterator[list[str]]:
    """What `recommend` said on the halves that choose."""
    for name, result in results.items():
        verdicts, splits = result.verdicts, len(result.verdicts)
        often = Counter(verdict.advice for verdict in verdicts)
        reasons = [reason.check for verdict in verdicts for reason in verdict.reasons if reason is not None]
        first = [next(iter(verdict.choice), None) for verdict in verdicts]
        names = verdicts[0].evidence.measures
        choices = Counter("none" if index is None else names[index] for index in first)
        yield [
            *(name, *(f"{often[advice] / splits:.2f}" for advice in Advice), str(len(verdicts[0].reasons))),
            *(f"{len(reasons) / splits:.1f}", f"{reasons.count('reliability') / splits:.1f}"),
            ", ".join(f"{choice} {number / splits:.2f}" for choice, number in choices.most_common()),
        ]


def put(results: dict[str, Outcomes]) -> None:
    """Write the tables, and the means of the data sets on the page."""
    questions = [(title, row) for index, title in enumerate(QUESTIONS) for row in question_rows(index, results)]
    verdicts = [("data", *(advice.value for advice in Advice), *OF_CHECKS), *verdict_rows(results)]
    for path, lines in (
        (TABLE, [("question", "data", *RULES), *((title, *row) for title, row in questions)]),
        (VERDICTS, verdicts),
    ):
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
    means = [(title, *row[1:]) for title, row in questions if row[0] == MEAN]
    tables = [markdown(("mean", *RULES), means), markdown(verdicts[0], verdicts[1 : 1 + len(DATA)])]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    text = f"{before}{BEGIN}\n{tables[0]}\n\nWhat `recommend` said:\n\n{tables[1]}\n\n{END}{rest.partition(END)[2]}"
    PAGE.write_text(text, encoding="utf-8")


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


if __name__ == "__main__":
    if not SHARED_DATA.is_dir():
        sys.exit(f"the shared-task files are not there: {SHARED_DATA}; name a folder in METAEVAL_SHARED_DATA")
    put({name: outcomes(study, splits=SPLITS) for name, study in studies()})
