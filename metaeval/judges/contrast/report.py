"""Tables, notes and findings of `contrast`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import ALPHA, every, join_names, value_range
from metaeval.arrays import Bools
from metaeval.errors import pluralize
from metaeval.inference.clusters import number_of_different
from metaeval.judges.contrast.compute import Contrasts, Severities
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.judges.contrast.study import ContrastStudy
from metaeval.model.report import Finding, Note, Table, count, crossed, notes_on_columns, score, table, text
from metaeval.model.works import METAEVAL, cite
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import extremes, matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import Heat
from metaeval.stats.ratio import divide
from metaeval.study.study import AnalysisOutput, cited_measures
from metaeval.version import __version__

SEEN, PARTLY, UNCLEAR, MISSED = "sees", "partly", "unclear", "misses"
VERDICTS = (SEEN, PARTLY, UNCLEAR, MISSED)

READABLE_ROWS = 40
"""Number of rows of the main table up to which a terminal shows it."""

READABLE_COLUMNS = 20
"""Number of phenomena up to which a terminal shows them as columns."""

MAX_FINDINGS = 8
"""Maximum number of sentences on what measures miss."""

MIN_CLUSTERS = 10
"""Number of clusters below which intervals are much wider than needed, by simulation."""


def tabulate(study: ContrastStudy, settings: ContrastSettings, result: Contrasts) -> AnalysisOutput:
    """Which phenomena each measure sees, and whether its losses grow with the severity."""
    tables = [_contrast(study, result), _accuracy(study, result)]
    tables.append(_numbers_of_verdicts(study, result, detail=not all(each.detail for each in tables)))
    notes = _notes(study, result, tables[0])
    if result.severities is not None:
        severity = _severity(study, result.severities)
        tables += [severity, _losses(study, result.severities)]
        notes += notes_on_columns(severity)
    return AnalysisOutput(tables, notes, _findings(study, result), methods=_methods(study, result))


def verdicts(study: ContrastStudy, result: Contrasts) -> NDArray[np.str_]:
    """Whether each measure sees each phenomenon, (M, P): in significantly more than half of the pairs of a sample, or
    in all of the generated pairs; '' where no pair is defined, or no test.
    """
    if study.generated is not None:
        shown = np.select([result.better == result.pairs, result.better == 0], [SEEN, MISSED], PARTLY)
        return np.where(result.pairs > 0, shown, "")
    different = result.adjusted_p <= ALPHA
    shown = np.where(different, np.where(result.accuracy > 0.5, SEEN, MISSED), UNCLEAR)
    return np.where(np.isnan(result.p), "", shown)


def _contrast(study: ContrastStudy, result: Contrasts) -> Table:
    names, phenomena = crossed(study.names, study.pairs.phenomena)
    shown = verdicts(study, result)
    accuracy = "share of pairs in which the good output has the strictly better score"
    columns = [
        text("measure", names),
        text("phenomenon", phenomena),
        count("pairs", result.pairs.ravel()),
        score("accuracy", result.accuracy.ravel(), higher_is_better=True, about=accuracy),
        score("low", result.low.ravel()),
        score("high", result.high.ravel()),
        score("ties", divide(result.ties, result.pairs).ravel(), about="share with equal scores"),
        score("tau", 2 * result.accuracy.ravel() - 1, about="2 · accuracy − 1, in which ties count as wrong (ACES)"),
        score("p", result.p.ravel()),
        score("p_adjusted", result.adjusted_p.ravel()),
        text(
            "verdict",
            [verdict or None for verdict in shown.ravel().tolist()],
            values=VERDICTS,
            about="whether the measure scores the good side higher",
        ),
        count("undefined", result.undefined.ravel()),
    ]
    if study.generated is not None:
        # All pairs are there: they are no sample.
        columns = [each for each in columns if each.column.name not in ("low", "high", "p", "p_adjusted")]
    title = f"Which errors the measures see: {study.contents}"
    return table("contrast", title, *columns, detail=len(names) > READABLE_ROWS)


def _accuracy(study: ContrastStudy, result: Contrasts) -> Table:
    phenomena = study.pairs.phenomena
    return table(
        "contrast_accuracy",
        "Accuracy: share of the pairs in which the good output has the strictly better score",
        text("measure", study.names),
        *(
            score(name, accuracy, higher_is_better=True)
            for name, accuracy in zip(phenomena, result.accuracy.T, strict=True)
        ),
        detail=len(phenomena) > READABLE_COLUMNS,
    )


def _numbers_of_verdicts(study: ContrastStudy, result: Contrasts, *, detail: bool) -> Table:
    """How many phenomena have each verdict: what a terminal shows of more phenomena than fit the other tables."""
    shown = verdicts(study, result)
    return table(
        "contrast_verdicts",
        f"How many phenomena the measures see, and the lowest accuracy: {study.contents}",
        text("measure", study.names),
        *(
            count(verdict, (shown == verdict).sum(axis=1))
            for verdict in (SEEN, UNCLEAR if study.generated is None else PARTLY, MISSED)
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
    ordered = (
        "share of pairs of rows of different severity in which the more severe one loses more score, ties ½; jackknife "
        "over clusters"
    )
    return table(
        "contrast_severity",
        f"How often the more severe of two errors costs more ({' < '.join(study.pairs.severities)})",
        text("measure", study.names),
        score("ordered", order.share, higher_is_better=True, about=ordered),
        score("low", order.low),
        score("high", order.high),
        score("p", order.p),
        score("p_adjusted", severities.adjusted_p),
        count("pairs", order.pairs),
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
        detail=len(names) > READABLE_ROWS,
    )


def _notes(study: ContrastStudy, result: Contrasts, main: Table) -> list[Note | str]:
    notes: list[Note | str] = [*notes_on_columns(main, ["accuracy", "ties", "tau"])]
    if study.generated is None:
        notes += _notes_on_sample(study)
    else:
        notes += [
            f"pairs: {study.generated.sentence}; they are not a sample: there are no intervals and no tests",
            study.generated.reading,
            f"verdict: {SEEN} if the accuracy is 1, {MISSED} if it is 0, else {PARTLY}",
        ]
    undefined = int(result.undefined.sum())
    if undefined:
        notes.append(f"{pluralize(undefined, 'score')} of pairs undefined (—), left out")
    if study.pairs.labels is not None:
        notes.append("labels: the score of all pairs with good labels, against that with the bad label in one of them")
    return notes


def _notes_on_sample(study: ContrastStudy) -> list[Note | str]:
    """Notes on the intervals and tests of a sample of pairs."""
    clusters, pairs = study.pairs.clusters, study.pairs
    over = "pairs" if clusters is None else f"clusters of {clusters.column}"
    tested = "p: against an accuracy of one half, p_adjusted: Holm-adjusted over all rows"
    verdict = f"verdict: {SEEN} if it is significantly above one half (p_adjusted ≤ {ALPHA:g}), {MISSED} if below"
    notes: list[Note | str] = [f"low, high: 95 % interval over {over}; {tested}; {verdict}"]
    codes = np.arange(len(pairs)) if clusters is None or clusters.codes is None else clusters.codes
    number = number_of_different(pairs.phenomenon, codes).tolist()
    few = [name for name, own in zip(pairs.phenomena, number, strict=True) if own < MIN_CLUSTERS]
    if few:
        notes.append(
            f"fewer than {MIN_CLUSTERS} {over} in {join_names(few)}: intervals are wide or missing, and hardly any "
            "test can be significant"
        )
    return notes


def _findings(study: ContrastStudy, result: Contrasts) -> list[Finding]:
    """What measures miss, the same for several in one sentence; what all see; and the order of severities."""
    shown, phenomena = verdicts(study, result), study.pairs.phenomena
    by_missed: dict[tuple[int, ...], list[int]] = {}
    for row, own in enumerate(shown):
        if (own == MISSED).any():
            by_missed.setdefault(tuple(np.flatnonzero(own == MISSED).tolist()), []).append(row)
    sentences = []
    for missed, rows in sorted(by_missed.items(), key=lambda each: (-len(each[0]), each[1]))[:MAX_FINDINGS]:
        those = np.ix_(rows, missed)
        evidence = f"accuracy {value_range(result.accuracy[those].ravel().tolist())}, adjusted p ≤ {ALPHA:g}"
        if study.generated is not None:
            ties = value_range(divide(result.ties, result.pairs)[those].ravel().tolist())
            evidence = f"accuracy 0.00, ties {ties}"
        names, what = [study.names[row] for row in rows], join_names([phenomena[column] for column in missed])
        sentences.append(f"{join_names(names)} {'misses' if len(names) == 1 else 'miss'} {what} ({evidence})")
    if len(by_missed) > MAX_FINDINGS:
        others = sum(len(rows) for rows in by_missed.values())
        sentences.append(f"{pluralize(others, 'measure')} in all miss at least one of the phenomena")
    partly = np.flatnonzero((shown == PARTLY).any(axis=1)).tolist()
    if partly:
        at = np.unravel_index(np.where(shown == PARTLY, result.accuracy, np.inf).argmin(), shown.shape)
        lowest = f"lowest: {study.names[at[0]]} on {phenomena[at[1]]}, {result.accuracy[at]:.2f}"
        what = f"at least one phenomenon in only a part of the pairs ({lowest})"
        names = [study.names[row] for row in partly]
        sentences.append(f"{join_names(names)} {'sees' if len(names) == 1 else 'see'} {what}")
    sentences += _on_all_seen(study, result, shown == SEEN)
    sentences += _on_severities(study, result.severities)
    return [Finding("contrast", sentence) for sentence in sentences]


def _on_all_seen(study: ContrastStudy, result: Contrasts, seen: Bools) -> list[str]:
    """The measures that see all generated errors, and the phenomena that all measures see; seen: (M, P)."""
    sentences, number = [], len(study.pairs.phenomena)
    names = [name for name, own in zip(study.names, seen, strict=True) if own.all()]
    if names and study.generated is not None:
        verb, them = "sees" if len(names) == 1 else "see", every(number, "phenomenon", "phenomena")
        sentences.append(f"{join_names(names)} {verb} {them} in every pair")
    phenomena = [name for name, own in zip(study.pairs.phenomena, seen.T, strict=True) if own.all()]
    if phenomena and study.generated is None:
        shares = value_range(result.accuracy[:, seen.all(axis=0)].ravel().tolist())
        who = "every measure" if len(study.names) > 1 else study.names[0]
        sentences.append(f"{who} sees {join_names(phenomena)} (accuracy {shares}, adjusted p ≤ {ALPHA:g})")
    elif phenomena and len(names) < len(study.names) > 1:
        sentences.append(f"every measure sees {join_names(phenomena)} in every pair")
    return sentences


def _on_severities(study: ContrastStudy, severities: Severities | None) -> list[str]:
    """The measures whose losses grow with the severity, or fall."""
    if severities is None or np.isnan(severities.adjusted_p).all():
        return []
    share, significant = severities.order.share, severities.adjusted_p <= ALPHA
    sentences = []
    for side, more, above in ((share > 0.5, "more", "above"), (share < 0.5, "less", "below")):
        if (rows := significant & side).any():
            names = join_names([study.names[row] for row in np.flatnonzero(rows).tolist()])
            of_pairs = f"in {value_range(share[rows].tolist())} of the pairs of rows, significantly {above} one half"
            sentences.append(f"the more severe of two errors costs {more} score under {names} ({of_pairs})")
    if not sentences:
        return ["no measure loses significantly more score for more severe errors"]
    rest = [study.names[row] for row in np.flatnonzero(~significant).tolist()]
    sentences[-1] += f"; not significantly under {join_names(rest)}" if rest else ""
    steps = {name: np.diff(own) for name, own in zip(study.names, severities.losses, strict=True)}
    falls = [name for name, own in steps.items() if (own <= 0).any()]
    rises = [name for name, own in steps.items() if (own > 0).all()]
    if {*falls} & {study.names[row] for row in np.flatnonzero(significant & (share > 0.5)).tolist()}:
        loss = f"the mean loss does not rise from each severity to the next under {join_names(falls)}"
        sentences.append(f"{loss}; it does under {join_names(rises)}" if rises else loss)
    return sentences


def _methods(study: ContrastStudy, result: Contrasts) -> Sequence[str]:
    software, names = f"metaeval {__version__} {cite(METAEVAL)}", cited_measures(study.names, study.measures)
    shares = "the share of pairs in which the good output has the strictly better score"
    if study.generated is not None:
        tested = f"We tested {names} on {study.contents} with {software}, by {shares}."
        return [f"{tested} The pairs are {study.generated.sentence}."]
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


@plot(
    "contrast",
    title="Which errors the measures see",
    needs=("contrast_accuracy",),
    example="contrast sample_data/contrast/texts.csv",
)
def contrast(tables: Tables) -> Picture | None:
    """A heat map of the accuracy of each measure on each phenomenon."""
    table = tables["contrast_accuracy"]
    names, phenomena = texts(table, "measure"), names_of(table)[1:]
    values = matrix(table, phenomena)
    if np.isnan(values).all():
        return None
    what = "share of pairs in which the good output has the better score"
    heat = Heat(rows=names, columns=phenomena, values=values, limits=(0.0, 1.0), what=what)
    (row, column), _ = extremes(values)
    lowest = f"{names[row]} on {phenomena[column]} ({number(float(values[row, column]))})"
    size = f"{pluralize(len(names), 'measure')} and {pluralize(len(phenomena), 'phenomenon', 'phenomena')}"
    return Picture(f"Heat map of the accuracy of {size}. Lowest: {lowest}.", heat.draw)
