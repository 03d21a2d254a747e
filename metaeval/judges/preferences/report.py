"""Tables, notes and findings of preferences: the agreement of metrics with people, and the strengths of systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from metaeval.analyses.runs import table_of_runs
from metaeval.analyses.sentences import best_of
from metaeval.arrays import Floats
from metaeval.errors import join_all, pluralize
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import MAX_GROUPS, MIN_EFFECTIVE_GROUPS
from metaeval.judges.preferences.cells import (
    INTERVAL,
    differences,
    dots,
    interval,
    names_by_pair,
    on_pair,
    stacked,
    than_others,
)
from metaeval.judges.preferences.compute import AVERAGE, STATISTICS, MetricAgreement, Preferences
from metaeval.judges.preferences.groups import SIGNS, Groups
from metaeval.judges.preferences.judges import AGREEMENT
from metaeval.judges.preferences.report_biases import methods_of_biases, notes_on_biases, on_biases, tables_of_biases
from metaeval.judges.preferences.report_judges import notes_on_judges, on_judges, tables_of_judges
from metaeval.judges.preferences.report_strengths import (
    notes_on_strengths,
    on_leaderboards,
    on_strengths,
    on_win_rates,
    tables_of_strengths,
)
from metaeval.judges.preferences.settings import PreferencesSettings, Ties
from metaeval.judges.preferences.study import PreferencesStudy
from metaeval.model.report import (
    AnalysisOutput,
    Finding,
    Note,
    Table,
    count,
    crossed,
    score,
    scores,
    table,
    text,
)
from metaeval.model.works import METAEVAL, cite
from metaeval.render.plots.columns import texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.stats.rank import best_first
from metaeval.version import __version__

MAX_SENTENCES, MAX_TABLES = 3, 2

TREATMENTS: dict[Ties, str] = {
    "discordant": "ties of a metric are discordant",
    "left-out": "ties of a metric are left out",
    "half": "ties of a metric are half concordant",
}


def tabulate(study: PreferencesStudy, settings: PreferencesSettings, result: Preferences) -> AnalysisOutput:
    """Tables of metrics, judges and strengths, as far as the verdicts allow them."""
    tables, notes, sentences = [], [], on_win_rates(result.win_rates)
    if result.metrics:
        tables += _tables_of_metrics(result.metrics, settings.ties, study.people)
        notes += _notes_on_metrics(result.metrics)
        sentences += _on_metrics(result.metrics, settings.ties, study.people)
    notes += _notes_on_missing(study, result.metrics)
    if result.judges:
        tables += tables_of_judges(study, result.judges, result.comparisons)
        sentences += on_judges(study, result.judges, result.comparisons)
    if result.judges or study.judges:
        notes += notes_on_judges(study, result.judges, result.comparisons)
    if result.runs:
        tables.append(table_of_runs("preferences_runs", result.runs, equal=True))
    tables += tables_of_biases(result.biases)
    notes += notes_on_biases(result.biases)
    sentences += on_biases(result.biases)
    if main := result.strengths or result.strengths_of_judges:
        tables += tables_of_strengths(result)
        notes += notes_on_strengths(result)
        # Where judges are compared with people, the table alone has the strengths.
        sentences += on_leaderboards(result.leaderboards) or on_strengths(main)
    sentences = sentences[:MAX_SENTENCES]
    notes += _notes_on_groups(settings, result)
    if _few_clusters(result) and len(sentences) < MAX_SENTENCES:
        sentences.append("Intervals may be too narrow with so few clusters")
    findings = [Finding("preferences", sentence) for sentence in sentences]
    tables = _most_important(study, result, tables)
    return AnalysisOutput(tables, notes, findings, methods=_methods(study, settings, result))


def _most_important(study: PreferencesStudy, result: Preferences, tables: Sequence[Table]) -> list[Table]:
    """The tables, of which readers see the two that answer the question; the others are details."""
    agree = any(one.name == AGREEMENT for one in result.judges)
    judges = ["judge_preferences", "judge_biases"] if agree else ["judge_biases"]
    order = ["win_rates", "metric_preferences", *(judges if study.judged.any() else []), "strengths"]
    names = {one.name for one in tables if not one.detail}
    present = [name for name in dict.fromkeys([*order, "judge_preferences", "judge_biases"]) if name in names]
    first = present[:MAX_TABLES]
    return [replace(one, detail=one.name not in first) for one in tables]


def _tables_of_metrics(results: Sequence[MetricAgreement], ties: Ties, people: str) -> list[Table]:
    tables = [stacked(results, partial(_agreement, ties=ties, people=people)), stacked(results, _statistics)]
    several = [one for one in results if len(one.metrics) > 1]
    return [*tables, stacked(several, _differences_of_metrics)] if several else tables


_ACCURACY = "share of all verdicts that the metric agrees with, ties included"


def _agreement(one: MetricAgreement, ties: Ties, people: str) -> Table:
    """The metrics of a language pair, those with the highest tau first."""
    tau, accuracy = (np.array(one.estimates[name]).T for name in (ties, "accuracy"))
    low, high = one.order.rank_sets
    pairs = "" if one.language_pair else f"; {pluralize(one.decisions, 'verdict')}"
    return table(
        "metric_preferences",
        f"Agreement of metrics with {people} (Kendall-like tau, {TREATMENTS[ties]}{pairs})",
        text("metric", one.metrics),
        score("tau", tau[0], about="(concordant − discordant) / verdicts without ties", interval=("low", "high")),
        *scores(("low", "high"), tau[1:3], about=INTERVAL),
        text("letters", one.order.letters, about="metrics that share a letter do not differ significantly"),
        count("rank_low", low, about="ranks that the tests allow", where=one.order.defined, detail=True),
        count("rank_high", high, about="ranks that the tests allow", where=one.order.defined, detail=True),
        score("accuracy", accuracy[0], about=_ACCURACY, detail=True),
        *scores(("accuracy_low", "accuracy_high"), accuracy[1:3], detail=True),
        score("ties", one.ties, about="share of the pairs that the metric ties", detail=True),
        count("pairs", one.decisions, about="verdicts that the metrics are compared with", detail=True),
        order=best_first(tau[0]),
    )


def _statistics(one: MetricAgreement) -> Table:
    """Every statistic of each metric."""
    ratios = np.array([one.estimates[name] for name in STATISTICS]).swapaxes(0, 1).reshape(-1, 4).T
    names = ["accuracy" if name == "accuracy" else f"tau {name}" for name in STATISTICS]
    metrics, statistics = crossed(one.metrics, names)
    return table(
        "metric_statistics",
        "Agreement by each treatment of ties",
        text("metric", metrics),
        text("statistic", statistics),
        score("value", ratios[0], interval=("low", "high")),
        *scores(("low", "high"), ratios[1:3], about=INTERVAL),
        detail=True,
    )


def _differences_of_metrics(one: MetricAgreement) -> Table:
    return table(
        "metric_differences",
        "Differences of tau, with simultaneous 95 % intervals and adjusted p-values",
        text("metric", [one.metrics[index] for index in one.tests.one]),
        text("other", [one.metrics[index] for index in one.tests.other]),
        *differences(one.tests),
        detail=True,
    )


def _on_metrics(results: Sequence[MetricAgreement], ties: Ties, people: str) -> list[str]:
    """The metrics that agree best with people, on average if there are several language pairs."""
    defined = [one for one in results if not np.isnan([ratio.value for ratio in one.estimates[ties]]).all()]
    if not defined:
        return []
    *several, one = defined
    values = np.array([ratio.value for ratio in one.estimates[ties]])
    if several and one.language_pair != AVERAGE:
        best = {result.language_pair: best_of(result.metrics, _values(result, ties)) for result in defined}
        return [names_by_pair(best, f"agrees best with {people}", f"The metrics that agree best with {people} are")]
    index, number, where = int(np.nanargmax(values)), int((~np.isnan(values)).sum()), on_pair(one.language_pair)
    if len(best_metrics := best_of(one.metrics, _values(one, ties))) > 1:
        sentence = f"{join_all(best_metrics)} have the same tau with {people}{where} ({values[index]:.2f})"
        return [f"{sentence}, the highest of {number}"]
    ratio = one.estimates[ties][index]
    best_metric = f"{one.metrics[index]} agrees {'best ' if number > 1 else ''}with {people}{where}"
    value = f"tau {ratio.value:.2f}, {interval(ratio.low, ratio.high)}"
    return [f"{best_metric} ({value}){than_others(int(one.order.better[index].sum()), number - 1, 'better')}"]


def _values(one: MetricAgreement, ties: Ties) -> Floats:
    return round_to_grid(np.array([ratio.value for ratio in one.estimates[ties]]))


def _notes_on_metrics(results: Sequence[MetricAgreement]) -> list[Note | str]:
    notes: list[Note | str] = []
    if any(len(one.metrics) > 1 for one in results):
        where = " on a language pair, or on average" if any(one.language_pair for one in results) else ""
        notes.append(f"tests of tau are for all pairs of metrics{where}, by {SIGNS:,} random signs of clusters")
    if (average := results[-1]).language_pair == AVERAGE:
        pairs = len(results) - 1
        mean = f"unweighted mean over the {pairs:,} language pairs, which are fixed for its intervals and tests"
        without = sorted({name for one in results for name in one.metrics} - set(average.metrics))
        if without:
            mean += f"; without {join_all(without)}, not scored on every language pair"
        notes.append(f"{AVERAGE}: {mean}")
    for one in results:
        if one.excluded:
            of = f" of {one.language_pair}" if one.language_pair else ""
            notes.append(f"{pluralize(one.excluded, 'verdict')}{of} without a score of every metric left out")
    return notes


def _notes_on_missing(study: PreferencesStudy, results: Sequence[MetricAgreement]) -> list[Note | str]:
    """Which metrics have no agreement with people, on which language pairs, and why."""
    verdicts, people, language_pairs = study.verdicts, ~study.judged, {one.language_pair for one in results}
    lacks: dict[str, list[str]] = {}
    for code, language_pair in enumerate(verdicts.names_of_language_pairs if people.any() else ()):
        rows = people & (verdicts.language_pairs == code)
        metrics = [name for name, values in verdicts.scores.items() if not np.isnan(values[rows]).any(axis=1).all()]
        if without := [name for name in verdicts.scores if name not in metrics]:
            lacks.setdefault(f"both scores of {' or '.join(without)}", []).append(language_pair)
        if metrics and language_pair not in language_pairs:
            what = f"all scores of {join_all(metrics)}: leave out the columns of some of them"
            lacks.setdefault(what, []).append(language_pair)
    notes: list[Note | str] = [
        f"no verdict of {study.people}{on_pair(join_all(pairs))} has {what}" for what, pairs in lacks.items()
    ]
    if len(verdicts.names_of_language_pairs) > 1 and results and AVERAGE not in language_pairs:
        notes.append(f"no {AVERAGE}: no metric is compared with {study.people} on every language pair")
    return notes


def _notes_on_groups(settings: PreferencesSettings, result: Preferences) -> list[Note | str]:
    every = _groups(result)
    if not every:
        return []
    noun = f"values of {settings.clusters}" if settings.clusters else "items"
    clusters = f"intervals are by clusters, which are the {noun}"
    dealt = max(one.clusters for one in every.values())
    if dealt > MAX_GROUPS:
        clusters += f"; {dealt:,} of them are dealt whole into {MAX_GROUPS:,} groups"
    notes: list[Note | str] = [clusters]
    if few := _few_clusters(result):
        fewest = min(few, key=few.__getitem__)
        number = f"the smallest effective number of clusters is {few[fewest]:.3g} ({fewest})"
        notes.append(f"{number}, below {MIN_EFFECTIVE_GROUPS}: intervals with so few clusters may be too narrow")
    return notes


def _few_clusters(result: Preferences) -> dict[str, float]:
    """The effective numbers of clusters that are too small for the intervals, by what they are of."""
    return {what: one.effective for what, one in _groups(result).items() if one.effective < MIN_EFFECTIVE_GROUPS}


def _groups(result: Preferences) -> dict[str, Groups]:
    """The groups behind each result, by what it is."""
    return {
        **{f"tau{on_pair(one.language_pair)}": one.groups for one in result.metrics},
        **{f"{one.name}, {one.judge}": one.groups for one in result.judges},
        **{f"differences of judges, {one.statistic}": one.groups for one in result.comparisons},
        **{f"strengths{on_pair(one.language_pair)}": one.groups for one in result.strengths},
        **{f"strengths by {one.by}": one.groups for one in result.strengths_of_judges},
    }


def _methods(study: PreferencesStudy, settings: PreferencesSettings, result: Preferences) -> list[str]:
    sentences = [f"We analysed {study.contents} with metaeval {__version__} {cite(METAEVAL)}."]
    clusters = f"values of {settings.clusters}" if settings.clusters else "items"
    signs = f"by {SIGNS:,} random signs of the {clusters} (seed {study.config.seed})"
    if result.metrics:
        tau = f"a Kendall-like tau {cite('machacek2014')} in which {TREATMENTS[settings.ties]}"
        sentences.append(f"The agreement of metrics with {study.people} is {tau}, and pairwise accuracy.")
        if any(len(one.metrics) > 1 for one in result.metrics):
            sentences.append(f"Differences in tau were tested against 0 {signs}, adjusted for all pairs of metrics.")
        if result.metrics[-1].language_pair == AVERAGE:
            mean = f"Averages are unweighted means over the {len(result.metrics) - 1:,} language pairs"
            fixed = f"their intervals and tests sum what the {clusters} add on all language pairs, which are fixed"
            sentences.append(f"{mean}; {fixed}.")
    if statistics := list(dict.fromkeys(one.name for one in result.judges if not math.isnan(one.share.p))):
        names = join_all(list(dict.fromkeys(one.judge for one in result.judges)))
        shares = f"The shares of {names} ({join_all(statistics)}) were tested against 0.5"
        sentences.append(f"{shares}, with Holm's adjustment {cite('holm1979')}.")
    sentences += methods_of_biases(result.biases, clusters)
    if result.comparisons:
        comparisons = pluralize(result.comparisons[0].comparisons, "comparison")
        where = f"on the {comparisons} that {study.people} and every judge judged"
        tests = f"Differences of judges were tested against 0 {where} {signs}, adjusted for all pairs of judges"
        sentences.append(f"{tests}, for each statistic by itself.")
    if result.metrics or result.judges:
        variance = f"the variance between the {clusters} and Student's t, and tests of shares agree with them"
        equal = "where all clusters have the same value, they are binomial, of as many trials as the effective number"
        sentences.append(f"95 % intervals are Wilson's, with {variance}; {equal}.")
    if any(not np.isnan(one.values).all() for one in (*result.strengths, *result.strengths_of_judges)):
        model = f"the model of Davidson {cite('davidson1970')}, a Bradley–Terry model {cite('bradley1952')} with ties"
        intervals = f"intervals by the variance between the {clusters} and Student's t"
        sentences.append(f"Strengths of systems are those of {model}, with {intervals}.")
    return sentences


@plot(
    "metric_preferences",
    title="Agreement of metrics with people",
    example="preferences sample_data/preferences/darr.csv",
)
def metric_preferences(tables: Tables) -> Picture | None:
    """Tau of each metric, on each language pair, with its interval."""
    table = tables["metric_preferences"]
    return dots(table, "language_pair", texts(table, "metric"), "tau", "Kendall-like tau")
