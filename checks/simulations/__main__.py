"""Run all simulations in full, print their outcomes as a table, and fail where one is outside its bounds."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from simulations.every import SCENARIOS
from simulations.scenarios import Bound, Scenario

PAGE = "docs/simulations.md"

REAL = "## Real data"
"""The part of the page that `simulations.real` makes."""

HEAD = """# Simulations

Tests, intervals and rank sets of `compare`, `power`, `stability`, `similarity` and `merge-classes`, predictions of
`plan` and the power that it promises, intervals and tests of judges of `agreement`, tests and intervals of
`correlate`, intervals and tests of `correct`, intervals of `reliability`, tests of `robustness`, verdicts of
`recommend`, comparisons with a baseline, tau, shares and strengths of `preferences`, intervals and tests of
`contrast`, and mean tau between halves of clusters (its bias), on simulated data with known truth.
`make simulate` makes this page. A share is out of bounds (✗) if the claim on it would give such a share in less than
1 of 1,000 runs.

| data | sets | outcome | share | claimed | |
|---|---:|---|---:|---|---|
"""


def chosen() -> list[Scenario]:
    """All scenarios, or those whose names hold a word of the command line."""
    words = sys.argv[1:]
    return [each for each in SCENARIOS if not words or any(word in each.name for word in words)]


def run(place: int) -> dict[str, float]:
    """Outcomes of a scenario, in full."""
    scenario = chosen()[place]
    return scenario.run(scenario.sets)


def claimed(bound: Bound) -> str:
    """A claim in words."""
    if bound == Bound():
        return "—"
    if bound.at_most < 1 and bound.at_least:
        return f"{bound.at_least:.2f} to {bound.at_most:.2f}"
    return f"at most {bound.at_most:.2f}" if bound.at_most < 1 else f"at least {bound.at_least:.2f}"


def main() -> int:
    """The exit code: 1 if an outcome is outside its bounds."""
    missed, lines = False, []
    with ProcessPoolExecutor() as pool:
        for scenario, sums in zip(chosen(), pool.map(run, range(len(chosen()))), strict=True):
            for outcome, bound in scenario.claims.items():
                low, high = bound.limits(scenario.sets)
                holds = low <= sums[outcome] <= high
                missed |= not holds
                share = f"{sums[outcome] / scenario.sets:.3f}"
                lines.append(
                    f"| {scenario.name} | {scenario.sets:,} | {outcome} | {share} | {claimed(bound)} | "
                    f"{'' if bound == Bound() else '✓' if holds else '✗'} |"
                )
                print(lines[-1], flush=True)
    if chosen() == SCENARIOS:
        _, heading, real = Path(PAGE).read_text(encoding="utf-8").partition(f"\n{REAL}")
        Path(PAGE).write_text(HEAD + "\n".join(lines) + "\n" + heading + real, encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
