"""Checkpoints of a run: the outputs of its sections, so that a run that was interrupted can be resumed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from metaeval.model.report import AnalysisOutput, Report


class Checkpoint(Protocol):
    """A store of the outputs of sections."""

    def begin(self, run: Report) -> None:
        """Called once, before the first section; run: the report to be, as yet without tables.

        An `InputError` where the store belongs to a run of another signature or of other files.
        """

    def section(self, name: str, compute: Callable[[], AnalysisOutput]) -> AnalysisOutput:
        """The stored output of a section; where there is none, it is computed and stored."""


class NoCheckpoint:
    """Stores nothing."""

    def begin(self, run: Report) -> None:
        """See `Checkpoint`."""

    def section(self, name: str, compute: Callable[[], AnalysisOutput]) -> AnalysisOutput:
        """See `Checkpoint`."""
        return compute()
