"""The numbers of each group are those of a run on the group alone, to the last bit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import csv_text

import metaeval
from metaeval.model.report import Report, group_report

LANGUAGES = ("ru", "da", "en")
MEASURES = ["accuracy", "macro-f1", "kappa"]
Rows = Sequence[Mapping[str, object]]


def write(path: Path, rows: Rows, *without: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    remaining = ({name: cell for name, cell in row.items() if name not in without} for row in rows)
    path.write_text(csv_text(remaining), encoding="utf-8")


def label_rows(items: int = 96) -> tuple[Rows, Mapping[str, Rows]]:
    """Gold with groups and clusters, and the predictions of systems, one of which lacks the group 'da'."""
    random, names = np.random.default_rng(7), ["low", "mid", "high"]
    gold = random.integers(0, 3, items)
    rows = [
        {"id": f"q{n}", "label": names[gold[n]], "lang": LANGUAGES[n % 3 if n < 72 else 2], "thread": f"t{n // 8}"}
        for n in range(items)
    ]
    systems = {}
    for name, quality in zip("abcd", (0.2, 0.4, 0.6, 0.8), strict=True):
        predicted = np.where(random.random(items) < quality, gold, random.integers(0, 3, items))
        systems[name] = [
            {"id": row["id"], "label": names[code]}
            for row, code in zip(rows, predicted, strict=True)
            if (name, row["lang"]) != ("c", "da")
        ]
    return rows, systems


def write_labels(folder: Path) -> None:
    """The data of all groups in the folder, and those of each group alone in a folder of its name."""
    gold, systems = label_rows()
    write(folder / "gold.csv", gold)
    for name, rows in systems.items():
        write(folder / "runs" / f"{name}.csv", rows)
    for language in LANGUAGES:
        ids = [row["id"] for row in gold if row["lang"] == language]
        write(folder / language / "gold.csv", [row for row in gold if row["id"] in ids], "lang")
        for name, rows in systems.items():
            if part := [row for row in rows if row["id"] in ids]:
                write(folder / language / "runs" / f"{name}.csv", part)


def score_rows() -> Rows:
    """A table whose items have the same ids in all groups, with other systems in each."""
    random = np.random.default_rng(3)
    return [
        {"lp": pair, "system": f"{pair}-{s}", "item": n, "doc": f"d{n // 3}", "human": random.random() + s / 5,
         "m1": random.random() + s / 4, "m2": random.random() + s / 9}
        for pair in ("zh-en", "de-en") for s in range(5) for n in range(24)
    ]  # fmt: skip


def write_scores(folder: Path) -> None:
    rows = score_rows()
    write(folder / "all.csv", rows)
    for pair in ("zh-en", "de-en"):
        write(folder / pair / f"{pair}.csv", [row for row in rows if row["lp"] == pair], "lp")


def records(report: Report) -> dict[str, list[dict[str, object]]]:
    """The cells of all tables as JSON, in which numbers have all their digits and NaN is null."""
    tables: dict[str, list[dict[str, object]]] = report.to_dict()["tables"]
    return {name: json.loads(json.dumps(rows)) for name, rows in tables.items()}


def assert_same(part: Report, alone: Report) -> None:
    """Every table of the group alone is in the part, with the same cells; other groups may have further columns."""
    part_tables, tables = records(part), {name: rows for name, rows in records(alone).items() if rows}
    assert set(tables) == set(part_tables)
    for name, rows in tables.items():
        assert [{key: row[key] for key in rows[0]} for row in part_tables[name]] == rows, name


LABELS: dict[str, dict[str, Any]] = {
    "score": {}, "similarity": {}, "stability": {"trials": 40, "permutations": 99},
    "merge-classes": {"permutations": 99}, "robustness": {}, "power": {"permutations": 99},
    "explain": {"permutations": 99}, "summary": {}, "recommend": {}, "compare": {"permutations": 99},
    "plan": {}, "sensitivity": {"grid": "beta=0.5,1,2"},
}  # fmt: skip


def run(name: str, folder: Path, *, group: str | None = None, **options: Any) -> Report:
    runs = metaeval.read(folder / "runs", gold=folder / "gold.csv", labels="low<mid<high", group=group, **options)
    function: Callable[..., Report] = getattr(metaeval, name.replace("-", "_"))
    measures = {"explain": MEASURES[:2], "sensitivity": ["f-beta"]}.get(name, MEASURES)
    return function(runs, measures, **LABELS[name])


@pytest.mark.parametrize(("name", "clusters"), [*((name, None) for name in LABELS), ("compare", "thread")])
def test_groups_of_labels_equal_runs_on_each_group_alone(name: str, clusters: str | None, tmp_path: Path) -> None:
    write_labels(tmp_path)
    together = run(name, tmp_path, group="lang", clusters=clusters)
    assert together.groups == LANGUAGES
    for language in LANGUAGES:
        assert_same(group_report(together, language), run(name, tmp_path / language, clusters=clusters))


SCORES: dict[str, dict[str, Any]] = {
    "correlate": {"levels": ["system", "item"], "permutations": 99, "resamples": 20}, "similarity": {},
    "stability": {"trials": 40}, "compare": {"permutations": 99},
}  # fmt: skip


@pytest.mark.parametrize("name", SCORES)
def test_groups_of_a_table_may_have_the_same_item_ids(name: str, tmp_path: Path) -> None:
    write_scores(tmp_path)
    files = {pair: tmp_path / pair / f"{pair}.csv" for pair in ("zh-en", "de-en")}

    def result(runs: Any, **options: Any) -> Report:
        read = metaeval.read(runs, task="table", human="human", clusters="doc", **options)
        report: Report = getattr(metaeval, name)(read, ["m1", "m2"], **SCORES[name])
        return report

    together, by_file = result(tmp_path / "all.csv", group="lp"), result([*files.values()], group_by_file=True)
    for pair, path in files.items():
        alone = result(path)
        assert_same(group_report(together, pair), alone)
        assert_same(group_report(by_file, pair), alone)


NEWS = Path("sample_data/news")


@pytest.mark.parametrize("layout", ["folders", "rows"])
def test_groups_of_texts_in_every_layout(layout: str, tmp_path: Path) -> None:
    topics = {item: "ab"[int(item[1:]) % 2] for item in ("n1", "n2", "n3", "n4", "n5", "n6")}
    write(tmp_path / "topics.csv", [{"item": item, "topic": topic} for item, topic in topics.items()])
    for topic in "ab":
        group = [item for item in topics if topics[item] == topic]
        write_texts(layout, tmp_path / topic, group)
    write_texts(layout, tmp_path / "all", list(topics))
    together = texts(layout, tmp_path / "all", group=f"{tmp_path / 'topics.csv'}:topic")
    for topic in "ab":
        for one, alone in zip(together, texts(layout, tmp_path / topic), strict=True):
            assert_same(group_report(one, topic), alone)


def write_texts(layout: str, folder: Path, items: Sequence[str]) -> None:
    """The texts of some items; the system 'lead' has none of group 'b'."""
    if layout == "folders":
        for path in sorted(NEWS.glob("references/*.txt")) + sorted(NEWS.glob("systems/*/*.txt")):
            item = path.name.split(".")[0]
            if item in items and not (path.parent.name == "lead" and int(item[1:]) % 2):
                target = folder / path.relative_to(NEWS)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
        return
    folder.mkdir()
    for name in ("references.jsonl", "systems.jsonl"):
        lines = (NEWS / name).read_text(encoding="utf-8").splitlines(keepends=True)
        selection = [
            line
            for line in lines
            if (row := json.loads(line))["item"] in items
            and (row.get("system"), int(row["item"][1:]) % 2) != ("lead", 1)
        ]
        (folder / name).write_text("".join(selection), encoding="utf-8")


def texts(layout: str, folder: Path, **options: Any) -> list[Report]:
    gold, runs = ("references", "systems") if layout == "folders" else ("references.jsonl", "systems.jsonl")
    read = metaeval.read(folder / runs, gold=folder / gold, task="texts", **options)
    return [metaeval.score(read, ["rouge-l"]), metaeval.references(read, ["rouge-l", "rouge-n:n=1"], trials=9)]


def test_groups_of_derivations(tmp_path: Path) -> None:
    folder = Path("sample_data/r4c")
    gold = json.loads((folder / "references.json").read_text(encoding="utf-8"))
    kinds = {item: "xy"[index % 2] for index, item in enumerate(gold)}
    write(tmp_path / "kinds.csv", [{"id": item, "kind": kind} for item, kind in kinds.items()])
    options: dict[str, Any] = {"task": "r4c"}
    together = metaeval.score(
        metaeval.read(
            folder / "systems", gold=folder / "references.json", group=f"{tmp_path / 'kinds.csv'}:kind", **options
        )
    )
    for kind in "xy":
        target = tmp_path / kind
        target.mkdir()
        (target / "gold.json").write_text(json.dumps({item: gold[item] for item in gold if kinds[item] == kind}))
        for path in (folder / "systems").glob("*.json"):
            outputs = json.loads(path.read_text(encoding="utf-8"))["re"]
            part = {"re": {item: steps for item, steps in outputs.items() if kinds[item] == kind}}
            (target / path.name).write_text(json.dumps(part))
        alone = metaeval.score(metaeval.read(target, gold=target / "gold.json", **options))
        assert_same(group_report(together, kind), alone)
