"""Checkpoints of a run: the outputs of its sections, so that an interrupted run can be resumed."""

from __future__ import annotations

from collections.abc import Callable

from metaeval.model.report import AnalysisOutput, Report


class Checkpoint:
    """A store of the outputs of sections; this one stores nothing."""

    def begin(self, run: Report) -> None:
        """Called once, before the first section; run: the report, as yet without tables.

        An `InputError` where the store belongs to a run of another signature or of other files.
        """

    def section(self, name: str, compute: Callable[[], AnalysisOutput]) -> AnalysisOutput:
        """The stored output of a section, else it is computed and stored."""
        return compute()
