"""The table, notes and findings of `summary`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from metaeval.analyses.correlate.report import with_first_human
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.sentences import join_names, value_range
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.analyses.summary.compute import Criterion, candidates, pareto_optimal, pareto_shares
from metaeval.analyses.summary.settings import SummarySettings
from metaeval.arrays import Bools, Floats
from metaeval.errors import join_all, pluralize
from metaeval.model.report import Cells, Finding, Note, count, flag, score, table, text
from metaeval.model.works import cite
from metaeval.render.plots.canvas import Look, number
from metaeval.render.plots.columns import cells_of, has, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.lines import Points, ScatterPlot
from metaeval.study.evidence import methods_of_tests, notes_on_clusters
from metaeval.study.study import AnalysisOutput, Study


class Meaning(NamedTuple):
    """A criterion: its name, and what it is."""

    name: str
    text: str


CRITERIA = {
    "stability": Meaning("consistency", "agreement (tau) of the rankings on two random halves"),
    "power": Meaning("power", "expected share of pairs of systems that differ significantly"),
    "merge-classes": Meaning("discrimination", "tau of rankings before and after classes are merged"),
    "robustness": Meaning("gamed", "share of systems that a trivial system significantly beats"),
    "correlate": Meaning("human", "correlation with human scores"),
}
"""The criteria by the analysis that they come from."""

PARETO = (
    "pareto: no other measure is significantly better in one of consistency and discrimination and at least as good in "
    "the other"
)
SAME = (
    "consistency is the expected tau of stability and discrimination the corrected tau of merge-classes, or means "
    "where these are unknown"
)
PARETO_SHARE = (
    "share of {} other samples of the items in which no other measure is better in one and at least as good in the "
    "other, whatever the significance"
)


def tabulate(study: Study, settings: SummarySettings, result: Mapping[str, Any]) -> AnalysisOutput:
    """The table, notes and findings of `summary`, from the extracts of the analyses that apply."""
    names = study.measure_names
    criteria: dict[str, Criterion] = {section: result[section] for section in CRITERIA if section in result}
    columns = [column for section, criterion in criteria.items() for column in _columns(CRITERIA[section], criterion)]
    claims: list[Finding] = []
    notes: list[Note | str] = [SAME] if {"stability", "merge-classes"} & set(criteria) else []
    if {"stability", "merge-classes"} <= set(criteria):
        both = criteria["stability"], criteria["merge-classes"]
        optimal, shares = pareto_optimal(*both), pareto_shares(*both)
        share = PARETO_SHARE.format(len(both[0].samples))
        columns += [
            flag("pareto", optimal, about="not dominated in consistency and discrimination"),
            score("pareto_share", shares, about=share, detail=True),
        ]
        tested = ~np.any([np.isnan(criterion.statistic) for criterion in both], axis=0)
        claims = findings(names, optimal, np.asarray(tested), *(criterion.values for criterion in both))
        notes.append(PARETO)
    title = f"Criteria for {pluralize(len(names), 'measure')} on {len(study.systems)} systems"
    group = text("group", result["similarity"], about="measures that share a letter may rank similarly")
    main = table("summary", title, text("measure", names), group, *columns)
    notes += [*_undefined(names, list(criteria.values())), *_left_out(study, settings)]
    notes += [note for note in notes_on_clusters(study) if criteria]
    return with_first_human(study, AnalysisOutput([main], notes, claims, methods=_methods(study, criteria)))


def _left_out(study: Study, settings: SummarySettings) -> list[str]:
    """Notes on criteria that do not apply."""
    rows = [(CRITERIA[options.section].name, reason) for options, reason in candidates(study, settings) if reason]
    return [f"{name} is left out: {reason}" for name, reason in rows]


def _methods(study: Study, criteria: Mapping[str, Criterion]) -> list[str]:
    config = study.config
    if "stability" not in criteria:
        return []
    permutations = config.settings_of(StabilitySettings).permutations
    subject = "The differences between measures in consistency, the expected tau between random halves,"
    sentences = methods_of_tests(study, subject, permutations=permutations, for_measures=True)
    if "merge-classes" in criteria and not np.isnan(criteria["merge-classes"].p).all():
        discrimination = "the mean tau before and after merges of classes, corrected for unreliability"
        test = f"were tested likewise ({config.settings_of(MergeSettings).permutations:,} permutations)"
        sentences.append(f"Their differences in discrimination, {discrimination}, {test}.")
    others = [CRITERIA[section].name for section in ("power", "robustness") if section in criteria]
    sentences += [f"So were those in {' and '.join(others)}."] if others else []
    return [
        *sentences,
        f"P-values are adjusted for all pairs of measures by the largest statistic {cite('westfall1993')}.",
    ]


def findings(
    names: Sequence[str], pareto: Bools, tested: Bools, consistency: Floats, discrimination: Floats
) -> list[Finding]:
    """The measures that are Pareto-optimal, unless all are; pareto, tested, consistency, discrimination: (M,)."""
    # A measure that alone could be tested is not better than any other one.
    if tested.sum() < 2:
        return []
    optimal, untested = (np.array(list(names))[mask].tolist() for mask in (pareto, ~tested))
    values = " and ".join(
        f"{name} {value_range(criterion[pareto].tolist())}"
        for name, criterion in (("consistency", consistency), ("discrimination", discrimination))
    )
    only = "the only Pareto-optimal measure" if len(optimal) == 1 else "the Pareto-optimal measures"
    sentence = f"{join_names(optimal)} {'is' if len(optimal) == 1 else 'are'} {only} ({values})"
    if (pareto == tested).all():
        better = "significantly better than another in consistency or discrimination"
        sentence = f"no measure is {better} and at least as good in both"
    leading = () if (pareto == tested).all() else tuple(optimal)
    sentence += f". Not tested: {join_names(untested)}" if untested else ""
    return [Finding("summary", sentence, leading=leading)]


def _columns(meaning: Meaning, criterion: Criterion) -> list[Cells]:
    """The columns of a criterion: values with their letters, interval and ranks."""
    name, ranks = meaning.name, [None if rank != rank else int(rank) for rank in criterion.ranks]
    has_letters = bool(any(criterion.letters))
    return [
        score(
            name,
            criterion.values,
            higher_is_better=criterion.higher_is_better,
            about=meaning.text,
            digits=2,
            letters=f"{name}_letters" if has_letters else "",
        ),
        score(f"{name}_low", criterion.low, head="low", about="95 % interval, on other items", detail=True),
        score(f"{name}_high", criterion.high, head="high", about="95 % interval, on other items", detail=True),
        count(f"{name}_rank", ranks, head="rank", detail=True),
        text(
            f"{name}_letters",
            criterion.letters,
            head="letters",
            about="measures that share a letter do not differ significantly",
            detail=not has_letters,
        ),
    ]


def _undefined(names: Sequence[str], criteria: Sequence[Criterion]) -> list[str]:
    """Notes on measures whose values are undefined, or that are not tested."""
    if not criteria:
        return []
    undefined = np.isnan([criterion.values for criterion in criteria]).any(axis=0)
    untested = np.isnan([criterion.statistic for criterion in criteria]).any(axis=0)
    texts = {
        "a criterion is undefined (—), because a ranking ties all systems or is too unreliable, or a score is "
        "undefined": undefined,
        "not tested and not pareto, because rankings are too unreliable, or without tests": untested & ~undefined,
    }
    return [
        f"{', '.join(names[index] for index in np.flatnonzero(mask).tolist())}: {text}"
        for text, mask in texts.items()
        if mask.any()
    ]


@plot("summary", title="Consistency against discrimination", example="summary --config configs/stance.yaml")
def summary(tables: Tables) -> Picture | None:
    """A point for each measure; better is further up and right, and Pareto-optimal points are filled."""
    table = tables["summary"]
    if not has(table, "consistency", "discrimination", "pareto"):
        return None
    names, pareto = texts(table, "measure"), [cell is True for cell in cells_of(table, "pareto")]
    x, x_low, x_high = (numbers(table, f"consistency{end}") for end in ("", "_low", "_high"))
    y, y_low, y_high = (numbers(table, f"discrimination{end}") for end in ("", "_low", "_high"))
    rows = np.flatnonzero(~np.isnan(x) & ~np.isnan(y)).tolist()
    if not rows:
        return None
    points = Points(
        names=[names[row] for row in rows],
        x=x[rows],
        y=y[rows],
        x_ends=np.array([x_low, x_high])[:, rows],
        y_ends=np.array([y_low, y_high])[:, rows],
        look=[Look(filled=pareto[row], size=6.5) for row in rows],
    )
    is_lower_better = table.columns[names_of(table).index("discrimination")].higher_is_better is False
    direction = "lower is better, axis reversed" if is_lower_better else "higher is better"
    form = ScatterPlot(
        panels=[points],
        across="consistency: tau between random halves (higher is better)",
        up=f"discrimination: tau before and after merges ({direction}); filled: Pareto-optimal",
        is_reversed=is_lower_better,
    )
    best = [f"{names[row]} ({number(x[row])}, {number(y[row])})" for row in rows if pareto[row]]
    alt = f"Scatter plot of {pluralize(len(rows), 'measure')}, consistency against discrimination."
    return Picture(f"{alt} Pareto-optimal: {join_all(best)}." if best else alt, form.draw)
