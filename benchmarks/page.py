"""The results as Markdown, inserted into a page whose text is written by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from benchmarks.apart import GIGABYTE
from benchmarks.paired import Comparison
from benchmarks.results import Measured, Results
from benchmarks.scaling import Growth
from metaeval.errors import InputError

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

JOB_COLUMNS = ("work", "metaeval", "peer", "median (lowest to highest)", "promised", "floor", "× floor")
POINT_COLUMNS = ("seconds", "exponent", "peak memory")

IDLE = 0.3
"""Cores that other work may take while a machine still counts as idle."""


def around(path: Path) -> tuple[str, str]:
    """The parts of a page before and after its results."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise InputError.at(path, found="no place for the results", expected=f"the lines {BEGIN} and {END}")
    return before, after


def put(results: Results, path: Path) -> None:
    """Write the results into the page, between its two marks; everything else is unchanged."""
    before, after = around(path)
    path.write_text(f"{before}{BEGIN}\n\n{markdown(results)}\n{END}{after}", encoding="utf-8")


def markdown(results: Results) -> str:
    """The part of the page that is measured."""
    lines = [*_conditions(results)]
    for group, jobs in groupby(results.jobs, key=lambda job: job.group):
        lines += ["", f"### {group}", "", *_rows(JOB_COLUMNS, (job_cells(results, job) for job in jobs))]
    if any(job.work for job in results.jobs):
        lines += ["", "### What the floors count", "", *_floors(results.jobs)]
    if results.curves:
        lines += ["", "### How time and memory grow"]
    for growth in results.curves:
        lines += ["", *_growth(growth, results.kept(growth))]
    return "\n".join(lines) + "\n"


def job_cells(results: Results, job: Measured) -> tuple[str, ...]:
    """A row of the table of a group."""
    found, machine = job.comparison, results.machine
    ours, theirs = (_time(*times) for times in zip(found.seconds, found.waited, strict=True))
    spread = f"**{_short(found.ratio)}** ({_short(min(found.ratios))} to {_short(max(found.ratios))}) {found.reading}"
    floor = duration(job.work.seconds(machine.rates)) if job.work else "the peer"
    above = _short(job.times_floor(machine)) if job.work else ""
    peer = f"{found.peer}: {theirs}" if found.peer else "none"
    return found.name, f"{ours}, {memory(found)}", peer, spread, _promise(found, results.kept(found)), floor, above


def memory(found: Comparison) -> str:
    """GB of a process; with a plus, what a call allocates, in the unit that suits."""
    if found.whole:
        return f"{found.bytes / GIGABYTE:.2f} GB"
    power = min(max(1, (found.bytes.bit_length() - 1) // 10), 3)
    return f"+{_short(found.bytes / (1 << 10 * power))} {('kB', 'MB', 'GB')[power - 1]}"


def _time(seconds: float, waited: float) -> str:
    return duration(seconds) if math.isnan(waited) else f"{duration(seconds)} ({duration(waited)} waited)"


def _promise(found: Comparison, kept: bool | None) -> str:
    sign_and_number = " ".join(found.claim.split()[:2])
    memory = "" if found.highest is None else f"≤ {found.highest:g} GB"
    return ", ".join(filter(None, (sign_and_number, memory))) + _verdict(kept)


def _verdict(kept: bool | None) -> str:
    return {None: "", True: ": kept", False: ": **not kept**"}[kept]


def _conditions(results: Results) -> Iterator[str]:
    machine = results.machine
    rates = machine.rates
    if results.quick:
        yield "A quick run (`--quick`): smaller sizes and few rounds, for which nothing is promised."
        yield ""
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    yield f"* Machine: {machine.processor}, {machine.cores} cores, {machine.system}; one thread, except for DuckDB."
    yield f"* Software: Python {machine.python}, {packages}; BLAS: {machine.blas}."
    yield (
        f"* One thread of it moves {rates.bytes / 1e9:.3g} GB a second (triad in numpy) and does "
        f"{rates.flops / 1e9:.3g} billion single-precision FLOPs a second (matrix product): the floors use these rates."
    )
    if results.others > IDLE:
        yield (
            f"* The machine was busy: other work wanted about {results.others:.1f} of its {machine.cores} cores. Time "
            "of the processor does not count it; but caches are shared, so ratios spread wider, and where the tables "
            "tell what one waits, processes waited for each other, too."
        )
    yield from (f"* Left out: {line}" for line in results.left_out)


def _floors(jobs: Sequence[Measured]) -> list[str]:
    cells = (
        (job.comparison.name, job.work.counted, f"{job.work.bytes:.2g}", f"{job.work.flops:.2g}")
        for job in jobs
        if job.work
    )
    return _rows(("work", "what is counted", "bytes", "FLOPs"), dict.fromkeys(cells))


def _growth(growth: Growth, kept: bool | None) -> list[str]:
    curve, points = growth.curve, growth.points
    bounds = {"exponent": curve.steepest, "GB": curve.highest}
    told = ", ".join(f"{name} ≤ {bound:g}" for name, bound in bounds.items() if bound is not None)
    promise = f"; promised: {told}{_verdict(kept)}" if told else ""
    title = f"**{curve.what}**: exponent in {curve.varied} {growth.exponent:.2f}{promise}."
    exponents = [
        math.log(point.seconds / last.seconds) / math.log(point.size / last.size) for last, point in pairwise(points)
    ]
    cells = [
        (f"{point.size:,}", duration(point.seconds), exponent, f"{point.bytes / GIGABYTE:.2f} GB")
        for point, exponent in zip(points, ["", *(f"{one:.2f}" for one in exponents)], strict=True)
    ]
    return [title, "", *_rows((curve.varied, *POINT_COLUMNS), cells)]


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
