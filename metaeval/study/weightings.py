"""Weightings of the classes of a study, from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metaeval.io.scores.weightings import read_weightings
from metaeval.model.report import SourceFile
from metaeval.study.study import Study


@dataclass(frozen=True)
class Weightings:
    """Weights of the classes by weighting and class, and the file that they were read from."""

    by_name: Mapping[str, Mapping[str, float]]
    file: SourceFile


def weightings_of(study: Study, path: str) -> Weightings:
    """The weightings in a file, read once for a study."""
    by_path: dict[str, Weightings] = study.__dict__.setdefault("weightings", {})
    if path not in by_path:
        by_path[path] = Weightings(*read_weightings(path))
    return by_path[path]
