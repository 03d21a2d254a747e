"""What the sections of a run found, kept somewhere so that a run that was interrupted can go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from metaeval.model.report import Report
from metaeval.study.study import Part


class Kept(Protocol):
    """A place for what sections found."""

    def begin(self, run: Report) -> None:
        """Called once, before the first section; run: the report to be, as yet without tables.

        An `InputError` where what is kept there belongs to a run of another signature or of other files.
        """

    def section(self, name: str, find: Callable[[], Part]) -> Part:
        """What is kept of a section, else what `find` finds, which is kept from then on."""


class NothingKept:
    """The place of runs that keep nothing."""

    def begin(self, run: Report) -> None:
        """As of `Kept`."""

    def section(self, name: str, find: Callable[[], Part]) -> Part:
        return find()
