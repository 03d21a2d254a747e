"""Which columns of a tidy file hold what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Columns:
    """Names of the columns of tidy and wide files; None means the usual ones.

    id: 'id'. label: 'label' ('score' where systems predict numbers).
    """

    id: str | None = None
    label: str | None = None
