"""Checkpoints of a run: the outputs of its sections, so that an interrupted run can be resumed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from metaeval.model.report import Report

Output = TypeVar("Output")


class Checkpoint:
    """A store of the outputs of sections; this one stores nothing."""

    def begin(self, run: Report) -> None:
        """Called once, before the first section; run: the report, as yet without tables.

        An `InputError` where the store belongs to a run of another signature or of other files.
        """

    def section(self, name: str, compute: Callable[[], Output]) -> Output:
        """The stored output of a section, or of what one takes from another; else it is computed and stored."""
        return compute()


NO_CHECKPOINT = Checkpoint()


class CheckpointOfGroup(Checkpoint):
    """The part of a store for one group of items. number: of the group, from 0. column: of the groups."""

    def __init__(self, store: Checkpoint, number: int, column: str) -> None:
        self.store, self.number, self.column = store, number, column

    def begin(self, run: Report) -> None:
        """The first group begins the run, whose identity includes the column."""
        if self.number == 0:
            settings = {**run.provenance.settings, "group": self.column}
            self.store.begin(replace(run, provenance=replace(run.provenance, settings=settings)))

    def section(self, name: str, compute: Callable[[], Output]) -> Output:
        return self.store.section(f"{self.number}-{name}", compute)
