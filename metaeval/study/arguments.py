"""Arguments as callers give them, in one shape: paths as texts, and one or several as several."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

from metaeval.errors import InputError, described
from metaeval.settings.kinds import as_tuple

Path: TypeAlias = str | os.PathLike[str]
Paths: TypeAlias = Path | Sequence[Path]

HOW_TO_HAND_OVER = (
    "metaeval.from_labels, from_frame, from_texts and from_scores make runs of data in memory, metaeval.read of files"
)


def paths(given: Paths, option: str) -> tuple[str, ...]:
    """One path of data or several, as texts; option: what messages call them."""
    return tuple(path_of(path, option, hint=HOW_TO_HAND_OVER) for path in as_tuple(given))


def path_of(given: Path, option: str, *, hint: str = "") -> str:
    """A path as a text; an `InputError` for whatever has none.

    option: what messages call it. hint: what to do with data in place of a file.
    """
    try:
        return os.fsdecode(given)
    except TypeError:
        raise InputError.at(found=f"{option}: {described(given)}", expected="the path of a file", hint=hint) from None
