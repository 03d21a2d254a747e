"""Which systems differ, and what measures make of it: the functions of the commands of tests and properties."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval import experiment
from metaeval.config import DEFAULT_SEED
from metaeval.config.overrides import plain
from metaeval.experiment.formal_properties import DEFAULT_CASES
from metaeval.render.result import Result
from metaeval.settings.kinds import as_tuple
from metaeval.study.runs import Measures, names_of


def axioms(
    measures: Measures | None = None,
    *,
    properties: str | Sequence[str] = (),
    cases: int | None = None,
    seed: int | None = None,
) -> Result:
    """Which formal properties does a measure have? Tried on small confusion matrices and on random ones.

    measures: of labels; None for all. properties: their names; all by default. cases: random systems for each number of
    classes.

    >>> import metaeval
    >>> metaeval.axioms(["cem-ord", "accuracy"], properties="imbalance", cases=10).command
    'axioms'
    """
    names, preset = names_of(measures)
    report = experiment.axioms(
        names,
        preset=preset,
        properties=as_tuple(properties),
        cases=DEFAULT_CASES if cases is None else plain(cases),
        seed=DEFAULT_SEED if seed is None else plain(seed),
    )
    return Result.of(report)
