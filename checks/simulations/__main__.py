"""Run simulations in full, put their outcomes on the page of simulations, and fail where one is outside its bounds.

Words of the command line choose the scenarios whose names hold one of them; the other rows of the page stay.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from simulations.every import SCENARIOS, SECTIONS
from simulations.scenarios import Bound, Scenario

PAGE = Path("docs/simulations.md")

REAL = "## Real data"
"""The part of the page that `simulations.real` makes."""

HEAD = """# Simulations

What tests and intervals do on simulated data with known truth, one table for each claim: the share of data sets with an
outcome, under what is claimed of it. ✗ marks a share that the claim would give in less than 1 of 1,000 runs. `make
simulate` makes this page; `PYTHONPATH=tests:checks python -m simulations WORD` runs the rows whose names hold the word.
"""

Rows = dict[str, list[str]]
"""Cells of the page after the name, by the outcomes of the table, the name and the number of sets."""


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
        return ""
    if bound.at_most < 1 and bound.at_least:
        return f" {_short(bound.at_least)} to {_short(bound.at_most)}"
    return f" ≤ {_short(bound.at_most)}" if bound.at_most < 1 else f" ≥ {_short(bound.at_least)}"


def _short(share: float) -> str:
    return f"{share:g}".replace("0.", ".", 1).replace("-", "−")


def cells_of(scenario: Scenario, sums: Mapping[str, float]) -> list[str]:
    """The number of sets and the share of each outcome, with a mark where it is outside its bound."""
    cells = [f"{scenario.sets:,}"]
    for outcome, bound in scenario.claims.items():
        low, high = bound.limits(scenario.sets)
        share = f"{sums[outcome] / scenario.sets:.3f}".replace("-", "−")
        cells.append(share if low <= sums[outcome] <= high else f"{share} ✗")
    return cells


def head_of(scenario: Scenario) -> str:
    """The head of the table in which a scenario stands: its outcomes and what is claimed of them."""
    columns = [outcome + claimed(bound) for outcome, bound in scenario.claims.items()]
    return f"| data | sets | {' | '.join(columns)} |\n|---|---:|{'---:|' * len(columns)}"


def read(page: str) -> Rows:
    """The rows of a page, by the head of their table and their name."""
    rows, head, before = Rows(), "", ""
    for line in page.splitlines():
        if line.startswith("|---"):
            head = f"{before}\n{line}"
        elif line.startswith("| ") and head:
            name, *cells = line.strip("| ").split(" | ")
            rows[head + name] = cells
        elif not line:
            head = ""
        before = line
    return rows


def written(rows: Rows) -> str:
    """The sections of the page."""
    text = ""
    for title, (explanation, scenarios) in SECTIONS.items():
        text += f"\n## {title}\n\n{explanation}\n"
        for head in dict.fromkeys(head_of(each) for each in scenarios):
            own = [each.name for each in scenarios if head_of(each) == head and head + each.name in rows]
            lines = [f"| {name} | {' | '.join(rows[head + name])} |" for name in own]
            text += "\n".join([f"\n{head}", *lines, ""]) if lines else ""
    return text


def main() -> int:
    """The exit code: 1 if an outcome is outside its bounds."""
    simulated, heading, real = PAGE.read_text(encoding="utf-8").partition(f"\n{REAL}")
    rows, missed = read(simulated), False
    with ProcessPoolExecutor() as pool:
        for scenario, sums in zip(chosen(), pool.map(run, range(len(chosen()))), strict=True):
            cells = cells_of(scenario, sums)
            missed |= any("✗" in cell for cell in cells)
            rows[head_of(scenario) + scenario.name] = cells
            print(scenario.name, *cells, sep=" | ", flush=True)
            # After each row, so that a run that is stopped keeps what it has.
            PAGE.write_text(HEAD + written(rows) + heading + real, encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
