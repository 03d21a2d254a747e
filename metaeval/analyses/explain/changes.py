"""What a change of measure changes: pairs of systems that both measures order significantly, and ranks of systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.analyses.explain.settings import ExplainSettings
from metaeval.arrays import Ints
from metaeval.errors import InputError, setting
from metaeval.inference.conflicts import Conflicts
from metaeval.inference.pairs import critical_rank, fewest_permutations
from metaeval.model.scores import ScoreCube
from metaeval.stats.rank import competition_ranks
from metaeval.study.capabilities import PARTS
from metaeval.study.evidence import check_testable, gather_evidence, gather_evidence_of_runs, units_of
from metaeval.study.study import Study

WHAT = "contested pairs"


def why_untested(study: Study, settings: ExplainSettings) -> str:
    """Why no difference of systems can be significant; '' where one can."""
    try:
        check_testable(study)
        study.need(PARTS, WHAT)
    except InputError as error:
        return str(error.problems[0])
    if not critical_rank(settings.permutations, settings.alpha):
        least = fewest_permutations(settings.alpha)
        return f"{setting('permutations', settings.permutations)} cannot show a difference; use {least:,} or more"
    evidence = gather_evidence(study, WHAT, permutations=settings.permutations)
    if evidence[0].smallest_p > settings.alpha:
        return f"too few {units_of(study)} for any difference to be significant at {settings.alpha:g}"
    return ""


def find_conflicts(study: Study, settings: ExplainSettings) -> Conflicts | None:
    """The pairs of systems that measures contest; None where no difference can be significant."""
    if why_untested(study, settings):
        return None
    evidence = gather_evidence_of_runs(study, WHAT, permutations=settings.permutations)
    return Conflicts.of(evidence, alpha=settings.alpha)


@dataclass(frozen=True)
class RankChanges:
    """Systems that two measures rank differently, those first that gain most with the second.

    ranks: under both measures, among the systems that both score, (2, K).
    """

    systems: tuple[str, ...]
    ranks: Ints

    @classmethod
    def of(cls, cube: ScoreCube) -> RankChanges:
        """Between the two measures of a cube without leading axes.

        >>> from metaeval.model.scores import Direction
        >>> scores = np.array([[3.0, 2.0, 1.0], [2.0, 1.0, 3.0]])
        >>> RankChanges.of(ScoreCube(scores, (), ("m", "n"), tuple("abc"), (Direction.HIGHER,) * 2))
        RankChanges(systems=('c', 'a', 'b'), ranks=array([[3, 1, 2],
               [1, 2, 3]]))
        """
        scores = cube.oriented().values
        indices = np.flatnonzero(~np.isnan(scores).any(axis=0))
        ranks = competition_ranks(scores[:, indices])
        movers = np.flatnonzero(ranks[0] != ranks[1])
        order = movers[np.lexsort((ranks[1, movers], (ranks[1] - ranks[0])[movers]))]
        return cls(tuple(cube.systems[system] for system in indices[order].tolist()), ranks[:, order])

    @property
    def gains(self) -> Ints:
        """Ranks that each system gains with the second measure, (K,); negative if it loses them."""
        return np.asarray(self.ranks[0] - self.ranks[1])

    def largest(self, number: int) -> RankChanges:
        """At most so many of the changes, in their order."""
        rows = np.sort(np.argsort(-np.abs(self.gains), kind="stable")[:number])
        return RankChanges(tuple(self.systems[system] for system in rows.tolist()), self.ranks[:, rows])
