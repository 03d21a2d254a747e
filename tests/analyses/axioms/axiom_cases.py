"""The cases of every property as in its statement, generated item by item and without arrays."""

import itertools
from collections.abc import Callable, Iterator

from metaeval.analyses.axioms.properties import PROPERTIES, Verdict, find_verdicts
from metaeval.analyses.axioms.properties.search import candidates_of, searches
from metaeval.analyses.axioms.properties.spec import SearchSpace
from metaeval.measures import Measure
from metaeval.stats.resample import seed_for

Matrix = tuple[tuple[int, ...], ...]
Case = tuple[Matrix, Matrix, tuple[int, int] | None]
Hand = Callable[[SearchSpace], Iterator[Case]]


def judge(measure: Measure, name: str, *, cases: int = 0) -> Verdict:
    """The verdict on a property of labels."""
    properties, parts = [PROPERTIES[name]], searches(cases, seed=seed_for(20201, "test"))
    [[verdict]] = find_verdicts([measure], properties, (candidates_of(properties, part) for part in parts))
    return verdict


def matrices(space: SearchSpace) -> list[Matrix]:
    return [tuple(map(tuple, matrix)) for matrix in space.systems.tolist()]


def move_item(matrix: Matrix, gold: int, old: int, new: int) -> Matrix:
    cells = [list(row) for row in matrix]
    cells[gold][old] -= 1
    cells[gold][new] += 1
    return tuple(map(tuple, cells))


def diagonal(gold: tuple[int, ...]) -> Matrix:
    return tuple(tuple(items if row == column else 0 for column in range(len(gold))) for row, items in enumerate(gold))


def totals(matrix: Matrix) -> tuple[int, ...]:
    return tuple(map(sum, matrix))


def transposed(matrix: Matrix) -> Matrix:
    return tuple(zip(*matrix, strict=True))


def with_exchanged(matrix: Matrix, one: int, other: int) -> Matrix:
    order = list(range(len(matrix)))
    order[one], order[other] = other, one
    return tuple(tuple(matrix[row][column] for column in order) for row in order)


def moves(matrix: Matrix) -> Iterator[tuple[int, int, int]]:
    classes = range(len(matrix))
    for gold, old, new in itertools.product(classes, repeat=3):
        if old not in (gold, new) and matrix[gold][old]:
            yield gold, old, new


def is_nearer(gold: int, old: int, new: int) -> bool:
    return old > new >= gold or old < new <= gold


def ordinal_invariance(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        in_use = [bool(sum(row) + sum(column)) for row, column in zip(matrix, transposed(matrix), strict=True)]
        for position in range(len(matrix) - 1):
            if in_use[position] != in_use[position + 1]:
                yield matrix, with_exchanged(matrix, position, position + 1), (position, position + 1)


def ordinal_monotonicity(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        for gold, old, new in moves(matrix):
            if all(totals(matrix)) and is_nearer(gold, old, new):
                yield matrix, move_item(matrix, gold, old, new), None


def imbalance(space: SearchSpace) -> Iterator[Case]:
    for gold in map(tuple, space.golds.tolist()):
        for low, middle, high in zip(range(len(gold)), range(1, len(gold)), range(2, len(gold)), strict=False):
            for rare, frequent in ((low, high), (high, low)):
                if gold[rare] < gold[frequent]:
                    right = diagonal(gold)
                    yield move_item(right, rare, rare, middle), move_item(right, frequent, frequent, middle), None


def nearer(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        for gold, old, new in moves(matrix):
            if new != gold and is_nearer(gold, old, new):
                yield matrix, move_item(matrix, gold, old, new), None


def bounded(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        yield matrix, matrix, None


def perfect(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        if matrix != diagonal(totals(matrix)):
            yield matrix, diagonal(totals(matrix)), None


def mended(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        for gold, old, new in moves(matrix):
            if new == gold:
                yield matrix, move_item(matrix, gold, old, new), None


def relabelling(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        for one, other in itertools.combinations(range(len(matrix)), 2):
            yield matrix, with_exchanged(matrix, one, other), (one, other)


def swap(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        if matrix != transposed(matrix):
            yield matrix, transposed(matrix), None


def prior(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        for index, row in enumerate(matrix):
            for times in (2, 3):
                if any(row):
                    after = (*matrix[:index], tuple(times * count for count in row), *matrix[index + 1 :])
                    yield matrix, after, None


def replication(space: SearchSpace) -> Iterator[Case]:
    for matrix in matrices(space):
        for times in (2, 3):
            yield matrix, tuple(tuple(times * count for count in row) for row in matrix), None


def chance(space: SearchSpace) -> Iterator[Case]:
    for gold, mix in zip(*(part.tolist() for part in space.gold_blind), strict=True):
        for old, new in itertools.combinations(range(len(gold)), 2):
            if mix[old]:
                other = [part - (index == old) + (index == new) for index, part in enumerate(mix)]
                before, after = (tuple(tuple(n * part for part in parts) for n in gold) for parts in (mix, other))
                yield before, after, None


BY_HAND: dict[str, Hand] = {
    "ordinal-invariance": ordinal_invariance,
    "ordinal-monotonicity": ordinal_monotonicity,
    "imbalance": imbalance,
    "nearer": nearer,
    "bounded": bounded,
    "perfect-best": perfect,
    "perfect-only": perfect,
    "mended": mended,
    "relabelling": relabelling,
    "swap": swap,
    "prior": prior,
    "replication": replication,
    "chance": chance,
}
