"""`make bench`: every comparison as a row of Markdown. `--fnc1 DIR`, `--r4c DIR` take the real files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

# Before numpy is imported: one thread for each side.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from benchmarks import correlations, derivations, kernels, processes, resampling, rouge, scaling, score_table  # noqa: E402
from benchmarks.paired import HEADER, Comparison  # noqa: E402


def main() -> None:
    """Run the comparisons one after the other and print a row for each as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks")
    parser.add_argument("--rounds", type=int, default=9, help="pairs of measurements each (default: 9)")
    parser.add_argument("--fnc1", type=Path, help="folder with gold.csv and systems/")
    parser.add_argument("--r4c", type=Path, help="folder with dev_csf.json and pred_core.json")
    parser.add_argument("--scaling", action="store_true", help="also how time and memory grow (minutes)")
    arguments = parser.parse_args()
    print(HEADER)
    for comparison in _comparisons(arguments.rounds, arguments.fnc1, arguments.r4c):
        print(comparison.row(), flush=True)
    if arguments.scaling:
        print()
        for row in scaling.table():
            print(row, flush=True)


def _comparisons(rounds: int, fnc1: Path | None, r4c: Path | None) -> Iterator[Comparison]:
    yield score_table.compare(rounds)
    yield from resampling.compare_halves(rounds)
    yield resampling.compare_bootstrap(min(rounds, 5))
    yield resampling.compare_tau(rounds, 14, 9_000, "≥ 300 times faster")
    yield resampling.compare_tau(rounds, 1_000, 500, "≥ 1.5 times faster")
    yield resampling.compare_tukey(rounds)
    yield from kernels.compare_kernels(min(rounds, 5))
    yield from rouge.compare_rouge(min(rounds, 5))
    yield derivations.compare_derivations(min(rounds, 5), r4c)
    yield correlations.compare_swaps(min(rounds, 5))
    yield correlations.compare_bootstrap(min(rounds, 5))
    yield processes.compare_score(rounds, fnc1)
    yield processes.compare_stability(rounds, fnc1)
    yield processes.compare_help(rounds)


if __name__ == "__main__":
    main()
