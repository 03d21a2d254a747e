"""Tables, findings and notes of judges against people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from metaeval.analyses.agreement.against import RECALL, SIGNS, Against, ClassAgreement, JudgeAgreement
from metaeval.analyses.agreement.settings import AgreementSettings
from metaeval.analyses.agreement.study import AgreementStudy, names_of_values
from metaeval.analyses.levels import MOST_SHOWN
from metaeval.analyses.runs import table_of_runs, with_interval
from metaeval.analyses.sentences import ALPHA, every, lead, p_at_most
from metaeval.errors import join_all, pluralize
from metaeval.io.scores.cells import NO_SYSTEM
from metaeval.model.report import Cells, Finding, Note, Table, count, p_value, score, table, text
from metaeval.model.works import cite
from metaeval.stats.rank import best_first
from metaeval.stats.rater_pairs import Share

FEW_OF_CLASS = 10
"""Number of items of a class below which its recall is hardly known."""


NARROW = 0.02
"""Width of an interval of a share below which it is shown with a decimal."""


def positive_class(settings: AgreementSettings, judge: JudgeAgreement) -> ClassAgreement | None:
    """The class that a judge is meant to find: the one that is named, or of two the one that people use less."""
    if settings.positive is not None:
        return next((candidate for candidate in judge.classes if candidate.label == settings.positive), None)
    return min(judge.classes, key=lambda candidate: candidate.human) if len(judge.classes) == 2 else None


def tables_against(study: AgreementStudy, settings: AgreementSettings, against: Against) -> list[Table]:
    """The tables of judges against people, the judge that agrees most first."""
    judges = against.judges
    has_groups = any(judge.groups for judge in judges)
    detail = len(judges) > 1 or has_groups
    tables = [_main(study, settings, against), _statistics(study, judges, detail=detail)]
    if judges[0].classes:
        tables.append(_classes(judges, detail=detail))
    if runs := {judge.name: judge.runs for judge in judges if judge.runs}:
        tables.append(table_of_runs("judge_runs", runs, equal=judges[0].share is not None))
    if has_groups:
        tables.append(_groups(against, settings.group or ""))
    return [*tables, _disagreements(study, judges)]


def _order(judges: Sequence[JudgeAgreement]) -> list[int]:
    """The judges that agree most with people first."""
    return sorted(range(len(judges)), key=lambda index: -_closeness(judges[index]))


def _closeness(judge: JudgeAgreement) -> float:
    value = judge.share.value if judge.share else -judge.distance
    return -math.inf if math.isnan(value) else value


def _estimate(judge: JudgeAgreement, name: str) -> tuple[float, float, float] | None:
    estimates = [estimate for estimate in judge.estimates if estimate.statistic.name == name]
    return (estimates[0].value, estimates[0].low, estimates[0].high) if estimates else None


def _main(study: AgreementStudy, settings: AgreementSettings, against: Against) -> Table:
    judges = against.judges
    columns = [
        text("judge", [judge.name for judge in judges]),
        count("items", [judge.pairs.units for judge in judges], about="that the judge and people rated"),
    ]
    letters = {"letters": "letters"} if any(against.letters) else {}
    if judges[0].share is not None:
        about = f"share of equal labels; [ ]: 95 % interval, for other {study.clusters[2]}"
        columns += with_interval("agreement", [judge.share for judge in judges], about=about, **letters)
    if judges[0].limits is not None:
        about = "mean of the judge's ratings less those of people"
        columns += with_interval(
            "shift", [judge.limits.shift if judge.limits else None for judge in judges], about=about
        )
        beside = {} if judges[0].share is not None else letters
        columns.append(
            score("distance", [judge.distance for judge in judges], about="mean size of the difference", **beside)
        )
        columns += with_interval("icc", [_estimate(judge, "icc(2,1)") for judge in judges], about="ICC(2,1)")
    positives = [positive_class(settings, judge) for judge in judges]
    if judges[0].limits is None or settings.positive is not None:
        columns += _positive(judges, positives)
    if judges[0].limits is None:
        cells = [_estimate(judge, "cohen:weights=none") for judge in judges]
        columns += with_interval("kappa", cells, about="Cohen's kappa", detail=len(judges[0].classes) == 2)
    if letters:
        about = "judges that share a letter do not differ significantly on the same items"
        columns.append(text("letters", against.letters, about=about))
    people = "people" if len(study.ratings.annotators) > 1 else study.ratings.annotators[0]
    title = f"Agreement of {pluralize(len(judges), 'judge')} with {people}"
    return table("judge_agreement", title, *columns, order=_order(judges))


def _positive(judges: Sequence[JudgeAgreement], positives: Sequence[ClassAgreement | None]) -> list[Cells]:
    """Recall of the positive class, and of the other one of two; the positive one may differ between judges."""
    if not any(positives):
        return []
    labels = [one.label if one else None for one in positives]
    about = "share of what people label {} that the judge labels so"
    which = join_all([*dict.fromkeys(filter(None, labels))], "or")
    columns = [text("positive", labels, detail=True)]
    columns += with_interval("tpr", [one and one.recall for one in positives], about=about.format(which))
    if len(judges[0].classes) == 2:
        others = [
            next((candidate for candidate in judge.classes if candidate is not one), None)
            for judge, one in zip(judges, positives, strict=True)
        ]
        columns += with_interval("tnr", [one and one.recall for one in others], about="the same of the other label")
    return columns


def _statistics(study: AgreementStudy, judges: Sequence[JudgeAgreement], *, detail: bool) -> Table:
    rows: list[tuple[object, ...]] = []
    for judge in judges:
        intervals: list[tuple[str, Sequence[float]]] = [("agreement", judge.share)] if judge.share else []
        intervals += [
            (estimate.statistic.name, (estimate.value, estimate.low, estimate.high)) for estimate in judge.estimates
        ]
        if judge.limits:
            limits = zip(("shift", "lower limit", "upper limit"), judge.limits, strict=True)
            intervals += [(name, ends) for name, ends in limits]
        rows += [(judge.name, name, *ends[:3]) for name, ends in intervals]
    names, statistics, *ends = zip(*rows, strict=True)
    about = "95 % of the differences lie between the limits" if judges[0].limits else ""
    return table(
        "judge_statistics",
        f"Agreement of {'judges' if len(judges) > 1 else judges[0].name} with people by each statistic",
        text("judge", names, detail=len(judges) == 1),
        text("statistic", statistics, about=about),
        score("value", ends[0], interval=("low", "high")),
        score("low", ends[1], about=f"95 % interval, for other {study.clusters[2]}"),
        score("high", ends[2]),
        detail=detail,
    )


def _classes(judges: Sequence[JudgeAgreement], *, detail: bool) -> Table:
    is_once = all(len(judge.pairs.unit) == judge.pairs.units for judge in judges)
    labels = "labels" if is_once else "pairs of labels"
    rows = [(judge.name, agreement.label, agreement) for judge in judges for agreement in judge.classes]
    return table(
        "judge_classes",
        "How much of each class the judge finds, and how much of what it says is right",
        text("judge", [name for name, _, _ in rows], detail=len(judges) == 1),
        text("label", [label for _, label, _ in rows]),
        *with_interval(
            "recall", [agreement.recall for *_, agreement in rows], about="share of people's label that the judge gives"
        ),
        *with_interval(
            "precision",
            [agreement.precision for *_, agreement in rows],
            about="share of the judge's label that people give",
        ),
        count("human", [agreement.human for *_, agreement in rows], about=f"{labels} by people, and by the judge"),
        count("judge_labels", [agreement.judge for *_, agreement in rows], head="judge"),
        detail=detail,
    )


def _groups(against: Against, column: str) -> Table:
    """The differences of groups, of many the most different first."""
    rows = [(judge, statistic) for judge in against.judges for statistic in judge.groups]
    p = [float(statistic.difference.p) for _, statistic in rows]
    return table(
        "judge_groups",
        f"Agreement with people by {column}",
        text("judge", [judge.name for judge, _ in rows], detail=len(against.judges) == 1),
        text("statistic", [statistic.name for _, statistic in rows]),
        text("group", [statistic.group for _, statistic in rows]),
        count("items", [statistic.units for _, statistic in rows]),
        *with_interval("value", [(statistic.value, statistic.low, statistic.high) for _, statistic in rows]),
        *with_interval(
            "difference",
            [tuple(map(float, statistic.difference[:3])) for _, statistic in rows],
            about="from all other groups together",
        ),
        p_value("p", p, detail=True),
        p_value("p_adjusted", against.adjusted, about="Holm-adjusted over the table"),
        order=best_first(-np.array(p)) if len(rows) > MOST_SHOWN else None,
        first=MOST_SHOWN,
    )


def _disagreements(study: AgreementStudy, judges: Sequence[JudgeAgreement]) -> Table:
    """The items on which a judge and a person differ; of measurements those beyond the limits of agreement."""
    ratings = study.ratings
    assert study.judges is not None
    differ: set[int] = set()
    for judge in judges:
        pairs = judge.pairs
        away = ~pairs.equal
        if judge.share is None and judge.limits is not None:
            difference = np.ldexp(pairs.other - pairs.one, judge.exponent)
            away = (difference < judge.limits.lower[0]) | (difference > judge.limits.upper[0])
        differ |= {*pairs.unit[away].tolist()}
    units = sorted(differ)
    names = names_of_values(study, np.array([])) if study.scale else None
    items = len(ratings.items)
    columns = [text("item", [ratings.items[unit % items] for unit in units])]
    if ratings.systems != (NO_SYSTEM,):
        columns.insert(0, text("system", [ratings.systems[unit // items] for unit in units]))
    raters = zip((*ratings.annotators, *study.judges.names), (*ratings.values, *study.judges.values), strict=True)
    columns += [text(name, [_label(value, names) for value in values[units].tolist()]) for name, values in raters]
    beyond = " by more than the limits of agreement" if judges[0].share is None else ""
    return table("judge_disagreements", f"Items on which judge and people differ{beyond}", *columns, detail=True)


def _label(value: float, names: Mapping[float, str] | None) -> str | None:
    if math.isnan(value):
        return None
    return names.get(value, f"{value:g}") if names else f"{value:g}"


def percent(value: float, exact: bool = False) -> str:
    """A share in percent, with a decimal where it would look like none or all, or if it is exact.

    >>> percent(0.914), percent(0.998), percent(1.0)
    ('91', '99.8', '100')
    """
    # Rounded as in tables.
    whole = f"{100 * round(value, 2):.0f}"
    return f"{100 * value:.1f}" if exact or (whole in ("0", "100") and value not in (0, 1)) else whole


def _percent(share: Share) -> str:
    exact = share.high - share.low < NARROW
    interval = "" if math.isnan(share.low) else f" [{percent(share.low, exact)}, {percent(share.high, exact)}]"
    return f"{percent(share.value, exact)} %{interval}"


def findings_against(study: AgreementStudy, settings: AgreementSettings, against: Against) -> list[Finding]:
    """How far the judge, or the one that agrees most, agrees with people, and what repeated runs and groups show."""
    judges = against.judges
    first = judges[_order(judges)[0]]
    sentences = [_first(study, settings, against, first)]
    if len(judges) > 1 and any(against.letters):
        sentences.append(_others(against, first))
    if first.runs and not math.isnan(float(first.runs.excess.p)):
        sentences.append(_sentence_on_runs(first))
    sentences += _sentence_on_groups(against, first)
    return [Finding("agreement", sentence) for sentence in sentences[:3]]


def _first(study: AgreementStudy, settings: AgreementSettings, against: Against, judge: JudgeAgreement) -> str:
    single = len(study.ratings.annotators) == 1
    who, noun = "the human" if single else "people", "item" if study.ratings.systems == (NO_SYSTEM,) else "cell"
    units = pluralize(judge.pairs.units, "system" if study.ratings.whole_systems else noun)
    if judge.share is None:
        return _on_numbers(judge, who, units)
    text = f"{judge.name} agrees with {who} on {_percent(judge.share)} of {units}"
    positive = positive_class(settings, judge)
    if positive is not None and positive.human:
        labels = "labels" if single else "label"
        text += f"; it finds {_percent(positive.recall)} of what {who} {labels} {positive.label}"
    if against.people is not None and against.people.units:
        number = "two people" if len(study.ratings.annotators) == 2 else "two of the people"
        text += f"; {number} agree on {percent(against.people.value)} %"
    return text


def _on_numbers(judge: JudgeAgreement, who: str, units: str) -> str:
    limits = judge.limits
    assert limits is not None
    value, low, high = limits.shift
    interval = "" if math.isnan(low) else f" [{low:+.2g}, {high:+.2g}]"
    text = f"{judge.name} differs from {who} by {value:+.2g}{interval} on average of {units}"
    if not math.isnan(limits.lower[0]):
        text += f"; 95 % of the differences lie between {limits.lower[0]:+.2g} and {limits.upper[0]:+.2g}"
    icc = _estimate(judge, "icc(2,1)")
    return text if icc is None or math.isnan(icc[0]) else f"{text}; ICC(2,1) {icc[0]:.2f}"


def _others(against: Against, first: JudgeAgreement) -> str:
    letters = dict(zip((one.name for one in against.judges), against.letters, strict=True))
    worse = [name for name, groups in letters.items() if not {*groups} & {*letters[first.name]}]
    ahead = lead(len(worse), len(letters) - 1, "judge")
    what = "agrees most with people" if first.share is not None else "is closest to people"
    return f"{first.name} {what}, {ahead.replace('significantly higher', 'significantly more')}"


def _sentence_on_runs(judge: JudgeAgreement) -> str:
    runs = judge.runs
    assert runs is not None
    p, excess = float(runs.excess.p), float(runs.excess.value)
    beyond = "do not differ significantly more from people"
    if p <= ALPHA:
        beyond = f"differ {'more' if excess > 0 else 'less'} from people ({p_at_most(p)})"
    if judge.share is None:
        return f"Two runs of {judge.name} differ by {runs.value:.2g} on average, and {beyond}"
    within = f"{percent(runs.value)} % [{percent(runs.low)}, {percent(runs.high)}]"
    return f"Two runs of {judge.name} agree on {within} of the items, and {beyond}"


def _sentence_on_groups(against: Against, judge: JudgeAgreement) -> list[str]:
    """The group that the judge treats most clearly otherwise, and how many more differences are significant."""
    if not judge.groups:
        return []
    rows = [statistic for one in against.judges for statistic in one.groups]
    p_of = dict(zip(map(id, rows), against.adjusted.tolist(), strict=True))
    names = list(dict.fromkeys(statistic.group for statistic in judge.groups))
    # Of two groups, each difference is that of both.
    statistics = [statistic for statistic in judge.groups if len(names) != 2 or statistic.group == names[0]]
    significant = [statistic for statistic in statistics if p_of[id(statistic)] <= ALPHA]
    if all(math.isnan(p_of[id(statistic)]) for statistic in statistics):
        return []
    if not significant:
        return [f"{judge.name} treats no group significantly differently from the others (adjusted p > {ALPHA:g})"]
    first = min(significant, key=lambda statistic: (statistic.name != "agreement", p_of[id(statistic)]))
    others = names[1] if len(names) == 2 else "the other groups"
    value = float(first.difference.value)
    more, points = "more" if value > 0 else "less", f"{percent(abs(value))} points"
    verb = f"agrees {points} {more} with people"
    if first.name == "shift":
        verb = f"rates {abs(value):.2g} {'higher' if value > 0 else 'lower'} against people"
    elif first.name != "agreement":
        verb = f"finds {points} {more} of what people label {first.name.removeprefix(RECALL)}"
    sentence = f"{judge.name} {verb} on {first.group} than on {others} (adjusted {p_at_most(p_of[id(first)])})"
    if further := len(significant) - 1:
        sentence += f"; {pluralize(further, 'more difference is', 'more differences are')} significant"
    return [sentence]


def notes_against(study: AgreementStudy, settings: AgreementSettings, against: Against) -> Iterator[Note | str]:
    """How intervals are made, and what they cannot show."""
    ratings, judges, several = study.ratings, against.judges, study.clusters[2]
    independent = len(ratings.annotators) == 1 and settings.clusters is None and not settings.replicates
    number = "" if independent else f", with the effective number of independent {several}"
    if judges[0].share is not None:
        yield f"intervals of agreement, recall and precision are Wilson's{number}"
    if judges[0].limits is not None:
        by = "F distributions" if independent and len(ratings.systems) == 1 else f"the jackknife over {several}"
        yield f"intervals of ICC are by {by}; the limits of agreement are for normal differences"
    if len(ratings.annotators) > 1:
        yield f"agreement with people is that with each of {len(ratings.annotators)} annotators"
    for judge in judges:
        positive = positive_class(settings, judge)
        if positive is not None and positive.human < FEW_OF_CLASS:
            labels = pluralize(positive.human, "label")
            yield f"people gave {labels} {positive.label}: how many of them {judge.name} finds is hardly known"
    if len(judges) > 1:
        common = f"{pluralize(against.common, 'item')} that all judges rated"
        yield f"letters: {SIGNS:,} random signs of the differences on {common}"
    if any(one.groups for one in judges):
        yield "intervals of differences of groups are Newcombe's, or of means Welch's, as if groups shared no clusters"
    rated_items = int((~np.isnan(ratings.values).all(axis=0)).sum())
    alone = rated_items - max(one.pairs.units for one in judges)
    if alone > 0:
        yield f"{pluralize(alone, 'item')} that people rated and no judge: not used"


def methods_against(study: AgreementStudy, against: Against) -> list[str]:
    """Sentences on what was computed."""
    judges, ratings = against.judges, study.ratings
    names = [estimate.statistic.name for estimate in judges[0].estimates if not math.isnan(estimate.value)]
    judge_names = every(len(judges), "judge") if len(judges) > 1 else judges[0].name
    people = pluralize(len(ratings.annotators), "person", "people")
    statistics = f": {', '.join(map(_cite_statistic, names))}" if names else ""
    sentences = [f"We compared {judge_names} with {people} on {judges[0].pairs.units:,} items{statistics}."]
    if judges[0].share is not None:
        sentences.append("95 % confidence intervals of shares are Wilson's.")
    if judges[0].limits is not None:
        sentences.append(f"Limits of agreement are those of Bland and Altman {cite('bland1986')}.")
    if any(judge.groups for judge in judges):
        sentences.append(
            f"Groups were compared by Newcombe's intervals {cite('newcombe1998')}; p-values, of shares at least the "
            "mid-p of Fisher's exact test, are Holm-adjusted."
        )
    return sentences


def _cite_statistic(name: str) -> str:
    works = {"gwet": cite("gwet2008"), "icc(": cite("shrout1979")}
    return f"{name} {works[name[:4]]}" if name[:4] in works else name
