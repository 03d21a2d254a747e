"""The scores and the order of systems by gold and by revised gold.

A pair of systems whose difference is significant by one gold and not by the other has not thereby changed: what changes
is tested as the change of its difference. Both differences are of the same items, so that the parts of the change are
the differences of their parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.analyses.compare.settings import CompareSettings
from metaeval.arrays import Bools, Floats, Indices
from metaeval.config.data import NO_CLUSTERS
from metaeval.errors import refuse
from metaeval.inference.pairs import Evidence, PairTests, compare_pairs
from metaeval.inference.parts import Parts
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale
from metaeval.stats.rank import competition_ranks
from metaeval.study.capabilities import LABELS
from metaeval.study.evidence import evidence_of_changes, gather_evidence
from metaeval.study.read import read_study
from metaeval.study.study import Study


@dataclass(frozen=True)
class Change:
    """What the revision changes under a measure; scores are oriented, arrays (S,), those of pairs (P,).

    before, after: scores. score_tests: of the changes of the scores, all systems together. pair_tests: of the
    changes of the differences of all pairs. old, new: tests of the differences themselves.
    """

    before: Floats
    after: Floats
    score_tests: PairTests
    pair_tests: PairTests
    old: PairTests
    new: PairTests

    @property
    def ranks(self) -> tuple[Indices, Indices]:
        """Ranks before and after."""
        return competition_ranks(self.before), competition_ranks(self.after)

    @property
    def swapped(self) -> Bools:
        """Pairs of which the other system is ahead after the revision."""
        return np.asarray(self.old.difference * self.new.difference < 0)

    @property
    def beyond(self) -> Bools:
        """Those of them whose difference changes significantly."""
        return self.swapped & self.pair_tests.significant


@dataclass(frozen=True)
class Revision:
    """The changes under each measure. labels: how many gold labels differ; None without labels. files: of the gold."""

    changes: Sequence[Change]
    labels: int | None
    files: Sequence[SourceFile]


def revise(study: Study, settings: CompareSettings, systems: Indices) -> Revision:
    """Compare some systems by gold and by the revised gold of the settings."""
    revised = read_revised(study, str(settings.revised))
    index = {item: number for number, item in enumerate(revised.items)}
    order = np.array([index[item] for item in study.items], dtype=np.intp)
    what = "a comparison with revised gold"
    change_evidence = evidence_of_changes(study, revised, order, what, permutations=settings.permutations)
    old, new = (gather_evidence(version, what, permutations=settings.permutations) for version in (study, revised))
    changes = []
    for evidence, before, after in zip(change_evidence, old, new, strict=True):
        change = evidence.select(systems)
        tests = (compare_pairs(version.select(systems), alpha=settings.alpha) for version in (before, after))
        changes.append(
            Change(
                before.scores[systems],
                after.scores[systems],
                tests_from_zero(change, settings.alpha),
                compare_pairs(change, alpha=settings.alpha),
                *tests,
            )
        )
    files = [file for file in revised.origin.files if file.path == settings.revised]
    return Revision(changes, _different_labels(study, revised, order), files)


def read_revised(study: Study, path: str) -> Study:
    """The study with the gold of another file, of the same systems on the same items, in the clusters of the first."""
    runs, data = study.find(LABELS), replace(study.config.data, gold=path, clusters=(NO_CLUSTERS,), on_extra="drop")
    if runs is not None:
        # A class that no revised label has is still one.
        data = replace(data, labels=ClassScale(runs.scale.labels, runs.scale.ordered))
    revised = read_study(replace(study.config, data=data))
    if revised.systems != study.systems:
        found = f"systems {', '.join(revised.systems)} with revised gold"
        raise refuse(path, found, f"those with gold: {', '.join(study.systems)}")
    other = next((item for item in study.items if item not in set(revised.items)), None)
    if other is not None or len(revised.items) != len(study.items):
        found = f"{len(revised.items):,} items" + ("" if other is None else f", without item '{other}'")
        raise refuse(path, found, f"the {len(study.items):,} items of gold", kind="count")
    return replace(revised, origin=replace(revised.origin, clusters=study.origin.clusters))


def _different_labels(study: Study, revised: Study, order: Indices) -> int | None:
    """How many gold labels differ; order: the index of each item among those of the revised gold."""
    names = []
    for version in (study, revised):
        runs = version.find(LABELS)
        if runs is None:
            return None
        names.append(np.array(runs.scale.labels)[runs.gold])
    return int((names[0] != names[1][order]).sum())


def tests_from_zero(change: Evidence, alpha: float) -> PairTests:
    """Tests of the changes of single systems."""

    def beside_zero(parts: Parts) -> Parts:
        zero = np.zeros((len(parts.sizes), 1))
        return replace(parts, scores=np.append(parts.scores, 0.0), parts=np.hstack([parts.parts, zero]))

    every = Evidence(tuple(map(beside_zero, change.groupings)), change.signs)
    systems = np.arange(len(change.scores))
    return compare_pairs(every, alpha=alpha, pairs=(systems, np.full(len(systems), len(systems))))
