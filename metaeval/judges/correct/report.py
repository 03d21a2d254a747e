"""Tables of corrected means of systems."""

from __future__ import annotations

from itertools import product

import numpy as np

from metaeval.analyses.runs import table_of_runs
from metaeval.analyses.sentences import join_names, lead, p_at_most
from metaeval.errors import pluralize, setting
from metaeval.inference.clusters import MAX_GROUPS
from metaeval.judges.correct.compute import (
    RANDOM_P,
    SIGNS,
    Corrected,
    Differences,
    SampleTest,
    is_balanced,
    items_to_label,
)
from metaeval.judges.correct.estimates import share_limits
from metaeval.judges.correct.settings import CorrectSettings
from metaeval.judges.correct.study import CorrectStudy
from metaeval.model.report import Finding, Note, Table, count, p_value, score, scores, table, text
from metaeval.model.works import METAEVAL, cite
from metaeval.render.plots.columns import numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series, dot_series
from metaeval.stats.rank import competition_ranks
from metaeval.study.study import AnalysisOutput
from metaeval.version import __version__

MIN_GROUPS, MIN_SHARE = 30, 0.05
"""Labelled groups of items, and share of labelled items, below which intervals cover less often than they claim if the
scores are skewed, by simulation."""

MOST_SENTENCES = 3
"""Number of findings, the most important first."""

_SHARES = "shares of human 1 and 0 on which the judge agrees"
_ABOUT_WEIGHTS = {
    "sensitivity": _SHARES,
    "specificity": _SHARES,
    "lambda": "weight of the judge, from 0 for one that knows nothing to 1 for one that knows all",
}


def tabulate(study: CorrectStudy, settings: CorrectSettings, result: Corrected | None) -> AnalysisOutput:
    """Means of systems, their ranks and differences, and what was requested about human scores."""
    number = settings.label or 0
    to_label = [_to_label(study, number)] if number else []
    if result is None:
        return AnalysisOutput(to_label, [], _before_labels(study, number))
    tables = [_means(study, result)]
    if result.differences is not None:
        tables += [_ranks(study, result, result.differences), _differences(study, result, result.differences)]
    if result.labels_needed is not None:
        alone, corrected = result.labels_needed
        labels_table = table(
            "labels_needed",
            f"Human scores of a system that a 95 % interval of width {settings.interval_width:g} takes",
            text("system", study.systems),
            count(
                "human_only",
                alone,
                where=alone > 0,
                about="needed without the judge; —: none is known to be enough",
            ),
            count("corrected", corrected, where=corrected > 0, about="the same, with the judge"),
            count("labels", result.labels, about="human scores of the system now"),
        )
        tables.append(labels_table)
    tables += to_label
    if result.methods:
        tables.append(_methods_table(study, result))
    if result.runs is not None:
        tables.append(table_of_runs("corrected_runs", {"judge": result.runs}, equal=study.categories))
    return AnalysisOutput(
        tables, _notes(study, result), _findings(study, settings, result), methods=_methods(study, result)
    )


def _to_label(study: CorrectStudy, number: int) -> Table:
    rows = items_to_label(study, number)
    systems, items = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [])
    judge = study.judge[systems, items]
    words = [study.words[int(code)] for code in judge] if len(study.words) == 2 else []
    return table(
        "to_label",
        "Items to score next, at random within what the judge says",
        text("system", [study.systems[index] for index in systems]),
        text("item", [study.items[index] for index in items]),
        text("judge", words) if words else score("judge", judge),
    )


def _before_labels(study: CorrectStudy, number: int) -> list[Finding]:
    """What is known before people have scored anything."""
    if not study.two_classes:
        return []
    number = min(number, int((~np.isnan(study.judge)).sum(axis=1).max()))
    low, high = share_limits(np.array(0.5), np.array(float(number)))
    width = f"A 95 % interval from {pluralize(number, 'human score')} of a system will be at most {high - low:.2f} wide"
    return [Finding("correct", f"{width}, and narrower the more the judge knows")]


def _methods_table(study: CorrectStudy, result: Corrected) -> Table:
    """The means by every method."""
    rows = list(product(range(len(study.systems)), result.methods.items()))
    reasons = [method.reasons[system] if method.reasons else "" for system, (_, method) in rows]
    return table(
        "corrected_methods",
        f"{_capital(study)} by each method",
        text("system", [study.systems[system] for system, _ in rows]),
        text("method", [name for _, (name, _) in rows], about="human, ppi: for a random sample of items"),
        score("mean", [method.estimate.value[system] for system, (_, method) in rows], interval=("low", "high")),
        *scores(("low", "high"), [[method.limits[end][system] for system, (_, method) in rows] for end in (0, 1)]),
        *([text("refused", reasons)] if any(reasons) else []),
        detail=True,
    )


def _capital(study: CorrectStudy) -> str:
    """What the means are called, at the beginning of a title."""
    noun, _, rest = study.mean.partition(" ")
    return f"{noun.capitalize()}s {rest}".strip()


def _means(study: CorrectStudy, result: Corrected) -> Table:
    interval = "95 % interval"
    labels = pluralize(int(result.labels.sum()), "human score")
    return table(
        "corrected",
        f"{_capital(study)} of {pluralize(len(study.systems), 'system')} by a judge, corrected by {labels}",
        text("system", study.systems),
        score("judge", result.judge, about="mean by each alone"),
        score("human", result.human, about="mean by each alone", interval=("human_low", "human_high")),
        *scores(("human_low", "human_high"), result.human_interval, about=interval),
        score("corrected", result.mean, about="mean by both", interval=("low", "high")),
        *scores(("low", "high"), result.interval, about=interval),
        *(score(name, weight, about=_ABOUT_WEIGHTS[name], detail=True) for name, weight in result.weight.items()),
        score(
            "effective",
            result.effective,
            about="number of human scores of a random sample that would be as precise without the judge",
            detail=True,
        ),
        count("labels", result.labels, about="items with a human score", detail=True),
        count("items", result.labels + result.others, about="items with a score of the judge", detail=True),
    )


def _ranks(study: CorrectStudy, result: Corrected, differences: Differences) -> Table:
    order, ranks = differences.order, competition_ranks(result.mean)
    low, high = order.rank_sets
    # Systems without a test may be anywhere.
    high = high + int((~order.defined).sum())
    return table(
        "corrected_ranks",
        f"Ranks of {pluralize(len(study.systems), 'system')}, 1 the highest mean",
        text("system", study.systems),
        count("judge_rank", competition_ranks(result.judge)),
        count("human_rank", competition_ranks(result.human)),
        count("rank", ranks, about="by the corrected means", interval=("rank_low", "rank_high"), letters="letters"),
        *(
            count(name, end, where=order.defined, about="ranks that the tests allow")
            for name, end in (("rank_low", low), ("rank_high", high))
        ),
        text(
            "letters",
            np.where(order.defined, order.letters, ""),
            about="systems that share a letter do not differ significantly",
        ),
        order=np.argsort(ranks, kind="stable").tolist(),
    )


def _differences(study: CorrectStudy, result: Corrected, differences: Differences) -> Table:
    tests, human = differences.tests, differences.human
    pairs = len(tests.one)
    title = f"Differences of {pluralize(pairs, 'pair')} of systems (system − other)"
    return table(
        "corrected_differences",
        f"{title}: of the judge, of people, and corrected",
        text("system", [study.systems[index] for index in tests.one]),
        text("other", [study.systems[index] for index in tests.other]),
        score("judge", result.judge[tests.one] - result.judge[tests.other]),
        score("human", human.difference, interval=("human_low", "human_high")),
        *scores(("human_low", "human_high"), (human.low, human.high)),
        score("difference", tests.difference, about="of the corrected means", interval=("low", "high")),
        *scores(("low", "high"), (tests.low, tests.high)),
        p_value("p", tests.raw, detail=True),
        p_value("p_adjusted", tests.p),
        detail=True,
    )


def _notes(study: CorrectStudy, result: Corrected) -> list[Note | str]:
    notes: list[Note | str] = [f"intervals: {_intervals(study, result)}"]
    if result.differences is not None:
        notes.append(
            f"p: test with {SIGNS:,} random signs of what items add to a difference; p_adjusted and both intervals of "
            "differences are simultaneous, and rank_low, rank_high and letters derive from the corrected ones"
        )
    if result.labels_needed is not None or result.widths is not None:
        notes.append(
            "human scores that an interval takes: if judge and clusters stay the same; —: unknown, or too many"
        )
    return [*notes, *_on_sample(study, result), *_on_values(study, result)]


def _intervals(study: CorrectStudy, result: Corrected) -> str:
    """How the intervals of means are computed."""
    jackknife = f"a jackknife over the {pluralize(len(np.unique(study.clusters)), *study.cluster)}"
    if not study.bounded:
        return f"{jackknife} with Student's t"
    effect = "" if study.independent else f", with the design effect of {jackknife}"
    shares = "halfway between those of Jeffreys and of Clopper and Pearson"
    if result.sampled_by == "class":
        return f"of Fieller, from those of sensitivity and specificity, {shares}{effect}"
    return f"from those of the shares of each verdict, {shares}{effect}"


def _on_sample(study: CorrectStudy, result: Corrected) -> list[Note | str]:
    """What the test of the labelled items says."""
    notes: list[Note | str] = []
    sample = result.sample
    if sample is not None and sample.p > RANDOM_P:
        largest = f"largest for {study.systems[sample.system]}: mean difference {sample.gap:.3g}"
        notes.append(
            f"the judge's scores of labelled and other items do not differ significantly ({largest}, {_p(sample)})"
        )
    if result.sampled_by == "random" and study.two_classes and is_balanced(study.human, study.human):
        remedy = setting("sampled_by", "class")
        notes.append(f"as many labels of each class: if people chose the items so, set {remedy}")
    return notes


def _p(sample: SampleTest) -> str:
    return f"adjusted {p_at_most(sample.p)}"


def _choice(study: CorrectStudy, result: Corrected) -> list[str]:
    """A sentence on labelled items that are no random sample."""
    sample = result.sample
    how = {
        "class": "Items were labelled by their class",
        "verdict": "Items were labelled by the verdicts of the judge",
        "random": "The labelled items are not a random sample",
    }[result.sampled_by]
    what = {
        "class": "means are corrected by the sensitivity and specificity of the judge",
        "verdict": "every verdict counts as often as the judge gives it",
        "random": "the corrected means hold for items such as the labelled ones only",
    }[result.sampled_by]
    if result.sampled_by == "random" and (sample is None or sample.p > RANDOM_P):
        return []
    why = ""
    if sample is not None and sample.p <= RANDOM_P:
        side = "lower" if sample.gap < 0 else "higher"
        than = f"{side} than that of other items of {study.systems[sample.system]}"
        why = f" (the judge's mean of them is {abs(sample.gap):.2g} {than}, {_p(sample)})"
    return [f"{how}{why}: {what}"]


def _on_few(study: CorrectStudy, result: Corrected) -> list[str]:
    """A sentence where intervals may be too narrow."""
    groups, share = int(result.groups.min()), float((result.labels / (result.labels + result.others)).min())
    if groups < 2 and not study.independent:
        return [f"{pluralize(groups, *study.cluster)} with human scores: no interval and no test, which take two"]
    if (groups >= MIN_GROUPS and share >= MIN_SHARE) or result.constant.all() or study.bounded:
        return []
    percent = f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.2g}"
    few = f"human scores of {percent} % of the items, less than {100 * MIN_SHARE:.0f} %"
    if groups < MIN_GROUPS:
        few = f"{pluralize(groups, *study.cluster)} with human scores, fewer than {MIN_GROUPS}"
    return [f"{few}: intervals are too narrow if scores are skewed"]


def _on_values(study: CorrectStudy, result: Corrected) -> list[Note | str]:
    """Notes on human scores that do not vary, and on systems whose judge is not used."""
    constant, flat, alone = (
        join_names([name for name, applies in zip(study.systems, systems.tolist(), strict=True) if applies])
        for systems in (result.constant, result.flat, result.alone)
    )
    notes: list[Note | str] = []
    if constant:
        what = "no test" if study.bounded else "no interval, and no test"
        notes.append(
            f"the human scores of {constant} are all equal, which does not show how much others would vary: {what}"
        )
    if flat:
        notes.append(f"the corrected mean of {flat} stays the same without any one item: too few data for a test")
    if alone:
        notes.append(f"the corrected mean of {alone} is that of people: the judge does not make its interval narrower")
    return notes


def _findings(study: CorrectStudy, settings: CorrectSettings, result: Corrected) -> list[Finding]:
    sentences = [*_choice(study, result), *_on_few(study, result), *_alone(study, result), *_ranking(study, result)]
    if result.widths is not None and np.isfinite(result.widths).all():
        width = float(np.max(result.interval[1] - result.interval[0]))
        number = min(settings.label or 0, int(result.others.max()))
        more = f"With {pluralize(number, 'more human score')} of a system"
        sentences.insert(0, f"{more}, intervals will be about {result.widths.max():.2g} wide, now {width:.2g}")
    if result.labels_needed is not None and all((numbers > 0).all() for numbers in result.labels_needed):
        alone, most = (int(numbers.max()) for numbers in result.labels_needed)
        takes = f"takes up to {most:,} human scores of a system, {alone:,} without the judge"
        sentences.append(f"A 95 % interval of width {settings.interval_width:g} {takes}")
    sentences += _worth(result)
    return [Finding("correct", sentence) for sentence in sentences[:MOST_SENTENCES]]


def _alone(study: CorrectStudy, result: Corrected) -> list[str]:
    """The mean of the only system."""
    if len(study.systems) > 1 or np.isnan(result.interval[0][0]):
        return []
    low, high, human = (float(array[0]) for array in (*result.interval, result.human))
    mean = f"The corrected {study.mean} is {result.mean[0]:.3g} (95 % interval {low:.3g} to {high:.3g})"
    return [f"{mean}; the judge alone says {result.judge[0]:.3g}, people alone {human:.3g}"]


def _worth(result: Corrected) -> list[str]:
    """What the judge is worth in human scores, of systems of which some items have none."""
    others = result.others > 0
    if not others.any():
        return ["Every item has a human score, so that the corrected means are those of people alone"]
    if result.alone.all():
        return ["The judge makes no interval narrower, so that the corrected means are those of people alone"]
    ratio = (result.effective / result.labels)[others]
    ratios = ratio[np.isfinite(ratio)]
    if not len(ratios) or result.groups.min() < MIN_GROUPS:
        # Variances of so few labels are too vague to be compared.
        return []
    low, high = (f"{end:.2f}" for end in (ratios.min(), ratios.max()))
    span = low if low == high else f"{low} to {high}"
    at_random = "" if result.sampled_by == "random" else " of a random sample"
    return [f"With the judge a human score is worth {span} human scores{at_random} without it"]


def _ranking(study: CorrectStudy, result: Corrected) -> list[str]:
    """Whether the correction changes the ranking, and which system is the best."""
    if result.differences is None or not result.differences.order.defined.any():
        return []
    tests, order = result.differences.tests, result.differences.order
    judge = np.sign(result.judge[tests.one] - result.judge[tests.other])
    changed = judge * np.sign(result.mean[tests.one] - result.mean[tests.other]) < 0
    number, significant = int(changed.sum()), int((changed & tests.significant).sum())
    pairs = f"{pluralize(len(changed), 'pair')} of {pluralize(len(study.systems), 'system')}"
    order_of = f"{number or 'any'} of {pairs}" if len(changed) > 1 else "the 2 systems"
    sentence = f"The correction {'changes' if number else 'does not change'} the order of {order_of}"
    if len(changed) == number == 1:
        sentence += f", whose corrected means {'differ' if significant else 'do not differ'} significantly"
    elif number:
        sentence += f", {significant or 'none'} of them significantly"
    best = order.best(study.systems)
    index = study.systems.index(best[0])
    if (result.mean[~order.defined] >= result.mean[index]).any():
        # A system without an interval may be better.
        return [sentence]
    ahead = int(order.better[index].sum())
    low, high = (float(end[index]) for end in result.interval)
    span = f"95 % interval {low:.3g} to {high:.3g}"
    than = lead(ahead, len(study.systems) - 1, "system")
    mean = f"{best[0]} has the highest corrected mean ({result.mean[index]:.3g}, {span}), {than}"
    return [mean, sentence] if len(best) == 1 else [sentence]


def _methods(study: CorrectStudy, result: Corrected) -> list[str]:
    by = {
        "class": f"the judge's sensitivity and specificity {cite('rogan1978')}",
        "verdict": "human scores weighted by the judge's verdicts",
        "random": f"prediction-powered inference with tuned λ (PPI++) {cite('angelopoulos2023')}",
    }[result.sampled_by]
    sentences = [f"Means were computed from {study.contents} by {by}, with metaeval {__version__} {cite(METAEVAL)}."]
    number = len(np.unique(study.clusters))
    dealt = f", dealt at random into at most {MAX_GROUPS:,} groups" if number > MAX_GROUPS // 2 else ""
    if np.isfinite(result.interval[0]).any():
        sources = ""
        if study.bounded:
            sources = f" {cite('fieller1954') if result.sampled_by == 'class' else cite('zou2008')}"
        sentences.append(f"95 % confidence intervals: {_intervals(study, result)}{dealt}{sources}.")
    if result.differences is not None:
        sentences.append(
            f"Differences were tested with {SIGNS:,} random signs of the jackknife's influences (seed "
            f"{study.config.seed}), against no difference; p-values and intervals hold for all pairs together, by the "
            f"largest statistic {cite('westfall1993')}."
        )
    return sentences


MAX_SYSTEMS = 40


@plot(
    "corrected",
    title="Means of systems by the judge, by people and by both",
    example="correct sample_data/judged/scores.csv",
)
def corrected(tables: Tables) -> Picture | None:
    """A row for each system: its means by the judge and by people, and the corrected one with its interval."""
    table = tables["corrected"]
    means = numbers(table, "corrected")
    if np.isnan(means).all():
        return None
    order = np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable")[:MAX_SYSTEMS]
    names = [texts(table, "system")[row] for row in order.tolist()]
    columns = ("judge", "human", "human_low", "human_high", "corrected", "low", "high")
    judge, human, human_low, human_high, mean, low, high = (numbers(table, name)[order] for name in columns)
    series = {
        "judge alone": Series(judge),
        "people alone": Series(human, human_low, human_high),
        "corrected": Series(mean, low, high),
    }
    panel = Panel(rows=names, series=dot_series(series))
    best = f"highest corrected mean {mean[0]:.3g} ({names[0]}), of the judge alone {judge[0]:.3g}"
    alt = f"Means of {pluralize(len(means), 'system')} by the judge, by people and by both; {best}."
    return Picture(alt, DotPlot(panels=[panel], across="mean score, with 95 % intervals").draw)
