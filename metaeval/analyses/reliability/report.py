"""Tables, notes and findings of `reliability`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.analyses.reliability.compute import Reliabilities
from metaeval.analyses.reliability.settings import ReliabilitySettings
from metaeval.analyses.sentences import all_or_names, join_names, table_of_designs, value_range
from metaeval.errors import pluralize
from metaeval.inference.parts import Components, tau_of_coefficient
from metaeval.model.report import Finding, Note, Table, count, score, scores, table, text
from metaeval.render.plots.canvas import COLOURS, Look, number
from metaeval.render.plots.columns import distinct, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.study.evidence import notes_on_clusters
from metaeval.study.study import AnalysisOutput, Study

FEW_SYSTEMS = 8

READABLE_ROWS = 20
"""Number of rows of pass^k up to which a terminal shows them."""

ERROR = "standard error of a score, on other items and in other runs"

VISIBLE = 1.6
"""Widening of an interval from which the systems are visibly not from a normal distribution."""


def tabulate(study: Study, settings: ReliabilitySettings, result: Reliabilities) -> AnalysisOutput:
    """Tables, notes and findings of `reliability`."""
    tables = [
        _main(study, result) if len(study.systems) > 1 else _single_system(study, result),
        *([_pass_k(study, result)] if result.passes else []),
        _components(study, result),
        table_of_designs(study, result.components, "designs"),
    ]
    return AnalysisOutput(tables, _notes(study, result), _findings(study, result), methods=_methods(study, result))


def _main(study: Study, result: Reliabilities) -> Table:
    components = list(result.components.values())
    coefficients = [component.coefficient() for component in components]
    intervals = [component.interval() for component in components]
    runs = sorted({component.runs for component in components if component.freedom[1]})
    suffix = f", {value_range(runs, 'g')} runs of each" if runs else ""
    return table(
        "reliability",
        f"Reliability of the scores of {pluralize(len(study.systems), 'system')}{suffix}",
        text("measure", [study.measure_names[index] for index in result.components]),
        score(
            "coefficient",
            coefficients,
            about="generalisability: share of the score variance that is between systems",
            interval=("ci_low", "ci_high"),
        ),
        *scores(
            ("ci_low", "ci_high"),
            ([low for low, _ in intervals], [high for _, high in intervals]),
            about="95 % interval",
        ),
        score(
            "absolute",
            [component.coefficient(absolute=True) for component in components],
            about="the same for scores that are compared with those on other items",
            detail=True,
        ),
        score(
            "tau",
            list(map(tau_of_coefficient, coefficients)),
            about="expected agreement of the rankings on two such tests",
        ),
        score("error", [component.error() for component in components], about=ERROR, detail=True),
        count("systems", [component.systems for component in components], detail=True),
        count("items", [component.items for component in components], detail=True),
        score("runs", [component.runs for component in components], detail=True),
    )


def _single_system(study: Study, result: Reliabilities) -> Table:
    """Of one system nothing is ranked: the errors of its score."""
    components = list(result.components.values())
    indices = list(result.components)
    return table(
        "reliability",
        f"Reliability of the score of {study.systems[0]}",
        text("measure", [study.measure_names[index] for index in indices]),
        score("score", [float(study.scores.values[index, 0]) for index in indices]),
        score("error", [component.error() for component in components], about=ERROR),
        count("items", [component.items for component in components]),
        score("runs", [component.runs for component in components], detail=True),
    )


def _pass_k(study: Study, result: Reliabilities) -> Table:
    rows = [(index, system, estimate) for (index, system), passes in result.passes.items() for estimate in passes]
    several = study.origin.clusters[0].column if study.origin.clusters else ""
    others = f"clusters of {several}" if several else "items"
    return table(
        "pass_k",
        "pass^k: share of items on which a system succeeds in all of k trials",
        text("measure", [study.measure_names[index] for index, *_ in rows]),
        text("system", [study.systems[system] for _, system, _ in rows]),
        count("k", [estimate.k for *_, estimate in rows]),
        score("value", [estimate.value for *_, estimate in rows], interval=("low", "high")),
        score("low", [estimate.low for *_, estimate in rows], about=f"95 % interval, for other {others}"),
        score("high", [estimate.high for *_, estimate in rows]),
        detail=len(rows) > READABLE_ROWS,
    )


def _components(study: Study, result: Reliabilities) -> Table:
    measures, names, variances, shares = [], [], [], []
    for index, component in result.components.items():
        sources = _variances(component)
        total = sum(max(value, 0.0) for _, value in sources)
        for name, value in sources:
            measures.append(study.measure_names[index])
            names.append(name)
            with np.errstate(over="ignore", under="ignore"):
                variances.append(np.ldexp(value, 2 * component.exponent))
            shares.append(max(value, 0.0) / total if total else float("nan"))
    return table(
        "components",
        "Variance of the score of an item, by what causes it",
        text("measure", measures),
        text("component", names),
        score("variance", variances, about="variance of item scores due to this component"),
        score("share", shares, about="share of the sum of the components"),
        detail=True,
    )


def _variances(component: Components) -> list[tuple[str, float]]:
    """The components that these data can have."""
    clustered, repeated, several = component.spread > 1, component.freedom[1] > 0, component.systems > 1
    variances = [
        ("system", component.system, several),
        ("run", component.run, repeated),
        ("cluster", component.cluster, clustered),
        ("item", component.item, True),
        ("system × cluster", component.system_cluster, clustered and several),
        ("system × item", component.system_item, several),
        ("run × cluster", component.run_cluster, clustered and repeated),
        ("run × item", component.run_item, repeated),
    ]
    return [(name, value) for name, value, exists in variances if exists]


def _notes(study: Study, result: Reliabilities) -> list[Note | str]:
    notes: list[Note | str] = []
    several, names = len(study.systems) > 1, study.measure_names
    if several:
        notes.append(
            "tau: if the systems are like a sample of a normal distribution; stability gives it without this assumption"
        )
    if any(value < 0 for component in result.components.values() for _, value in _variances(component)):
        notes.append("variances below 0 are estimates of small ones, and count as 0 in shares and coefficients")
    left_out = [name for index, name in enumerate(names) if index not in result.components]
    if left_out:
        notes.append(f"left out, because their score is no mean over items, or undefined: {', '.join(left_out)}")
    same = [names[index] for index, component in result.components.items() if np.isnan(component.coefficient())]
    if same and several:
        notes.append(f"undefined, because no scores of items differ: {', '.join(same)}")
    single = [component for component in result.components.values() if not component.freedom[1]]
    if single:
        parts = "systems and their items" if several else "items"
        notes.append(f"with one run of each system, what runs add is part of the variances of {parts}")
    heavy = [names[index] for index, component in result.components.items() if component.widening > VISIBLE]
    if heavy and several:
        notes.append(
            f"a few systems differ much more than the others under {join_names(heavy)}: intervals are wider there, and "
            "may still be too narrow"
        )
    return notes + notes_on_clusters(study)


def _findings(study: Study, result: Reliabilities) -> list[Finding]:
    """The range of the coefficients, pass^k, and the measures of which runs add more to the error than items."""
    if len(study.systems) == 1:
        return [*_errors_of_one(study, result), *_on_passes(study, result)]
    every = {study.measure_names[index]: component.coefficient() for index, component in result.components.items()}
    values = {name: value for name, value in every.items() if not np.isnan(value)}
    if not values:
        return []
    low, high = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    systems = pluralize(len(study.systems), "system")
    text = f"the ranking of {systems} on these {pluralize(len(study.items), 'item')} has a generalisability coefficient"
    if f"{values[low]:.2f}" < f"{values[high]:.2f}":
        text += f" from {values[low]:.2f} ({low}) to {values[high]:.2f} ({high})"
    else:
        text += f" of {values[low]:.2f} under {all_or_names(list(values), len(study.measure_names))}"
    findings = [Finding("reliability", text), *_on_passes(study, result)]
    if len(study.systems) < FEW_SYSTEMS:
        findings.append(Finding("reliability", f"{systems} are few to estimate how much systems differ"))
    by_runs = _limited_by_runs(study, result)
    if by_runs:
        claim = f"under {join_names(by_runs)} twice the runs of each system would be more reliable than twice the items"
        findings.append(Finding("components", claim))
    return findings[:3]


def _errors_of_one(study: Study, result: Reliabilities) -> list[Finding]:
    """The standard error of the score of the only system under the first measure, and what more data would make it."""
    if not result.components:
        return []
    index, component = next(iter(result.components.items()))
    error, repeated = component.error(), component.freedom[1] > 0
    others = "other items and in other runs" if repeated else "other items"
    sentence = f"the score of {study.systems[0]} under {study.measure_names[index]} has a standard error of {error:.2g}"
    more = f"twice the items would make it {component.error(items=2 * component.items):.2g}"
    if repeated:
        more += f", twice the runs {component.error(runs=2 * component.runs):.2g}"
    return [Finding("reliability", f"{sentence} on {others}; {more}")]


def _on_passes(study: Study, result: Reliabilities) -> list[Finding]:
    """pass^k of the only system, or the range of the systems, under the first measure of trials."""
    if not result.passes:
        return []
    index = next(iter(result.passes))[0]
    passes = [curve for (measure, _), curve in result.passes.items() if measure == index]
    k = min(curve[-1].k for curve in passes)
    once, every = ([curve[trials - 1].value for curve in passes] for trials in (1, k))
    under = f" under {study.measure_names[index]}"
    if len(passes) == 1:
        last = passes[0][k - 1]
        has_interval = not np.isnan(last.low)
        interval = f" (pass^{k}, 95 % interval {last.low:.0%} to {last.high:.0%})" if has_interval else f" (pass^{k})"
        subject = f"{study.systems[next(iter(result.passes))[1]]} succeeds{under}"
    else:
        interval, subject = f" (pass^{k})", f"{len(passes)} systems succeed{under}"
    shares = [value_range(values, ".0%") for values in (once, every)]
    return [
        Finding(
            "reliability", f"{subject} on {shares[0]} of the items in one trial, on {shares[1]} in all of {k}{interval}"
        )
    ]


def _limited_by_runs(study: Study, result: Reliabilities) -> Sequence[str]:
    """Measures under which twice the runs are more reliable than twice the items."""
    return [
        study.measure_names[index]
        for index, component in result.components.items()
        if component.freedom[1] > 0
        and component.coefficient(runs=2 * component.runs) > component.coefficient(items=2 * component.items)
    ]


def _methods(study: Study, result: Reliabilities) -> list[str]:
    """A sentence for a paper."""
    clusters = study.origin.clusters
    design = "systems × items" if not clusters else f"systems × (items in clusters of {clusters[0].column})"
    repeated = any(component.freedom[1] for component in result.components.values())
    runs = ", with runs within systems" if repeated else ""
    if len(study.systems) == 1:
        return [f"Variance components of items{runs} were estimated by the analysis of variance (Brennan 2001)."]
    return [
        (
            f"Variance components of {design}{runs} were estimated by the analysis of variance (negative estimates "
            "count as 0); the reliability of scores is the generalisability coefficient (Brennan 2001), with an "
            "interval from the F distribution (Feldt 1965), wider by the kurtosis of the systems (Bonett 2006)."
        )
    ]


@plot(
    "components",
    title="Components of variance",
    example="reliability --task table sample_data/seeds/scores.csv --replicate seed --cluster document",
)
def components(tables: Tables) -> Picture | None:
    """A stacked bar for each measure: what the variance of the scores of items is due to."""
    table = tables["components"]
    measures, parts, shares = texts(table, "measure"), texts(table, "component"), numbers(table, "share")
    names, causes = distinct(measures), distinct(parts)
    values = np.full((len(causes), len(names)), np.nan)
    for measure, cause, share in zip(measures, parts, shares, strict=True):
        values[causes.index(cause), names.index(measure)] = 100 * share
    if np.isnan(values).all():
        return None
    looks = [Look(colour, "s", size=7) for colour in (*COLOURS, "muted")]
    series = [Series(row, name=cause, look=look) for cause, row, look in zip(causes, values, looks, strict=False)]
    panel = Panel(rows=names, series=series, limits=(0, 100), is_stacked=True)
    most = [
        f"{name}: {causes[int(column.argmax())]} ({number(column.max(), 0)} %)"
        for name, column in zip(names, np.nan_to_num(values).T, strict=True)
        if column.any()
    ]
    across = "share of the variance of the score of an item, %"
    alt = f"Components of the variance of item scores under {pluralize(len(names), 'measure')}. Largest component of"
    return Picture(f"{alt} {'; '.join(most)}.", DotPlot(panels=[panel], across=across).draw)
