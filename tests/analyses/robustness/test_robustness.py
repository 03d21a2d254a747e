"""`metaeval robustness`: which measures give trivial systems high scores."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write
from numpy.typing import NDArray

from metaeval.analyses.robustness.compute import analyse
from metaeval.analyses.robustness.settings import RobustnessSettings
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.config.experiment import Undefined
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction, ScoreCube
from metaeval.study.capabilities import GAMING, GamingSystems
from metaeval.study.read import read_study
from metaeval.study.study import no_progress

TEXT_TRICKS = ["empty output", "reference sentence repeated", "reference shuffled"]
SOURCE_TRICKS = ["tf-idf words", "lead of the source"]


def counted_again(
    metaeval: CommandLine, report: dict[str, Any], lower: tuple[str, ...], *data: object
) -> list[dict[str, Any]]:
    """The table `robustness` from its scores and those of `score`."""
    real = metaeval.tables("score", *data)["scores"]
    rows = []
    for row in report["tables"]["robustness_scores"]:
        name = row["measure"]
        sign = -1 if name in lower else 1
        others = [system[name] for system in real]
        beaten = {
            trick: 0 if value is None else sum(other is None or sign * value > sign * other for other in others)
            for trick, value in row.items()
            if trick != "measure"
        }
        rows.append({"measure": name, **beaten})
    return rows


@pytest.fixture
def tsc3(repository: Path) -> tuple[str, ...]:
    """The Japanese summaries of the sample data."""
    folder = repository / "sample_data" / "tsc3"
    files = ("--gold", folder / "references", folder / "systems", "--lexicon", folder / "lexicon.tsv")
    return ("--task", "texts", *map(str, files), "--tokenizer", "japanese")


def test_systems_that_are_worse_are_counted_for_texts(metaeval: CommandLine, tsc3: tuple[str, ...]) -> None:
    options = ("--preset", "tsc3")
    report = metaeval.report("robustness", *tsc3, *options)
    assert list(report["tables"]) == ["robustness", "robustness_scores", "robustness_significant"]
    assert list(report["tables"]["robustness"][0]) == ["measure", *TEXT_TRICKS]
    assert report["tables"]["robustness"] == counted_again(metaeval, report, (), *tsc3, *options)
    assert all(row["empty output"] == 0 for row in report["tables"]["robustness_scores"])
    assert "without --sources there are no TF-IDF word lists and no leads of sources" in report["notes"]


def test_one_gram_likes_the_list_of_words_more_than_two_grams_and_the_kernel(
    metaeval: CommandLine, tsc3: tuple[str, ...]
) -> None:
    sources = tsc3[4].replace("systems", "sources")
    names = ["rouge-n:n=1", "rouge-n:n=2", "esk"]
    data = (*tsc3, *(word for name in names for word in ("-m", name)))
    report = metaeval.report("robustness", *data, "--sources", sources)
    rows = {row["measure"]: row for row in report["tables"]["robustness"]}
    assert list(rows["esk"]) == ["measure", *TEXT_TRICKS, *SOURCE_TRICKS]
    one, two, kernel = (rows[name]["tf-idf words"] for name in names)
    assert one > two
    assert one > kernel
    assert report["tables"]["robustness"] == counted_again(metaeval, report, (), *data)
    assert sources in {str(Path(file["path"]).parent) for file in report["provenance"]["files"]}
    assert "without --sources" not in " ".join(report["notes"])
    without = metaeval.tables("robustness", *data)["robustness"]
    assert without == [{key: row[key] for key in ("measure", *TEXT_TRICKS)} for row in report["tables"]["robustness"]]


def test_derivations_have_tricks_of_their_own(metaeval: CommandLine, repository: Path) -> None:
    folder = repository / "sample_data" / "r4c"
    data = ("--task", "r4c", "--gold", folder / "references.json", folder / "systems", "--preset", "r4c")
    report = metaeval.report("robustness", *data)
    tricks = ["empty output", "reference step repeated", "reference shuffled"]
    assert list(report["tables"]["robustness"][0]) == ["measure", *tricks]
    assert report["tables"]["robustness"] == counted_again(metaeval, report, (), *data)
    assert "without --sources" not in " ".join(report["notes"])


LABELS = "id,label\na,yes\nb,no\nc,no\nd,no\ne,yes\n"


@pytest.fixture
def labels(write: Write) -> tuple[str, ...]:
    """Gold labels and three systems."""
    write("gold.csv", LABELS)
    write("good.csv", LABELS.replace("e,yes", "e,no"))
    write("bad.csv", LABELS.replace("yes", "YES").replace("no", "yes").replace("YES", "no"))
    write("same.csv", "id,label\n" + "".join(f"{item},yes\n" for item in "abcde"))
    return ("--gold", "gold.csv", "good.csv", "bad.csv", "same.csv", "--labels", "no<yes")


def test_for_labels_lower_is_better_counts_the_other_way(metaeval: CommandLine, labels: tuple[str, ...]) -> None:
    names = ("accuracy", "mae", "kappa")
    data = (*labels, *(word for name in names for word in ("-m", name)))
    report = metaeval.report("robustness", *data)
    assert report["tables"]["robustness"] == counted_again(metaeval, report, ("mae",), *data)
    rows = {row["measure"]: row for row in report["tables"]["robustness"]}
    assert rows["mae"] != counted_again(metaeval, report, (), *data)[1]
    # Three of five are right: better than bad (none) and same (two), not than good.
    assert rows["accuracy"]["majority"] == 2
    trivial = metaeval.tables("score", *data, "--trivial")["scores"]
    scores = {row["system"]: row["accuracy"] for row in trivial}
    (accuracy, *_) = report["tables"]["robustness_scores"]
    assert {key: value for key, value in accuracy.items() if key != "measure"} == {
        name: scores[name] for name in accuracy if name != "measure"
    }


@pytest.mark.usefixtures("labels")
@pytest.mark.parametrize(
    ("undefined", "beaten"),
    [
        ("skip", [[0, 0, 1, 2], [0, 2, 0, 0]]),
        ("last", [[0, 1, 2, 3], [0, 3, 1, 1]]),
        # 0 is above −1 and −2, and better than 0.5 and 0.75 where lower is better.
        ("zero", [[1, 0, 2, 3], [1, 3, 0, 0]]),
    ],
)
def test_undefined_scores_are_beaten_only_where_they_are_ranked(
    monkeypatch: pytest.MonkeyPatch, undefined: Undefined, beaten: list[list[int]]
) -> None:
    data = DataConfig(labels=ClassScale.parse("no<yes"), gold="gold.csv", runs=("good.csv", "bad.csv", "same.csv"))
    study = read_study(ExperimentConfig(data, measures=("accuracy", "mae"), undefined=undefined))
    names, nan = ("accuracy", "mae"), np.nan
    directions = (Direction.HIGHER, Direction.LOWER)

    def cube(values: list[list[float]], systems: tuple[str, ...]) -> ScoreCube:
        array: NDArray[np.float64] = np.array(values)
        return ScoreCube(array, (), names, systems, directions)

    study.__dict__["scores"] = cube([[nan, 0.5, -1.0], [nan, 0.5, -1.0]], study.systems)
    trivial = cube([[nan, -2.0, 0.5, 0.75], [nan, -2.0, 0.5, 0.75]], ("w", "x", "y", "z"))
    gaming = GamingSystems(lambda _seed: (trivial, None))
    monkeypatch.setattr(type(study), "provided", lambda _: {GAMING})
    monkeypatch.setattr(type(study), "gaming", gaming)
    result = analyse(study, RobustnessSettings(), progress=no_progress)
    assert result.beaten.tolist() == beaten


def test_without_a_significant_win_of_a_trivial_system_the_finding_says_so(
    metaeval: CommandLine, labels: tuple[str, ...]
) -> None:
    (finding,) = metaeval.report("robustness", *labels, "-m", "accuracy", "-m", "kappa")["findings"]
    assert finding["sentence"] == "no trivial system significantly beats any real one under any measure"


def test_what_is_significant_is_what_compare_finds(metaeval: CommandLine, repository: Path, tmp_path: Path) -> None:
    data = ("--config", "configs/rumour2017.yaml", "-m", "accuracy", "--permutations", "999")
    report = metaeval.report("robustness", *data)
    (counts,), (significant,) = (report["tables"][name] for name in ("robustness", "robustness_significant"))
    assert all(significant[name] <= counts[name] for name in counts if name != "measure")
    assert 0 < significant["majority"] < counts["majority"]
    (finding,) = report["findings"]
    most = f"majority and all comment significantly beat {significant['majority']} of 8"
    assert finding["sentence"] == f"under accuracy, {most} real systems"
    output = metaeval.succeeds("robustness", *data).out
    assert "measure   majority  all comment\n" in output
    assert "each trivial system beats significantly; others beat none\n" in output


# --- sources ---------------------------------------------------------------------------------------------------------

REFERENCES = '{"item": "t1", "text": "The cat sat."}\n{"item": "t2", "text": "Dogs bark loud."}\n'


@pytest.fixture
def texts(write: Write) -> tuple[str, ...]:
    """Two items with sources."""
    write("references.jsonl", REFERENCES)
    write("me.jsonl", '{"item": "t1", "text": "A cat."}\n{"item": "t2", "text": "Dogs."}\n')
    write(
        "sources.jsonl",
        '{"item": "t2", "text": "Dogs bark loud. All night."}\n{"item": "t1", "text": "The cat sat."}\n',
    )
    return ("--task", "texts", "--gold", "references.jsonl", "me.jsonl", "-m", "rouge-n:n=1")


def test_sources_are_joined_by_item_and_are_no_system(metaeval: CommandLine, texts: tuple[str, ...]) -> None:
    report = metaeval.report("robustness", *texts, "--sources", "sources.jsonl")
    (scores,) = report["tables"]["robustness_scores"]
    assert scores["lead of the source"] == 1
    assert "|systems:1|" in report["signature"]
    assert [file["path"] for file in report["provenance"]["files"]] == ["references.jsonl", "me.jsonl", "sources.jsonl"]
    score_output = metaeval.succeeds("score", *texts, "--sources", "sources.jsonl", "-f", "csv")
    assert score_output.out == metaeval.succeeds("score", *texts, "-f", "csv").out


def test_sources_that_do_not_fit_are_refused(metaeval: CommandLine, texts: tuple[str, ...], write: Write) -> None:
    def message(name: str) -> str:
        return metaeval.refuses("robustness", *texts, "--sources", name)

    assert "nowhere: no such file" in message("nowhere")
    few = write("few.jsonl", '{"item": "t1", "text": "The cat sat."}\n')
    assert "few.jsonl: no output of 'the sources' for item 't2'" in message(few)
    more = write("more.jsonl", Path("sources.jsonl").read_text(encoding="utf-8") + '{"item": "t3", "text": "More."}\n')
    assert "more.jsonl:3: item 't3'; expected an item with a reference" in message(more)
    for folder in ("one", "two"):
        for item in ("t1", "t2"):
            write(f"many/{folder}/{item}.txt", "The cat sat.")
    assert "2 files for the name 'the sources'" in message("many")


def test_what_nobody_can_score_or_beat_is_refused(metaeval: CommandLine, labels: tuple[str, ...], write: Write) -> None:
    table = write("items.csv", "measure,system,item,value\nx,a,i,1\nx,b,i,0\n")
    message = metaeval.refuses("robustness", "--task", "table", table)
    assert "trivial systems with --task table, where only scores are known" in message
    assert "--sources with --task labels" in metaeval.refuses("robustness", *labels, "--sources", "me.jsonl")
    assert "system 'majority'; expected a name" in metaeval.refuses(
        "robustness", "--gold", "gold.csv", "majority=good.csv"
    )
