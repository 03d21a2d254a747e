"""Run simulations in full, write their outcomes into a table and on a page, and fail where one is outside its bounds.

Words of the command line choose the scenarios whose names hold one of them; the other rows of the table stay.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from simulations.every import SECTIONS
from simulations.scenarios import Bound, Scenario

PAGE, TABLE = Path("docs/simulations.md"), Path("docs/assets/simulations.csv")

REAL = "## Real data"
"""The part of the page that `simulations.real` makes."""

HEAD = """---
search: {exclude: true}
---

# Simulations

What tests and intervals do on simulated data with known truth. A share is that of the data sets with an outcome. A row
has what is claimed of it, and the lowest and the highest share of so many kinds of data. ✗: a share that the claim
would give in less than 1 of 1,000 runs. Each kind of data: [simulations.csv](assets/simulations.csv). `make simulate`
makes both; `PYTHONPATH=tests:checks python -m simulations WORD` runs the kinds of data whose names hold the word.
"""


class Row(NamedTuple):
    """An outcome of a scenario, as in a line of the table."""

    section: str
    data: str
    sets: str
    outcome: str
    claim: str
    share: str
    verdict: str


Rows = dict[tuple[str, str, str], Row]
"""Rows by section, data and outcome."""

WITHIN, OUTSIDE = "within", "outside"
"""Verdicts: whether the share is what is claimed."""


def chosen() -> list[tuple[str, Scenario]]:
    """All scenarios with their sections, or those whose names hold a word of the command line."""
    words = sys.argv[1:]
    every = [(title, scenario) for title, (_, scenarios) in SECTIONS.items() for scenario in scenarios]
    return [entry for entry in every if not words or any(word in entry[1].name for word in words)]


def run(index: int) -> dict[str, float]:
    """Outcomes of a scenario, in full."""
    _, scenario = chosen()[index]
    return scenario.run(scenario.sets)


def claimed(bound: Bound) -> str:
    """A claim in words."""
    if bound == Bound():
        return ""
    if bound.at_most < 1 and bound.at_least:
        return f"{_short(bound.at_least)} to {_short(bound.at_most)}"
    return f"≤ {_short(bound.at_most)}" if bound.at_most < 1 else f"≥ {_short(bound.at_least)}"


def _short(share: float) -> str:
    return f"{share:g}".replace("0.", ".", 1).replace("-", "−")


def rows_of(title: str, scenario: Scenario, sums: Mapping[str, float]) -> Iterator[Row]:
    """A row for each outcome, with the verdict whether it is within its bound."""
    for outcome, bound in scenario.claims.items():
        low, high = bound.limits(scenario.sets)
        verdict = WITHIN if low <= sums[outcome] <= high else OUTSIDE
        share = f"{sums[outcome] / scenario.sets:.3f}"
        yield Row(title, scenario.name, str(scenario.sets), outcome, claimed(bound), share, verdict)


def read(path: Path = TABLE) -> Rows:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return {(row.section, row.data, row.outcome): row for row in (Row(**record) for record in csv.DictReader(file))}


def current(rows: Rows) -> list[Row]:
    """The rows of today's scenarios, in their order, without those of which the claim has changed."""
    current_rows = []
    for title, (_, scenarios) in SECTIONS.items():
        for scenario in scenarios:
            row_by_outcome = {outcome: rows.get((title, scenario.name, outcome)) for outcome in scenario.claims}
            current_rows += [
                row
                for outcome, row in row_by_outcome.items()
                if row is not None and row.claim == claimed(scenario.claims[outcome])
            ]
    return current_rows


def written(rows: Sequence[Row]) -> str:
    """The sections of the page."""
    text = ""
    for title, (explanation, _) in SECTIONS.items():
        text += f"\n## {title}\n\n{explanation}\n"
        claims: dict[str, list[Row]] = {}
        for row in rows:
            if row.section == title:
                claims.setdefault(f"{row.outcome} {row.claim}".strip(), []).append(row)
        if claims:
            lines = [f"| {claim} | {len(claim_rows)} | {_shares(claim_rows)} |" for claim, claim_rows in claims.items()]
            text += "\n".join(["", "| claim | kinds of data | share |", "|---|---:|---|", *lines, ""])
    return text


def _shares(rows: Sequence[Row]) -> str:
    """The lowest and the highest share, with a mark where one is outside its bound."""
    shares = sorted({row.share for row in rows}, key=float)
    text = " to ".join(dict.fromkeys((shares[0], shares[-1]))).replace("-", "−")
    return f"{text} ✗" if any(row.verdict == OUTSIDE for row in rows) else text


def write(rows: Sequence[Row]) -> None:
    """Write the table, and the page that sums it up."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([Row._fields, *rows])
    _, heading, real = PAGE.read_text(encoding="utf-8").partition(f"\n{REAL}")
    PAGE.write_text(HEAD + written(rows) + heading + real, encoding="utf-8")


def main() -> int:
    """The exit code: 1 if an outcome is outside its bounds."""
    rows, missed = read(), False
    with ProcessPoolExecutor() as pool:
        for (title, scenario), sums in zip(chosen(), pool.map(run, range(len(chosen()))), strict=True):
            for row in rows_of(title, scenario, sums):
                missed |= row.verdict == OUTSIDE
                rows[title, scenario.name, row.outcome] = row
                print(*row[1:], sep=" | ", flush=True)
            # After each scenario, so that a run that is stopped keeps what it has.
            write(current(rows))
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
