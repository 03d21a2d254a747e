"""The choice of systems by patterns of their names, in every reader."""

import io
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pandas
import pytest
from command_line import CommandLine

SAMPLES = Path(__file__).parents[2] / "sample_data"
ITEMS, CLASSES = 30, ("no", "maybe", "yes")


def labels(number: int) -> list[str]:
    return [CLASSES[(item * (number + 1) + item // 7) % 3] for item in range(ITEMS)]


def frame(kind: str, names: list[str], every: list[str]) -> pandas.DataFrame:
    """A wide table of labels, or scores in a wide table, with these systems."""
    items = [f"i{item}" for item in range(ITEMS)]
    of = {name: labels(every.index(name)) for name in names}
    if kind == "labels":
        return pandas.DataFrame({"id": items, "gold": labels(7), **of})
    rows = [
        (name, item, CLASSES.index(label) / 3, len(label))
        for name in names
        for item, label in zip(items, of[name], strict=True)
    ]
    return pandas.DataFrame(rows, columns=["system", "item", "bleu", "ter"])


def files(kind: str, names: list[str], every: list[str], folder: Path) -> list[str]:
    """The words of a command that reads these systems of all."""
    folder.mkdir()
    options = {"labels": ["-m", "accuracy"], "table": ["--task", "table"]}[kind.partition(" ")[0]]
    kind, _, how = kind.partition(" ")
    data = frame(kind, names, every)
    if how == "parquet" or how == "duckdb":
        data.to_parquet(folder / "all.parquet")
        path = str(folder / "all.parquet")
    else:
        data.to_csv(folder / "all.csv", index=False)
        path = str(folder / "all.csv")
    if kind == "table":
        return [*options, path]
    return [*options, "--gold", path, *(["--engine", "duckdb"] if how == "duckdb" else [])]


def sample_words(kind: str) -> Callable[[list[str]], list[str]]:
    """The words of a command with some systems of a folder of the samples."""
    gold, systems, task = {
        "fnc1": ("fnc1/gold.csv", "fnc1/systems", "fnc1"),
        "texts": ("news/references", "news/systems", "texts"),
        "r4c": ("r4c/references.json", "r4c/systems", "r4c"),
    }[kind]
    paths = sorted(path for path in (SAMPLES / systems).iterdir() if not path.name.startswith("."))

    def words(names: list[str]) -> list[str]:
        runs = [str(path) for path in paths if not names or path.stem in names]
        return ["--task", task, "--gold", str(SAMPLES / gold), *runs]

    return words


def systems_of(metaeval: CommandLine, *words: str) -> list[str]:
    return [row["system"] for row in metaeval.tables("score", *words)["scores"]]


@pytest.mark.parametrize("kind", ["labels", "labels parquet", "labels duckdb", "table", "table parquet"])
def test_chosen_systems_of_a_table_score_as_a_table_of_them(metaeval: CommandLine, tmp_path: Path, kind: str) -> None:
    every = ["bert", "bert-tiny", "svm", "rule[1]"]
    some = metaeval.tables("score", *files(kind, ["bert", "rule[1]"], every, tmp_path / "some"))
    patterns = ("--only-system", "bert*", "--only-system", "rule[1]", "--exclude-system", "*-tiny")
    chosen = metaeval.report("score", *files(kind, every, every, tmp_path / "all"), *patterns)
    assert chosen["tables"] == some
    assert "excluded systems (2): bert-tiny, svm" in chosen["notes"]
    assert "|only-systems:bert*,rule[1]|exclude-systems:*-tiny|" in chosen["signature"]
    assert chosen["provenance"]["settings"]["exclude-systems"] == "*-tiny"


@pytest.mark.parametrize("kind", ["fnc1", "texts", "r4c"])
def test_chosen_systems_of_a_folder_score_as_their_files(metaeval: CommandLine, kind: str) -> None:
    words = sample_words(kind)
    names = systems_of(metaeval, *words([]))
    remaining = [name for name in names if not fnmatchcase(name, "*d*")]
    assert 0 < len(remaining) < len(names)
    chosen = metaeval.tables("score", *words([]), "--exclude-system", "*d*")
    assert chosen["scores"] == metaeval.tables("score", *words(remaining))["scores"]


def test_sources_are_no_system_and_excluded_systems_may_lack_predictions(metaeval: CommandLine, tmp_path: Path) -> None:
    sources = ("--sources", str(SAMPLES / "news/sources"), "--only-system", "lead")
    assert systems_of(metaeval, *sample_words("texts")([]), *sources) == ["lead"]
    (tmp_path / "gold.csv").write_text("id,label\n1,yes\n2,no\n")
    (tmp_path / "short.csv").write_text("id,label\n1,yes\n")
    (tmp_path / "full.csv").write_text("id,label\n1,yes\n2,yes\n")
    words = ["--gold", *(str(tmp_path / name) for name in ("gold.csv", "short.csv", "full.csv")), "-m", "accuracy"]
    assert systems_of(metaeval, *words, "--exclude-system", "short") == ["full"]


@pytest.mark.parametrize("fault", ["id,label,prediction\n1,yes,no\n2,no,no", "id,label\n1,yes\n1,no\n2,no",
                                   "id,label\n,yes\n2,no", "id,label,gold\n1,yes,no\n2,no,yes"])  # fmt: skip
@pytest.mark.parametrize(("suffix", "engine"), [("csv", ""), ("parquet", "memory"), ("parquet", "duckdb")])
def test_a_broken_file_of_an_excluded_system_is_no_error(
    metaeval: CommandLine, tmp_path: Path, fault: str, suffix: str, engine: str
) -> None:
    paths = []
    for name, text in (("gold", "id,label\n1,yes\n2,no"), ("s", "id,label\n1,yes\n2,yes"), ("broken", fault)):
        paths.append(str(tmp_path / f"{name}.{suffix}"))
        table = pandas.read_csv(io.StringIO(text), dtype=str)
        table.to_parquet(paths[-1]) if suffix == "parquet" else table.to_csv(paths[-1], index=False)
    words = ("--gold", *paths, "-m", "accuracy", *(("--engine", engine) if engine else ()))
    assert metaeval("score", *words).code == 2
    assert systems_of(metaeval, *words, "--exclude-system", "broken") == ["s"]


@pytest.mark.parametrize(
    ("kind", "patterns", "message"),
    [
        ("labels", "--exclude-system brt", "--exclude-system 'brt' | did you mean 'bert'?"),
        ("table", "--only-system x*", "--only-system 'x*'; expected one of bert, svm"),
        ("labels duckdb", "--exclude-system *", "no system is left: the systems are bert, svm | change --only-system"),
    ],
)
def test_patterns_without_a_system_and_no_system_left_are_errors(
    metaeval: CommandLine, tmp_path: Path, kind: str, patterns: str, message: str
) -> None:
    words = files(kind, ["bert", "svm"], ["bert", "svm"], tmp_path / "all")
    metaeval.refuses_with(message.split(" | "), "score", *words, *patterns.split())


def test_human_scores_of_excluded_systems_are_left_out(metaeval: CommandLine, tmp_path: Path) -> None:
    words = files("table", ["bert", "svm", "crf", "hmm"], ["bert", "svm", "crf", "hmm"], tmp_path / "all")
    human = tmp_path / "human.csv"
    human.write_text("measure,system,value\n" + "".join(f"da,{name},{len(name)}\n" for name in ("bert", "svm", "crf")))
    for chosen, count in (("--exclude-system hmm", 3), ("--only-system bert --only-system s*", 2)):
        tables = metaeval.tables("correlate", *words, "--human", human, *chosen.split())
        assert {row["n"] for row in tables["correlations"]} == {count}
