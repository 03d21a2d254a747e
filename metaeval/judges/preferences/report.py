"""Tables, notes and findings of the agreement of metrics and judges with people, and of the strengths of systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.analyses.sentences import best_of, lead
from metaeval.arrays import Floats
from metaeval.errors import join_all, pluralize, setting
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import MAX_GROUPS, MIN_EFFECTIVE_GROUPS
from metaeval.inference.pairs import PairTests
from metaeval.judges.preferences.compute import (
    AGREEMENT,
    AVERAGE,
    FIRST,
    FLIPS,
    LONGER,
    OWN,
    PEOPLE,
    SIGNS,
    STATISTICS,
    UNTIED_AGREEMENT,
    Groups,
    JudgeComparison,
    JudgeStatistic,
    MetricAgreement,
    Preferences,
    Strengths,
)
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
    notes_on_columns,
    on_columns,
    score,
    scores,
    table,
    text,
)
from metaeval.model.works import METAEVAL, cite
from metaeval.render.plots.canvas import COLOURS, Look, number
from metaeval.render.plots.columns import distinct, extremes, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.render.plots.matrix import Heat, draw_heats
from metaeval.stats.correlation_tests import holm
from metaeval.stats.rank import best_first, competition_ranks
from metaeval.version import __version__

TESTS = ("low", "high", "p", "p_adjusted")
"""The interval and the p-values of a share or a difference."""

_ROWS_SHOWN = 30
"""Number of differences of judges up to which the terminal shows them."""

TREATMENTS: dict[Ties, str] = {
    "discordant": "ties of a metric are discordant",
    "left-out": "ties of a metric are left out",
    "half": "ties of a metric are half concordant",
}


def tabulate(study: PreferencesStudy, settings: PreferencesSettings, result: Preferences) -> AnalysisOutput:
    """Tables of metrics, judges and strengths, as far as the verdicts allow them."""
    by_pair = study.verdicts.names_of_language_pairs != ("",)
    tables, notes, findings = [], [], []
    if result.metrics:
        tables += _tables_of_metrics(result.metrics, settings.ties, by_pair=by_pair)
        notes += _notes_on_metrics(result.metrics, settings.ties, tables[0], by_pair=by_pair)
        findings += [finding for one in result.metrics for finding in _finding_on_metrics(one, settings.ties)]
    notes += _notes_on_missing(study, result.metrics)
    if result.judges:
        adjusted = _adjusted(result.judges)
        tables += _tables_of_judges(result.judges, adjusted, result.comparisons)
        findings += [
            Finding("preferences", _sentence_on_judge(one, *both))
            for one, both in zip(result.judges, adjusted.tolist(), strict=True)
            if one.judge != PEOPLE
        ]
        findings += [finding for one in result.comparisons for finding in _findings_on_comparison(one)]
    if result.judges or settings.judges:
        notes += _notes_on_judges(study, result.judges, result.comparisons)
    if result.strengths:
        strengths = _tables_of_strengths(result.strengths, settings, by_pair=by_pair)
        tables += strengths
        notes += _notes_on_strengths(result.strengths, strengths[0])
        findings += [finding for one in result.strengths for finding in _finding_on_strengths(one)]
    notes += _notes_on_groups(study, settings, result)
    return AnalysisOutput(tables, notes, findings, methods=_methods(study, settings, result))


def _language_pair(one: MetricAgreement | Strengths, *, by_pair: bool) -> list[Cells]:
    """The first column of a table where there are language pairs."""
    return [text("language_pair", one.language_pair)] if by_pair else []


def _tables_of_metrics(results: Sequence[MetricAgreement], ties: Ties, *, by_pair: bool) -> list[Table]:
    tests = ""
    if any(len(one.metrics) > 1 for one in results):
        where = " on a language pair, or on average" if by_pair else ""
        tests = f"tests of tau for all pairs of metrics{where}, by {SIGNS:,} random signs of clusters"
    tables = [
        joined(_agreement(one, ties, tests, by_pair=by_pair) for one in results),
        joined(_statistics(one, by_pair=by_pair) for one in results),
    ]
    differences = [_differences_of_metrics(one, by_pair=by_pair) for one in results if len(one.metrics) > 1]
    if differences:
        tables.append(joined(differences))
    return tables


_ACCURACY = "share of all verdicts on which the metric prefers what people prefer, or ties what they tie"


def _agreement(one: MetricAgreement, ties: Ties, tests: str, *, by_pair: bool) -> Table:
    """The metrics of a language pair, those with the highest tau first; tests: what their order is based on."""
    tau, accuracy = (np.array(one.estimates[name]).T for name in (ties, "accuracy"))
    low, high = one.order.rank_sets
    concordance = f"(concordant − discordant) / pairs, over verdicts that are not ties; {TREATMENTS[ties]}"
    return table(
        "metric_preferences",
        f"Agreement of metrics with human preferences (Kendall-like tau, {TREATMENTS[ties]})",
        *_language_pair(one, by_pair=by_pair),
        text("metric", one.metrics),
        score("tau", tau[0], about=concordance),
        *scores(("low", "high"), tau[1:3]),
        text("letters", one.order.letters, about=tests),
        count("rank_low", low, about=tests, where=one.order.defined),
        count("rank_high", high, about=tests, where=one.order.defined),
        score("accuracy", accuracy[0], about=_ACCURACY),
        *scores(("accuracy_low", "accuracy_high"), accuracy[1:3]),
        score("ties", one.ties, about="share of the pairs that the metric ties"),
        count("pairs", one.decided, about="verdicts that the metrics are compared with"),
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
        *scores(("value", "low", "high"), ratios[:3]),
        detail=True,
    )


def _differences_of_metrics(one: MetricAgreement, *, by_pair: bool) -> Table:
    return table(
        "metric_differences",
        "Differences of tau, with simultaneous 95 % intervals and adjusted p-values",
        *_language_pair(one, by_pair=by_pair),
        text("metric", [one.metrics[index] for index in one.tests.one]),
        text("other", [one.metrics[index] for index in one.tests.other]),
        *_differences(one.tests),
        detail=True,
    )


def _differences(tests: PairTests) -> list[Cells]:
    """The differences of all pairs with simultaneous intervals."""
    return scores(("difference", *TESTS), (tests.difference, tests.low, tests.high, tests.raw, tests.p))


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
    index, known = int(np.nanargmax(values)), int((~np.isnan(values)).sum())
    where = _on(one.language_pair)
    if len(best := best_of(one.metrics, round_to_grid(np.array(values)))) > 1:
        sentence = f"{join_all(best)} have the same tau with the human preferences{where} ({values[index]:.2f})"
        return [Finding("preferences", f"{sentence}, the highest of {known}")]
    ratio, others = one.estimates[ties][index], known - 1
    value = f"tau {ratio.value:.2f} with the human preferences{where} ({_interval(ratio.low, ratio.high)})"
    sentence = f"{one.metrics[index]} has {value}"
    if others:
        sentence += f", the highest of {known}; {lead(int(one.order.better[index].sum()), others, 'metric')}"
    return [Finding("preferences", sentence)]


def _notes_on_metrics(
    results: Sequence[MetricAgreement], ties: Ties, main: Table, *, by_pair: bool
) -> list[Note | str]:
    notes: list[Note | str] = [*notes_on_columns(main, ("tau", "accuracy"), ("letters",))]
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


def _adjusted(statistics: Sequence[JudgeStatistic]) -> Floats:
    """The p-values of shares and of differences from people, adjusted together, (K, 2)."""
    p = np.array([(one.share.p, one.difference.p) for one in statistics])
    return holm(p.ravel()).reshape(p.shape)


def _tables_of_judges(
    statistics: Sequence[JudgeStatistic], adjusted: Floats, comparisons: Sequence[JudgeComparison]
) -> list[Table]:
    """Shares, biases, and differences of judges."""
    names = text("judge", [one.judge for one in statistics]), text("statistic", [one.name for one in statistics])
    shares, differences = (
        np.array(ratios).T for ratios in ([one.share for one in statistics], [one.difference for one in statistics])
    )
    people = np.array([one.people for one in statistics])
    compared = np.array([one.compared for one in statistics])
    tables = [
        table(
            "judge_preferences",
            "Agreement of judges with people, and their preferences",
            *names,
            *scores(("share", *TESTS), (*shares, adjusted[:, 0])),
            count("verdicts", [one.verdicts for one in statistics]),
        )
    ]
    if compared.any():
        biases = table(
            "judge_biases",
            "Biases of judges: their share less that of people, on outputs that people also decided",
            *names,
            score("share", people + differences[0]),
            score("people", people, about="the same share by people"),
            *scores(("difference", *TESTS), (*differences, adjusted[:, 1])),
            count("verdicts", compared),
            order=np.flatnonzero(compared).tolist(),
        )
        tables.append(biases)
    if comparisons:
        whole = joined(map(_differences_of_judges, comparisons))
        tables.append(replace(whole, detail=len(whole.rows) > _ROWS_SHOWN))
    return tables


def _differences_of_judges(one: JudgeComparison) -> Table:
    return table(
        "judge_differences",
        "Differences of judges' agreement with people (judge − other), with simultaneous 95 % intervals",
        text("judge", [one.judges[index] for index in one.tests.one]),
        text("other", [one.judges[index] for index in one.tests.other]),
        text("statistic", one.statistic),
        *_differences(one.tests),
    )


def _findings_on_comparison(one: JudgeComparison) -> list[Finding]:
    """The judge that agrees most with people, and how many others agree significantly less."""
    best = one.order.best(one.judges)
    if not best:
        return []
    index = one.judges.index(best[0])
    judges = int(one.order.defined.sum())
    agreement = one.statistic.replace(AGREEMENT, "agreement with people")
    share = f"{100 * one.order.scores[index]:.0f} %"
    where = f"on the {pluralize(one.comparisons, 'comparison')} that people and every judge judged"
    if len(best) > 1:
        sentence = f"{join_all(best)} have the same {agreement} ({share}) {where}"
        return [Finding("preferences", f"{sentence}, the highest of {judges}")]
    most = f"{best[0]} has the highest {agreement} ({share}) of {judges} judges {where}"
    ahead = int(one.order.better[index].sum())
    return [Finding("preferences", f"{most}, {lead(ahead, judges - 1, 'judge')}")]


def _sentence_on_judge(one: JudgeStatistic, p: float, difference_p: float) -> str:
    share = f"{100 * one.share.value:.0f} % of"
    untied, pairs = f"{share} its verdicts without ties", f"{share} their pairs of verdicts on the same outputs"
    texts = {
        AGREEMENT: f"gives the verdict of people in {pairs}",
        UNTIED_AGREEMENT: f"gives the verdict of people in {pairs} without ties",
        FLIPS: f"gives different verdicts in {share} its pairs of verdicts on the same outputs in both orders",
        FIRST: f"prefers the first output in {untied}",
        LONGER: f"prefers the longer output in {untied}",
        OWN: f"prefers the output of its own family in {untied}",
    }
    interval = f"95 % interval {100 * one.share.low:.0f} to {100 * one.share.high:.0f} %"
    against = "" if math.isnan(p) else f", {_p(one.share.p, p)}, against 50 %"
    sentence = f"{one.judge} {texts[one.name]} ({interval}{against})"
    if math.isnan(one.people):
        return sentence
    points = f"{round(100 * one.difference.value):+d} points".replace("-", "−")
    p_of_difference = _p(one.difference.p, difference_p)
    of_both = f"{100 * (one.people + one.difference.value):.0f} %, people in {100 * one.people:.0f} %"
    return f"{sentence}; on outputs that people also decided, in {of_both} (difference {points}, {p_of_difference})"


def _p(p: float, adjusted: float) -> str:
    """A p-value and its adjustment, as text."""
    one, other = ("< 0.001" if each < 0.001 else f"= {each:.3f}" for each in (p, adjusted))
    return f"p {one}, Holm-adjusted p {other}"


def _notes_on_judges(
    study: PreferencesStudy, statistics: Sequence[JudgeStatistic], comparisons: Sequence[JudgeComparison]
) -> list[Note | str]:
    """What the shares are, and where the order of the outputs may be that of the systems."""
    judges = dict.fromkeys(study.config.settings_of(PreferencesSettings).judges)
    known = {one.judge for one in statistics if one.name == AGREEMENT}
    alone = [name for name in judges if name not in known and not study.judged.all()]
    notes: list[Note | str] = (
        [f"no agreement with people of {join_all(alone)}: people judged none of the same outputs"] if alone else []
    )
    if statistics:
        agreement = "for agreement, pairs of verdicts of a judge and of people, or of two people, on the same outputs"
        flips = "for flips, pairs of verdicts of the same judge on the same outputs in both orders"
        notes.append(f"verdicts of judge_preferences: those of which the share is; {agreement}; {flips}")
    if any(not math.isnan(one.share.p) for one in statistics):
        notes.append("p of judge_preferences: test of a share against 0.5")
    if any(one.compared for one in statistics):
        notes.append("share, people of judge_biases: of the judge and of people on outputs that people also decided")
    if sum(not math.isnan(p) for one in statistics for p in (one.share.p, one.difference.p)) > 1:
        names = "judge_preferences and judge_biases" if any(one.compared for one in statistics) else "judge_preferences"
        notes.append(f"p_adjusted of {names}: by Holm, for all of their tests together; intervals are not adjusted")
    if comparisons:
        where = f"on the {pluralize(comparisons[0].comparisons, 'comparison')} that people and every judge judged"
        if comparisons[0].excluded:
            where += f", without {comparisons[0].excluded:,} that some judge did not judge"
        tests = f"tests of all pairs of judges, by {SIGNS:,} random signs of clusters, for each statistic by itself"
        notes.append(f"differences of judges: {where}; {tests}")
    elif len(judges) > 1 and not study.judged.all():
        why = "there is no comparison that people and every judge judged"
        notes.append(f"no tests of differences of judges: {why}; name fewer judges with {setting('judges')}")
    verdicts = study.verdicts
    if any(one.name == FIRST for one in statistics):
        shown = verdicts.displayed
        systems = len(verdicts.systems)
        orders = np.unique(verdicts.left[shown] * systems + verdicts.right[shown])
        fixed = int((~np.isin(orders % systems * systems + orders // systems, orders)).sum())
        if fixed:
            pairs = f"{pluralize(fixed, 'pair')} of systems always shown in the same order"
            notes.append(f"{pairs}: a preference for the first output may be one for the systems that are shown first")
    return notes


def _tables_of_strengths(results: Sequence[Strengths], settings: PreferencesSettings, *, by_pair: bool) -> list[Table]:
    tables = [joined(_strengths(one, settings, by_pair=by_pair) for one in results)]
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


def _strengths(one: Strengths, settings: PreferencesSettings, *, by_pair: bool) -> Table:
    """The systems of a language pair, the strongest first."""
    known, (rank_low, rank_high) = ~np.isnan(one.values), one.order.rank_sets
    unit = "natural logarithm, with mean 0; a difference of 1 stands for odds of 2.7 of being preferred"
    weightings = f"{settings.resamples:,} random weightings of the clusters"
    interval = f"95 % bias-corrected bootstrap interval ({weightings})"
    tests = f"tests of all pairs of systems, by {SIGNS:,} random signs of clusters"
    return table(
        "strengths",
        "Strengths of the systems by human preferences (Davidson)",
        *_language_pair(one, by_pair=by_pair),
        text("system", one.systems),
        score("strength", one.values, about=unit),
        *scores(("low", "high"), (one.low, one.high), about=interval),
        count("rank", competition_ranks(one.values), where=known),
        count("rank_low", rank_low, about=tests, where=known),
        count("rank_high", rank_high, about=tests, where=known),
        *counts(("wins", "ties", "losses"), (one.wins.sum(axis=1), one.tied.sum(axis=1), one.wins.sum(axis=0))),
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


def _finding_on_strengths(one: Strengths) -> list[Finding]:
    if np.isnan(one.values).any() or len(one.systems) < 2:
        return []
    if len(best_of(one.systems, round_to_grid(one.values))) > 1:
        return []
    index = int(np.argmax(one.values))
    where = _on(one.language_pair)
    value = f"{one.values[index]:.2f}, {_interval(float(one.low[index]), float(one.high[index]))}"
    ahead = int(one.order.better[index].sum())
    most = f"{one.systems[index]} has the highest strength by human preferences{where} ({value})"
    return [Finding("preferences", f"{most}, {lead(ahead, len(one.systems) - 1, 'system')}")]


def _notes_on_strengths(results: Sequence[Strengths], main: Table) -> list[Note | str]:
    notes: list[Note | str] = [*notes_on_columns(main, ["strength", "low", "rank_low"])]
    without = [one.language_pair for one in results if np.isnan(one.values).any()]
    if without:
        where = f" on {join_all(without)}" if any(without) else ""
        why = "some systems win or lose all verdicts against the others, or are not compared with them, or all are ties"
        remedy = "add verdicts, or leave out systems that strengths shows without wins or without losses"
        none = "no strengths" + (" and no human_scores" if len(results) == 1 else where)
        absent = "human_scores" if len(results) == 1 else ""
        notes = [
            *(notes if len(without) < len(results) else []),
            Note(f"{none}: {why}", absent=absent, remedy=remedy),
        ]
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
    clusters = f"95 % intervals by clusters, which are the {noun}"
    dealt = max(one.clusters for one in every.values())
    if dealt > MAX_GROUPS:
        clusters += f"; {dealt:,} of them are dealt whole into {MAX_GROUPS:,} groups"
    notes: list[Note | str] = [on_columns(["low", "high"], clusters)]
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
        sentences.append(f"{shares}, with Holm's adjustment {cite('holm1979')}.")
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


def _dots(table: Table, first: str, names: list[str], value: str, what: str) -> Picture | None:
    """A row for each row of a table, with its interval, named by `names`, after the column `first` if there is one."""
    if has(table, first):
        names = [f"{before}: {name}" for before, name in zip(texts(table, first), names, strict=True)]
    values = numbers(table, value)
    if np.isnan(values).all():
        return None
    series = Series(values, numbers(table, "low"), numbers(table, "high"), look=Look(COLOURS[0], "o"))
    across = f"{what}, with 95 % intervals"
    (lowest,), (highest,) = extremes(values)
    alt = (
        f"{what} with 95 % intervals in {pluralize(len(names), 'row')}, from {number(float(values[lowest]))} "
        f"({names[lowest]}) to {number(float(values[highest]))} ({names[highest]})."
    )
    return Picture(alt, DotPlot(panels=[Panel(rows=names, series=[series])], across=across).draw)


@plot(
    "metric_preferences",
    title="Agreement of metrics with human preferences",
    needs=("metric_preferences",),
    example="preferences sample_data/preferences/darr.csv",
)
def metric_preferences(tables: Tables) -> Picture | None:
    """Tau of each metric, on each language pair, with its interval."""
    table = tables["metric_preferences"]
    return _dots(table, "language_pair", texts(table, "metric"), "tau", "Kendall-like tau")


@plot(
    "judge_preferences",
    title="Agreement of judges with people, and their biases",
    needs=("judge_preferences",),
    example="preferences sample_data/preferences/verdicts.csv --judge juno --judge kite",
)
def judge_preferences(tables: Tables) -> Picture | None:
    """Each share of a judge's verdicts with its interval."""
    table = tables["judge_preferences"]
    return _dots(table, "judge", texts(table, "statistic"), "share", "Share of verdicts")


@plot(
    "strengths",
    title="Strengths of the systems by human preferences",
    needs=("strengths",),
    example="preferences sample_data/preferences/verdicts.csv --judge juno --judge kite",
)
def strengths(tables: Tables) -> Picture | None:
    """The strength of each system, on each language pair, with its interval."""
    table = tables["strengths"]
    return _dots(table, "language_pair", texts(table, "system"), "strength", "Strength (log odds)")


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
    places = texts(table, "language_pair") if has(table, "language_pair") else [""] * len(shares)
    if np.isnan(shares).all() or len(names) > MAX_SYSTEMS:
        return None
    values = {place: np.full((len(names), len(names)), np.nan) for place in distinct(places)[:MAX_MATRICES]}
    for place, one, other, share in zip(places, *sides, shares, strict=True):
        if place in values:
            first, second = names.index(one), names.index(other)
            values[place][first, second], values[place][second, first] = share, 1 - share
    what = "share of the verdicts that the row wins against the column (a tie is half a win)"
    heats = {
        place: Heat(rows=names, columns=names, values=matrix, limits=(0.0, 1.0), what=what)
        for place, matrix in values.items()
    }
    hidden = not_shown((len(set(places)) - len(heats), "more language pair"))
    parts = []
    for place, matrix in values.items():
        _, (row, column) = extremes(matrix)
        on = f"{place}: " if place else ""
        parts.append(f"{on}{names[row]} against {names[column]} {number(matrix[row, column])}")
    alt = f"Matrix of the share of verdicts that each of {pluralize(len(names), 'system')} wins against each other. "
    alt += f"Highest: {'; '.join(parts)}. {hidden}"
    return Picture(alt.strip(), lambda palette, title: draw_heats(palette, title, heats, remark=hidden))
