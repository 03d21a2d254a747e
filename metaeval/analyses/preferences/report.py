"""Tables of the agreement of metrics and judges with people, and of the strengths of the systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from metaeval.analyses.preferences.compute import Preferences, Strengths
from metaeval.analyses.preferences.judge_tables import notes_on_judges, tables_of_judges
from metaeval.analyses.preferences.metrics import AVERAGE, STATISTICS, MetricAgreement
from metaeval.analyses.preferences.ratios import SIGNS, Groups
from metaeval.analyses.preferences.settings import PreferencesSettings, Ties
from metaeval.analyses.preferences.study import PreferencesStudy
from metaeval.analyses.sentences import lead
from metaeval.errors import join_all, pluralize
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import MAX_GROUPS, MIN_EFFECTIVE_GROUPS
from metaeval.model.report import AnalysisOutput, Cell, Column, Finding, Kind, Table, columns
from metaeval.model.works import METAEVAL, cite
from metaeval.stats.rank import competition_ranks
from metaeval.version import __version__

TREATMENTS: dict[Ties, str] = {
    "discordant": "ties of a metric are discordant",
    "left-out": "ties of a metric are left out",
    "half": "ties of a metric are half concordant",
}


def tabulate(study: PreferencesStudy, settings: PreferencesSettings, result: Preferences) -> AnalysisOutput:
    """Tables of metrics, judges and strengths, as far as the verdicts allow them.

    `metric_preferences`: language_pair (if any; of several also their average), metric, tau, low, high, letters,
    rank_low, rank_high, accuracy, accuracy_low, accuracy_high, ties, pairs. `metric_statistics`: language_pair, metric,
    statistic, value, low, high. `metric_differences`: language_pair, metric, other, difference, low, high, p,
    p_adjusted. `judge_preferences`: judge, statistic, share, low, high, p, p_adjusted, verdicts. `judge_biases`: judge,
    statistic, share, people, difference, low, high, p, p_adjusted, verdicts. `judge_differences`: judge, other,
    statistic, difference, low, high, p, p_adjusted. `strengths`: language_pair, system, strength, low, high, rank,
    rank_low, rank_high, wins, ties, losses. `human_scores`: system, strength.
    """
    by_pair = study.verdicts.names_of_language_pairs != ("",)
    tables, notes, findings = [], [], []
    if result.metrics:
        tables += _tables_of_metrics(result.metrics, settings.ties, by_pair=by_pair)
        notes += _notes_on_metrics(result.metrics, settings.ties, by_pair=by_pair)
        findings += [finding for one in result.metrics for finding in _finding_on_metrics(one, settings.ties)]
    notes += _notes_on_missing(study, result.metrics)
    if result.judges:
        of_judges, sentences = tables_of_judges(result.judges, result.comparisons)
        tables += of_judges
        findings += sentences
    if result.judges or settings.judges:
        notes += notes_on_judges(study, result.judges, result.comparisons)
    if result.strengths:
        tables += _tables_of_strengths(result.strengths, by_pair=by_pair)
        notes += _notes_on_strengths(result.strengths, settings)
        findings += [finding for one in result.strengths for finding in _finding_on_strengths(one)]
    notes += _notes_on_groups(study, settings, result)
    return AnalysisOutput(tables, notes, findings, methods=_methods(study, settings, result))


def _table(name: str, title: str, heads: Sequence[Column], rows: Iterable[Sequence[Cell]], *, by_pair: bool) -> Table:
    """A table without its first column where there are no language pairs."""
    first = 0 if by_pair else 1
    details = name in ("metric_statistics", "metric_differences", "human_scores")
    return Table(name, title, tuple(heads)[first:], tuple(tuple(row)[first:] for row in rows), detail=details)


def _scores(*names: str) -> list[Column]:
    return columns(Kind.SCORE, *names)


def _tables_of_metrics(results: Sequence[MetricAgreement], ties: Ties, *, by_pair: bool) -> list[Table]:
    def row(one: MetricAgreement, place: int) -> list[Cell]:
        tau, accuracy = one.estimates[ties][place], one.estimates["accuracy"][place]
        low, high = (int(ranks[place]) if one.order.defined[place] else None for ranks in one.order.rank_sets)
        return [
            *(one.language_pair, one.metrics[place], *tau[:3], one.order.letters[place], low, high, *accuracy[:3]),
            *(float(one.ties[place]), one.decided),
        ]

    heads = [
        *columns(Kind.TEXT, "language_pair", "metric"), *_scores("tau", "low", "high"), Column("letters"),
        *columns(Kind.COUNT, "rank_low", "rank_high"), *_scores("accuracy", "accuracy_low", "accuracy_high", "ties"),
        Column("pairs", Kind.COUNT),
    ]  # fmt: skip
    rows = [row(one, place) for one in results for place in _descending([each.value for each in one.estimates[ties]])]
    title = f"Agreement of metrics with human preferences (Kendall-like tau, {TREATMENTS[ties]})"
    whole = _table("metric_preferences", title, heads, rows, by_pair=by_pair)
    every = [
        (one.language_pair, metric, name if name == "accuracy" else f"tau {name}", *ratio[:3])
        for one in results
        for place, metric in enumerate(one.metrics)
        for name, ratio in ((name, one.estimates[name][place]) for name in STATISTICS)
    ]
    heads = [*columns(Kind.TEXT, "language_pair", "metric", "statistic"), *_scores("value", "low", "high")]
    treatments = _table("metric_statistics", "Agreement by each treatment of ties", heads, every, by_pair=by_pair)
    pairs = [
        (one.language_pair, one.metrics[row[0]], one.metrics[row[1]], *row[2:])
        for one in results
        for row in one.tests.rows
    ]
    heads = [
        *columns(Kind.TEXT, "language_pair", "metric", "other"),
        *_scores("difference", "low", "high", "p", "p_adjusted"),
    ]
    title = "Differences of tau, with simultaneous 95 % intervals and adjusted p-values"
    return [whole, treatments, *([_table("metric_differences", title, heads, pairs, by_pair=by_pair)] if pairs else [])]


def _descending(values: Sequence[float]) -> list[int]:
    """The places of values, the highest first, NaN last."""
    order: list[int] = np.argsort(-np.asarray(values), kind="stable").tolist()
    return order


def _highest(names: Sequence[str], values: Sequence[float]) -> list[str]:
    """The names with the highest value; those that are equal on paper are equal."""
    rounded = round_to_grid(np.asarray(values))
    return [names[place] for place in np.flatnonzero(rounded == np.nanmax(rounded)).tolist()]


def _interval(low: float, high: float) -> str:
    return f"95 % interval {low:.2f} to {high:.2f}" if math.isfinite(low + high) else "no interval"


def _on(language_pair: str) -> str:
    """On which language pair, as the end of a phrase."""
    if language_pair == AVERAGE:
        return " on average over the language pairs"
    return f" on {language_pair}" if language_pair else ""


def _finding_on_metrics(one: MetricAgreement, ties: Ties) -> list[Finding]:
    """The metrics with the highest tau, and how many others are significantly worse."""
    values = [ratio.value for ratio in one.estimates[ties]]
    if np.isnan(values).all():
        return []
    place, known = int(np.nanargmax(values)), int((~np.isnan(values)).sum())
    where = _on(one.language_pair)
    if len(best := _highest(one.metrics, values)) > 1:
        sentence = f"{join_all(best)} have the same tau with the human preferences{where} ({values[place]:.2f})"
        return [Finding("preferences", f"{sentence}, the highest of {known}")]
    ratio, others = one.estimates[ties][place], known - 1
    value = f"tau {ratio.value:.2f} with the human preferences{where} ({_interval(ratio.low, ratio.high)})"
    sentence = f"{one.metrics[place]} has {value}"
    if others:
        sentence += f", the highest of {known}; {lead(int(one.order.better[place].sum()), others, 'metric')}"
    return [Finding("preferences", sentence)]


def _notes_on_metrics(results: Sequence[MetricAgreement], ties: Ties, *, by_pair: bool) -> list[str]:
    where = " on a language pair, or on average" if by_pair else ""
    tau = f"tau: (concordant − discordant) / pairs, over verdicts that are not ties; {TREATMENTS[ties]}"
    accuracy = "share of all verdicts on which the metric prefers what people prefer, or ties what they tie"
    tests = f"tests of tau for all pairs of metrics{where}, by {SIGNS:,} random signs of clusters"
    notes = [f"{tau}; accuracy: {accuracy}"]
    if any(len(one.metrics) > 1 for one in results):
        notes.append(f"letters, rank_low, rank_high: {tests}")
    if (average := results[-1]).language_pair == AVERAGE:
        pairs = len(results) - 1
        notes.append(
            f"{AVERAGE}: unweighted mean over the {pairs:,} language pairs, which are fixed for its intervals and tests"
        )
        without = sorted({name for one in results for name in one.metrics} - set(average.metrics))
        if without:
            notes[-1] += f"; without {join_all(without)}, not scored on every language pair"
    for one in results:
        if one.excluded:
            of = f" of {one.language_pair}" if by_pair else ""
            notes.append(f"{pluralize(one.excluded, 'verdict')}{of} without a score of every metric left out")
    return notes


def _notes_on_missing(study: PreferencesStudy, results: Sequence[MetricAgreement]) -> list[str]:
    """Which metrics have no agreement with people, on which language pairs, and why."""
    verdicts, people, shown = study.verdicts, ~study.judged, {one.language_pair for one in results}
    lacks: dict[str, list[str]] = {}
    for code, language_pair in enumerate(verdicts.names_of_language_pairs if people.any() else ()):
        rows = people & (verdicts.language_pairs == code)
        scored = [name for name, own in verdicts.scores.items() if not np.isnan(own[rows]).any(axis=1).all()]
        if without := [name for name in verdicts.scores if name not in scored]:
            lacks.setdefault(f"both scores of {' or '.join(without)}", []).append(language_pair)
        if scored and language_pair not in shown:
            what = f"all scores of {join_all(scored)}: leave out the columns of some of them"
            lacks.setdefault(what, []).append(language_pair)
    notes = [f"no verdict of people{_on(join_all(pairs))} has {what}" for what, pairs in lacks.items()]
    if len(verdicts.names_of_language_pairs) > 1 and results and AVERAGE not in shown:
        notes.append(f"no {AVERAGE}: no metric is compared with people on every language pair")
    return notes


def _tables_of_strengths(results: Sequence[Strengths], *, by_pair: bool) -> list[Table]:
    rows: list[list[Cell]] = []
    for one in results:
        ranks = np.stack([competition_ranks(one.values), *one.order.rank_sets], axis=1).tolist()
        for place in _descending(one.values.tolist()):
            known = not math.isnan(one.values[place])
            numbers = [float(each[place]) for each in (one.values, one.low, one.high)]
            own: list[Cell] = ranks[place] if known else [None] * 3
            rows.append([one.language_pair, one.systems[place], *numbers, *own, *one.results[place].tolist()])
    heads = [
        *columns(Kind.TEXT, "language_pair", "system"), *_scores("strength", "low", "high"),
        *columns(Kind.COUNT, "rank", "rank_low", "rank_high", "wins", "ties", "losses"),
    ]  # fmt: skip
    title = "Strengths of the systems by human preferences (Davidson)"
    tables = [_table("strengths", title, heads, rows, by_pair=by_pair)]
    if len(results) == 1 and not np.isnan(results[0].values).any():
        title = "Strengths as human scores of the systems, for correlate"
        tables.append(_table("human_scores", title, heads[:3], [row[:3] for row in rows], by_pair=False))
    return tables


def _finding_on_strengths(one: Strengths) -> list[Finding]:
    if np.isnan(one.values).any() or len(one.systems) < 2:
        return []
    if len(_highest(one.systems, one.values.tolist())) > 1:
        return []
    place = int(np.argmax(one.values))
    where = _on(one.language_pair)
    value = f"{one.values[place]:.2f}, {_interval(float(one.low[place]), float(one.high[place]))}"
    ahead = int(one.order.better[place].sum())
    most = f"{one.systems[place]} has the highest strength by human preferences{where} ({value})"
    return [Finding("preferences", f"{most}, {lead(ahead, len(one.systems) - 1, 'system')}")]


def _notes_on_strengths(results: Sequence[Strengths], settings: PreferencesSettings) -> list[str]:
    unit = "strength: natural logarithm, with mean 0; a difference of 1 stands for odds of 2.7 of being preferred"
    interval = (
        f"low, high: 95 % bias-corrected bootstrap interval ({settings.resamples:,} random weightings of the clusters)"
    )
    notes = [
        f"{unit}; {interval}; rank_low, rank_high: tests of all pairs of systems, by {SIGNS:,} random signs of clusters"
    ]
    without = [one.language_pair for one in results if np.isnan(one.values).any()]
    if without:
        where = f" on {join_all(without)}" if any(without) else ""
        why = "some systems win or lose all verdicts against the others, or are not compared with them, or all are ties"
        why += "; add verdicts, or leave out systems that strengths shows without wins or without losses"
        none = "no strengths" + (" and no human_scores" if len(results) == 1 else where)
        notes = [*(notes if len(without) < len(results) else []), f"{none}: {why}"]
    if len(results) > 1:
        remedy = "analyse the verdicts of a language pair by themselves"
        notes.append(f"no human_scores: strengths are of {len(results):,} language pairs; {remedy}")
    return notes


def _notes_on_groups(study: PreferencesStudy, settings: PreferencesSettings, result: Preferences) -> list[str]:
    every = _groups(result)
    if not every:
        return []
    noun = f"values of {settings.clusters}" if settings.clusters else "items"
    notes = [f"low, high: 95 % intervals by clusters, which are the {noun}"]
    dealt = max(one.clusters for one in every.values())
    if dealt > MAX_GROUPS:
        notes[0] += f"; {dealt:,} of them are dealt whole into {MAX_GROUPS:,} groups"
    few = {what: each.effective for what, each in every.items() if each.effective < MIN_EFFECTIVE_GROUPS}
    if few:
        fewest = min(few, key=few.__getitem__)
        number = (
            f"the smallest effective number of clusters is {few[fewest]:.3g} ({fewest}), below {MIN_EFFECTIVE_GROUPS}"
        )
        notes.append(f"{number}: intervals with so few clusters may be too narrow")
    return notes


def _groups(result: Preferences) -> dict[str, Groups]:
    """The groups behind each result, by what it is."""
    return {
        **{f"tau{_on(one.language_pair)}": one.groups for one in result.metrics},
        **{f"{one.name}, {one.judge}": one.groups for one in result.judges},
        **{f"differences of judges, {one.statistic}": one.groups for one in result.comparisons},
        **{f"strengths{_on(one.language_pair)}": one.groups for one in result.strengths},
    }


def _methods(study: PreferencesStudy, settings: PreferencesSettings, result: Preferences) -> list[str]:
    sentences = [f"We analysed {study.contents} with metaeval {__version__} {cite(METAEVAL)}."]
    clusters = f"values of {settings.clusters}" if settings.clusters else "items"
    signs = f"by {SIGNS:,} random signs of the {clusters} (seed {study.config.seed})"
    if result.metrics:
        tau = f"a Kendall-like tau {cite('machacek2014')} in which {TREATMENTS[settings.ties]}"
        sentences.append(f"The agreement of metrics with human preferences is {tau}, and pairwise accuracy.")
        if any(len(one.metrics) > 1 for one in result.metrics):
            sentences.append(f"Differences in tau were tested against 0 {signs}, adjusted for all pairs of metrics.")
        if result.metrics[-1].language_pair == AVERAGE:
            mean = f"Averages are unweighted means over the {len(result.metrics) - 1:,} language pairs"
            fixed = f"their intervals and tests sum what the {clusters} add on all language pairs, which are fixed"
            sentences.append(f"{mean}; {fixed}.")
    if tested := list(dict.fromkeys(one.name for one in result.judges if not math.isnan(one.share.p))):
        names = join_all(list(dict.fromkeys(one.judge for one in result.judges)))
        biases = ", and differences from people against 0" if any(one.compared for one in result.judges) else ""
        shares = f"The shares of {names} ({join_all(tested)}) were tested against 0.5{biases}"
        sentences.append(f"{shares}, {signs}, with Holm's adjustment {cite('holm1979')}.")
    if result.comparisons:
        comparisons = pluralize(result.comparisons[0].comparisons, "comparison")
        where = f"on the {comparisons} that people and every judge judged"
        tests = f"Differences of judges were tested against 0 {where} {signs}, adjusted for all pairs of judges"
        sentences.append(f"{tests}, for each statistic by itself.")
    if result.metrics or result.judges:
        equal = "where all clusters have the same value, they are binomial, of as many trials as the effective number"
        sentences.append(f"95 % intervals have the values that tests {signs} do not reject; {equal}.")
    if any(not np.isnan(one.values).any() for one in result.strengths):
        model = f"the model of Davidson {cite('davidson1970')}, a Bradley–Terry model {cite('bradley1952')} with ties"
        weights = f"{settings.resamples:,} bootstrap resamples with random weights {cite('xu2020')} of the {clusters}"
        intervals = f"bias-corrected intervals {cite('efron1987')}"
        sentences.append(f"Strengths of systems are those of {model}, with {intervals} from {weights}.")
    return sentences
