"""The results as Markdown, inserted into a page whose text is written by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.apart import GIGABYTE
from benchmarks.paired import Comparison
from benchmarks.results import Measured, Results
from benchmarks.scaling import Growth
from metaeval.errors import refuse

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

JOB_COLUMNS = ("work", "metaeval", "peer", "time of the peer", "ratio", "promised")
SHOWN = ("work", "peer", "ratio", "promised")
"""Columns of a terminal, and those of the page; the others are in the JSON."""

GROWTH_COLUMNS = ("work", "in", "exponent", "promised")

IDLE = 0.3
"""Cores that other work may take while a machine still counts as idle."""


def around(path: Path) -> tuple[str, str]:
    """The parts of a page before and after its results."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise refuse(path, "no place for the results", f"the lines {BEGIN} and {END}")
    return before, after


def put(results: Results, path: Path) -> None:
    """Write the results into the page, between its two marks; everything else is unchanged."""
    before, after = around(path)
    path.write_text(f"{before}{BEGIN}\n\n{markdown(results)}\n{END}{after}", encoding="utf-8")


def markdown(results: Results) -> str:
    """The part of the page that is measured."""
    lines = [*_conditions(results)]
    for group, jobs in groupby(results.jobs, key=lambda job: job.group):
        cells = (job_cells(results, job) for job in jobs)
        lines += ["", f"### {group}", "", *_rows(SHOWN, ((work, peer, *last) for work, _, peer, _, *last in cells))]
    if results.curves:
        growth = (_growth_cells(curve, results.meets_claim(curve)) for curve in results.curves)
        lines += ["", "### How time grows", "", *_rows(GROWTH_COLUMNS, growth)]
    return "\n".join(lines) + "\n"


def job_cells(results: Results, job: Measured) -> tuple[str, ...]:
    """A row of the table of a group."""
    result = job.comparison
    ours, theirs = (_time(*times) for times in zip(result.seconds, result.waited, strict=True))
    ratio = f"**{_short(result.ratio)}** {result.reading}"
    last = ratio, _promise(result, results.meets_claim(result))
    return result.name, f"{ours}, {memory(result)}", result.peer or "none", theirs if result.peer else "", *last


def memory(comparison: Comparison) -> str:
    """GB of a process; with a plus, what a call allocates, in the unit that suits."""
    if comparison.whole:
        return f"{comparison.bytes / GIGABYTE:.2f} GB"
    power = min(max(1, (comparison.bytes.bit_length() - 1) // 10), 3)
    return f"+{_short(comparison.bytes / (1 << 10 * power))} {('kB', 'MB', 'GB')[power - 1]}"


def _time(seconds: float, waited: float) -> str:
    return duration(seconds) if math.isnan(waited) else f"{duration(seconds)} ({duration(waited)} waited)"


def _promise(comparison: Comparison, meets_claim: bool | None) -> str:
    sign_and_number = " ".join(comparison.claim.split()[:2])
    memory = "" if comparison.highest is None else f"≤ {comparison.highest:g} GB"
    return ", ".join(filter(None, (sign_and_number, memory))) + _verdict(meets_claim)


def _verdict(meets_claim: bool | None) -> str:
    return {None: "", True: ": kept", False: ": **not kept**"}[meets_claim]


def _conditions(results: Results) -> Iterator[str]:
    machine = results.machine
    if results.quick:
        yield "A quick run (`--quick`): smaller sizes and few rounds, for which nothing is promised."
        yield ""
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    yield f"* Machine: {machine.processor}, {machine.cores} cores, {machine.system}; one thread, except for DuckDB."
    yield f"* Software: Python {machine.python}, {packages}; BLAS: {machine.blas}."
    if results.others > IDLE:
        yield (
            f"* The machine was busy: other work wanted about {results.others:.1f} of its {machine.cores} cores. Time "
            "of the processor does not count it; but caches are shared, so ratios spread wider, and where the tables "
            "tell what one waits, processes waited for each other, too."
        )
    yield from (f"* Left out: {line}" for line in results.left_out)


def _growth_cells(growth: Growth, meets_claim: bool | None) -> tuple[str, ...]:
    """A row of the table of growth."""
    bounds = {"exponent": growth.curve.steepest, "GB": growth.curve.highest}
    promised = ", ".join(f"{name} ≤ {bound:g}" for name, bound in bounds.items() if bound is not None)
    return growth.curve.what, growth.curve.varied, f"{growth.exponent:.2f}", promised + _verdict(meets_claim)


def _rows(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (columns, ["---"] * len(columns), *rows)]


JOB_HEAD = _rows(JOB_COLUMNS, [])


def duration(seconds: float) -> str:
    """Three digits, in the unit that suits.

    >>> duration(0.00123), duration(2.5), duration(2530), duration(4e-7)
    ('1.23 ms', '2.5 s', '2,530 s', '0.4 μs')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale >= 1:
            return f"{_short(seconds * scale)} {unit}"
    return f"{_short(seconds * 1e6)} μs"


def _short(number: float) -> str:
    """Three digits, never in powers of ten where the number is large."""
    return f"{float(f'{number:.3g}'):,.0f}" if number >= 1_000 else f"{number:.3g}"
