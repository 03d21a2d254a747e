"""Arguments as callers give them, in one shape: paths as texts, and one or several as several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from metaeval.errors import InputError
from metaeval.io.memory import described

Path: TypeAlias = str | os.PathLike[str]
Paths: TypeAlias = Path | Sequence[Path]

HOW_TO_HAND_OVER = (
    "metaeval.from_labels, from_frame, from_texts and from_scores make runs of data in memory, metaeval.read of files"
)


def paths(given: Paths, option: str) -> tuple[str, ...]:
    """One path of data or several, as texts; option: what messages call them."""
    return tuple(path_of(path, option, hint=HOW_TO_HAND_OVER) for path in listed(given))


def path_of(given: Path, option: str, *, hint: str = "") -> str:
    """A path as a text; an `InputError` for whatever has none.

    option: what messages call it. hint: what to do with data in place of a file.
    """
    try:
        return os.fsdecode(given)
    except TypeError:
        raise InputError.at(found=f"{option}: {described(given)}", expected="the path of a file", hint=hint) from None


def listed(given: object) -> tuple[Any, ...]:
    """One or several, as several; a text is one, and None is nothing.

    A set is an `InputError`: its order is not the same in every run, and tables would follow it.
    """
    if isinstance(given, (set, frozenset)):
        raise InputError.at(
            found=f"a set of {', '.join(sorted(map(repr, given)))}",
            expected="a list, because the order is shown and may mean something",
            hint="write [] in place of {}, in the order that is meant",
        )
    several: Any = given.tolist() if hasattr(given, "tolist") else given
    if several is None:
        return ()
    is_one = isinstance(several, (str, bytes, Mapping)) or not isinstance(several, Iterable)
    return (several,) if is_one else tuple(several)
