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

VISIBLE = 1.6
"""Widening of an interval from which the systems are visibly not from a normal distribution."""


def tabulate(study: Study, settings: ReliabilitySettings, result: Reliabilities) -> AnalysisOutput:
    """Tables, notes and findings of `reliability`."""
    tables = [
        _main(study, result),
        _components(study, result),
        table_of_designs(study, result.components, "designs"),
    ]
    return AnalysisOutput(tables, _notes(study, result), _findings(study, result), methods=_methods(study, result))


def _main(study: Study, result: Reliabilities) -> Table:
    components = list(result.components.values())
    coefficients = [component.coefficient() for component in components]
    intervals = [component.interval() for component in components]
    runs = sorted({component.runs for component in components if component.freedom[1]})
    of_runs = f", {value_range(runs, 'g')} runs of each" if runs else ""
    return table(
        "reliability",
        f"Reliability of the scores of {pluralize(len(study.systems), 'system')}{of_runs}",
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
        count("systems", [component.systems for component in components], detail=True),
        count("items", [component.items for component in components], detail=True),
        score("runs", [component.runs for component in components], detail=True),
    )


def _components(study: Study, result: Reliabilities) -> Table:
    measures, names, variances, shares = [], [], [], []
    for index, component in result.components.items():
        of_measure = _variances(component)
        total = sum(max(value, 0.0) for _, value in of_measure)
        for name, value in of_measure:
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
    clustered, repeated = component.spread > 1, component.freedom[1] > 0
    variances = [
        ("system", component.system, True),
        ("run", component.run, repeated),
        ("cluster", component.cluster, clustered),
        ("item", component.item, True),
        ("system × cluster", component.system_cluster, clustered),
        ("system × item", component.system_item, True),
        ("run × cluster", component.run_cluster, clustered and repeated),
        ("run × item", component.run_item, repeated),
    ]
    return [(name, value) for name, value, exists in variances if exists]


def _notes(study: Study, result: Reliabilities) -> list[Note | str]:
    notes: list[Note | str] = [
        "tau: if the systems are like a sample of a normal distribution; stability gives it without this assumption"
    ]
    if any(value < 0 for each in result.components.values() for _, value in _variances(each)):
        notes.append("variances below 0 are estimates of small ones, and count as 0 in shares and coefficients")
    left_out = [name for index, name in enumerate(study.measure_names) if index not in result.components]
    if left_out:
        notes.append(f"left out, because their score is no mean over items, or undefined: {', '.join(left_out)}")
    same = [study.measure_names[index] for index, each in result.components.items() if np.isnan(each.coefficient())]
    if same:
        notes.append(f"undefined, because no scores of items differ: {', '.join(same)}")
    single = [each for each in result.components.values() if not each.freedom[1]]
    if single:
        notes.append("with one run of each system, what runs add is part of the variances of systems and their items")
    heavy = [study.measure_names[index] for index, each in result.components.items() if each.widening > VISIBLE]
    if heavy:
        notes.append(
            f"a few systems differ much more than the others under {join_names(heavy)}: intervals are wider there, and "
            "may still be too narrow"
        )
    return notes + notes_on_clusters(study)


def _findings(study: Study, result: Reliabilities) -> list[Finding]:
    """The range of the coefficients, and the measures of which runs add more to the error than items."""
    every = {study.measure_names[index]: each.coefficient() for index, each in result.components.items()}
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
    found = [Finding("reliability", text)]
    if len(study.systems) < FEW_SYSTEMS:
        found.append(Finding("reliability", f"{systems} are few to estimate how much systems differ"))
    by_runs = _limited_by_runs(study, result)
    if by_runs:
        said = f"under {join_names(by_runs)} twice the runs of each system would be more reliable than twice the items"
        found.append(Finding("components", said))
    return found


def _limited_by_runs(study: Study, result: Reliabilities) -> Sequence[str]:
    """Measures under which twice the runs are more reliable than twice the items."""
    return [
        study.measure_names[index]
        for index, each in result.components.items()
        if each.freedom[1] > 0 and each.coefficient(runs=2 * each.runs) > each.coefficient(items=2 * each.items)
    ]


def _methods(study: Study, result: Reliabilities) -> list[str]:
    """A sentence for a paper."""
    clusters = study.origin.clusters
    design = "systems × items" if not clusters else f"systems × (items in clusters of {clusters[0].column})"
    repeated = any(each.freedom[1] for each in result.components.values())
    runs = ", with runs within systems" if repeated else ""
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
    needs=("components",),
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
