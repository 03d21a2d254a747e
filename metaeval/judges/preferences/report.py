"""Tables, notes and findings of preferences: the agreement of metrics with people, and the strengths of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.analyses.sentences import best_of, join_names
from metaeval.arrays import Floats
from metaeval.errors import join_all, pluralize
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import MAX_GROUPS, MIN_EFFECTIVE_GROUPS
from metaeval.judges.preferences.cells import INTERVAL, differences, dots, interval, than_others
from metaeval.judges.preferences.compute import (
    AVERAGE,
    STATISTICS,
    MetricAgreement,
    Preferences,
    Strengths,
)
from metaeval.judges.preferences.groups import SIGNS, Groups
from metaeval.judges.preferences.report_biases import methods_of_biases, notes_on_biases, on_biases, tables_of_biases
from metaeval.judges.preferences.report_judges import adjust, notes_on_judges, on_judges, tables_of_judges
from metaeval.judges.preferences.settings import PreferencesSettings, Ties
from metaeval.judges.preferences.study import PreferencesStudy
from metaeval.model.report import (
    AnalysisOutput,
    Cells,
    Finding,
    Note,
    Table,
    count,
    counts,
    crossed,
    joined,
    score,
    scores,
    table,
    text,
)
from metaeval.model.works import METAEVAL, cite
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import distinct, extremes, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.matrix import Heat, draw_heats
from metaeval.stats.rank import best_first, competition_ranks
from metaeval.version import __version__

MAX_SENTENCES = 3

TREATMENTS: dict[Ties, str] = {
    "discordant": "ties of a metric are discordant",
    "left-out": "ties of a metric are left out",
    "half": "ties of a metric are half concordant",
}


def tabulate(study: PreferencesStudy, settings: PreferencesSettings, result: Preferences) -> AnalysisOutput:
    """Tables of metrics, judges and strengths, as far as the verdicts allow them."""
    by_pair = study.verdicts.names_of_language_pairs != ("",)
    tables, notes, sentences = [], [], []
    if result.metrics:
        tables += _tables_of_metrics(result.metrics, settings.ties, by_pair=by_pair)
        notes += _notes_on_metrics(result.metrics, by_pair=by_pair)
        sentences += _on_metrics(result.metrics, settings.ties)
    notes += _notes_on_missing(study, result.metrics)
    if result.judges:
        adjusted = adjust(result.judges)
        tables += tables_of_judges(result.judges, adjusted, result.comparisons)
        sentences += on_judges(result.judges, result.comparisons)
    if result.judges or settings.judges:
        notes += notes_on_judges(study, result.judges, result.comparisons)
    tables += tables_of_biases(result.biases)
    notes += notes_on_biases(result.biases)
    sentences += on_biases(result.biases)
    if result.strengths:
        tables += _tables_of_strengths(result.strengths, by_pair=by_pair)
        notes += _notes_on_strengths(result.strengths, settings)
        # Where judges are evaluated, their table alone has the strengths.
        sentences += [] if result.judges else _on_strengths(result.strengths)
    notes += _notes_on_groups(study, settings, result)
    if _few_clusters(result) and len(sentences) < MAX_SENTENCES:
        sentences.append("Intervals may be too narrow with so few clusters")
    findings = [Finding("preferences", sentence) for sentence in sentences]
    return AnalysisOutput(tables, notes, findings, methods=_methods(study, settings, result))


def _language_pair(one: MetricAgreement | Strengths, *, by_pair: bool) -> list[Cells]:
    """The first column of a table where there are language pairs."""
    return [text("language_pair", one.language_pair)] if by_pair else []


def _tables_of_metrics(results: Sequence[MetricAgreement], ties: Ties, *, by_pair: bool) -> list[Table]:
    tables = [
        joined(_agreement(one, ties, by_pair=by_pair) for one in results),
        joined(_statistics(one, by_pair=by_pair) for one in results),
    ]
    differences = [_differences_of_metrics(one, by_pair=by_pair) for one in results if len(one.metrics) > 1]
    if differences:
        tables.append(joined(differences))
    return tables


_ACCURACY = "share of all verdicts on which the metric prefers what people prefer, or ties what they tie"


def _agreement(one: MetricAgreement, ties: Ties, *, by_pair: bool) -> Table:
    """The metrics of a language pair, those with the highest tau first."""
    tau, accuracy = (np.array(one.estimates[name]).T for name in (ties, "accuracy"))
    low, high = one.order.rank_sets
    pairs = "" if by_pair else f"; {pluralize(one.decided, 'verdict')}"
    return table(
        "metric_preferences",
        f"Agreement of metrics with human preferences (Kendall-like tau, {TREATMENTS[ties]}{pairs})",
        *_language_pair(one, by_pair=by_pair),
        text("metric", one.metrics),
        score("tau", tau[0], about="(concordant − discordant) / verdicts without ties", interval=("low", "high")),
        *scores(("low", "high"), tau[1:3], about=INTERVAL),
        text("letters", one.order.letters, about="metrics that share a letter do not differ significantly"),
        count("rank_low", low, about="ranks that the tests allow", where=one.order.defined, detail=True),
        count("rank_high", high, about="ranks that the tests allow", where=one.order.defined, detail=True),
        score("accuracy", accuracy[0], about=_ACCURACY, detail=True),
        *scores(("accuracy_low", "accuracy_high"), accuracy[1:3], detail=True),
        score("ties", one.ties, about="share of the pairs that the metric ties", detail=True),
        count("pairs", one.decided, about="verdicts that the metrics are compared with", detail=True),
        order=best_first(tau[0]),
    )


def _statistics(one: MetricAgreement, *, by_pair: bool) -> Table:
    """Every statistic of each metric."""
    ratios = np.array([one.estimates[name] for name in STATISTICS]).swapaxes(0, 1).reshape(-1, 4).T
    names = ["accuracy" if name == "accuracy" else f"tau {name}" for name in STATISTICS]
    metrics, statistics = crossed(one.metrics, names)
    return table(
        "metric_statistics",
        "Agreement by each treatment of ties",
        *_language_pair(one, by_pair=by_pair),
        text("metric", metrics),
        text("statistic", statistics),
        score("value", ratios[0], interval=("low", "high")),
        *scores(("low", "high"), ratios[1:3], about=INTERVAL),
        detail=True,
    )


def _differences_of_metrics(one: MetricAgreement, *, by_pair: bool) -> Table:
    return table(
        "metric_differences",
        "Differences of tau, with simultaneous 95 % intervals and adjusted p-values",
        *_language_pair(one, by_pair=by_pair),
        text("metric", [one.metrics[index] for index in one.tests.one]),
        text("other", [one.metrics[index] for index in one.tests.other]),
        *differences(one.tests),
        detail=True,
    )


def _on(language_pair: str) -> str:
    """On which language pair, as the end of a phrase."""
    if language_pair == AVERAGE:
        return " on average"
    return f" on {language_pair}" if language_pair else ""


def _on_metrics(results: Sequence[MetricAgreement], ties: Ties) -> list[str]:
    """The metrics that agree best with people, on average if there are several language pairs."""
    defined = [one for one in results if not np.isnan([ratio.value for ratio in one.estimates[ties]]).all()]
    if not defined:
        return []
    *several, one = defined
    values = np.array([ratio.value for ratio in one.estimates[ties]])
    if several and one.language_pair != AVERAGE:
        best = {each.language_pair: best_of(each.metrics, _values(each, ties)) for each in defined}
        return [_by_pair(best, "agrees best with people", "The metrics that agree best with people are")]
    index, known, where = int(np.nanargmax(values)), int((~np.isnan(values)).sum()), _on(one.language_pair)
    if len(best_metrics := best_of(one.metrics, _values(one, ties))) > 1:
        sentence = f"{join_all(best_metrics)} have the same tau with the human preferences{where} ({values[index]:.2f})"
        return [f"{sentence}, the highest of {known}"]
    ratio = one.estimates[ties][index]
    best_metric = f"{one.metrics[index]} agrees {'best ' if known > 1 else ''}with people{where}"
    value = f"tau {ratio.value:.2f}, {interval(ratio.low, ratio.high)}"
    return [f"{best_metric} ({value}){than_others(int(one.order.better[index].sum()), known - 1, 'better')}"]


def _values(one: MetricAgreement, ties: Ties) -> Floats:
    return round_to_grid(np.array([ratio.value for ratio in one.estimates[ties]]))


def _by_pair(names: Mapping[str, Sequence[str]], is_best: str, are_best: str) -> str:
    """The best on each language pair, each with the pairs on which it is; is_best, are_best: in these words."""
    pairs: dict[tuple[str, ...], list[str]] = {}
    for language_pair, best in names.items():
        pairs.setdefault(tuple(best), []).append(language_pair)
    first, where = next(iter(pairs.items()))
    if len(pairs) == len(first) == 1:
        return f"{first[0]} {is_best} on {join_names(where)}"
    return f"{are_best} {join_names([f'{join_names(best)} ({join_names(where)})' for best, where in pairs.items()])}"


def _notes_on_metrics(results: Sequence[MetricAgreement], *, by_pair: bool) -> list[Note | str]:
    notes: list[Note | str] = []
    if any(len(one.metrics) > 1 for one in results):
        where = " on a language pair, or on average" if by_pair else ""
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
            of = f" of {one.language_pair}" if by_pair else ""
            notes.append(f"{pluralize(one.excluded, 'verdict')}{of} without a score of every metric left out")
    return notes


def _notes_on_missing(study: PreferencesStudy, results: Sequence[MetricAgreement]) -> list[Note | str]:
    """Which metrics have no agreement with people, on which language pairs, and why."""
    verdicts, people, shown = study.verdicts, ~study.judged, {one.language_pair for one in results}
    lacks: dict[str, list[str]] = {}
    for code, language_pair in enumerate(verdicts.names_of_language_pairs if people.any() else ()):
        rows = people & (verdicts.language_pairs == code)
        scored = [name for name, values in verdicts.scores.items() if not np.isnan(values[rows]).any(axis=1).all()]
        if without := [name for name in verdicts.scores if name not in scored]:
            lacks.setdefault(f"both scores of {' or '.join(without)}", []).append(language_pair)
        if scored and language_pair not in shown:
            what = f"all scores of {join_all(scored)}: leave out the columns of some of them"
            lacks.setdefault(what, []).append(language_pair)
    notes: list[Note | str] = [
        f"no verdict of people{_on(join_all(pairs))} has {what}" for what, pairs in lacks.items()
    ]
    if len(verdicts.names_of_language_pairs) > 1 and results and AVERAGE not in shown:
        notes.append(f"no {AVERAGE}: no metric is compared with people on every language pair")
    return notes


def _tables_of_strengths(results: Sequence[Strengths], *, by_pair: bool) -> list[Table]:
    complete = not any(np.isnan(one.values).any() for one in results)
    tables = [joined(_strengths(one, by_pair=by_pair, complete=complete) for one in results)]
    tables.append(joined(_head_to_head(one, by_pair=by_pair) for one in results))
    if len(results) == 1 and not np.isnan(results[0].values).any():
        human_scores = table(
            "human_scores",
            "Strengths as human scores of the systems, for correlate",
            text("system", results[0].systems),
            score("strength", results[0].values),
            order=best_first(results[0].values),
            detail=True,
        )
        tables.append(human_scores)
    return tables


def _strengths(one: Strengths, *, by_pair: bool, complete: bool) -> Table:
    """The systems of a language pair, the strongest first; complete: without it, wins and losses say why."""
    known, (rank_low, rank_high) = ~np.isnan(one.values), one.order.rank_sets
    results = (one.wins.sum(axis=1), one.tied.sum(axis=1), one.wins.sum(axis=0))
    return table(
        "strengths",
        "Strengths of the systems by human preferences (Davidson)",
        *_language_pair(one, by_pair=by_pair),
        text("system", one.systems),
        score("strength", one.values, about="log odds of being preferred, with mean 0", interval=("low", "high")),
        *scores(("low", "high"), (one.low, one.high), about=INTERVAL),
        count("rank", competition_ranks(one.values), where=known, interval=("rank_low", "rank_high")),
        count("rank_low", rank_low, about=INTERVAL, where=known),
        count("rank_high", rank_high, about=INTERVAL, where=known),
        *counts(("wins", "ties", "losses"), results, detail=complete),
        order=best_first(one.values),
    )


def _head_to_head(one: Strengths, *, by_pair: bool) -> Table:
    """The verdicts on each pair of systems, the stronger one first."""
    order = np.array(best_first(one.values), dtype=np.intp)
    wins, tied = one.wins[np.ix_(order, order)], one.tied[np.ix_(order, order)]
    verdicts = wins + wins.T + tied
    first, second = np.nonzero(np.triu(verdicts, 1))
    total = verdicts[first, second]
    return table(
        "head_to_head",
        "Verdicts on each pair of systems",
        *_language_pair(one, by_pair=by_pair),
        text("system", [one.systems[index] for index in order[first]]),
        text("other", [one.systems[index] for index in order[second]]),
        *counts(("wins", "ties", "losses"), (wins[first, second], tied[first, second], wins[second, first])),
        score(
            "share",
            (wins[first, second] + tied[first, second] / 2) / total,
            about="share of the verdicts that system wins; a tie is half a win",
        ),
        detail=True,
    )


def _on_strengths(results: Sequence[Strengths]) -> list[str]:
    """The strongest system, or that of each language pair."""
    if all(np.isnan(one.values).any() for one in results):
        return ["Strengths are undefined: some systems win or lose all verdicts, or are not compared"]
    defined = [one for one in results if not np.isnan(one.values).any() and len(one.systems) > 1]
    single = {
        one.language_pair: int(np.argmax(one.values))
        for one in defined
        if len(best_of(one.systems, round_to_grid(one.values))) == 1
    }
    parts = [one for one in defined if one.language_pair in single]
    if not parts:
        return []
    ahead = [int(one.order.better[single[one.language_pair]].sum()) for one in parts]
    if len(parts) == 1:
        (one,), (index,) = parts, single.values()
        value = f"{one.values[index]:.2f}, {interval(float(one.low[index]), float(one.high[index]))}"
        than = than_others(ahead[0], len(one.systems) - 1, "stronger")
        return [f"{one.systems[index]} is the strongest system{_on(one.language_pair)} ({value}){than}"]
    strongest = {one.language_pair: [one.systems[single[one.language_pair]]] for one in parts}
    all_ahead = sum(number == len(one.systems) - 1 for number, one in zip(ahead, parts, strict=True))
    than = f"significantly stronger than all others on {all_ahead or 'none'} of {len(parts):,} language pairs"
    return [f"{_by_pair(strongest, 'is the strongest system', 'The strongest systems are')}, {than}"]


def _notes_on_strengths(results: Sequence[Strengths], settings: PreferencesSettings) -> list[Note | str]:
    intervals = f"bias-corrected bootstrap intervals ({settings.resamples:,} random weightings of the clusters)"
    tests = f"tests of all pairs of systems, by {SIGNS:,} random signs of clusters"
    notes: list[Note | str] = [
        f"intervals of strengths are {intervals}, those of ranks are from {tests}",
        "a difference in strength of 1 stands for odds of 2.7 of being preferred",
    ]
    without: dict[tuple[str, str], list[str]] = {}
    for one in [one for one in results if np.isnan(one.values).any()]:
        without.setdefault(one.obstacle, []).append(one.language_pair)
    if sum(map(len, without.values())) == len(results):
        notes = []
    for (why, remedy), pairs in without.items():
        absent = "human_scores" if len(results) == 1 else ""
        where = f" on {join_all(pairs)}" if any(pairs) else ""
        none = "no strengths" + (" and no human_scores" if len(results) == 1 else where)
        notes.append(Note(f"{none}: {why}", absent=absent, remedy=remedy))
    if len(results) > 1:
        remedy = "analyse the verdicts of a language pair by themselves"
        reason = f"no human_scores: strengths are of {len(results):,} language pairs"
        notes.append(Note(reason, absent="human_scores", remedy=remedy))
    return notes


def _notes_on_groups(study: PreferencesStudy, settings: PreferencesSettings, result: Preferences) -> list[Note | str]:
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
        number = (
            f"the smallest effective number of clusters is {few[fewest]:.3g} ({fewest}), below {MIN_EFFECTIVE_GROUPS}"
        )
        notes.append(f"{number}: intervals with so few clusters may be too narrow")
    return notes


def _few_clusters(result: Preferences) -> dict[str, float]:
    """The effective numbers of clusters that are too small for the intervals, by what they are of."""
    return {what: one.effective for what, one in _groups(result).items() if one.effective < MIN_EFFECTIVE_GROUPS}


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
        shares = f"The shares of {names} ({join_all(tested)}) were tested against 0.5"
        sentences.append(f"{shares}, with Holm's adjustment {cite('holm1979')}.")
    sentences += methods_of_biases(result.biases, clusters)
    if result.comparisons:
        comparisons = pluralize(result.comparisons[0].comparisons, "comparison")
        where = f"on the {comparisons} that people and every judge judged"
        tests = f"Differences of judges were tested against 0 {where} {signs}, adjusted for all pairs of judges"
        sentences.append(f"{tests}, for each statistic by itself.")
    if result.metrics or result.judges:
        variance = f"the variance between the {clusters} and Student's t, and tests of shares agree with them"
        equal = "where all clusters have the same value, they are binomial, of as many trials as the effective number"
        sentences.append(f"95 % intervals are Wilson's, with {variance}; {equal}.")
    if any(not np.isnan(one.values).any() for one in result.strengths):
        model = f"the model of Davidson {cite('davidson1970')}, a Bradley–Terry model {cite('bradley1952')} with ties"
        weights = f"{settings.resamples:,} bootstrap resamples with random weights {cite('xu2020')} of the {clusters}"
        intervals = f"bias-corrected intervals {cite('efron1987')}"
        sentences.append(f"Strengths of systems are those of {model}, with {intervals} from {weights}.")
    return sentences


@plot(
    "metric_preferences",
    title="Agreement of metrics with human preferences",
    needs=("metric_preferences",),
    example="preferences sample_data/preferences/darr.csv",
)
def metric_preferences(tables: Tables) -> Picture | None:
    """Tau of each metric, on each language pair, with its interval."""
    table = tables["metric_preferences"]
    return dots(table, "language_pair", texts(table, "metric"), "tau", "Kendall-like tau")


@plot(
    "strengths",
    title="Strengths of the systems by human preferences",
    needs=("strengths",),
    example="preferences sample_data/preferences/verdicts.csv --judge juno --judge kite",
)
def strengths(tables: Tables) -> Picture | None:
    """The strength of each system, on each language pair, with its interval."""
    table = tables["strengths"]
    return dots(table, "language_pair", texts(table, "system"), "strength", "Strength (log odds)")


MAX_SYSTEMS, MAX_MATRICES = 40, 6
"""Numbers of systems and of language pairs above which shares of verdicts are not drawn."""


@plot(
    "win_matrix",
    title="Share of verdicts that each system wins against each other",
    needs=("strengths", "head_to_head"),
    example="preferences sample_data/preferences/verdicts.csv --judge juno --judge kite",
)
def win_matrix(tables: Tables) -> Picture | None:
    """A matrix for each language pair: the share of the verdicts that the row wins against the column."""
    table = tables["head_to_head"]
    names = distinct(texts(tables["strengths"], "system"))
    sides, shares = (texts(table, "system"), texts(table, "other")), numbers(table, "share")
    language_pairs = texts(table, "language_pair") if has(table, "language_pair") else [""] * len(shares)
    if np.isnan(shares).all() or len(names) > MAX_SYSTEMS:
        return None
    values = {
        language_pair: np.full((len(names), len(names)), np.nan)
        for language_pair in distinct(language_pairs)[:MAX_MATRICES]
    }
    for language_pair, one, other, share in zip(language_pairs, *sides, shares, strict=True):
        if language_pair in values:
            first, second = names.index(one), names.index(other)
            values[language_pair][first, second], values[language_pair][second, first] = share, 1 - share
    what = "share of the verdicts that the row wins against the column (a tie is half a win)"
    heats = {
        language_pair: Heat(rows=names, columns=names, values=matrix, limits=(0.0, 1.0), what=what)
        for language_pair, matrix in values.items()
    }
    hidden = not_shown((len(set(language_pairs)) - len(heats), "more language pair"))
    parts = []
    for language_pair, matrix in values.items():
        _, (row, column) = extremes(matrix)
        on = f"{language_pair}: " if language_pair else ""
        parts.append(f"{on}{names[row]} against {names[column]} {number(matrix[row, column])}")
    alt = f"Matrix of the share of verdicts that each of {pluralize(len(names), 'system')} wins against each other. "
    alt += f"Highest: {'; '.join(parts)}. {hidden}"
    return Picture(alt.strip(), lambda palette, title: draw_heats(palette, title, heats, remark=hidden))
