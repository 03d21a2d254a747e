"""Tables and findings of `robustness`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.analyses.robustness.compute import Robustness
from metaeval.analyses.robustness.settings import RobustnessSettings
from metaeval.analyses.sentences import join_names
from metaeval.arrays import Ints
from metaeval.errors import pluralize
from metaeval.model.report import Finding, Note, Table, count, counts, scores, table, text
from metaeval.model.works import cite
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import extremes, matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import Heat
from metaeval.study.evidence import methods_of_tests, notes_on_clusters, notes_on_rare_classes, with_caution
from metaeval.study.study import AnalysisOutput, Study, undefined_notes


def tabulate(study: Study, settings: RobustnessSettings, result: Robustness) -> AnalysisOutput:
    """Tables and findings of `robustness`."""
    trivial, measures = result.scores.systems, text("measure", study.measure_names)
    beaten = table(
        "robustness",
        f"How many of {pluralize(len(study.systems), 'real system')} each trivial system beats (its score)",
        measures,
        *counts(trivial, result.beaten.T),
        beside=table(
            "robustness_scores",
            "Scores of the trivial systems",
            measures,
            *scores(trivial, result.scores.values.T),
        ),
    )
    undefined = [
        *undefined_notes(study, of="real system"),
        *undefined_notes(study, result.scores, of="trivial system"),
    ]
    tables = [beaten]
    notes: list[Note | str] = [*result.notes, *undefined]
    if result.significantly is not None:
        tables = [replace(beaten, detail=True), _significant(study, trivial, result.significantly)]
        notes.append(f"significantly: adjusted p ≤ {settings.alpha:g} for all pairs of a measure")
        notes += [*notes_on_clusters(study), *notes_on_rare_classes(study)]
    sentences = with_caution(study, findings(study, result))
    return AnalysisOutput(tables, notes, sentences, methods=_methods(study, settings, result))


def _significant(study: Study, trivial: Sequence[str], beaten: Ints) -> Table:
    """How many systems are beaten significantly, (M, trivial systems); a detail where none is, as the finding says."""
    amount = pluralize(len(study.systems), "real system")
    is_any_beaten = [bool(column.any()) for column in beaten.T]
    rest = "" if all(is_any_beaten) else "; others beat none"
    return table(
        "robustness_significant",
        f"How many of {amount} each trivial system beats significantly{rest}",
        text("measure", study.measure_names),
        *(
            count(name, column, detail=not any_beaten)
            for name, column, any_beaten in zip(trivial, beaten.T, is_any_beaten, strict=True)
        ),
        detail=not beaten.any(),
        subject=f"How many of {amount} each trivial system beats significantly",
    )


def _methods(study: Study, settings: RobustnessSettings, result: Robustness) -> list[str]:
    if not result.evidence:
        return []
    pairs = pluralize(len(result.scores.systems) * len(study.systems), "pair")
    subject = f"The differences of each of {pluralize(len(result.scores.systems), 'trivial system')} from each real one"
    by_measure = dict(zip(study.measure_names, result.evidence, strict=True))
    tests = methods_of_tests(study, f"{subject} ({pairs})", permutations=settings.permutations, evidence=by_measure)
    by = f"by the largest statistic {cite('westfall1993')}"
    adjusted = f"P-values are adjusted for all these pairs under a measure {by}"
    return [*tests, f"{adjusted}; a difference is significant up to {settings.alpha:g}."]


def findings(study: Study, result: Robustness) -> list[Finding]:
    """The measure under which a trivial system significantly beats most real ones, or beats most without a test."""
    tested = result.significantly is not None
    beaten = result.significantly if result.significantly is not None else result.beaten
    beats = "significantly beats" if tested else "beats"
    # No system beats another one under a measure that is undefined for all real or all trivial systems.
    cubes = study.scores, result.scores
    is_defined = ~np.any([np.isnan(cube.values).all(axis=-1) for cube in cubes], axis=0)
    names = np.array(study.measure_names)
    robust, unknown = names[is_defined & ~beaten.any(axis=1)].tolist(), names[~is_defined].tolist()
    if not is_defined.any():
        return []
    rest = [f"undefined under {join_names(unknown)}"] if unknown else []
    if len(robust) == is_defined.sum():
        measures = "any measure" if not unknown else f"any of {pluralize(len(robust), 'other measure')}"
        claims = (f"no trivial system {beats} any real one under {measures}", *rest)
        return [Finding("robustness", claim) for claim in claims]
    if robust:
        rest = ["; ".join([f"no trivial system {beats} a real one under {join_names(robust)}", *rest])]
    return [Finding("robustness", claim) for claim in (_on_most(study, result.scores.systems, beaten, beats), *rest)]


def _on_most(study: Study, trivial: Sequence[str], beaten: Ints, beats: str) -> str:
    """The measure under which a trivial system beats the most real ones; beaten: their number, (M, trivial systems)."""
    most = beaten.max()
    by_systems: dict[tuple[str, ...], list[str]] = {}
    for measure, is_most in zip(study.measure_names, beaten == most, strict=True):
        if is_most.any():
            by_systems.setdefault(tuple(np.array(trivial)[is_most].tolist()), []).append(measure)
    (systems, measures), *others = by_systems.items()
    verb = beats if len(systems) == 1 else beats.removesuffix("s")
    claim = f"under {join_names(measures)}, {join_names(systems)} {verb} {most} of"
    also = f", as do others under {join_names([name for _, names in others for name in names])}" if others else ""
    return f"{claim} {pluralize(len(study.systems), 'real system')}{also}"


@plot(
    "robustness",
    title="Real systems that each trivial one beats",
    example="robustness --config configs/rumour2017.yaml",
)
def robustness(tables: Tables) -> Picture | None:
    """A matrix of counts, measures by trivial systems, with colours for the share of the real systems."""
    table = tables["robustness"]
    names, systems = texts(table, "measure"), names_of(table)[1:]
    values = matrix(table, systems)
    if not values.size or np.isnan(values).all():
        return None
    match = re.search(r"of ([\d,]+) real system", table.title)
    real = int(match[1].replace(",", "")) if match else int(np.nanmax(values))
    label, limits = f"real systems beaten, of {real}", (0.0, max(real, 1.0))
    heat = Heat(rows=names, columns=systems, values=values, limits=limits, what=label, digits=0, least=0.62)
    _, (row, column) = extremes(values)
    worst = f"the maximum is {number(values[row, column], 0)} of {real}: {systems[column]} under {names[row]}"
    trivial, under = pluralize(len(systems), "trivial system"), pluralize(len(names), "measure")
    alt = f"Heat map of the number of real systems that each of {trivial} beats under {under}"
    return Picture(f"{alt}; {worst}.", heat.draw)
