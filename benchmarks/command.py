"""What `python -m benchmarks` does: run jobs and curves by name, print their rows, write a page and JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import page, scaling
from benchmarks.jobs import CLUSTER, JOBS
from benchmarks.machine import look
from benchmarks.results import Measured, Results
from benchmarks.scaling import CURVES, Curve
from metaeval.errors import MetaevalError, UnknownName

ROUNDS, QUICK_ROUNDS = 9, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is named, everything by default; the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds: at least 1")
    try:
        names = _chosen(options.names)
        if options.page:
            page.around(options.page)  # before a run of many minutes
        results = Results(look(rounds=3 if options.quick else 7), options.quick)
        with _cache_folder(options.big) as cache_folder:
            failed = _run(results, names, options, cache_folder)
        if options.page:
            page.put(results, options.page)
    except (MetaevalError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    if options.json:
        options.json.write_text(json.dumps(results.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 2 if failed else 0


def _parser() -> argparse.ArgumentParser:
    listed = f"jobs: {', '.join(JOBS)}; curves: {', '.join(CURVES)}"
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks", epilog=listed)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a job or a curve (default: all)")
    parser.add_argument("--quick", action="store_true", help="smaller sizes and few rounds: about a minute and a half")
    parser.add_argument("--rounds", type=int, help=f"measurements of each (default: {ROUNDS}, or {QUICK_ROUNDS} quick)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    parser.add_argument("--page", type=Path, metavar="FILE", help="put the tables between the marks of a Markdown page")
    parser.add_argument("--big", type=Path, metavar="DIR", help="make large data there, keep them, and use them again")
    parser.add_argument("--fnc1", type=Path, metavar="DIR", help="real files: folder with gold.csv and systems/")
    parser.add_argument("--r4c", type=Path, metavar="DIR", help="folder with dev_csf.json and pred_core.json")
    return parser


def _chosen(names: Sequence[str]) -> list[str]:
    choices = [*JOBS, *CURVES]
    for name in names:
        if name not in choices:
            raise UnknownName("benchmark", name, choices)
    return [name for name in choices if name in names or not names]


@contextmanager
def _cache_folder(path: Path | None) -> Iterator[Path]:
    """The folder of large data that are made: the one that is kept, or one that is gone afterwards."""
    if path:
        yield path
        return
    with TemporaryDirectory(prefix="metaeval-") as folder:
        yield Path(folder)


def _run(results: Results, names: Sequence[str], options: argparse.Namespace, cache_folder: Path) -> bool:
    """Whether anything failed, which costs its own row only. Each row is printed as soon as it is known."""
    failed = False
    for line in page.JOB_HEAD:
        _say(line)
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    for name in names:
        results.loads.append(os.getloadavg()[0])
        try:
            if name in JOBS:
                _run_job(results, name, rounds, options, cache_folder)
            else:
                _run_curve(results, name, CURVES[name])
        except (MetaevalError, OSError) as error:
            failed = True
            print(f"Error: {error}", file=sys.stderr)
            _leave_out(results, f"{name}, which failed")
    return failed


def _run_curve(results: Results, name: str, curve: Curve) -> None:
    sizes = curve.quick if results.quick else curve.sizes
    if not sizes:
        _leave_out(results, f"the curve {name}, which takes too long for a quick run")
        return
    growth = scaling.measure(name, sizes)
    results.curves.append(growth)
    _say(f"{curve.what}: exponent in {curve.varied} {growth.exponent:.2f}, at most {growth.gigabytes:.2f} GB")


def _run_job(results: Results, name: str, rounds: int, options: argparse.Namespace, cache_folder: Path) -> None:
    job = JOBS[name]
    if job.missing:
        _leave_out(results, f"{name}, as {job.missing} is not installed (`pip install {job.missing}`)")
        return
    if job.wanting:
        _leave_out(
            results,
            f"{job.wanting} itself in {name}, as it is not installed (`pip install {job.wanting}`); a loop that does "
            "the same stands for it",
        )
    sizes = job.quick if options.quick else {}
    data = getattr(options, job.data) if job.data else None
    if options.quick and (job.large or job.group == CLUSTER):
        rounds = options.rounds or 1  # each in processes that begin anew
    comparison, work = job.run(rounds, sizes, cache_folder=cache_folder, data=data)
    measured = Measured(name, job.group, comparison, work)
    results.jobs.append(measured)
    _say(f"| {' | '.join(page.job_cells(results, measured))} |")


def _leave_out(results: Results, line: str) -> None:
    results.left_out.append(line)
    _say(f"left out: {line}")


def _say(line: str) -> None:
    print(line, flush=True)
