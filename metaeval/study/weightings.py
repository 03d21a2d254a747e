"""Weightings of the classes beside a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metaeval.io.scores.weightings import read_weightings
from metaeval.model.report import SourceFile
from metaeval.study.study import Study


@dataclass(frozen=True)
class Weightings:
    """Weights of classes, by class, by the name of the weighting; and the file that they are read from."""

    by_name: Mapping[str, Mapping[str, float]]
    file: SourceFile


def weightings_of(study: Study, path: str) -> Weightings:
    """The weightings in a file, read once for a study."""
    read: dict[str, Weightings] = study.__dict__.setdefault("weightings", {})
    if path not in read:
        read[path] = Weightings(*read_weightings(path))
    return read[path]
