"""How each analysis is made: frozen dataclasses, one for each section of an experiment that is one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SummaryConfig:
    """All criteria in one table; how each is computed stands in its own section."""
