"""The use cases from Python, without a command line."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from analysis_runs import run_named
from command_line import CommandLine, Write
from label_studies import read_labels

from metaeval.analyses.score import report
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import InputError
from metaeval.io.files.run_files import RunFile
from metaeval.model.scale import ClassScale

Item = TypeVar("Item")

GOLD = "id,label\na,lo\nb,hi\nc,lo\n"


def config(write: Write, **data: object) -> ExperimentConfig:
    gold, run = write("gold.csv", GOLD), write("run.csv", GOLD.replace("c,lo", "c,hi"))
    return ExperimentConfig(DataConfig(**{"gold": gold, "runs": (run,)} | data))  # type: ignore[arg-type]


def columns(write: Write, **data: object) -> tuple[str, ...]:
    return tuple(column.name for column in run_named("score", config(write, **data)).main.columns[1:])


def test_without_measures_the_scale_decides(write: Write) -> None:
    assert columns(write) == ("accuracy", "macro-f1", "gmr", "kappa:weights=none", "mcc")
    assert len(columns(write, labels=ClassScale.parse("lo<hi"))) == 9
    numbers = write("n.csv", "id,score\na,1\nb,2\nc,2\n")
    scale = ClassScale.parse("lo<hi")
    assert columns(write, task="scores", labels=scale, runs=(numbers,)) == (
        "pearson",
        "spearman",
        "kendall",
        "pairwise-accuracy:min-gap=1",
    )


def test_a_task_brings_its_measures_and_weights_unless_its_classes_change(write: Write) -> None:
    stances = ("support", "deny", "query", "comment")
    gold = write("gold.json", "{" + ", ".join(f'"{stance}": "{stance}"' for stance in stances) + "}")
    rumour = {"task": "rumoureval2017", "gold": gold, "runs": (f"me={gold}",)}
    assert columns(write, **rumour) == ("accuracy", "macro-f1", "gmr", "wauc", "weighted-f:beta=1", "weighted-f:beta=2")
    reordered = ClassScale.parse("deny<comment<query<support")
    study = read_labels(config(write, **rumour, labels=reordered))
    assert study.runs.scale.weights == (0.4, 0.05, 0.15, 0.4)
    assert str(study.measures[0]) == "alpha:level=ordinal"
    lighter = read_labels(config(write, **rumour, class_weights=dict.fromkeys(stances, 1.0)))
    assert lighter.runs.scale.weights == (1.0,) * 4


def test_native_fnc1_is_scored_as_the_challenge_did(write: Write) -> None:
    native = write("fnc.csv", "Headline,Body ID,Stance\nx,1,agree\nx,2,unrelated\n")
    assert columns(write, task="fnc1", gold=native, runs=(f"me={native}",)) == ("fnc1-score", "accuracy", "macro-f1")


def test_measures_and_preset_add_up_without_doubles(write: Write) -> None:
    experiment = ExperimentConfig(config(write).data, measures=("mcc", "kappa", "accuracy"), preset="fnc1")
    with pytest.raises(InputError, match="measure 'kappa', which uses the order"):
        run_named("score", experiment)
    experiment = ExperimentConfig(config(write).data, measures=("mcc", "accuracy"), preset="nominal")
    names = [column.name for column in run_named("score", experiment).main.columns[1:]]
    assert names == ["mcc", "accuracy", "macro-f1", "gmr", "kappa:weights=none"]


def test_all_measures_run_on_every_kind_of_scale(write: Write) -> None:
    for labels in (None, ClassScale.parse("lo<hi"), ClassScale(("hi", "lo"), weights=(1.0, 2.0))):
        experiment = ExperimentConfig(
            config(write, labels=labels).data, preset="all", analyses=(ScoreSettings(trivial=True),)
        )
        table = run_named("score", experiment).main
        assert len(table.rows) == 6
        assert len(table.columns) > 10
    numbers = write("n.csv", "id,score\na,1\nb,2\nc,2\n")
    data = config(write, task="scores", labels=ClassScale.parse("lo<hi"), runs=(numbers,)).data
    assert len(run_named("score", ExperimentConfig(data, preset="all")).main.columns) > 4


def test_the_signature_and_the_scale_name_whatever_changes_the_numbers(write: Write) -> None:
    options = {"class_weights": {"lo": 1, "hi": 3}, "class_values": {"lo": 1.0, "hi": 11.0}, "on_extra": "drop"}
    experiment = config(write, labels=ClassScale.parse("lo<hi"), **options)
    assert read_labels(experiment).runs.scale.class_values().tolist() == [1.0, 11.0]
    report = run_named("score", ExperimentConfig(experiment.data, seed=0, analyses=(ScoreSettings(trivial=True),)))
    signature = report.signature.partition("|")[2]
    assert signature.startswith("task:labels|n:3|systems:1|scale:lo<hi|")
    parts = {"values:lo=1,hi=11", "weights:lo=1,hi=3", "on-extra:drop", "trivial:yes", "seed:0"}
    assert parts == set(signature.split("|")[4:])


def test_tracking_sees_every_run_file(write: Write) -> None:
    steps: list[tuple[str, object]] = []

    def progress(items: Sequence[Item], description: str) -> Iterable[Item]:
        for item in items:
            steps.append((description, item))
            yield item

    run_named("score", config(write, runs=("run.csv", "again=run.csv")), progress=progress)
    assert steps == [
        ("Reading runs", RunFile("run.csv", "run")),
        ("Reading runs", RunFile("run.csv", "again", is_named=True)),
    ]


def test_a_thousand_systems_are_joined_in_any_order(write: Write) -> None:
    ids = [f"i{item}" for item in range(20)]
    gold = write("many.csv", "id,label\n" + "".join(f"{name},{'lo' if name < 'i15' else 'hi'}\n" for name in ids))
    for run in range(1000):
        turned = ids[run % 20 :] + ids[: run % 20]
        write(f"runs/s{run}.csv", "id,label\n" + "".join(f"{name},lo\n" for name in turned))
    report = run_named("score", config(write, gold=gold, runs=("runs",)))
    assert len(report.main.rows) == 1000
    assert len({row[1] for row in report.main.rows}) == 1
    assert Path("runs").is_dir()


def test_of_very_many_confusions_those_that_occur_are_listed(
    metaeval: CommandLine, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = write("wide.csv", "id,gold,a,b\n1,x,x,y\n2,y,y,y\n3,z,x,z\n4,z,z,z\n")
    call = ("--gold", wide, "-m", "accuracy", "--table", "confusions")
    every = metaeval.tables("score", *call)["confusions"]
    assert len(every) == 2 * 3 * 3
    monkeypatch.setattr(report, "MANY_CONFUSIONS", 17)
    rows = metaeval.tables("score", *call)["confusions"]
    assert rows == [row for row in every if row["items"] > 0]
    assert metaeval.succeeds("score", *call, "-q").out.startswith("Confusion matrices: share of the items of each gold")
    assert "of the confusions that occur" in metaeval.succeeds("score", *call, "-q").out
