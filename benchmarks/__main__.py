"""`make bench`: every comparison as a row of Markdown. `--fnc1 DIR` takes the real files (gold.csv, systems/)."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

# Before numpy is imported: one thread for each side.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from benchmarks import processes, score_table  # noqa: E402
from benchmarks.paired import HEADER  # noqa: E402


def main() -> None:
    """Run the comparisons one after the other and print a row for each as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks")
    parser.add_argument("--rounds", type=int, default=9, help="pairs of measurements each (default: 9)")
    parser.add_argument("--fnc1", type=Path, help="folder with gold.csv and systems/")
    arguments = parser.parse_args()
    print(HEADER)
    print(score_table.compare(arguments.rounds).row(), flush=True)
    print(processes.compare_score(arguments.rounds, arguments.fnc1).row(), flush=True)
    print(processes.compare_help(arguments.rounds).row(), flush=True)


if __name__ == "__main__":
    main()
