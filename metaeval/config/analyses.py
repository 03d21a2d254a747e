"""How each analysis is made: frozen dataclasses, one for each section of an experiment that is one."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

from metaeval.errors import InputError, UnknownName


def check_counts(section: object, **least: int) -> None:
    """Raise an `InputError` where an attribute is no whole number, or below the least it may be."""
    for name, at_least in least.items():
        value = getattr(section, name)
        if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < at_least:
            raise InputError.at(found=f"{name} {value!r}", expected=f"a whole number of at least {at_least}")


def _check_known(kind: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise UnknownName(kind, name, known)


def _check_level(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise InputError.at(found=f"alpha {alpha:g}", expected="a level between 0 and 1, as 0.05")


@dataclass(frozen=True)
class PlanConfig:
    """What a new data set is planned for, from this one.

    tau: how well the ranking of a new test set of the same size should agree. delta: a difference that should be found;
    None for the median difference of two systems here. power: how surely. width: of the 95 % interval of a correlation
    with people. items: numbers of items to try; empty for a grid. resamples: of the data, for the uncertainty.
    alpha: the level of the tests.
    """

    tau: float = 0.9
    delta: float | None = None
    power: float = 0.8
    width: float = 0.2
    items: tuple[int, ...] = ()
    resamples: int = 200
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_counts(self, resamples=1)
        _check_level(self.alpha)
        for name, value, low, high in (
            ("tau", self.tau, 0, 1),
            ("power", self.power, 0, 1),
            ("width", self.width, 0, 2),
        ):
            if not low < value < high:
                raise InputError.at(found=f"{name} {value:g}", expected=f"a number between {low} and {high}")
        if not self.power > self.alpha:
            raise InputError.at(found=f"power {self.power:g}", expected=f"more than alpha, {self.alpha:g}")
        if self.delta is not None and not 0 < self.delta < float("inf"):
            raise InputError.at(found=f"delta {self.delta:g}", expected="a difference above 0")
        for size in self.items:
            if size < 2:
                raise InputError.at(found=f"{size} items", expected="whole numbers of at least 2")


@dataclass(frozen=True)
class SummaryConfig:
    """All criteria in one table; how each is computed stands in its own section."""


@dataclass(frozen=True)
class CheckConfig:
    """What a result has to stand up to.

    fail_if: conditions on cells of tables, none of which may hold. baseline: a file of an earlier run, whose systems
    may not have become significantly worse. alpha: the level of that. resamples: of the items, for it. save_baseline: a
    file for this run, to be a baseline.
    """

    fail_if: tuple[str, ...] = ()
    baseline: str | None = None
    alpha: float = 0.05
    resamples: int = 1999
    save_baseline: str | None = None

    def __post_init__(self) -> None:
        check_counts(self, resamples=1)
        _check_level(self.alpha)
