"""Tables, notes and findings of `contrast`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import ALPHA, best_of, every, join_names, value_range
from metaeval.arrays import Bools, Floats
from metaeval.errors import pluralize
from metaeval.inference.clusters import number_of_different
from metaeval.judges.contrast.compute import Contrasts, Severities
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.judges.contrast.study import ContrastStudy
from metaeval.model.report import Finding, Note, Table, count, crossed, p_value, score, table, text
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
THEY = {SEEN: "see", MISSED: "miss"}

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
    tables = [
        _contrast(study, result, detail=not readable),
        _accuracy(study, result, detail=not few),
        _numbers_of_verdicts(study, result, detail=readable or few),
    ]
    if result.severities is not None:
        tables += [_severity(study, result.severities), _losses(study, result.severities)]
    notes = _notes(study, result)
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


def _contrast(study: ContrastStudy, result: Contrasts, *, detail: bool) -> Table:
    names, phenomena = crossed(study.names, study.pairs.phenomena)
    shown = verdicts(study, result)
    accuracy = "share of pairs in which the good output has the better score"
    about = f"{SEEN}: accuracy significantly above one half; {MISSED}: below"
    if study.generated is not None:
        about = f"{SEEN}: accuracy 1; {MISSED}: 0; {PARTLY}: between"
    tau = "2 · accuracy − 1, in which ties count as wrong (ACES)"
    columns = [
        text("measure", names),
        text("phenomenon", phenomena),
        count("pairs", result.pairs.ravel(), detail=True),
        score("accuracy", result.accuracy.ravel(), higher_is_better=True, about=accuracy, interval=("low", "high")),
        score("low", result.low.ravel(), about="95 % interval"),
        score("high", result.high.ravel()),
        score("ties", divide(result.ties, result.pairs).ravel(), about="share with equal scores", detail=True),
        score("tau", 2 * result.accuracy.ravel() - 1, about=tau, detail=True),
        p_value("p", result.p.ravel(), detail=True),
        p_value("p_adjusted", result.adjusted_p.ravel(), detail=True),
        text("verdict", [verdict or None for verdict in shown.ravel().tolist()], values=VERDICTS, about=about),
        count("undefined", result.undefined.ravel(), detail=True),
    ]
    if study.generated is not None:
        # All pairs are there: they are no sample.
        columns = [each for each in columns if each.column.name not in ("low", "high", "p", "p_adjusted")]
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
        score("low", order.low, about="95 % interval"),
        score("high", order.high),
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
    if study.pairs.labels is not None:
        notes.append("labels: the score of all pairs with good labels, against that with the bad label in one of them")
    return notes


def _notes_on_sample(study: ContrastStudy) -> list[Note | str]:
    """Notes on the intervals and tests of a sample of pairs."""
    over, few = _few(study)
    tests = f"verdicts are from tests of an accuracy of one half, at {ALPHA:g}, Holm-adjusted over all rows"
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
    codes = np.arange(len(pairs)) if clusters is None or clusters.codes is None else clusters.codes
    number = number_of_different(pairs.phenomenon, codes).tolist()
    return over, [name for name, size in zip(pairs.phenomena, number, strict=True) if size < MIN_CLUSTERS]


def _findings(study: ContrastStudy, result: Contrasts) -> list[Finding]:
    """What measures miss, what they see, and whether more severe errors cost more; a sentence each."""
    shown = verdicts(study, result)
    sentences = _on_missed(study, result, shown == MISSED)
    if study.generated is None:
        sentences += _on_seen(study, result, shown == SEEN)
        if not sentences:
            over, names = _few(study)
            few = f"; {join_names(names)} {'has' if len(names) == 1 else 'have'} few {over}" if names else ""
            sentences.append(f"No measure significantly sees or misses a phenomenon (adjusted p > {ALPHA:g}){few}")
    else:
        sentences += [*_on_partly(study, result, shown == PARTLY), *_on_all_pairs(study, shown == SEEN)]
    sentences += _on_severities(study, result.severities)
    return [Finding("contrast", sentence) for sentence in sentences]


def _see(names: Sequence[str], verb: str, number: int) -> str:
    """Measures and their verb, as 'every measure sees'."""
    if len(names) == number > 1:
        return f"Every measure {verb}"
    return f"{join_names(names)} {verb if len(names) == 1 else THEY[verb]}"


def _on_missed(study: ContrastStudy, result: Contrasts, missed: Bools) -> list[str]:
    """The phenomena that most measures miss, then how many others are missed; missed: (M, P)."""
    by_measures: dict[tuple[int, ...], list[int]] = {}
    for column in np.flatnonzero(missed.any(axis=0)).tolist():
        by_measures.setdefault(tuple(np.flatnonzero(missed[:, column]).tolist()), []).append(column)
    if not by_measures:
        return []
    groups = sorted(by_measures.items(), key=lambda each: (-len(each[0]), each[1]))
    rows, columns = groups[0]
    of_these = np.ix_(rows, columns)
    evidence = f"accuracy {value_range(result.accuracy[of_these].ravel().tolist())}, adjusted p ≤ {ALPHA:g}"
    if study.generated is not None:
        evidence = f"accuracy 0.00, ties {value_range(divide(result.ties, result.pairs)[of_these].ravel().tolist())}"
    names, phenomena = study.names, study.pairs.phenomena
    who = _see([names[row] for row in rows], MISSED, len(names))
    sentence = f"{who} {join_names([phenomena[at] for at in columns])}"
    others = sum(len(more) for _, more in groups[1:])
    if len(groups) == 2:
        also = join_names([phenomena[at] for at in groups[1][1]])
        return [f"{sentence} ({evidence}); {_see([names[row] for row in groups[1][0]], MISSED, 0)} {also}, too"]
    more = f"; some measures miss {pluralize(others, 'other phenomenon', 'other phenomena')}" if others else ""
    return [f"{sentence} ({evidence}){more}"]


def _on_seen(study: ContrastStudy, result: Contrasts, seen: Bools) -> list[str]:
    """The phenomena that all measures see in a sample, or who sees most; seen: (M, P)."""
    phenomena = [name for name, found in zip(study.pairs.phenomena, seen.T, strict=True) if found.all()]
    if not phenomena:
        numbers = seen.sum(axis=1)
        most = f"the most phenomena ({numbers.max()} of {seen.shape[1]}, adjusted p ≤ {ALPHA:g})"
        return [f"{_see(best_of(study.names, numbers), SEEN, 0)} {most}"] if numbers.any() else []
    shares = value_range(result.accuracy[:, seen.all(axis=0)].ravel().tolist())
    who = _see(study.names, SEEN, len(study.names))
    return [f"{who} {join_names(phenomena)} (accuracy {shares}, adjusted p ≤ {ALPHA:g})"]


def _on_partly(study: ContrastStudy, result: Contrasts, partly: Bools) -> list[str]:
    """The measures that see a generated error in only a part of the pairs; partly: (M, P)."""
    names = [name for name, found in zip(study.names, partly, strict=True) if found.any()]
    if not names:
        return []
    row, column = np.unravel_index(np.where(partly, result.accuracy, np.inf).argmin(), partly.shape)
    lowest = f"lowest: {study.names[row]} on {study.pairs.phenomena[column]}, {result.accuracy[row, column]:.2f}"
    return [f"{_see(names, SEEN, len(study.names))} some phenomena in only a part of the pairs ({lowest})"]


def _on_all_pairs(study: ContrastStudy, seen: Bools) -> list[str]:
    """The measures that see all generated errors, or else the phenomena that all measures see; seen: (M, P)."""
    number = every(len(study.pairs.phenomena), "phenomenon", "phenomena")
    if names := [name for name, found in zip(study.names, seen, strict=True) if found.all()]:
        return [f"{_see(names, SEEN, len(study.names))} {number} in every pair"]
    phenomena = [name for name, found in zip(study.pairs.phenomena, seen.T, strict=True) if found.all()]
    return [f"{_see(study.names, SEEN, len(study.names))} {join_names(phenomena)} in every pair"] if phenomena else []


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
    some = "" if falls.all() else "under some "
    return f", though {some}not from each severity to the next" if falls.any() else ""


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
