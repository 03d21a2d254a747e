"""The evidence of a study on differences: the parts of scores in clusters of items, with random signs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from metaeval.arrays import Indices
from metaeval.errors import join_all, pluralize, refuse, setting, too_few
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import MAX_GROUPS, MIN_EFFECTIVE_GROUPS, Clusters, deal_groups
from metaeval.inference.pairs import Evidence
from metaeval.inference.parts import Parts, Signs
from metaeval.inference.pooled import PooledParts
from metaeval.io.groups import unused_clusters, usual_columns
from metaeval.io.parquet import column_names
from metaeval.io.scores.cells import WHOLE
from metaeval.model.report import Finding, Note
from metaeval.model.runs import ClassRuns, Numbered
from metaeval.model.scale import ClassScale
from metaeval.model.works import cite
from metaeval.stats.ratio import effective_number
from metaeval.stats.resample import generator, seed_for
from metaeval.study.capabilities import ITEM_SCORES, LABELS, MERGES, PARTS, GroupParts
from metaeval.study.study import Progress, Study, check_rankable, untested_notes

MOST_MEMORY = 8_000_000_000
"""Bytes that random signs, and what they make of the scores, may need."""

FEW_CELLS = 0.8
"""Share of the items or cells of a comparison below which a note warns."""

_LARGE_SHARE = 0.1
"""Share of the items of one cluster that is noted."""

FEW_ITEMS_OF_CLASS = 10
"""Gold items of a class below which a note says what differences under measures that average over classes rest on."""


RARE_CLASSES_NAMED = 3
"""Number of rare classes that a note names."""


def check_testable(study: Study) -> None:
    """Raise an `InputError` where there are fewer than two systems, items or clusters, or scores have no parts."""
    check_rankable(study)
    study.samples("a test of differences")
    check_several(study, "a test compares how differences vary")


def check_several(study: Study, reason: str) -> None:
    """Raise an `InputError` where there are fewer than two items or clusters; reason: what varies between them."""
    gold = study.config.data.gold
    if len(study.items) < 2:
        hint = "name a data set with more items"
        if study.items == (WHOLE,):
            hint = "the scores are those of whole systems: name a table with a score of each item, in a column 'item'"
        raise refuse(gold, too_few(len(study.items), "item", f"{reason} between items", hint))
    for clusters in study.origin.clusters:
        if len(clusters.sizes) < 2:
            hint = f"name another column in {setting('clusters')}"
            raise refuse(
                gold, too_few(len(clusters.sizes), f"cluster of {clusters.column}", f"{reason} between clusters", hint)
            )


def gather_evidence(study: Study, what: str, *, permutations: int) -> tuple[Evidence, ...]:
    """The evidence under each measure of a study, all with the same signs; what: the analysis that needs it.

    It is gathered once for all analyses with as many permutations.
    """
    evidence = study.cache.evidence
    if permutations not in evidence:
        evidence[permutations] = evidence_of(study, study.need(PARTS, what), permutations)
    return evidence[permutations]


def gather_evidence_of_runs(
    study: Study, what: str, *, permutations: int, over: str | None = None
) -> tuple[Evidence, ...]:
    """The same on other items and other runs of the systems, where each has enough repeated runs.

    over: 'items' for other items of these runs; see `population_of`.
    """
    results = gather_evidence(study, what, permutations=permutations)
    if not study.has_random_runs or over == "items":
        return results
    # The same deviations under all measures.
    return tuple(evidence.with_other_runs(generator(seed_for(study.config.seed, "runs"))) for evidence in results)


_POPULATIONS = {
    "both": " for other items and other runs of the systems",
    "items": " for other items and these runs",
    "runs": " for other runs of the systems and these items",
}


def population_of(study: Study, over: str | None = None) -> str:
    """What tests of differences generalise to, in words, as ' for other items and these runs'; '' without runs.

    over: 'items', 'runs' or 'both'; by default both where there are enough runs of each system, else items.
    """
    if not study.has_repeated_runs:
        return ""
    return _POPULATIONS[over or ("both" if study.has_random_runs else "items")]


def population_of_scores(study: Study, over: str | None = None) -> str:
    """What intervals of scores generalise to, in words, as 'for other items'."""
    return population_of(study, over).strip() or f"for other {units_of(study)}"


def how_tested(study: Study, level: str, over: str | None = None) -> str:
    """What a finding rests on: what its tests generalise to, as in `population_of`, and the level of their p-values."""
    return ", ".join(filter(None, [population_of(study, over).strip(), level]))


def evidence_of(study: Study, parts: GroupParts, permutations: int) -> tuple[Evidence, ...]:
    """The evidence of parts of any systems on the items of a study, by measure."""
    return _evidence(study, *parts_in_groupings(study, parts), permutations)


def parts_in_groupings(study: Study, parts: GroupParts) -> tuple[list[list[Parts]], list[Parts]]:
    """The parts under each measure in each grouping of the items, and in the cells of crossed ones."""
    groups, cells = _groupings(study)
    every = [parts.by_group(codes, dealing(study.config.seed, 0)) for codes in groups]
    return every, [] if cells is None else parts.by_cell(cells)


def evidence_of_changes(
    study: Study, other: Study, order: Indices, what: str, *, permutations: int
) -> tuple[Evidence, ...]:
    """The evidence on the changes of the scores from a study to another one of the same systems and items, by measure.

    order: the index of each item of the study among those of the other. what: the analysis that needs it.
    """
    groups, cells = _groupings(study)
    if groups == [None]:
        sizes = np.ones(len(study.items), dtype=np.int64)
        groups = [deal_groups(sizes, dealing(study.config.seed, 0))]
    random = dealing(study.config.seed, 0)
    ways, cell_parts = [], []
    # The other study has the same groups, in the order of its items.
    for version, rows in ((study, np.arange(len(order))), (other, np.argsort(order))):
        parts = version.need(PARTS, what)
        compute_parts = parts.with_gold or parts.by_group
        ways.append([compute_parts(codes[rows], random) for codes in groups if codes is not None])
        cell_parts.append([] if cells is None else parts.by_cell(cells[rows]))
    changes = [[change_of_parts(*pair) for pair in zip(*way, strict=True)] for way in zip(*ways, strict=True)]
    return _evidence(study, changes, [change_of_parts(*pair) for pair in zip(*cell_parts, strict=True)], permutations)


def change_of_parts(before: Parts, after: Parts) -> Parts:
    """The parts of the changes of the scores, of systems by themselves."""
    scores = after.scores * after.unit - before.scores * before.unit
    parts = after.without_pairs.parts * after.unit - before.without_pairs.parts * before.unit
    # Jackknife parts are rounded scores times the number of items: equal changes of items are equal on a coarser grid.
    largest = float(np.nanmax(np.abs(before.scores), initial=0.0)) * before.unit
    parts = round_to_grid(parts, 16 * before.items * largest)
    return Parts(scores, parts, before.sizes, jackknife=before.jackknife)


def gather_merged_evidence(
    study: Study, what: str, merges: Sequence[ClassScale], *, permutations: int, progress: Progress
) -> list[tuple[Evidence, ...]]:
    """The evidence under each measure on each scale with merged classes, with the signs of `gather_evidence`."""
    data, seed = study.need(MERGES, what), study.config.seed
    groups, cells = _groupings(study)
    every = [data.parts(codes, lambda: dealing(seed, 0)) for codes in groups]
    evidence = []
    for merged in progress(merges, "Scores of merged classes"):
        parts = [compute_parts(merged) for compute_parts in every]
        cell_parts = [] if cells is None else data.cell_parts(merged, cells)
        evidence.append(_evidence(study, parts, cell_parts, permutations))
    return evidence


def _groupings(study: Study) -> tuple[list[Indices | None], Indices | None]:
    """The group of each item in each grouping, None where items are dealt at random; and the cells of crossed ones."""
    clusters, seed = study.origin.clusters, study.config.seed
    groups = [
        None if grouping.codes is None else deal_groups(grouping.sizes, dealing(seed, way))[grouping.codes]
        for way, grouping in enumerate(clusters)
    ]
    # Without clusters, each item is one.
    if len(clusters) < 2:
        return groups or [None], None
    rows, columns = (codes for codes in groups if codes is not None)
    return groups, np.unique(rows * (columns.max() + 1) + columns, return_inverse=True)[1]


def _evidence(
    study: Study, parts: Sequence[Sequence[Parts]], cell_parts: Sequence[Parts], permutations: int
) -> tuple[Evidence, ...]:
    """From the parts under each measure in each grouping, and in the cells of crossed ones."""
    _check_memory(parts, permutations)
    signs = tuple(_signs(study, way, len(by_measure[0].sizes), permutations) for way, by_measure in enumerate(parts))
    every = [*parts, cell_parts] if cell_parts else parts
    return tuple(Evidence(groupings, signs) for groupings in zip(*every, strict=True))


def _check_memory(parts: Sequence[Sequence[Parts]], permutations: int) -> None:
    """Raise an `InputError` where the signs, and what they make of the scores, would need too much memory."""
    groups = sum(len(by_measure[0].sizes) for by_measure in parts)
    scores = sum(len(measure_parts.scores) for measure_parts in parts[0])
    # A bit for each group; for each score in each grouping a number, and another one while it is computed.
    bytes_each = groups / 8 + 16 * scores * len(parts)
    if permutations * bytes_each > MOST_MEMORY:
        most = int(MOST_MEMORY / bytes_each)
        most -= most % 10 ** (len(str(most)) - 1)
        work = f"{permutations:,} permutations of {groups:,} groups of items for {scores:,} scores"
        found, hint = f"{work}: about {permutations * bytes_each / 1e9:,.0f} GB", setting("permutations", most)
        raise refuse(None, found, f"at most {MOST_MEMORY / 1e9:.0f} GB", f"use fewer, as in {hint}")


def _signs(study: Study, way: int, groups: int, permutations: int) -> Signs:
    """The signs of a grouping, drawn once for all analyses and merges."""
    key = way, groups, permutations
    if key not in study.cache.signs:
        random = generator(seed_for(study.config.seed, f"signs {way}"))
        study.cache.signs[key] = Signs.draw(random, groups, permutations)
    return study.cache.signs[key]


def dealing(seed: int, way: int) -> np.random.Generator:
    """What deals clusters to groups, the same for items in memory and for counts of them."""
    return generator(seed_for(seed, f"groups {way}"))


def named_clusters(study: Study) -> tuple[Clusters, ...]:
    """The clusters whose halves are compared: those that the user named.

    Clusters that only the task declares serve the tests, because published halves are halves of items.
    """
    return study.origin.clusters if study.config.data.clusters else ()


def units_of(study: Study) -> str:
    """What tests resample, in words: 'items', or 'clusters of thread'."""
    columns = [clusters.column for clusters in study.origin.clusters]
    return f"clusters of {' and of '.join(columns)}" if columns else "items"


def notes_on_clusters(study: Study) -> list[Note]:
    """What the clusters of a study are, and where they are too few or too unequal, or a likely column is not used."""
    notes: list[str] = []
    for clusters in study.origin.clusters:
        sizes = clusters.sizes
        effective = effective_number(sizes)
        notes.append(
            f"{pluralize(len(sizes), 'cluster')} of {clusters.column}, effective number {effective:.0f}"
            + (f"; dealt into {MAX_GROUPS:,} groups" if len(sizes) > MAX_GROUPS else "")
        )
        if effective < MIN_EFFECTIVE_GROUPS and not _are_unequal(clusters):
            few = f"fewer than {MIN_EFFECTIVE_GROUPS} clusters of {clusters.column}"
            notes.append(f"{few}: only large differences are significant")
        largest = sizes.max() / sizes.sum()
        if largest > _LARGE_SHARE:
            notes.append(f"the largest cluster of {clusters.column} holds {100 * largest:.0f} % of the items")
    unused = [Note(text, on_clusters=True, on_input=True) for text in _note_on_unused_clusters(study)]
    return [*unused, *(Note(text, on_clusters=True) for text in notes)]


def _are_unequal(clusters: Clusters) -> bool:
    return bool((clusters.sizes != clusters.sizes[0]).any())


def with_caution(study: Study, findings: Sequence[Finding]) -> list[Finding]:
    """Findings on differences of systems, and a caution on clusters too few and unequal for tests to hold their level.

    Where the sizes of clusters go with the differences of systems, 40 clusters of log-normal sizes call equal systems
    different in 11 % of data sets at .05.
    """
    few = []
    for clusters in study.origin.clusters:
        number = effective_number(clusters.sizes)
        if number < MIN_EFFECTIVE_GROUPS and _are_unequal(clusters):
            few.append(f"{len(clusters.sizes):,} unequal clusters of {clusters.column} (effective number {number:.0f})")
    if not findings or not few:
        return list(findings)
    minimum = f"at least {MIN_EFFECTIVE_GROUPS} is needed"
    return [*findings, Finding(findings[0].criterion, f"p-values are not reliable with {' and '.join(few)}: {minimum}")]


def notes_on_rare_classes(study: Study) -> list[Note]:
    """A note on classes with few gold items, whose errors decide on measures that average over classes."""
    runs = study.find(LABELS)
    if runs is None:
        return []
    rare = rare_classes(runs, FEW_ITEMS_OF_CLASS)
    if not rare:
        return []
    text = (
        f"fewer than {FEW_ITEMS_OF_CLASS} gold items of {rare}: measures that average over classes depend on them; "
        "tests hold their level, but find only large differences, and no error that these items do not show"
    )
    return [Note(text)]


def rare_classes(runs: ClassRuns, limit: int) -> str:
    """The classes with fewer gold items than a limit, the rarest first, of many only some; '' without any."""
    frequencies = zip(runs.scale.labels, runs.gold_frequencies.tolist(), strict=True)
    rare = sorted((number, label) for label, number in frequencies if 0 < number < limit)
    names = [f"{label} ({number})" for number, label in rare[:RARE_CLASSES_NAMED]]
    if len(rare) > len(names):
        names.append(pluralize(len(rare) - len(names), "other class", "other classes"))
    return join_all(names)


def notes_on_gaps(study: Study) -> list[Note]:
    """Notes on pairs of systems that have few items in common, by measure; none where no score is missing."""
    if not study.has_gaps:
        return []
    notes = []
    for name, values in zip(study.measure_names, study.need(ITEM_SCORES, "gaps").values, strict=True):
        present = (~np.isnan(values)).astype(np.float64)
        one, other = np.triu_indices(len(present), k=1)
        shares = (present @ present.T)[one, other] / values.shape[1]
        few = int((shares < FEW_CELLS).sum())
        if few:
            lowest = int(shares.argmin())
            pair = f"{study.systems[one[lowest]]} and {study.systems[other[lowest]]}"
            notes.append(
                f"warning: {name}: {pluralize(few, 'pair')} of systems {'has' if few == 1 else 'have'} fewer than "
                f"{100 * FEW_CELLS:.0f} % of the items in common, {pair} {100 * shares[lowest]:.0f} %"
            )
    return [Note(text, on_input=True) for text in notes]


def notes_on_tests(study: Study, permutations: int) -> list[Note | str]:
    """Notes on what tests of differences of systems rest on, and on systems that are left out."""
    data_notes = (*notes_on_clusters(study), *notes_on_rare_classes(study), *notes_on_gaps(study))
    return [*data_notes, *notes_on_untested(study, "tests", permutations=permutations)]


def notes_on_untested(study: Study, what: str, *, permutations: int) -> list[str]:
    """Notes on systems without parts of their scores; what: what they are left out of."""
    notes, results = [], gather_evidence(study, what, permutations=permutations)
    for name, evidence in zip(study.measure_names, results, strict=True):
        fragile = int((~evidence.defined & ~np.isnan(evidence.scores)).sum())
        if fragile:
            systems, units = pluralize(fragile, "system"), units_of(study)
            notes.append(f"{name}: {systems} left out of {what}, because without some {units} the score is undefined")
    return notes + untested_notes(study, what)


def _note_on_unused_clusters(study: Study) -> list[str]:
    data = study.config.data
    path = data.gold or (data.runs[0] if data.runs else "")
    if data.clusters or study.origin.clusters or not Path(path).is_file():
        return []
    if isinstance(study.items, Numbered):
        names = column_names(path) if Path(path).suffix == ".parquet" else []
        column, values = next(iter(usual_columns(names)), None), ""
    else:
        unused = unused_clusters(data.open_scores(path, "clusters"), study.items, id_column=data.id_column)
        column = None if unused is None else unused.column
        values = "" if unused is None else f"has {len(unused.sizes):,} values for {len(study.items):,} items and "
    if column is None:
        return []
    together = f"if items with the same value belong together, set {setting('clusters', column)}"
    return [f"column '{column}' {values}is not used: {together}"]


def methods_of_tests(
    study: Study,
    what: str,
    *,
    permutations: int,
    evidence: Mapping[str, Evidence] | None = None,
    for_measures: bool = False,
) -> list[str]:
    """Sentences for a paper: what was tested with random signs, of which units, and how often; after the tests.

    evidence: by measure; by default that of the study, which is gathered already. for_measures: whether statistics
    of measures were tested, and not differences of systems.
    """
    if evidence is None:
        results = gather_evidence(study, what, permutations=permutations)
        evidence = dict(zip(study.measure_names, results, strict=True))
    signs = next(iter(evidence.values())).signs
    clusters = study.origin.clusters or (None,)
    units = []
    for grouping, grouping_signs in zip(clusters, signs, strict=True):
        number, groups = len(study.items) if grouping is None else len(grouping.sizes), grouping_signs.groups
        effective = [] if grouping is None else [f"effective number {effective_number(grouping.sizes):.0f}"]
        dealt = [f"dealt at random into {groups:,} groups"] if groups < number else []
        name = "items" if grouping is None else f"clusters of items by {grouping.column}"
        units.append(f"{number:,} {name}" + (f" ({'; '.join(effective + dealt)})" if effective + dealt else ""))
    tests = (
        f"{what} were tested with random signs of the contributions of {' and of '.join(units)} to the scores "
        f"({permutations:,} permutations, seed {study.config.seed})."
    )
    sum_sentence = (
        "The signs of both of these crossing columns add up, and the variance of a difference of systems is that by "
        "one and by the other column less that by their combinations, at least the larger of the two."
    )
    test_sentence = (
        "Of the two tests, one for each of these crossing columns and widened by what the other one adds to the "
        "variance, the larger p-value and the wider interval count."
    )
    return [
        tests,
        *([sum_sentence if for_measures else test_sentence] if len(units) > 1 else []),
        *_methods_of_parts({name: result.groupings[0] for name, result in evidence.items()}, for_measures=for_measures),
    ]


def method_of_runs(study: Study) -> list[str]:
    """A sentence for a paper on tests for other runs of the systems."""
    if not study.has_random_runs:
        return []
    sentence = (
        "Runs of the systems are random, too: the variance of a difference is that by items plus, for each of both "
        "systems, the variance between its runs, less what the interactions of runs and items add to it, divided by "
        "the number of runs, with the degrees of freedom of Satterthwaite."
    )
    return [sentence]


def method_of_fixed_items() -> list[str]:
    """A sentence for a paper on tests for other runs of the systems on the same items."""
    return ["Differences of the mean scores of runs were tested by Welch's t, with the variances between the runs."]


def _methods_of_parts(parts_by_measure: Mapping[str, Parts], *, for_measures: bool) -> list[str]:
    """What the contributions are, by measure, where they are not sums of what the items add."""
    pooled = [name for name, parts in parts_by_measure.items() if isinstance(parts, PooledParts) and not for_measures]
    jackknife = [name for name, parts in parts_by_measure.items() if parts.jackknife and name not in pooled]
    sentences = []
    if pooled:
        sentences.append(
            f"The contributions to a difference in {', '.join(pooled)} are along the gradient of the measure at the "
            "mean of the sums of both systems, as in a score test."
        )
    if jackknife:
        sentences.append(f"The contributions to {', '.join(jackknife)} are jackknife pseudo-values.")
    if not for_measures:
        sentences.append(
            "Where the contributions to a difference were more skewed than those of a normal distribution, its "
            f"studentised value was shrunk by Hall's transformation {cite('hall1992')}."
        )
    return sentences
