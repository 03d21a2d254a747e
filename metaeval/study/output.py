"""What an analysis ends with: a report, with where its data come from."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.io.dataset import Dataset
from metaeval.model.report import AnalysisOutput, Provenance, Report, SourceFile, signature
from metaeval.version import __version__

Part = AnalysisOutput


@dataclass(frozen=True)
class Origin:
    """Where the data of a study come from; see `io.dataset.Dataset`."""

    paths: tuple[str, ...]
    files: tuple[SourceFile, ...]
    touched: Mapping[str, int]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, dataset: Dataset[object], more: Sequence[str] = ()) -> Origin:
        """Of a data set; more: notes beside its own."""
        return cls(dataset.paths, dataset.files, dataset.repairs, (*dataset.notes, *more))


def report_of(
    command: str, output: AnalysisOutput, settings: Sequence[tuple[str, object]], origin: Origin, *,
    command_line: str,
) -> Report:  # fmt: skip
    """A report with its signature and provenance; settings: names and values of the fields of the signature."""
    return Report(
        command,
        signature(__version__, settings),
        tuple(output.tables),
        (*origin.notes, *output.notes),
        Provenance(
            __version__,
            command_line,
            tuple(dict.fromkeys((*origin.files, *output.files))),
            {"python": platform.python_version(), "numpy": np.__version__},
            dict(settings),
            origin.touched,
        ),
        tuple(output.findings),
    )
