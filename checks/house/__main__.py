"""Prints the targets of the architecture, and exits with 1 where one is missed: `make house`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from house.targets import TARGETS, Target, verdicts

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str] | None = None, *, root: Path = ROOT, targets: tuple[Target, ...] = TARGETS) -> int:
    """Measure a checkout; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m house", description="Targets of the architecture.")
    parser.add_argument("--details", action="store_true", help="List what is counted where a target is missed.")
    options = parser.parse_args(arguments)
    missed = 0
    print(f"{'target':<56} {'current':>7} {'limit':>7}")
    for verdict in verdicts(root, targets):
        print(verdict, flush=True)
        missed += not verdict.ok
        if not verdict.ok and (options.details or verdict.measurement.value is None):
            print(*(f"    {detail}" for detail in verdict.measurement.details), sep="\n", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
