"""Experiments as YAML: what is read, and what is refused with key and line."""

import json
from pathlib import Path

import pytest
from command_line import CommandLine, Write

from metaeval import ExperimentConfig, read_config
from metaeval.errors import InputError

GOLD = "id,label\na,1\nb,2\nc,3\n"


def message_of(write: Write, text: str) -> str:
    with pytest.raises(InputError) as error:
        read_config(write("configs/bad.yaml", text))
    return str(error.value)


def test_paths_are_relative_to_the_file_unless_absolute_or_standard_input(write: Write) -> None:
    text = "data: {gold: ../data/gold.csv, runs: [../data/runs, mine=../data/x.csv, -]}\noutput: {output: out.json}\n"
    config = read_config(write("configs/all.yaml", text))
    assert (config.data.gold, config.data.runs) == ("data/gold.csv", ("data/runs", "mine=data/x.csv", "-"))
    assert config.output.output == "configs/out.json"
    assert config.file is not None
    assert config.file.path == "configs/all.yaml"
    assert read_config(write("configs/c.yaml", "data: {gold: /x/../y/gold.csv}\n")).data.gold == "/y/gold.csv"


def test_an_empty_section_stands_for_its_defaults_and_labels_as_written(write: Write) -> None:
    config = read_config(write("c.yaml", "score:\ndata:\n"))
    assert config.section("score") is not None
    assert config.data == ExperimentConfig().data

    def labels(text: str) -> str:
        return str(read_config(write("c.yaml", f"data:\n  labels: {text}\n")).data.labels)

    assert labels("[1, 2, 3]") == "1,2,3"
    assert labels("[1.0, 010, 1e3, 0x1f, 1_000, 2020-01-01, 12:30]") == "1.0,010,1e3,0x1f,1_000,2020-01-01,12:30"
    assert labels("-1<0<1") == "-1<0<1"
    assert labels("['yes', \"no\"]") == "yes,no"
    assert labels("['a<b', 'c,d', 'e=f', 'g:h']") == '"a<b","c,d","e=f",g:h'
    text = "data:\n  class-weights: {1.0: .5, yes: 1, 'a,b': 2, 'c=d': 3}\n"
    assert read_config(write("c.yaml", text)).data.class_weights == {"1.0": 0.5, "yes": 1, "a,b": 2, "c=d": 3}


BAD: dict[str, tuple[str, tuple[str, ...]]] = {
    "unknown key": ("dat: {}\n", ("bad.yaml:1: key 'dat': an unknown key", "did you mean 'data'?")),
    "unknown nested key": ("data:\n  gold: x\n  tsk: fnc1\n", ("bad.yaml:3: key 'data.tsk'", "did you mean 'task'?")),
    "far from any key": ("xyzzy: 1\n", ("expected one of data, measures", "remove 'xyzzy'")),
    "measure": ("measures:\n - kapa\n", ("bad.yaml:1: key 'measures': unknown measure 'kapa'", "'kappa'")),
    "truth as label": (
        "data:\n  labels: [yes, no]\n",
        ("bad.yaml:2: key 'data.labels': 'yes' (which YAML reads as true)", "quote it, as in 'yes'"),
    ),
    "weights": ("data: {class-weights: {a: x}}\n", ("key 'data.class-weights': 'x' for class 'a'; expected a number",)),
    "weights, truth": ("data: {class-weights: {a: yes}}\n", ("'yes' (which YAML reads as true) for class 'a'",)),
    "weights, word": ("data: {class-weights: heavy}\n", ("'heavy' in class-weights heavy",)),
    "runs": ("data: {runs: {a: b.csv}}\n", ("key 'data.runs': keys; expected a text",)),
    "no date": ("data: {runs: {a: 2020-13-45}}\n", ("key 'data.runs': keys; expected a text",)),
    "nothing": ("data: {gold: }\n", ("key 'data.gold': nothing; expected a text",)),
    "section": ("score: yes\n", ("key 'score': 'yes'", "expected some of the keys trivial, sort-by")),
    "a list": ("- a\n", ("bad.yaml:1: a list; expected some of the keys data", "write 'key: value'")),
    "a scalar": ("hello\n", ("bad.yaml:1: 'hello'; expected some of the keys",)),
    "a key twice": ("seed: 1\nscore: {}\nseed: 2\n", ("bad.yaml:3: key 'seed' again; expected every key once",)),
    "no word as key": ("? [a]\n: 1\n", ("bad.yaml:1: a key that is not a word",)),
    "empty": ("", ("bad.yaml: the file is empty",)),
    "comments": ("# nothing\n", ("bad.yaml: no YAML value",)),
    "broken": ("data: {gold: x\nseed: 1\n", ("bad.yaml:2: YAML cannot be read", "check indentation")),
    "two documents": ("seed: 1\n---\nseed: 2\n", ("bad.yaml:2: YAML cannot be read",)),
    "unknown alias": ("seed: *x\n", ("bad.yaml:1: YAML cannot be read (found undefined alias 'x')",)),
    "control character": ("seed: \x07\n", ("bad.yaml: YAML cannot be read",)),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_told_with_file_line_and_key(write: Write, case: str) -> None:
    text, expected = BAD[case]
    message = message_of(write, text)
    assert "configs/bad.yaml" in message
    for part in expected:
        assert part in message


def test_all_bad_keys_are_told_at_once(write: Write) -> None:
    message = message_of(write, "dat: 1\nseed: x\ndata:\n  tsk: 1\n  on-extra: maybe\n")
    assert message.startswith("4 problems")
    for line, key in ((1, "dat"), (2, "seed"), (4, "data.tsk"), (5, "data.on-extra")):
        assert f"bad.yaml:{line}: key '{key}'" in message


def test_flags_win_over_the_file(metaeval: CommandLine, write: Write) -> None:
    write("data/gold.csv", GOLD)
    write("data/run.csv", GOLD.replace("c,3", "c,2"))
    other = write("other.csv", GOLD)
    config = write(
        "configs/c.yaml",
        "data: {gold: ../data/gold.csv, runs: ../data/run.csv, labels: 1<2<3}\n"
        "measures: [accuracy]\nseed: 7\nscore: {trivial: true, sort-by: system}\noutput: {format: csv, digits: 1}\n",
    )
    assert metaeval.succeeds("score", "--config", config).column("accuracy")["run"] == pytest.approx(2 / 3, abs=1e-12)
    over = metaeval.succeeds("score", "--config", config, other, "-m", "mae", "--sort-by", "mae", "--seed", "0")
    assert list(over.rows()[0]) == ["system", "mae", "trivial"]
    assert "run" not in over.column("mae")
    assert metaeval.succeeds("score", "--config", config, "-f", "json").out.startswith("{")
    sorts = write("configs/s.yaml", Path(config).read_text().replace("sort-by: system", "sort-by: accuracy"))
    other_measure = metaeval.succeeds("score", "--config", sorts, "-m", "mae", "-f", "json")
    assert (
        "--sort-by accuracy of the experiment file is not among the measures: the rows are in the order of mae"
        in (json.loads(other_measure.out)["notes"])
    )
    nominal = metaeval.refuses("score", "--config", config, "--labels", "1,2,3", "-m", "mae")
    assert "on the nominal scale '1,2,3'" in nominal
    preset = metaeval.succeeds("score", "--config", config, "--preset", "stance-nine")
    assert "accuracy" in preset.rows()[0]
    assert len(preset.rows()[0]) == 11


def test_experiments_need_an_analysis_and_name_files_by_the_shortest_path(metaeval: CommandLine, write: Write) -> None:
    message = metaeval.refuses("run", write("c.yaml", "data: {gold: x.csv}\n"))
    assert "c.yaml: no analysis to run; expected a section: recommend:, score:, similarity:" in message
    assert "What to do: add 'score: {}'" in message
    config = write("configs/c.yaml", "data: {gold: ../data/gold.csv, runs: ../data/run.csv}\nscore: {}\n")
    message = metaeval.refuses("run", config)
    assert "  data/gold.csv: no such file" in message
    assert "configs/../" not in message


def test_a_configuration_may_come_from_standard_input(metaeval: CommandLine, write: Write) -> None:
    write("gold.csv", GOLD)
    config = b"data: {gold: gold.csv, runs: me=gold.csv}\nmeasures: accuracy\nscore:\n"
    assert metaeval.succeeds("run", "-", "-f", "csv", stdin=config).column("accuracy") == {"me": 1.0}
