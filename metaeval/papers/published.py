"""What papers printed: their tables and numbers as data, each with its decimals, to be recomputed and compared.

Possible values of statistics of rounded numbers.

A printed score stands for an interval, several scores for a box. A value of a statistic is possible if numbers in the
box give it, and impossible by proof; there is no tolerance.

Verdicts on printed numbers: each follows from arithmetic on the printed and the computed number.

Nothing here depends on a paper, and there is no tolerance beyond floating-point error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cache, lru_cache
from importlib import resources
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import yaml

from metaeval.arrays import Floats
from metaeval.errors import UnknownName, invalid, refuse, wrong_count
from metaeval.stats.association import pearson

PAPERS = ("amemiya2021", "hirao2006", "inoue2020", "ordinal2022", "scarton2020")
"""Keys of the papers; `metaeval.model.works` has the references."""

ABSENT = "—"
"""An empty cell of a printed table."""

TEXT = "text"
"""The `Location.table` of a number in the text: its part is the section, its column what the number is about."""

_NUMBER = re.compile(r"-?(\d[\d,]*)?(\.(?P<fraction>\d+))?%?", re.ASCII)
_RANKED = re.compile(r"(?P<text>.+) \((?P<rank>\d+)\)", re.ASCII)
# The mean of floats may miss the end of an interval by rounding error.
_TOLERANCE = 1e-9


class Location(NamedTuple):
    """Where a number is printed."""

    table: str
    part: str
    row: str
    column: str


@dataclass(frozen=True)
class Printed:
    """A printed number, or a word in a table of numbers.

    text: as printed: '.319', '1,004', '94.8%' (value 94.8), 'A/B'. rank: the rank printed after a score, or None.

    >>> score = Printed("0.784", rank=1)
    >>> score.value, score.decimals, score.rank
    (0.784, 3, 1)
    """

    text: str
    rank: int | None = None

    @property
    def is_number(self) -> bool:
        """Whether it is a number and not a word."""
        return any(map(str.isdigit, self.text)) and _NUMBER.fullmatch(self.text) is not None

    @property
    def value(self) -> float:
        """The number; an `InputError` for a word."""
        self._fraction()
        return float(self.text.removesuffix("%").replace(",", ""))

    @property
    def decimals(self) -> int:
        """Number of decimals; an `InputError` for a word."""
        return len(self._fraction())

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the interval of the numbers that round to it: low ≤ number < high.

        >>> Printed("0.25").interval
        (0.245, 0.255)
        """
        return self._between(-0.5, 0.5)

    def rounds(self, number: float) -> bool:
        """Whether a number rounds to it; half a unit of the last decimal may be rounded up or down.

        >>> Printed("0.142").rounds(1 / 7), Printed("0.143").rounds(1 / 7)
        (False, True)
        """
        low, high = self.interval
        return low - _TOLERANCE <= number <= high + _TOLERANCE

    def truncates(self, number: float) -> bool:
        """Whether a number is truncated to it, towards zero.

        >>> Printed("0.142").truncates(1 / 7), Printed("0.143").truncates(1 / 7)
        (True, False)
        """
        low, high = self._between(-1 if self.value <= 0 else 0, 1 if self.value >= 0 else 0)
        return abs(number - self.value) <= _TOLERANCE or low + _TOLERANCE < number < high - _TOLERANCE

    def _between(self, below: float, above: float) -> tuple[float, float]:
        unit = 10.0**-self.decimals
        low, high = (round(self.value + step * unit, self.decimals + 1) for step in (below, above))
        return low, high

    def _fraction(self) -> str:
        match = _NUMBER.fullmatch(self.text)
        if match is None or not self.is_number:
            raise refuse(None, invalid("word", self.text, "a printed number"))
        return match["fraction"] or ""


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper, or one block of it.

    number: as the paper counts ('3'), or a word for a table without a number ('weights'). part: the block ('short'),
    or ''. title: our description. rows: what rows are ('data set'). header: names of the columns. cells: by row and
    column, in printed order, without empty ones.
    """

    number: str
    part: str
    title: str
    rows: str
    header: tuple[str, ...]
    cells: Mapping[str, Mapping[str, Printed]]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows."""
        return tuple(self.cells)

    @property
    def label(self) -> str:
        """Number and part, as '3 short'."""
        return f"{self.number} {self.part}".strip()

    def row(self, name: str) -> dict[str, Printed]:
        """The cells of a row by column."""
        return dict(self.cells[name])

    def column(self, name: str) -> dict[str, Printed]:
        """The cells of a column by row."""
        return {row: cells[name] for row, cells in self.cells.items() if name in cells}

    def cell(self, row: str, column: str) -> Printed:
        """One cell.

        >>> read_paper("hirao2006").table("3", "short").cell("D1", "sys2")
        Printed(text='.215', rank=None)
        """
        return self.cells[row][column]

    def location(self, row: str, column: str) -> Location:
        """The location of a cell."""
        return Location(self.number, self.part, row, column)

    def rank_location(self, row: str, column: str) -> Location:
        """The location of the rank after a score."""
        return self.location(row, f"{column} rank")


@dataclass(frozen=True)
class Statement:
    """A number of the running text.

    section: as '5.1'. name: our description. about: the measure, system or class that it describes, or ''.
    """

    section: str
    name: str
    value: Printed
    about: str = ""

    @property
    def location(self) -> Location:
        """The location of the number."""
        return Location(TEXT, self.section, self.name, self.about)


@dataclass(frozen=True)
class Paper:
    """The tables of a paper, and the numbers of its text. key: as in `PAPERS`.

    needs: the data from which its numbers follow, by table, or 'other'; empty where the authors chose all of them.
    choices: the names of statements that they chose. choice: what these numbers are.
    """

    key: str
    tables: tuple[PublishedTable, ...]
    statements: tuple[Statement, ...]
    needs: Mapping[str, str]
    choices: Sequence[str]
    choice: str

    def table(self, number: str, part: str = "") -> PublishedTable:
        """A table; `UnknownName` if there is none of that number and part."""
        labels = [table.label for table in self.tables]
        return self.tables[_position("table", f"{number} {part}".strip(), labels)]

    def statement(self, name: str, about: str = "") -> Statement:
        """A number of the text; `UnknownName` if there is no such number.

        >>> read_paper("hirao2006").statement("Kendall's W", "short").value.text
        '0.849'
        """
        titles = [f"{one.name}: {one.about}" if one.about else one.name for one in self.statements]
        return self.statements[_position("statement", f"{name}: {about}" if about else name, titles)]


@cache
def read_paper(key: str) -> Paper:
    """The printed numbers of a paper; `UnknownName` for a key that is not in `PAPERS`.

    >>> read_paper("inoue2020").table("1").cell("train", "questions").value
    2612.0
    """
    if key not in PAPERS:
        raise UnknownName("paper", key, PAPERS)
    text = resources.files("metaeval.papers").joinpath("printed", f"{key}.yaml").read_text(encoding="utf-8")
    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    statements = (
        Statement(entry["section"], entry["name"], Printed(entry["value"]), entry.get("about", ""))
        for entry in document["statements"]
    )
    return Paper(
        document["paper"],
        tables=tuple(map(_table, document["tables"])),
        statements=tuple(statements),
        needs=document.get("needs", {}),
        choices=document.get("choices", ()),
        choice=document.get("choice", "a choice of the authors"),
    )


def _table(entry: Mapping[str, Any]) -> PublishedTable:
    header: list[str] = entry["header"]
    cells: dict[str, list[str]] = entry["cells"]
    for name, row in cells.items():
        if len(row) != len(header):
            reason = " as in the header"
            raise refuse(None, wrong_count(len(row), "cell", len(header), reason, where=f" in row '{name}'"))
    heading = entry["table"], entry.get("part", ""), entry["title"], entry["rows"]
    rows = {
        name: {column: _cell(text) for column, text in zip(header, row, strict=True) if text != ABSENT}
        for name, row in cells.items()
    }
    return PublishedTable(*heading, tuple(header), rows)


def _cell(text: str) -> Printed:
    match = _RANKED.fullmatch(text)
    return Printed(match["text"], int(match["rank"])) if match else Printed(text)


def _position(kind: str, name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise UnknownName(kind, name, names)
    return names.index(name)


@dataclass(frozen=True, eq=False)
class Attainable:
    """The values that a statistic can have.

    values: in ascending order, (K,). law: a description. denominator: values that are multiples of 1/denominator are
    named as fractions; 0 if there are none. tied: values with one tie, in ascending order; empty if not applicable.
    """

    values: Floats
    law: str
    denominator: int = 0
    tied: Floats = field(default_factory=lambda: np.empty(0))

    def find(self, cell: Printed) -> tuple[float, str] | None:
        """The attainable value that a printed number stands for and how it was printed; None if there is none.

        Of several, multiples of 1/denominator are preferred, then the nearest.
        """
        low, high = cell.interval
        unit = high - low
        near = self.values[np.searchsorted(self.values, low - unit) : np.searchsorted(self.values, high + unit)]
        for value in sorted(near.tolist(), key=lambda one: (not self._is_fraction(one), abs(one - cell.value))):
            if cell.rounds(value):
                return value, "rounded"
            if cell.truncates(value):
                return value, "truncated"
        return None

    def denial(self, cell: Printed) -> str:
        """Why no data give a printed number, with the nearest attainable values."""
        fractions = [value for value in self.values.tolist() if self._is_fraction(value) or not self.denominator]
        nearest = sorted(sorted(fractions, key=lambda value: abs(value - cell.value))[:2])
        return f"{self.law}; the nearest are {' and '.join(map(self._name, nearest))}{self._if_tied(cell)}"

    def _if_tied(self, cell: Printed) -> str:
        if not self.tied.size:
            return ""
        match = Attainable(self.tied, "").find(cell)
        return f"; with one tie {match[0]:.5f}, {match[1]}" if match else "; one tie does not give it either"

    def match(self, cell: Printed) -> str:
        """Which attainable value a printed number stands for; '' if there is none."""
        match = self.find(cell)
        if match is None:
            return ""
        value, form = match
        return f"{cell.text} is {self._name(value)}" + ("" if value == cell.value else f", {form}")

    def _name(self, value: float) -> str:
        return f"{round(value * self.denominator)}/{self.denominator}" if self._is_fraction(value) else f"{value:.5g}"

    def _is_fraction(self, value: float) -> bool:
        numerator = value * self.denominator
        return self.denominator > 0 and abs(numerator - round(numerator)) < 1e-6


@cache
def taus(systems: int) -> Attainable:
    """Kendall's tau without ties: the number of pairs minus twice the discordant ones, divided by the former.

    >>> taus(4).values.round(4).tolist()
    [-1.0, -0.6667, -0.3333, 0.0, 0.3333, 0.6667, 1.0]
    """
    pairs = systems * (systems - 1) // 2
    law = f"tau of {systems} systems without ties is an {'odd' if pairs % 2 else 'even'} multiple of 1/{pairs}"
    # A tie in one ranking leaves one pair less, of either parity; a tie in both rankings likewise.
    tied = [np.arange(-pairs, pairs + 1) / root for root in (np.sqrt(pairs * (pairs - 1.0)), pairs - 1.0, float(pairs))]
    return Attainable(np.arange(-pairs, pairs + 1, 2) / pairs, law, pairs, _within_one(np.concatenate(tied)))


@cache
def spearmans(systems: int) -> Attainable:
    """Spearman's rho without ties: the sum of squared differences of ranks is even.

    >>> len(spearmans(10).values)
    166
    """
    whole = systems * (systems**2 - 1) // 6
    part = Fraction(2, whole)
    law = f"rho of {systems} systems without ties is 1 − {part.numerator}k/{part.denominator} with an integer k"
    # The squares of centred ranks sum to s, or s − 1/2 with one tie; sums of products are then multiples of 1/4.
    squares = whole / 2
    tied = [
        np.arange(-2 * whole, 2 * whole + 1) / 2 / np.sqrt(squares * (squares - 0.5)),
        np.arange(-2 * whole, 2 * whole + 1) / 4 / (squares - 0.5),
    ]
    return Attainable(np.arange(-whole, whole + 1, 2) / whole, law, part.denominator, _within_one(np.concatenate(tied)))


@cache
def means_of_truncated(single: Attainable, count: int, decimals: int) -> Attainable:
    """Means of a number of cells that were truncated or rounded to some decimals, and of the exact cells."""
    unit = 10**decimals
    scaled = single.values * unit
    truncated, rounded = np.trunc(scaled + np.sign(scaled) * 1e-6), np.rint(scaled)
    sums = [_sums(parts, count) / (count * unit) for parts in (truncated, rounded)]
    denominator = count * single.denominator
    exact = np.unique(np.rint(_sums(np.rint(single.values * single.denominator), count))) / denominator
    law = f"no {count} cells have this mean, truncated, rounded or exact: {single.law}"
    return Attainable(np.unique(np.concatenate([*sums, exact])), law, denominator)


def _within_one(values: Floats) -> Floats:
    return np.unique(values[np.abs(values) <= 1])


def _sums(values: Floats, count: int) -> Floats:
    total = np.unique(values)
    for _ in range(count - 1):
        total = np.unique(np.add.outer(total, np.unique(values)))
    return total


def percentages(whole: int) -> Attainable:
    """Shares of a number of items, in percent."""
    return Attainable(np.arange(whole + 1) / whole * 100, f"a percentage of {whole:,} items")


_MAX_VERTICES = 1 << 11


@dataclass(frozen=True, eq=False)
class Box:
    """Rounded numbers: as printed, and the lowest and highest values that round to them, each (N,)."""

    values: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, cells: Sequence[Printed]) -> Box:
        """The box of printed cells.

        >>> Box.of([Printed("0.25"), Printed(".3")]).high.tolist()
        [0.255, 0.35]
        """
        ends = np.array([cell.interval for cell in cells], dtype=np.float64).reshape(-1, 2)
        return cls(np.array([cell.value for cell in cells], dtype=np.float64), ends[:, 0], ends[:, 1])

    @classmethod
    def exactly(cls, values: Sequence[float]) -> Box:
        """The box of numbers that were not rounded."""
        array = np.array(values, dtype=np.float64)
        return cls(array, array, array)

    @classmethod
    def mean(cls, boxes: Sequence[Box]) -> Box:
        """The box of the means of boxes, element by element."""
        parts = [np.mean([getattr(box, name) for box in boxes], axis=0) for name in ("values", "low", "high")]
        return cls(*parts)

    def vertices(self) -> Floats:
        """The vertices, (2^N, N)."""
        ends = [(low,) if low == high else (low, high) for low, high in zip(self.low, self.high, strict=True)]
        return np.array(list(product(*ends)), dtype=np.float64)


class PearsonRange(NamedTuple):
    """Pearson's r of vectors in two boxes.

    attained: the lowest and highest values found; r is continuous, so every value between is possible. bounds: values
    outside are impossible.
    """

    attained: tuple[float, float]
    bounds: tuple[float, float]


def pearson_range(one: Box, other: Box) -> PearsonRange:
    """The possible values of Pearson's r of two vectors of at most 11 numbers each.

    If r is positive for every pair of vertices, its minimum is at one of them: for fixed y the x with r ≥ t ≥ 0 form a
    convex cone, which contains the box if it contains its vertices, and likewise for y. The maximum is searched for,
    and bounded by angles: the angle between two vectors of the boxes is at least the angle between the printed vectors
    minus the widest angle inside each box.
    """
    vertices = [_directions(box.vertices()) for box in (one, other)]
    if max(map(len, vertices)) > _MAX_VERTICES:
        raise ValueError(f"{len(one.values)} numbers are too many")
    products = vertices[0] @ vertices[1].T
    lowest, highest = float(products.min()), float(products.max())
    centres = [_directions(box.values[np.newaxis])[0] for box in (one, other)]
    # The widest angle inside a box is at a vertex, by the same argument.
    cosines = [float((of @ centre).min()) for of, centre in zip(vertices, centres, strict=True)]
    widest = sum(float(np.arccos(min(cosine, 1.0))) if cosine >= 0 else np.pi for cosine in cosines)
    angle = float(np.arccos(np.clip(centres[0] @ centres[1], -1, 1)))
    outer = float(np.cos(min(angle + widest, np.pi))), float(np.cos(max(angle - widest, 0.0)))
    if lowest >= 0:
        outer = lowest, outer[1]
        highest = max(highest, _search(one, other))
    elif highest <= 0:
        outer = outer[0], highest
        lowest = min(lowest, -_search(one, Box(-other.values, -other.high, -other.low)))
    return PearsonRange((lowest, highest), outer)


def _directions(vectors: Floats) -> Floats:
    """Centred vectors of length 1, (K, N)."""
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True))


def _search(one: Box, other: Box) -> float:
    """A high r in two boxes, by L-BFGS-B from the printed vectors."""
    from scipy.optimize import minimize

    start, numbers = np.concatenate([one.values, other.values]), len(one.values)
    limits = [*zip(one.low, one.high, strict=True), *zip(other.low, other.high, strict=True)]

    def negative_r(both: Floats) -> float:
        return -float(pearson(both[:numbers], both[numbers:]))

    optimum = minimize(negative_r, start, bounds=limits, tol=1e-12)
    return max(float(pearson(one.values, other.values)), -float(optimum.fun))


def weighted_range(
    weights: Sequence[Sequence[float]], sums: Sequence[Printed], target: Sequence[float]
) -> tuple[float, float] | None:
    """The range of a weighted sum of numbers from 0 to 1, given other weighted sums of the same numbers.

    weights: of each given sum, (K, C). sums: as printed. target: weights of the sum to bound, (C,). None if no numbers
    have the given sums.

    >>> low, high = weighted_range([[0.5, 0.5]], [Printed("0.20")], [0, 1])
    >>> round(low, 4), round(high, 4)
    (0.0, 0.41)
    """
    from scipy.optimize import linprog

    box, coefficients = Box.of(sums), np.array(weights, dtype=np.float64)
    ends = []
    for sign in (1.0, -1.0):
        optimum = linprog(
            sign * np.array(target, dtype=np.float64),
            A_ub=np.vstack([coefficients, -coefficients]),
            b_ub=np.concatenate([box.high, -box.low]),
            bounds=(0, 1),
        )
        if optimum.status != 0 or optimum.fun is None:
            return None
        ends.append(sign * float(optimum.fun))
    return ends[0], ends[1]


def orders(box: Box) -> tuple[tuple[int, ...], ...]:
    """Every ranking, with ties, of numbers in a box, as dense ranks from 0, the lowest number first.

    An interval contains its lower end but not its upper one, as for rounded numbers.

    >>> orders(Box.of([Printed(".2"), Printed(".3"), Printed(".2")]))
    ((0, 1, 0), (0, 2, 1), (1, 2, 0))
    """
    return _orders(tuple(box.low.tolist()), tuple(box.high.tolist()))


@lru_cache(maxsize=256)
def _orders(low: tuple[float, ...], high: tuple[float, ...]) -> tuple[tuple[int, ...], ...]:
    complete: list[tuple[int, ...]] = []

    def extend(left: frozenset[int], ranks: dict[int, int], rank: int, floor: float) -> None:
        if not left:
            complete.append(tuple(ranks[number] for number in range(len(low))))
            return
        ceiling = min(high[number] for number in left)
        first = [number for number in sorted(left) if low[number] < ceiling]
        for size in range(1, len(first) + 1):
            for block in combinations(first, size):
                reach = max(floor, *(low[number] for number in block))
                # No number may end before the block begins: the others follow it.
                if all(high[number] > reach for number in left):
                    extend(left - set(block), ranks | dict.fromkeys(block, rank), rank + 1, reach)

    extend(frozenset(range(len(low))), {}, 0, -np.inf)
    return tuple(sorted(complete))


def tie_breaks(ranks: Sequence[int], box: Box, names: Sequence[str]) -> str:
    """How a ranking breaks the ties of printed numbers, in words; '' if it breaks none.

    >>> tie_breaks((0, 2, 1), Box.of([Printed(".2"), Printed(".3"), Printed(".2")]), "abc")
    'a below c'
    """
    breaks = []
    for one, other in combinations(range(len(names)), 2):
        sign = (ranks[one] > ranks[other]) - (ranks[one] < ranks[other])
        if sign != np.sign(box.values[one] - box.values[other]):
            breaks.append(f"{names[one]} {('tied with', 'above', 'below')[sign]} {names[other]}")
    return ", ".join(breaks)


def possible_ranks(box: Box, number: int) -> tuple[int, int]:
    """The best and worst rank of one of the numbers, from 1 for the highest; ties share the best.

    >>> possible_ranks(Box.of([Printed(".2"), Printed(".3"), Printed(".2")]), 0)
    (2, 3)
    """
    others = np.arange(len(box.low)) != number
    above, maybe = box.low[others] >= box.high[number], box.high[others] > box.low[number]
    return 1 + int(above.sum()), 1 + int(maybe.sum())


class Verdict(Enum):
    """The result of checking a printed number: its name, the mark after the number, and what it means."""

    EXACT = "exact", "=", "equal at the printed precision"
    WITHIN_ROUNDING = "within rounding", "≈", "obtained from inputs that round to the printed ones"
    WITHIN_CHANCE = "within chance", "~", "inside the range of random draws"
    DIFFERS = "differs", "≠", "not obtained from any such inputs"
    UNATTAINABLE = "unattainable", "×", "not obtained from any data"
    NEEDS_DATA = "needs data", "?", "not computable from the available data"
    GIVEN = "given", "", "a choice of the authors"

    mark: str
    meaning: str

    def __new__(cls, name: str, mark: str, meaning: str) -> Verdict:
        """A member whose value is its name."""
        verdict = object.__new__(cls)
        verdict._value_, verdict.mark, verdict.meaning = name, mark, meaning
        return verdict


@dataclass(frozen=True)
class Span:
    """Possible values of a quantity, from low to high inclusive. condition: when they are possible, or ''."""

    low: float
    high: float
    condition: str = ""

    def rounds_to(self, cell: Printed) -> bool:
        """Whether one of the values rounds to a printed number."""
        low, high = cell.interval
        return self.low <= high + _TOLERANCE and low - _TOLERANCE <= self.high


@dataclass(frozen=True)
class Check:
    """What is known about one printed cell.

    computed: the number or word from the printed inputs or from data; None if it cannot be computed.
    method: how it was computed. others: values by equally valid readings, as (value, reading).
    possible: values from inputs that round to the printed ones, each proven to be possible.
    bounds: limits outside of which no value is possible; None if `possible` has all values.
    attainable: the values that any data could give; None for no restriction.
    chance: the range of random draws, or None. needs: the data that are missing to compute it.
    constraint: what is known without these data, in particular about the bounds.
    is_choice: whether it is a choice of the authors rather than a result.
    """

    computed: float | str | None = None
    method: str = ""
    others: tuple[tuple[float, str], ...] = ()
    possible: tuple[Span, ...] = ()
    bounds: tuple[float, float] | None = None
    attainable: Attainable | None = None
    chance: tuple[float, float] | None = None
    needs: str = ""
    constraint: str = ""
    is_choice: bool = False


@dataclass(frozen=True)
class Judgement:
    """A verdict and its reason. computed: as in `Check`. form: how the number was printed, as in `printed_form`."""

    verdict: Verdict
    reason: str
    computed: float | str | None = None
    form: str = ""


def judge(cell: Printed, check: Check, *, excluded_form: str = "") -> Judgement:
    """The verdict on a printed cell. excluded_form: 'truncated' or 'rounded' if the paper does not print numbers so.

    >>> judge(Printed("0.142"), Check(1 / 7, "a seventh")).reason
    'a seventh, truncated'
    >>> judge(Printed("0.142"), Check(1 / 7, "a seventh"), excluded_form="truncated").verdict.value
    'differs'
    """
    if check.is_choice:
        return Judgement(Verdict.GIVEN, check.method)
    if not cell.is_number or isinstance(check.computed, str):
        return _judge_word(cell, check)
    if check.attainable is not None and check.attainable.find(cell) is None:
        return Judgement(Verdict.UNATTAINABLE, check.attainable.denial(cell), check.computed)
    if check.computed is None:
        return _judge_bounds(cell, check)
    return _judge_number(cell, check, check.computed, excluded_form)


def printed_form(cell: Printed, number: float) -> str | None:
    """How a number is printed: '' if it is equal, else 'rounded', 'truncated' or both; None if it is not printed so.

    >>> printed_form(Printed("0.5"), 0.5), printed_form(Printed("0.6"), 0.56), printed_form(Printed("0.5"), 0.6)
    ('', 'rounded', None)
    """
    if abs(number - cell.value) <= _TOLERANCE:
        return ""
    forms = [("rounded", cell.rounds(number)), ("truncated", cell.truncates(number))]
    return " or ".join(form for form, holds in forms if holds) or None


def _judge_word(cell: Printed, check: Check) -> Judgement:
    if check.computed is None:
        return Judgement(Verdict.NEEDS_DATA, check.needs)
    # A/B is between two groups, and each of them is correct.
    same = str(check.computed) in cell.text.split("/")
    return Judgement(Verdict.EXACT if same else Verdict.DIFFERS, check.method, check.computed)


def _judge_bounds(cell: Printed, check: Check) -> Judgement:
    """The verdict on a number that cannot be computed but may contradict other numbers."""
    constraint = _range(check.constraint, *check.bounds) if check.bounds is not None else check.constraint
    if check.bounds is not None and not Span(*check.bounds).rounds_to(cell):
        return Judgement(Verdict.DIFFERS, constraint)
    return Judgement(Verdict.NEEDS_DATA, _join(check.needs, constraint, _nearest_value(cell, check.attainable)))


def _judge_number(cell: Printed, check: Check, computed: float, excluded_form: str) -> Judgement:
    for value, reading in ((computed, check.method), *check.others):
        form = printed_form(cell, value)
        if form is not None and (form != excluded_form or not form):
            return Judgement(Verdict.EXACT, _join(reading, form, separator=", "), value, form)
    for span in check.possible:
        if span.rounds_to(cell):
            reason = _join(check.method, span.condition, _range("the printed inputs allow", span.low, span.high))
            return Judgement(Verdict.WITHIN_ROUNDING, reason, computed)
    if check.chance is not None:
        inside = Span(*check.chance).rounds_to(cell)
        reason = _join(check.method, _range("95 % of draws lie in", *check.chance))
        return Judgement(Verdict.WITHIN_CHANCE if inside else Verdict.DIFFERS, reason, computed)
    if check.bounds is not None and Span(*check.bounds).rounds_to(cell):
        reason = _range(
            "no inputs were found that give it, but only values outside this range are excluded:", *check.bounds
        )
        return Judgement(Verdict.NEEDS_DATA, _join(check.method, "the unrounded inputs", reason), computed)
    form = printed_form(cell, computed)
    against = f"only equal if {excluded_form}, but the other numbers of the paper are not {excluded_form}"
    return Judgement(Verdict.DIFFERS, _join(_difference(cell, check), against if form else ""), computed)


def _difference(cell: Printed, check: Check) -> str:
    parts = [check.method, *(f"{reading} {value:.4f}" for value, reading in check.others)]
    if check.bounds is not None:
        parts.append(_range("inputs that round to the printed ones give", *check.bounds))
    elif any(span.high > span.low for span in check.possible) or len(check.possible) > 1:
        low, high = min(span.low for span in check.possible), max(span.high for span in check.possible)
        parts.append(_range("the printed inputs allow", low, high))
    return _join(*parts, _nearest_value(cell, check.attainable))


def _nearest_value(cell: Printed, attainable: Attainable | None) -> str:
    return attainable.match(cell) if attainable is not None else ""


def _range(what: str, low: float, high: float) -> str:
    return f"{what} {_number(low)}" + (f" to {_number(high)}" if high - low > _TOLERANCE else "")


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else f"{value:.4f}"


def _join(*parts: str, separator: str = "; ") -> str:
    return separator.join(part for part in parts if part)


def spans(values: Iterable[tuple[float, str]]) -> tuple[Span, ...]:
    """Single values, each with its condition."""
    return tuple(Span(value, value, condition) for value, condition in values)
