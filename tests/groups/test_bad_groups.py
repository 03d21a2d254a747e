"""Every error of groups says where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine, refusals

FILES = {
    "gold.csv": "id,label,lang\nq1,x,en\nq2,y,en\nq3,x,da\nq4,y,da\n",
    "gap.csv": "id,label,lang\nq1,x,en\nq2,y,\nq3,x,da\nq4,y,da\n",
    "one.csv": "id,label\nq1,x\nq2,x\nq3,x\nq4,y\n",
    "bad.csv": "id,label\nq1,x\nq2,y\nq3,z\nq4,y\n",
    "english.csv": "id,label\nq1,x\nq2,y\n",
    "part.csv": "id,label\nq1,x\nq2,y\nq3,x\n",
    "langs.csv": "id,lang\nq1,en\nq2,en\nq3,da\n",
    "twice.csv": "id,lang\nq1,en\nq2,en\nq3,da\nq4,da\nq1,da\n",
    "scores.csv": "lp,system,item,bleu\nzh,a,1,0.5\n,a,2,0.25\nde,a,1,0.1\n",
    "pairs.csv": "lp,system,item,bleu\nzh,a,1,0.5\nde,a,1,0.25\n",
    "wide.csv": "id,gold,a,b\nq1,x,x,y\nq2,y,y,y\n",
    "zh.csv": "system,item,bleu\na,1,0.5\nb,1,0.25\n",
    "de.csv": "system,item,bleu\na,1,0.5\nb,1,0.25\n",
    "more/de.csv": "system,item,bleu\na,1,0.5\nb,1,0.25\n",
    "texts/q1.txt": "a text\n",
    "lists.json": "{}",
    "out.csv": "item,text\nq1,a text\n",
    "langs.jsonl": "".join(
        f'{{"lang": "{lang}", "system": "{system}", "item": 1, "bleu": {score}}}\n'
        for lang, system, score in (("de", "a", 1), ("fr", "c", 2), ("de", "b", 2))
    ),
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


@refusals("""
score --labels x,y one.csv --gold gap.csv --group lang => gap.csv:3: no value of 'lang' | add the values
score --labels x,y one.csv --gold gold.csv --group language => gold.csv:1: header 'id,label,lang' | --group lang
score --labels x,y one.csv --gold gold.csv --group langs.csv:lang => no group for 1 item, for example 'q4'
score --labels x,y one.csv --gold gold.csv --group twice.csv:lang => twice.csv:6: group 'da' for item 'q1' | 'en'
score --labels x,y one.csv part.csv --gold gold.csv --group lang => part.csv: group 'da': no prediction for id 'q4'
score --labels x,y one.csv bad.csv --gold gold.csv --group lang => bad.csv:4: prediction 'z'; expected one of x, y
score --labels x,y one.csv --gold - --group lang => lang, a column of standard input, which was read | FILE:lang
score --labels x,y one.csv --gold gold.csv --group lang --group-by-file => --group lang with --group-by-file
score --labels x,y one.csv --gold gold.csv --group-by-file => gold.csv: a gold file with --group-by-file
score -m kappa one.csv --gold gold.csv --group lang => Error: measure 'kappa', which uses the order of the classes
score --task texts --group-by-file one.csv => --group-by-file with --task texts | with --group
score --labels x,y --group-by-file => no files for --group-by-file
score --labels x,y one.csv --gold gold.csv --group languages.csv:lang => languages.csv: no such file
score --task table pairs.csv => pairs.csv:3: score 'bleu/a/1' again | data sets apart, such as languages, use --group lp
score --task table scores.csv --group lp => scores.csv:3: no value of 'lp'
score --task table zh.csv --group lp => zh.csv:1: header 'system,item,bleu'; expected a column 'lp'
score --task table zh.csv --group langs.csv:lang => zh.csv:2: no value of 'lang'
score --task table --group-by-file de.csv more/de.csv => group 'de' again; expected every group once
score --task texts one.csv --gold texts --group lang => texts: --group lang, a column of a folder | --group FILE:lang
score --task texts out.csv --gold texts --cluster lang => texts: --cluster lang, a column of a folder | FILE:lang
score --task r4c one.csv --gold lists.json --group lang => lists.json: --group lang, a column of a file of --task r4c
score --task fnc1 one.csv --gold zh.csv --group lang => --task fnc1, which has no others; expected headline or body
score --task table langs.jsonl --group lang --only-system a --only-system x => 'x'; expected one of a, b, c
score --task table langs.jsonl --group lang --only-system x => --only-system 'x'; expected one of a, b, c
score --task table langs.jsonl --group lang --exclude-system cc => --exclude-system 'cc'; expected one of | 'c'
score --task table langs.jsonl --group lang --exclude-system ? => no system is left: the systems are a, b
score --task table zh.csv de.csv => de.csv:2: score 'bleu/a/1' again | are these different data sets? use
stability --labels x,y -m accuracy one.csv english.csv --gold gold.csv --group lang => group 'da': one system (one)
""")
def test_errors_name_the_line_or_the_group(metaeval: CommandLine, words: tuple[str, ...], parts: list[str]) -> None:
    metaeval.refuses_with(parts, *words)


def test_parquet_that_duckdb_reads_is_refused(metaeval: CommandLine) -> None:
    pytest.importorskip("pandas").read_csv("wide.csv").to_parquet("wide.parquet")
    words = "score --labels x,y --engine duckdb --gold wide.parquet --group lang"
    metaeval.refuses_with(["wide.parquet: --group with Parquet files", "--group-by-file"], *words.split())


def test_files_of_groups_may_be_labels_with_gold(metaeval: CommandLine) -> None:
    Path("da.csv").write_text(FILES["wide.csv"].replace("q2,y,y,y", "q2,y,x,y"), encoding="utf-8")
    words = "score --labels x,y -m accuracy --group-by-file english=wide.csv da.csv -f csv"
    shown = metaeval.succeeds(*words.split()).out
    assert shown.split() == ["group,system,accuracy", "english,a,1.0", "english,b,0.5", "da,a,0.5", "da,b,0.5"]


def test_files_of_groups_that_duckdb_reads_have_the_numbers_of_groups_in_memory(metaeval: CommandLine) -> None:
    pandas = pytest.importorskip("pandas")
    steps = {"gold": 3, "a": 2, "b": 5}
    values = {name: [f"{index * step % 7 % 2}" for index in range(40)] for name, step in steps.items()}
    table = pandas.DataFrame({"id": range(40), **values, "lang": ["en", "da"] * 20})
    table.to_parquet("all.parquet")
    for language, part in table.groupby("lang"):
        part.drop(columns="lang").to_parquet(f"{language}.parquet")
    words = ["compare", "--labels", "0,1", "-m", "macro-f1", "--permutations", "99", "-f", "csv", "-q"]
    together = metaeval.succeeds(*words, "--gold", "all.parquet", "--group", "lang").out
    files = ["--group-by-file", "en.parquet", "da.parquet"]
    assert metaeval.succeeds(*words, *files, "--engine", "duckdb").out == together
    assert metaeval.succeeds(*words, *files).out == together


@pytest.mark.parametrize("patterns", [("--only-system", "a"), ("--exclude-system", "c", "--exclude-system", "b")])
def test_a_group_in_which_no_system_is_left_is_left_out(metaeval: CommandLine, patterns: tuple[str, ...]) -> None:
    outcome = metaeval.succeeds("score", "--task", "table", "langs.jsonl", "--group", "lang", *patterns, "-f", "csv")
    assert outcome.out.split() == ["group,system,bleu", "de,a,1.0"]
    besides = "" if patterns[0] == "--only-system" else "besides "
    name = "a" if not besides else "c, b"
    assert f"Note: groups without system {besides}'{name}' are left out: fr" in outcome.err
