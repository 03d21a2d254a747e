"""Drops of scores from earlier ones: one-sided tests, adjusted for all pairs of systems under all measures.

The statistic, its distribution by chance and its intervals are those of `pairs`. M* is the largest z* of all pairs and
measures, so that the probability of any false alarm is at most α.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.inference.pairs import Evidence, critical_value, largest_by_chance, share_reaching, statistics_of


@dataclass(frozen=True)
class DropTests:
    """Tests of pairs of systems under M measures, the new one less the old one; arrays are (M, P), NaN if undefined.

    z: drop in units of its variation by chance; positive for drops. p: p-value adjusted for all pairs and measures,
    one-sided. low, high: simultaneous interval of the difference; high is below 0 exactly where p is at most α.
    """

    z: Floats
    p: Floats
    low: Floats
    high: Floats


def find_drops(evidence: Sequence[Evidence], new: Indices, old: Indices, *, alpha: float) -> DropTests:
    """Test whether new systems are worse than old ones, (P,); evidence: under each measure, with the same signs.

    Where the groups are too few, or too unequal, for any drop to be significant, p is 1 and intervals are infinite.
    """
    shape = len(evidence), len(new)
    z, p, low, high = (np.full(shape, np.nan) for _ in range(4))
    known = [each.defined[new] & each.defined[old] for each in evidence]
    of_measures = {
        index: statistics_of(each, old[of], new[of])
        for index, (each, of) in enumerate(zip(evidence, known, strict=True))
        if of.any()
    }
    if not of_measures:
        return DropTests(z, p, low, high)
    ways = len(next(iter(of_measures.values())))
    most = [largest_by_chance([statistics[way] for statistics in of_measures.values()]) for way in range(ways)]
    critical = [max(critical_value(each, alpha), 0.0) for each in most]
    for index, statistics in of_measures.items():
        of, unit = known[index], evidence[index].groupings[0].unit
        every_p, lows, highs = [], [], []
        for each, by_chance, limit in zip(statistics, most, critical, strict=True):
            below, above = each.interval(limit)
            tested = each.vary & np.isfinite(above)
            every_p.append(np.where(tested, share_reaching(each.z, by_chance), 1.0))
            # An interval of the drop, turned to one of the difference.
            lows.append(np.where(each.vary, -above, -each.difference) * unit)
            highs.append(np.where(each.vary, -below, -each.difference) * unit)
        decides = np.argmax(every_p, axis=0)[np.newaxis]
        z[index, of] = np.take_along_axis(np.stack([each.z for each in statistics]), decides, axis=0)[0]
        p[index, of] = np.max(every_p, axis=0)
        low[index, of], high[index, of] = np.min(lows, axis=0), np.max(highs, axis=0)
    return DropTests(z, p, low, high)
