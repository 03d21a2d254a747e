"""Tables, notes and findings of `contrast`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.runs import table_of_runs
from metaeval.analyses.sentences import ALPHA, best_of, every, join_names, value_range
from metaeval.arrays import Bools, Floats
from metaeval.errors import pluralize, setting
from metaeval.inference.clusters import number_of_different
from metaeval.judges.contrast.compute import Contrasts, Severities
from metaeval.judges.contrast.plots import BLIND, INVERTS, SEES, UNCLEAR, VERDICTS, WEAK
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.judges.contrast.study import ContrastStudy
from metaeval.model.report import Finding, Note, Table, count, crossed, p_value, score, scores, table, text
from metaeval.model.scores import Direction
from metaeval.model.works import METAEVAL, cite
from metaeval.stats.ratio import divide
from metaeval.study.study import AnalysisOutput, cited_measures
from metaeval.version import __version__

VERBS = {SEES: ("sees", "see"), BLIND: ("is blind to", "are blind to"), INVERTS: ("inverts", "invert")}
"""Of one measure, and of several."""

READABLE_ROWS = 40
"""Number of rows of the main table up to which a terminal shows it."""

READABLE_COLUMNS = 6
"""Number of phenomena up to which a terminal shows them as columns, where the rows are too many."""

MIN_CLUSTERS = 10
"""Number of clusters below which intervals are much wider than needed, by simulation."""


def tabulate(study: ContrastStudy, settings: ContrastSettings, result: Contrasts) -> AnalysisOutput:
    """Which phenomena each measure sees, and whether its losses grow with the severity."""
    readable = result.accuracy.size <= READABLE_ROWS
    few = not readable and len(study.pairs.phenomena) <= READABLE_COLUMNS
    verdicts = classify(study, settings, result)
    tables = [
        _contrast(study, settings, result, verdicts, detail=not readable),
        _accuracy(study, result, detail=not few),
        _numbers_of_verdicts(study, result, verdicts, detail=readable or few),
    ]
    if result.severities is not None:
        tables += [_severity(study, result.severities), _losses(study, result.severities)]
    if result.runs:
        tables.append(table_of_runs("contrast_runs", result.runs, equal=True, judge="measure", truth="the right order"))
    notes = _notes(study, result)
    return AnalysisOutput(tables, notes, _findings(study, result, verdicts), methods=_methods(study, result))


def classify(study: ContrastStudy, settings: ContrastSettings, result: Contrasts) -> NDArray[np.str_]:
    """Whether each measure sees each phenomenon, (M, P); '' where no pair is defined, or no test.

    Of a sample by tests; generated pairs are all that there are, of which a measure that sees errs in none.
    """
    above, below = result.accuracy > 0.5, result.accuracy <= 0.5
    inverts, sees = result.worse > result.better, result.accuracy >= settings.margin
    has_verdict = result.pairs > 0
    if study.generated is not None:
        sees = result.accuracy >= 1
    else:
        different = result.adjusted_p <= ALPHA
        above, below = above & different, below & different
        inverts = inverts & (result.adjusted_p_without_ties <= ALPHA)
        has_verdict = ~np.isnan(result.p)
    verdicts = np.select([above & sees, above, below & inverts, below], [SEES, WEAK, INVERTS, BLIND], UNCLEAR)
    return np.where(has_verdict, verdicts, "")


def _meaning(study: ContrastStudy, settings: ContrastSettings, verdict: str) -> str:
    """What a verdict says, and what to do about it."""
    if study.generated is not None:
        return {
            SEES: "better score in every pair",
            WEAK: "in more than half",
            BLIND: "ties, or better no more often than worse",
            INVERTS: "worse more often than better",
        }[verdict]
    return {
        SEES: f"accuracy at least {settings.margin:g}, significantly above 0.5",
        WEAK: f"above 0.5, below {settings.margin:g} (average over more items)",
        UNCLEAR: "not significantly different from 0.5, Holm-adjusted (add pairs)",
        BLIND: "below 0.5 by ties (add a measure)",
        INVERTS: "significantly prefers the bad output (do not optimise)",
    }[verdict]


def _contrast(
    study: ContrastStudy, settings: ContrastSettings, result: Contrasts, verdicts: NDArray[np.str_], *, detail: bool
) -> Table:
    names, phenomena = crossed(study.names, study.pairs.phenomena)
    accuracy = "share of pairs in which the good output has the better score"
    about = "; ".join(f"{one}: {_meaning(study, settings, one)}" for one in VERDICTS if (verdicts == one).any())
    tau = "2 · accuracy − 1, in which ties count as wrong (ACES)"
    columns = [
        text("measure", names),
        text("phenomenon", phenomena),
        count("pairs", result.pairs.ravel(), detail=True),
        score("accuracy", result.accuracy.ravel(), higher_is_better=True, about=accuracy, interval=("low", "high")),
        *scores(("low", "high"), (result.low.ravel(), result.high.ravel()), about="95 % interval"),
        score("ties", divide(result.ties, result.pairs).ravel(), about="share with equal scores"),
        score("tau", 2 * result.accuracy.ravel() - 1, about=tau, detail=True),
        p_value("p", result.p.ravel(), detail=True),
        p_value("p_adjusted", result.adjusted_p.ravel(), detail=True),
        p_value("p_without_ties", result.adjusted_p_without_ties.ravel(), about="adjusted p without ties", detail=True),
        text("verdict", [verdict or None for verdict in verdicts.ravel().tolist()], values=VERDICTS, about=about),
        count("undefined", result.undefined.ravel(), detail=True),
    ]
    if study.generated is not None:
        # All pairs are there: they are no sample.
        tests = "low", "high", "p", "p_adjusted", "p_without_ties"
        columns = [column for column in columns if column.column.name not in tests]
    title = f"Which errors the measures see: {study.contents}"
    return table("contrast", title, *columns, detail=detail)


def _accuracy(study: ContrastStudy, result: Contrasts, *, detail: bool) -> Table:
    phenomena = study.pairs.phenomena
    return table(
        "contrast_accuracy",
        "Accuracy: share of the pairs in which the good output has the strictly better score",
        text("measure", study.names),
        *(
            score(name, accuracy, higher_is_better=True)
            for name, accuracy in zip(phenomena, result.accuracy.T, strict=True)
        ),
        detail=detail,
    )


def _numbers_of_verdicts(study: ContrastStudy, result: Contrasts, verdicts: NDArray[np.str_], *, detail: bool) -> Table:
    """How many phenomena have each verdict: what a terminal shows of more phenomena than fit the other tables."""
    return table(
        "contrast_verdicts",
        f"How many phenomena the measures see, and the lowest accuracy: {study.contents}",
        text("measure", study.names),
        *(
            count(verdict, (verdicts == verdict).sum(axis=1))
            for verdict in VERDICTS
            if verdict != UNCLEAR or study.generated is None
        ),
        score(
            "lowest",
            np.fmin.reduce(result.accuracy, axis=1),
            higher_is_better=True,
            about="lowest accuracy on a phenomenon",
        ),
        detail=detail,
    )


def _severity(study: ContrastStudy, severities: Severities) -> Table:
    order = severities.order
    return table(
        "contrast_severity",
        f"How often the more severe of two errors costs more ({' < '.join(study.pairs.severities)})",
        text("measure", study.names),
        score(
            "ordered",
            order.share,
            higher_is_better=True,
            about="share of pairs in which the more severe costs more",
            interval=("low", "high"),
        ),
        *scores(("low", "high"), (order.low, order.high), about="95 % interval"),
        p_value("p", order.p, detail=True),
        p_value("p_adjusted", severities.adjusted_p, about="test that it is one half"),
        count("pairs", order.pairs, detail=True),
    )


def _losses(study: ContrastStudy, severities: Severities) -> Table:
    names, levels = crossed(study.names, study.pairs.severities)
    return table(
        "contrast_losses",
        "Mean loss of score by severity",
        text("measure", names),
        text("severity", levels),
        score("loss", severities.losses.ravel(), about="mean loss of score by an error of this severity"),
        count("pairs", severities.counts.ravel()),
        detail=True,
    )


def _notes(study: ContrastStudy, result: Contrasts) -> list[Note | str]:
    notes: list[Note | str] = []
    if study.generated is None:
        notes += _notes_on_sample(study)
    else:
        notes += [
            f"pairs: {study.generated.sentence}; they are not a sample: there are no intervals and no tests",
            study.generated.reading,
        ]
    undefined = int(result.undefined.sum())
    if undefined:
        notes.append(f"{pluralize(undefined, 'score')} of pairs undefined (—), left out")
    if result.severities is not None and (without := int((study.pairs.severity < 0).sum())):
        notes.append(f"{pluralize(without, 'pair')} without a severity, left out of the tables of severities")
    if study.pairs.labels is not None:
        notes.append("labels: the score of all pairs with good labels, against that with the bad label in one of them")
    return notes


def _notes_on_sample(study: ContrastStudy) -> list[Note | str]:
    """Notes on the intervals and tests of a sample of pairs."""
    over, few = _few(study)
    tests = (
        f"verdicts are from tests of an accuracy of one half, at {ALPHA:g}, Holm-adjusted over all rows, "
        "and of those below it from the same tests without ties"
    )
    notes: list[Note | str] = [f"intervals are over {over}; {tests}"]
    if few:
        notes.append(
            f"fewer than {MIN_CLUSTERS} {over} in {join_names(few)}: intervals are wide or missing, and hardly any "
            "test can be significant"
        )
    return notes


def _few(study: ContrastStudy) -> tuple[str, list[str]]:
    """What intervals are over, and the phenomena that have few of them."""
    clusters, pairs = study.pairs.clusters, study.pairs
    over = "pairs" if clusters is None else f"clusters of {clusters.column}"
    codes = np.arange(len(pairs)) if clusters is None else clusters.item_codes
    number = number_of_different(pairs.phenomenon, codes).tolist()
    return over, [name for name, size in zip(pairs.phenomena, number, strict=True) if size < MIN_CLUSTERS]


def _findings(study: ContrastStudy, result: Contrasts, verdicts: NDArray[np.str_]) -> list[Finding]:
    """What measures invert and do not see, what they see, and whether more severe errors cost more."""
    blind = _clause(study, BLIND, verdicts == BLIND, divide(result.ties, result.pairs), "ties in {} of pairs")
    unseen = "; ".join(filter(None, (_on_inverted(study, result, verdicts), blind)))
    sentences = [unseen] if unseen else []
    if study.generated is None:
        sentences += _on_seen(study, result, verdicts)
        if not sentences:
            over, names = _few(study)
            few = f"; {join_names(names)} {'has' if len(names) == 1 else 'have'} few {over}" if names else ""
            sentences.append(f"No measure significantly sees or inverts a phenomenon (adjusted p > {ALPHA:g}){few}")
    else:
        sentences += [*_on_weak_of_all(study, result, verdicts == WEAK), *_on_all_pairs(study, verdicts == SEES)]
    sentences += _on_severities(study, result.severities)
    return [Finding("contrast", sentence) for sentence in sentences]


def _who(names: Sequence[str], verdict: str, number: int) -> str:
    """Measures and their verb, as 'every measure sees'. number: of all measures."""
    one, several = VERBS[verdict]
    if len(names) == number > 1:
        return f"Every measure {one}"
    return f"{join_names(names)} {one if len(names) == 1 else several}"


def _groups(mask: Bools) -> list[tuple[list[int], list[int]]]:
    """The phenomena that the same measures share, those of most measures first; mask: (M, P)."""
    by_measures: dict[tuple[int, ...], list[int]] = {}
    for column in np.flatnonzero(mask.any(axis=0)).tolist():
        by_measures.setdefault(tuple(np.flatnonzero(mask[:, column]).tolist()), []).append(column)
    groups = sorted(by_measures.items(), key=lambda group: (-len(group[0]), group[1]))
    return [(list(rows), columns) for rows, columns in groups]


def _clause(study: ContrastStudy, verdict: str, mask: Bools, shares: Floats, what: str) -> str:
    """The phenomena for which most measures have a verdict, then how many others; '' for none.

    mask: whether it is the verdict, (M, P). shares: of pairs, (M, P), and what they are, with a gap for the range.
    """
    groups = _groups(mask)
    if not groups:
        return ""
    rows, columns = groups[0]
    names, phenomena = study.names, study.pairs.phenomena
    who = _who([names[row] for row in rows], verdict, len(names))
    evidence = what.format(value_range(shares[np.ix_(rows, columns)].ravel().tolist(), ".0%"))
    others = sum(len(more) for _, more in groups[1:])
    more = f", some measures {VERBS[verdict][1]} {pluralize(others, 'other')}" if others else ""
    if len(groups) == 2:
        also = join_names([phenomena[index] for index in groups[1][1]])
        more = f", {_who([names[row] for row in groups[1][0]], verdict, 0)} {also}, too"
    return f"{who} {join_names([phenomena[index] for index in columns])} ({evidence}){more}"


def _on_inverted(study: ContrastStudy, result: Contrasts, verdicts: NDArray[np.str_]) -> str:
    """What measures invert, and that the direction of one that sees nothing may be wrong; '' for none."""
    clause = _clause(
        study, INVERTS, verdicts == INVERTS, divide(result.worse, result.pairs), "the bad output wins {} of pairs"
    )
    read = len(study.names) - len(study.measures)
    only = (verdicts == INVERTS).any(axis=1) & ~np.isin(verdicts, (SEES, WEAK)).any(axis=1)
    lower = [direction is Direction.LOWER for direction in study.directions]
    doubtful = [study.names[row] for row in np.flatnonzero(only[:read] & ~np.array(lower[:read], dtype=bool)).tolist()]
    if doubtful:
        clause += f"; if a lower {join_names(doubtful, 'or')} is better, declare it with {setting('lower_is_better')}"
    return clause


def _on_seen(study: ContrastStudy, result: Contrasts, verdicts: NDArray[np.str_]) -> list[str]:
    """The phenomena that all measures see in a sample, or who sees most, and how many are seen only weakly."""
    sees, weak = verdicts == SEES, verdicts == WEAK
    phenomena = [name for name, column in zip(study.pairs.phenomena, sees.T, strict=True) if column.all()]
    sentences = []
    if phenomena:
        shares = value_range(result.accuracy[:, sees.all(axis=0)].ravel().tolist())
        who = _who(study.names, SEES, len(study.names))
        sentences = [f"{who} {join_names(phenomena)} (accuracy {shares}, adjusted p ≤ {ALPHA:g})"]
    elif sees.any():
        numbers = sees.sum(axis=1)
        most = f"the most phenomena ({numbers.max()} of {sees.shape[1]}, adjusted p ≤ {ALPHA:g})"
        sentences = [f"{_who(best_of(study.names, numbers), SEES, 0)} {most}"]
    if groups := _groups(weak):
        rows, columns = groups[0]
        who = _who([study.names[row] for row in rows], SEES, len(study.names))
        shares = value_range(result.accuracy[np.ix_(rows, columns)].ravel().tolist())
        phenomena = [study.pairs.phenomena[index] for index in columns]
        sentences.append(f"{who} {join_names(phenomena)} only weakly (accuracy {shares})")
    return ["; ".join(sentences)] if sentences else []


def _on_weak_of_all(study: ContrastStudy, result: Contrasts, weak: Bools) -> list[str]:
    """The measures that see a generated error in more than half of the pairs, but not in all; weak: (M, P)."""
    names = [name for name, flags in zip(study.names, weak, strict=True) if flags.any()]
    if not names:
        return []
    row, column = np.unravel_index(np.where(weak, result.accuracy, np.inf).argmin(), weak.shape)
    lowest = f"lowest: {study.names[row]} on {study.pairs.phenomena[column]}, {result.accuracy[row, column]:.2f}"
    return [f"{_who(names, SEES, len(study.names))} some phenomena in only a part of the pairs ({lowest})"]


def _on_all_pairs(study: ContrastStudy, sees: Bools) -> list[str]:
    """The measures that see all generated errors, or else the phenomena that all measures see; sees: (M, P)."""
    number = every(len(study.pairs.phenomena), "phenomenon", "phenomena")
    if names := [name for name, flags in zip(study.names, sees, strict=True) if flags.all()]:
        return [f"{_who(names, SEES, len(study.names))} {number} in every pair"]
    phenomena = [name for name, flags in zip(study.pairs.phenomena, sees.T, strict=True) if flags.all()]
    return [f"{_who(study.names, SEES, len(study.names))} {join_names(phenomena)} in every pair"] if phenomena else []


def _on_severities(study: ContrastStudy, severities: Severities | None) -> list[str]:
    """The measures whose losses grow with the severity, or fall."""
    if severities is None or np.isnan(severities.adjusted_p).all():
        return []
    share, significant = severities.order.share, severities.adjusted_p <= ALPHA
    clauses = []
    for side, more in ((share > 0.5, "more"), (share < 0.5, "less")):
        if (rows := significant & side).any():
            names = join_names([study.names[row] for row in np.flatnonzero(rows).tolist()])
            in_pairs = f"in {value_range(share[rows].tolist(), '.0%')} of pairs"
            falls = _falls(severities.losses[rows]) if more == "more" else ""
            clauses.append(f"significantly {more} under {names} ({in_pairs}{falls})")
    if not clauses:
        return ["No measure loses significantly more score for more severe errors"]
    return [f"More severe errors cost {', '.join(clauses)}"]


def _falls(losses: Floats) -> str:
    """Whether mean losses, (M, S), do not rise from each severity to the next."""
    falls = (np.diff(losses) <= 0).any(axis=1)
    some = "" if falls.all() else "for some of them "
    return f", though {some}not from each severity to the next" if falls.any() else ""


def _methods(study: ContrastStudy, result: Contrasts) -> Sequence[str]:
    software, names = f"metaeval {__version__} {cite(METAEVAL)}", cited_measures(study.names, study.measures)
    shares = "the share of pairs in which the good output has the strictly better score"
    if study.generated is not None:
        sentence = f"We tested {names} on {study.contents} with {software}, by {shares}."
        return [f"{sentence} The pairs are {study.generated.sentence}."]
    score, intervals = f"the Kendall-like score of ACES {cite('amrhein2022')}", "those of Clopper and Pearson"
    effective = f"an effective number of pairs {cite('korn1998')}"
    sentences = [
        f"We tested {names} on {study.contents} with {software}, by {shares} and {score}.",
        f"Intervals are {intervals} with {effective}; p-values against one half are Holm-adjusted {cite('holm1979')}.",
    ]
    if result.severities is not None:
        sentences.append(
            f"Whether losses grow with the severity of errors, as in DEMETR {cite('karpinska2022')}, was tested by "
            "Somers' D, on the scale of log odds with a jackknife over clusters."
        )
    return sentences
