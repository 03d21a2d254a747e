"""A merge of classes equals relabelled tables."""

from itertools import combinations

import numpy as np
import pytest
from command_line import CommandLine, Write, csv_text
from scipy.stats import kendalltau

LABELS = ("lo", "mid", "hi")
LOWER_IS_BETTER = "mae"
NINE = ("--preset", "stance-nine")
Columns = dict[str, dict[str, float]]


def made_up(labels: tuple[str, ...], items: int) -> list[dict[str, str]]:
    """Rows of gold, and of systems from good to bad and one that knows one class only."""
    random = np.random.default_rng(7)
    gold = random.choice(labels, size=items, p=np.arange(len(labels), 0, -1) / sum(range(len(labels) + 1)))
    columns = {"id": np.arange(items).astype(str), "gold": gold, "constant": np.full(items, labels[1])}
    for number, share in enumerate(np.linspace(0.8, 0.3, 6)):
        columns[f"s{number}"] = np.where(random.random(items) < share, gold, random.choice(labels, size=items))
    return [dict(zip(columns, row, strict=True)) for row in zip(*map(np.ndarray.tolist, columns.values()), strict=True)]


def scores(metaeval: CommandLine, *arguments: str) -> Columns:
    """The scores of `score` by measure and system, oriented so that higher is better; undefined is worst."""
    rows = metaeval.tables("score", "--sort-by", "system", *arguments)["scores"]
    names = [name for name in rows[0] if name not in ("system", "trivial")]
    return {
        name: {
            row["system"]: -np.inf if row[name] is None else row[name] * (-1 if name.startswith(LOWER_IS_BETTER) else 1)
            for row in rows
        }
        for name in names
    }


def tau(one: dict[str, float], other: dict[str, float]) -> float:
    return float(kendalltau(list(one.values()), [other[system] for system in one]).statistic)


@pytest.mark.parametrize(
    ("weights", "items", "measures"),
    [
        (dict.fromkeys(LABELS, 1.0), 80, NINE),
        ({"support": 0.4, "deny": 0.4, "query": 0.15, "comment": 0.05}, 120, ("--preset", "rumour-six")),
    ],
    ids=["ordered", "weighted"],
)
def test_a_merge_equals_relabelling_every_row(
    metaeval: CommandLine, write: Write, weights: dict[str, float], items: int, measures: tuple[str, ...]
) -> None:
    classes = tuple(weights)
    rows = made_up(classes, items)

    def rename(names: dict[str, str]) -> tuple[str, ...]:
        table = [{column: names.get(cell, cell) for column, cell in row.items()} for row in rows]
        return (*measures, "--gold", write("wide.csv", csv_text(table)))

    def declare(names: dict[str, float]) -> tuple[str, ...]:
        if measures == NINE:
            return ("--labels", "<".join(names))
        numbers = ",".join(f"{name}={weight}" for name, weight in names.items())
        return ("--labels", ",".join(names), "--class-weights", numbers)

    call = (*declare(weights), *rename({}))
    before = scores(metaeval, *call)
    taus = metaeval.tables("merge-classes", "--permutations", "0", *call)["merge_classes"]
    assert len(taus) == len(before)
    for merged in combinations(classes, 2):
        name = "+".join(merged)
        # The new class stands at the place of its first, and weighs what both do.
        new_weights = {
            name if label == merged[0] else label: sum(map(weights.get, merged)) if label == merged[0] else weight  # type: ignore[arg-type]
            for label, weight in weights.items()
            if label != merged[1]
        }
        after = scores(metaeval, *declare(new_weights), *rename(dict.fromkeys(merged, name)))
        for row in taus:
            assert row[name] == pytest.approx(tau(before[row["measure"]], after[row["measure"]]), abs=1e-9)
