"""Human scores of a study: which ratings are used, which are left out with a note, and errors."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write

SYSTEMS = ("a", "b", "c", "d", "e")
ITEMS = tuple(f"i{number}" for number in range(8))
POOL = ("--human-pool", "mean")
BARE = ("--interval", "none", "--test", "none", "--coefficient", "pearson")


def ratings(
    systems: Iterable[str] = SYSTEMS, items: Iterable[str] = ITEMS, *, person: str = "ann", seed: int = 1
) -> str:
    """A tidy file of one rater, a row for each system and item."""
    random = np.random.default_rng(seed)
    items = list(items)
    rows = [
        f"{person},{system},{item},{ord(system[0]) - 97 + random.integers(0, 3)}"
        for system in systems
        for item in items
    ]
    return "\n".join(["measure,system,item,value", *rows, ""])


def system_ratings(systems: Iterable[str] = SYSTEMS, *, name: str = "value") -> str:
    return f"system,{name}\n" + "".join(f"{system},{ord(system[0]) % 7}\n" for system in systems)


@pytest.fixture(autouse=True)
def call(write: Write) -> tuple[str, ...]:
    """Options that name a table of two measures."""
    random = np.random.default_rng(0)
    rows = [
        f"{system},{item},{index + random.normal():.3f},{index + 2 * random.normal():.3f}"
        for index, system in enumerate(SYSTEMS)
        for item in ITEMS
    ]
    return ("--task", "table", write("table.csv", "\n".join(["system,item,bleu,comet", *rows, ""])))


def rows_of(metaeval: CommandLine, *arguments: object) -> list[dict[str, Any]]:
    return metaeval.tables("correlate", *arguments)["correlations"]


def values(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float | None]:
    return {(row["measure"], row["level"]): row["value"] for row in rows}


# Who is rated


def test_a_system_that_nobody_rated_is_an_error_that_names_all_of_them(
    metaeval: CommandLine, call: tuple[str, ...], write: Write
) -> None:
    for text in (ratings("abc"), system_ratings("abc")):
        path = write("people.csv", text)
        for extra in ((), ("--on-extra", "drop")):
            message = metaeval.refuses("correlate", *call, "--human", path, *extra)
            assert "people.csv: no human score of system 'd'; expected ratings of every system" in message
            assert "people.csv: no human score of system 'e'" in message
            assert "leave out unrated systems, or add their ratings" in message


def test_a_rated_system_that_is_not_there_is_an_error_or_left_out_and_told(
    metaeval: CommandLine, call: tuple[str, ...], write: Write
) -> None:
    alone = values(rows_of(metaeval, *call, "--human", write("five.csv", ratings()), *BARE))
    path = write("people.csv", ratings() + ratings(["zed", "yak"]).partition("\n")[2])
    message = metaeval.refuses("correlate", *call, "--human", path)
    assert "people.csv: human scores of 'zed', which is no system here; expected none" in message
    assert "human scores of 'yak'" in message
    assert "use --on-extra drop" in message
    report = metaeval.report("correlate", *call, "--human", path, *BARE, "--on-extra", "drop")
    assert values(report["tables"]["correlations"]) == alone
    assert "human scores of other systems left out: zed, yak" in report["notes"]


def test_two_systems_are_enough(metaeval: CommandLine, write: Write) -> None:
    table = write("two.csv", "system,item,bleu,ter\na,i1,3,1\na,i2,4,1\nb,i1,5,0\nb,i2,2,0\n")
    people = write("people.csv", "system,item,value\na,i1,1\na,i2,2\nb,i1,2\nb,i2,4\n")
    few = ("--resamples", "20", "--permutations", "19")
    rows = rows_of(metaeval, "--task", "table", table, "--human", people, *few, "--coefficient", "kendall-b")
    assert values(rows) == {("bleu", "system"): None, ("bleu", "item"): 0, ("ter", "system"): -1, ("ter", "item"): -1}


# Which items are rated


def test_ratings_of_no_common_item_are_refused(metaeval: CommandLine, call: tuple[str, ...], write: Write) -> None:
    path = write("people.csv", ratings(items=["x1", "x2"]))
    message = metaeval.refuses("correlate", *call, "--human", path)
    assert (
        "people.csv: no human score of any item of this study, such as 'i0', but of 'x1'; expected the same item ids"
        in message
    )


def test_items_are_used_where_they_are_rated_and_counted_where_not(
    metaeval: CommandLine, call: tuple[str, ...], write: Write
) -> None:
    # Three items rated, one of them for four systems alone; and two items that are no items here.
    lines = [line for line in ratings(items=[*ITEMS[:3], "x1", "x2"]).splitlines() if ",c,i2," not in line]
    path = write("people.csv", "\n".join([*lines, ""]))
    report = metaeval.report("correlate", *call, "--human", path, *BARE, "--level", "global", "--level", "item")
    assert "5 items of 8 without any human score" in report["notes"]
    assert "human scores of 2 other items left out" in report["notes"]
    assert "pearson at level item excludes up to 5 items: constant, or without scores" in report["notes"]
    assert "pearson at level global excludes up to 26 cells: constant, or without scores" in report["notes"]
    counts = {(row["level"], row["n"], row["left_out"]) for row in report["tables"]["correlations"]}
    assert counts == {("global", 14, 26), ("item", 3, 5)}


def test_empty_cells_of_a_person_in_the_table_itself_drop_no_item(metaeval: CommandLine, write: Write) -> None:
    rows = [
        f"{system},{item},{index + number % 3},{'' if number < 2 else index + number % 2}"
        for index, system in enumerate(SYSTEMS)
        for number, item in enumerate(ITEMS)
    ]
    table = write("own.csv", "\n".join(["system,item,bleu,ann", *rows, ""]))
    report = metaeval.report("correlate", "--task", "table", table, "--human", "ann", *BARE, "--level", "item")
    (row,) = report["tables"]["correlations"]
    assert (row["measure"], row["n"], row["left_out"]) == ("bleu", 6, 2)
    assert "|n:8|" in report["signature"]


def test_several_people_need_not_have_rated_the_same(
    metaeval: CommandLine, call: tuple[str, ...], write: Write
) -> None:
    ann = write("ann.csv", ratings(items=ITEMS[:3]))
    bob = write("bob.csv", ratings(items=ITEMS[2:6], person="bob", seed=2))
    correlations = rows_of(metaeval, *call, "--human", ann, "--human", bob, *POOL, *BARE, "--level", "item")
    counts = {row["human"]: (row["n"], row["left_out"]) for row in correlations if row["measure"] == "bleu"}
    expected = {"ann": (3, 5), "bob": (4, 4), "mean of scores": (6, 2), "mean of correlations": (2, 0)}
    assert counts == expected


# What is constant


def test_constant_ratings_give_no_correlation_of_items_and_all_are_counted(
    metaeval: CommandLine, call: tuple[str, ...], write: Write
) -> None:
    rows = "".join(f"{system},{item},3\n" for system in SYSTEMS for item in ITEMS)
    path = write("people.csv", "system,item,value\n" + rows)
    for row in rows_of(metaeval, *call, "--human", path, *BARE, "--level", "system", "--level", "global"):
        assert row["value"] is None
    few = ("--resamples", "20", "--permutations", "19", "--level", "item")
    report = metaeval.report("correlate", *call, "--human", path, *few)
    for row in report["tables"]["correlations"]:
        assert row["value"] is row["low"] is row["high"] is None
        assert (row["n"], row["left_out"], row["best"]) == (0, 8, False)
    for coefficient in ("pearson", "spearman", "kendall-b"):
        assert f"{coefficient} at level item excludes up to 8 items: constant, or without scores" in report["notes"]
    printed = metaeval.succeeds("correlate", *call, "--human", path, *few, "-f", "csv").rows()
    assert {row["value"] for row in printed} == {""}


def test_a_constant_person_spoils_no_mean(metaeval: CommandLine, call: tuple[str, ...], write: Write) -> None:
    rows = "".join(f"flat,{system},{item},3\n" for system in SYSTEMS for item in ITEMS)
    flat = write("flat.csv", "measure,system,item,value\n" + rows)
    ann = write("ann.csv", ratings())
    correlations = rows_of(metaeval, *call, "--human", ann, "--human", flat, *POOL, *BARE, "--level", "system")
    by_human = {row["human"]: row for row in correlations if row["measure"] == "bleu"}
    assert by_human["flat"]["value"] is None
    mean = by_human["mean of correlations"]
    assert mean["value"] == by_human["ann"]["value"]
    assert mean["left_out"] == 1
    assert not [row for row in correlations if row["measure"].startswith("people")]
    value = by_human["mean of scores"]["value"]
    assert value == pytest.approx(by_human["ann"]["value"], abs=1e-12)
    assert not math.isnan(value)


# Errors


def test_a_file_that_is_not_there_is_told(metaeval: CommandLine, call: tuple[str, ...], write: Write) -> None:
    gold = write("gold.csv", "id,label\nx,yes\ny,no\n")
    message = metaeval.refuses("correlate", "--gold", gold, f"one={gold}", f"two={gold}", "--human", "nobody.csv")
    assert "nobody.csv: no such file" in message
    # Of a table it may be the name of a measure.
    message = metaeval.refuses("correlate", *call, "--human", "nobody.csv")
    assert "file or measure of the table 'nobody.csv'" in message


def test_nobody_at_all_is_told_with_where_to_name_people(
    metaeval: CommandLine, call: tuple[str, ...], write: Write
) -> None:
    message = metaeval.refuses("correlate", *call)
    assert "no human scores; expected at least one" in message
    assert "name it with --human" in message
    config = write("bare.yaml", "data: {task: table, runs: table.csv}\ncorrelate: {}\n")
    assert "bare.yaml: no human scores" in metaeval.refuses("run", config)


def test_files_and_names_at_once_are_refused(metaeval: CommandLine, call: tuple[str, ...], write: Write) -> None:
    path = write("people.csv", ratings())
    message = metaeval.refuses("correlate", *call, "--human", path, "--human", "bleu")
    assert "human scores in files (people.csv) with those of the table (bleu); expected one of both" in message


# Where they are named


def test_a_config_names_people_by_a_path_relative_to_itself(
    metaeval: CommandLine, call: tuple[str, ...], write: Write
) -> None:
    typed = metaeval.report("correlate", *call, "--human", write("deep/people.csv", ratings()), *BARE)
    section = "correlate: {interval: none, test: none, coefficients: pearson}\n"
    config = write("deep/all.yaml", "data: {task: table, runs: ../table.csv, human: people.csv}\n" + section)
    for report in (
        metaeval.report("correlate", "--config", config),
        metaeval.report("run", config),
    ):
        assert report["tables"] == typed["tables"]
        files = [Path(file["path"]).as_posix() for file in report["provenance"]["files"]]
        assert "deep/people.csv" in files
        assert files.count("deep/people.csv") == 1
