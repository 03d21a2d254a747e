"""The targets of the architecture, and what each is now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from house.circles import circles
from house.new_analysis import add_toy, edited_sources, files_in_all
from house.parameters import public_classes, public_functions, undocumented_parameters
from house.sizes import LARGE_FOLDERS, code_lines, fullest_folder, lines, longest_file, longest_function
from house.sources import Measurement
from house.spellings import spellings
from house.type_checks import type_checks


@dataclass(frozen=True)
class Target:
    """A number that may not be above a limit; measure: of a checkout."""

    name: str
    limit: int
    measure: Callable[[Path], Measurement]


@dataclass(frozen=True)
class Verdict:
    """A target and its measurement."""

    target: Target
    measurement: Measurement

    @property
    def ok(self) -> bool:
        """Whether it was measured and is not above its limit."""
        return self.measurement.value is not None and self.measurement.value <= self.target.limit

    def __str__(self) -> str:
        value = self.measurement.value
        current = "—" if value is None else f"{value:,}"
        return f"{self.target.name:<56} {current:>7} {self.target.limit:>7,}  {'ok' if self.ok else 'MISSED'}"


TARGETS = (
    Target("existing source files to edit to run a new analysis", 1, lambda root: edited_sources(add_toy(root))),
    Target("files in all to run a new analysis", 9, lambda root: files_in_all(add_toy(root))),
    Target("spellings of an option", 1, spellings),
    Target("isinstance on studies or runs outside metaeval/study", 5, type_checks),
    Target("files in a folder", 12, lambda root: fullest_folder(root, "metaeval", 12)),
    Target("files in a large folder", 20, lambda root: fullest_folder(root, "metaeval", 20, LARGE_FOLDERS)),
    Target("lines of a file", 400, lambda root: longest_file(root, "metaeval", 400)),
    Target("lines of a function", 60, lambda root: longest_function(root, "metaeval", 60)),
    Target("circles of imports", 0, circles),
    Target("lines of code in metaeval/", 41_600, lambda root: code_lines(root, "metaeval")),
    Target("lines in metaeval/", 63_200, lambda root: lines(root, "metaeval")),
    Target("lines in tests/", 46_600, lambda root: lines(root, "tests")),
    Target("undocumented parameters of public functions", 0, lambda _: undocumented_parameters(public_functions())),
    Target("undocumented parameters of public classes", 0, lambda _: undocumented_parameters(public_classes())),
)


def verdicts(root: Path, targets: tuple[Target, ...] = TARGETS) -> Iterator[Verdict]:
    """Each target, measured."""
    return (Verdict(target, target.measure(root)) for target in targets)
