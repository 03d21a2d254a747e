"""reproduce: what it prints, in every form, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Write
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.papers.published import PAPERS, read_paper

pytestmark = pytest.mark.slow

OVERVIEW = ["verdicts", "findings", "rounding", "missing", "reproduction"]


@pytest.mark.parametrize("paper", PAPERS)
def test_one_paper_is_shown_table_by_table(metaeval: CommandLine, paper: str) -> None:
    tables = metaeval.report("reproduce", paper)["tables"]
    names = [name for name in tables if name.startswith("table_")]
    published = read_paper(paper).tables
    assert list(tables) == ["verdicts", *names, "text", *OVERVIEW[1:]]
    for name, table in zip(names, published, strict=True):
        assert [next(iter(row.values())) for row in tables[name]] == list(table.names)
        for row, cells in zip(tables[name], table.cells.values(), strict=True):
            shown = dict(zip(table.header, list(row.values())[1:], strict=True))
            assert [column for column, text in shown.items() if text is not None] == list(cells)
            assert all(shown[column].startswith(cell.text) for column, cell in cells.items())


def test_marks_stand_behind_the_printed_numbers(metaeval: CommandLine) -> None:
    out = metaeval.succeeds("reproduce", "amemiya2021").out
    assert "0.4965 ×" in out
    assert "0.1721 ≠ 0.1355" in out
    assert "differs ≠" in out
    assert "tables rounding, missing, reproduction: --table" in out
    ranks = metaeval.succeeds("reproduce", "scarton2020").out
    assert "0.784 ? (1 =)" in ranks
    assert "0.000 ? (8 ≈)" in ranks


def test_a_finding_is_no_error_unless_asked(metaeval: CommandLine) -> None:
    plain = metaeval.succeeds("reproduce", "ordinal2022")
    strict = metaeval("reproduce", "ordinal2022", "--strict")
    assert (strict.code, strict.out) == (1, plain.out)
    assert metaeval("reproduce", "scarton2020", "--strict").code == 0


def test_what_does_not_exist_is_refused(metaeval: CommandLine, write: Write) -> None:
    assert "unknown paper 'hirao'. Did you mean 'hirao2006'" in metaeval.refuses("reproduce", "hirao")
    assert "--data" in metaeval.refuses("reproduce", "--data", "nowhere")
    folder = Path(write("empty/file.txt", "nothing")).parent
    notes = metaeval.succeeds("reproduce", "scarton2020", "--data", folder).err
    assert "empty contains no file of FNC-1, RumourEval or R4C" in notes


# With data that are made up, in the layout of the public ones

STANCES = ("support", "deny", "query", "comment")
GOLD = {"2017": (94, 71, 106, 778), "2019": (157, 101, 93, 1476)}


def stances(counts: tuple[int, ...]) -> dict[str, str]:
    labels = [label for label, count in zip(STANCES, counts, strict=True) for _ in range(count)]
    return {f"i{number}": label for number, label in enumerate(labels)}


def test_gold_with_the_published_class_counts_has_the_published_baselines(metaeval: CommandLine, write: Write) -> None:
    write("data/2017/subtaska.json", json.dumps(stances(GOLD["2017"])))
    key = {"subtaskaenglish": stances(GOLD["2019"]), "subtaskbenglish": {}}
    write("data/anywhere/final-eval-key.json", json.dumps(key))
    cells = metaeval.report("reproduce", "scarton2020", "--data", "data")["tables"]["reproduction"]
    rows = ("majority class", "all denies", "all support")
    verdicts = [cell["verdict"] for cell in cells if cell["row"] in rows]
    assert verdicts == ["exact"] * (2 * 3 * 6)
    other = stances((95, 71, 106, 777))
    write("data/2017/subtaska.json", json.dumps(other))
    cells = metaeval.report("reproduce", "scarton2020", "--data", "data")["tables"]["reproduction"]
    verdicts = [cell["verdict"] for cell in cells if cell["row"] in rows and cell["table"] == "2"]
    assert "differs" in verdicts


def test_derivations_with_the_published_names_are_scored(metaeval: CommandLine, write: Write) -> None:
    def derivation(*steps: str) -> list[Any]:
        return [["Title", 0, step.split()] for step in steps]

    gold = {
        "q1": [derivation("a is b", "b is c"), derivation("a was b"), derivation("c is d")],
        "q2": [derivation("x has y"), derivation("x had y"), derivation("z has y")],
    }
    write("r4c/dev_csf.json", json.dumps(gold))
    for name in ("oracle", "core"):
        write(f"r4c/pred_{name}.json", json.dumps({"re": {"q1": derivation("a is b"), "q2": derivation("z has y")}}))
    report = metaeval.report("reproduce", "inoue2020", "--data", ".")
    cells = {(cell["row"], cell["column"]): cell for cell in report["tables"]["reproduction"]}
    direct = metaeval.succeeds(
        *("score", "--task", "r4c", "--gold", "r4c/dev_csf.json", "r4c/pred_core.json", "-f", "csv"),
        *("-m", "r4c-rouge:level=full,stat=f"),
    )
    value = 100 * float(direct.rows()[0]["r4c-rouge:level=full,stat=f"])
    for row in ("3 references", "CORE"):
        assert cells[row, "full F"]["computed"] == pytest.approx(value)
        assert cells[row, "full F"]["verdict"] == "differs"
    assert cells["1 reference", "full F"]["computed"] < value
    assert "95 % of draws lie in" in cells["1 reference", "full F"]["reason"]
    assert "on 2 questions where table 1 has 2,135" in cells["CORE", "full F"]["reason"]
    assert cells["IE", "full F"]["verdict"] == "needs data"


# With the public data


@needs_shared_data
def test_public_data_turn_more_cells_into_verdicts(metaeval: CommandLine) -> None:
    without, with_data = metaeval.report("reproduce"), metaeval.report("reproduce", "--data", SHARED_DATA)
    before, after = ({row["paper"]: row for row in report["tables"]["verdicts"]} for report in (without, with_data))
    for paper in ("amemiya2021", "inoue2020", "scarton2020"):
        assert after[paper]["needs_data"] < before[paper]["needs_data"]
        assert after[paper]["exact"] > before[paper]["exact"]
    assert with_data["signature"].endswith("|papers:5|data:public|seed:20201")
    read = {Path(file["path"]).name for file in with_data["provenance"]["files"]}
    assert {"subtaska.json", "final-eval-key.json", "dev_csf.json", "pred_oracle.json"} <= read


@needs_shared_data
def test_the_study_is_made_again_on_public_systems(metaeval: CommandLine) -> None:
    tables = metaeval.report("reproduce", "amemiya2021", "--data", SHARED_DATA)["tables"]
    again, printed = tables["study_similarity"], tables["printed_similarity"]
    measures = [row["measure"] for row in again]
    assert measures == [row["measure"] for row in printed] == list(again[0])[1:]
    assert printed[0]["alpha-INT"] == printed[1]["alpha-ORD"] == 0.5164
    similarity = json.loads(
        metaeval.succeeds(
            *("similarity", "--preset", "stance-nine", "--permutations", "0", "-f", "json"),
            *("--labels", "disagree<discuss<agree", "--drop-gold", "unrelated", "--on-unknown", "worst"),
            *("--gold", SHARED_DATA / "fnc1/gold.csv", SHARED_DATA / "fnc1/systems"),
        ).out
    )["tables"]["similarity"]
    by_name = {row["measure"]: row for row in similarity}
    names = ["alpha:level=ordinal", "alpha:level=interval", "mae:average=macro", "mae:average=micro", "cem-ord"]
    for one, measure in zip(names, measures, strict=False):
        for other, column in zip(names, measures, strict=False):
            row = next(row for row in again if row["measure"] == measure)
            assert row[column] == pytest.approx(by_name[one][other])
    findings = {row["finding"]: row for row in tables["study_findings"]}
    assert findings["most consistent"]["paper"] == "kappa"
    for row in findings.values():
        if row["holds"] is not None:
            assert row["holds"] == (row["here"] in row["paper"].split("/"))


@needs_shared_data
def test_draws_follow_the_seed(metaeval: CommandLine) -> None:
    one, other, same = (
        metaeval.report("reproduce", "inoue2020", "--data", SHARED_DATA, "--seed", seed)["tables"]["rounding"]
        for seed in (1, 2, 1)
    )
    assert one == same
    assert one != other
