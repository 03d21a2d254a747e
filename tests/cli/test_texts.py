"""Texts, derivations and tables of scores through every command, and the errors for what does not apply."""

import csv
import hashlib
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals
from score_cubes import score_table
from text_reading import outputs_of, references_of

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import InputError
from metaeval.io.labels.join import Policy
from metaeval.model.scale import ClassScale
from metaeval.study.read import read_study

REFERENCES = {
    "t1": ["The cat sat on the mat. It was grey.", "A grey cat was on a mat."],
    "t2": ["Dogs bark at night when the moon is out."],
    "t3": ["Prices rose by two percent in May.", "In May prices went up, by two percent."],
    "t4": ["The minister resigned. Nobody was surprised."],
    "t5": ["Rain is expected in the north tomorrow."],
    "t6": ["The team won the cup for the third time."],
}
TEXTS_OF = {
    "good": "A grey cat sat on the mat.|Dogs bark at night when the moon is out.|Prices rose by two percent.|"
    "The minister resigned. Nobody was surprised.|Rain is expected tomorrow in the north.|"
    "The team won the cup a third time.",
    "fair": "The cat was grey.|Dogs bark.|In May something rose.|The minister was surprised.|"
    "Tomorrow rain in the north is expected.|For the third time the cup.",
    "wordy": "|".join(["the a is was in on by for at of the a is was"] * 6),
    "poor": "Stocks fell.|Cats sleep when the sun is out.|May is nice.|Nobody.|It is cold.|They lost.",
}
OUTPUTS = {name: dict(zip(REFERENCES, texts.split("|"), strict=True)) for name, texts in TEXTS_OF.items()}
ASKED = ("-m", "rouge-n:n=1", "-m", "rouge-l:stat=recall", "-m", "rouge-su", "-m", "wsk:d=2,lambda=0.3", "-m", "esk")
NAMES = [*ASKED[1::2]]
LEXICON = "cat\tPET\ncats\tPET\ndogs\tPET\nrose\tUP\nwent\tUP\nwon\tUP\n"
TEXTS = ("--task", "texts", "--gold", "references.jsonl", "outputs.jsonl", "--lexicon", "lexicon.tsv")
R4C = ("--task", "r4c", "--gold", "gold.json", "one.json", "two.json")
TABLE = ("--task", "table", "items.csv")


def steps(*triples: tuple[str, str, str]) -> list[Any]:
    return [["Title", 0, list(triple)] for triple in triples]


GOLD_STEPS = {
    "q1": [steps(("Ed Wood", "is", "director")), steps(("Ed Wood", "was", "a director"), ("he", "is", "American"))],
    "q2": [steps(("Oslo", "is in", "Norway"), ("Norway", "is in", "Europe"))],
}
RIGHT_STEPS = {"q1": GOLD_STEPS["q1"][0], "q2": GOLD_STEPS["q2"][0]}
WRONG_STEPS = {"q1": steps(("Ed Wood", "plays", "guitar")), "q2": steps(("Rome", "lies in", "Italy"))}


@pytest.fixture(autouse=True)
def files(write: Write) -> Write:
    """All the files that the options above name, in the working folder."""
    write("references.jsonl", references_of(REFERENCES))
    write("outputs.jsonl", outputs_of(OUTPUTS))
    write("lexicon.tsv", LEXICON)
    write("gold.json", json.dumps(GOLD_STEPS))
    write("one.json", json.dumps({"re": RIGHT_STEPS}))
    write("two.json", json.dumps({"re": WRONG_STEPS}))
    bleu = np.add.outer([0.0, 0.125, 0.0625], [0.5, 0.25, 0.75])
    scores = {"bleu": bleu, "ter": bleu[:, [0, 2, 1]]}
    write("items.csv", score_table(scores, systems="abc"))
    return write


# --- score -----------------------------------------------------------------------------------------------------------


def test_each_task_takes_its_preset_and_a_perfect_derivation_scores_one(metaeval: CommandLine) -> None:
    (row, *_) = metaeval.tables("score", *TEXTS)["scores"]
    assert list(row) == ["system", "rouge-n:n=1", "rouge-n:n=2", "rouge-l", "rouge-su:skip=4"]
    (row, *_) = metaeval.tables("score", *R4C)["scores"]
    assert len(row) == 10
    assert list(metaeval.tables("score", *TABLE)["scores"][0]) == ["system", "bleu", "ter"]
    measures = ("-m", "r4c-rouge", "-m", "r4c-align:level=entity,stat=recall")
    one, two = metaeval.tables("score", *R4C, *measures)["scores"]
    assert one == {"system": "one", "r4c-rouge": 1.0, "r4c-align:level=entity,stat=recall": 1.0}
    assert two["system"] == "two"
    assert two["r4c-rouge"] < 0.6


def test_rows_are_sorted_as_asked(metaeval: CommandLine) -> None:
    for name in NAMES:
        column = metaeval.succeeds("score", *TEXTS, *ASKED, "-f", "csv", "--sort-by", name).column(name)
        assert list(column.values()) == sorted(column.values(), reverse=True)
    rows = metaeval.succeeds("score", *TEXTS, *ASKED, "-f", "csv", "--sort-by", "system").rows()
    assert [row["system"] for row in rows] == sorted(OUTPUTS)
    # However it is written.
    same = metaeval.succeeds("score", *TEXTS, *ASKED, "-f", "csv", "--sort-by", "wsk:lambda=.30").rows()
    assert same == metaeval.succeeds("score", *TEXTS, *ASKED, "-f", "csv", "--sort-by", "wsk:d=2,lambda=0.3").rows()
    rows = metaeval.succeeds("score", *TABLE, "-f", "csv", "--sort-by", "ter").rows()
    assert [row["system"] for row in rows] == ["b", "c", "a"]
    assert "--sort-by wsk, which is not in the table" in metaeval.refuses("score", *TEXTS, "--sort-by", "wsk")


def test_tables_choose_their_measures_and_which_way_is_better(metaeval: CommandLine) -> None:
    def ranks(*options: str) -> dict[str, tuple[int, int]]:
        return {row["system"]: (row["bleu"], row["ter"]) for row in metaeval.tables("score", *TABLE, *options)["ranks"]}

    assert ranks() == {"a": (3, 3), "b": (1, 1), "c": (2, 2)}
    assert ranks("--lower-is-better", "ter") == {"a": (3, 1), "b": (1, 3), "c": (2, 2)}
    options = ("-m", "ter", "--lower-is-better", "ter")
    outcome = metaeval.succeeds("score", *TABLE, *options, "-f", "json")
    report = json.loads(outcome.out)
    assert [row["system"] for row in report["tables"]["scores"]] == ["a", "c", "b"]
    assert "|lower-is-better:ter|" in report["signature"]
    between = metaeval.tables("similarity", *TABLE, "--permutations", 0, "--lower-is-better", "ter")["similarity"]
    assert {row["measure"]: (row["bleu"], row["ter"]) for row in between} == {"bleu": (1, -1), "ter": (-1, 1)}
    assert list(metaeval.tables("score", *TABLE, "-m", "ter")["scores"][0]) == ["system", "ter"]
    assert "unknown measure 'blue'. Did you mean 'bleu'?" in metaeval.refuses("score", *TABLE, "-m", "blue")
    assert "unknown measure 'wsk'. Known: bleu, ter." in metaeval.refuses("score", *TABLE, "-m", "wsk")
    assert "unknown measure 'tre'" in metaeval.refuses("score", *TABLE, "--lower-is-better", "tre")


# --- the scores of items, written and read again ---------------------------------------------------------------------


@pytest.mark.parametrize("data", [(*TEXTS, *ASKED), R4C, (*R4C, "--preset", "r4c-alignment"), TABLE], ids=" ".join)
def test_a_table_of_item_scores_read_again_gives_the_same_bits(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    path = "per_item.tsv" if data is TABLE else "per_item.csv"
    direct = metaeval.succeeds("score", *data, "-f", "csv", "--per-item", path)
    assert direct.out == metaeval.succeeds("score", *data, "-f", "csv").out
    again = ("--task", "table", path)
    assert metaeval.succeeds("score", *again, "-f", "csv").out == direct.out
    assert metaeval.tables("score", *again) == metaeval.tables("score", *data)


# --- validate, summary and run ---------------------------------------------------------------------------------------


def test_validate_says_what_the_files_hold(metaeval: CommandLine) -> None:
    rows = metaeval.tables("validate", *TEXTS)["files"]
    assert [row["system"] for row in rows] == ["references", *OUTPUTS]
    assert " ".join(rows[0]) == "system file items texts empty sentences words"
    assert list(rows[0].values()) == ["references", "references.jsonl", 6, 8, 0, 10, 62]
    rows = metaeval.tables("validate", *R4C)["files"]
    assert " ".join(rows[0]) == "system file items derivations empty steps"
    assert list(rows[0].values()) == ["references", "gold.json", 2, 3, 0, 5]
    rows = metaeval.tables("validate", *TABLE)["files"]
    assert rows[0] == {"system": "a", "file": "items.csv", "items": 3, "measures": "bleu, ter"}


# --- texts that are not there ----------------------------------------------------------------------------------------


def without(item: str) -> str:
    return outputs_of(
        {"good": {key: text for key, text in OUTPUTS["good"].items() if key != item}, "poor": OUTPUTS["poor"]}
    )


def test_a_missing_output_is_an_error_unless_a_policy_says_what_becomes_of_it(
    metaeval: CommandLine, write: Write
) -> None:
    files = ("score", *TEXTS[:4], write("gaps.jsonl", without("t2")), "-m", "rouge-l")
    parts = ("gaps.jsonl: no output of 'good' for item 't2'", "--on-missing to drop, or to worst")
    metaeval.refuses_with(parts, *files)
    worst = metaeval.succeeds(*files, "--on-missing", "worst", "-f", "csv")
    assert "1 missing output: counted as empty, score 0 (good)" in worst.err
    dropped = metaeval.succeeds(*files, "--on-missing", "drop", "-f", "csv")
    assert "dropped 1 item for every system" in dropped.err
    whole = metaeval.succeeds(*files[:5], "outputs.jsonl", "-m", "rouge-l", "-f", "csv").column("rouge-l")
    # Its output for the missing item scores 1.
    assert worst.column("rouge-l")["good"] == pytest.approx(whole["good"] - 1 / 6, abs=1e-12)
    assert dropped.column("rouge-l")["good"] == pytest.approx((6 * whole["good"] - 1) / 5, abs=1e-12)
    report = metaeval.report(*files, "--on-missing", "drop")
    assert "|n:5|" in report["signature"]
    assert "|on-missing:drop|" in report["signature"]


def test_an_output_for_no_item_is_an_error_unless_it_may_be_left_out(metaeval: CommandLine, write: Write) -> None:
    extra = write("extra.jsonl", outputs_of({"good": {**OUTPUTS["good"], "t66": "More."}}))
    files = ("score", "--task", "texts", "--gold", "references.jsonl", extra, "-f", "csv")
    metaeval.refuses_with(("extra.jsonl:7: item 't66'; expected an item with a reference", "--on-extra drop"), *files)
    outcome = metaeval.succeeds(*files, "--on-extra", "drop")
    assert "dropped 1 output for items without a reference (good)" in outcome.err


def test_empty_outputs_and_references_score_nothing_and_are_counted(metaeval: CommandLine, write: Write) -> None:
    systems = {"good": {**OUTPUTS["good"], "t2": "", "t5": " \n "}}
    outputs = write("empty.jsonl", outputs_of(systems))
    gold = write("some.jsonl", references_of({**REFERENCES, "t4": [""], "t1": [REFERENCES["t1"][0], ""]}))
    for preset in (("--preset", "rouge"), ("-m", "wsk")):
        options = ("--task", "texts", "--gold", gold, outputs, *preset, "-f", "csv", "--per-item", "per_item.csv")
        outcome = metaeval.succeeds("score", *options)
        assert "2 empty outputs of good score 0" in outcome.err
        assert "2 empty references" in outcome.err
        for row in csv.DictReader(Path("per_item.csv").read_text(encoding="utf-8").splitlines()):
            assert (float(row["value"]) == 0) == (row["item"] in ("t2", "t4", "t5")), row


# --- what does not go together ---------------------------------------------------------------------------------------

DATA = {
    **{"TEXTS": TEXTS, "PLAIN": TEXTS[:-2], "R4C": R4C, "TABLE": TABLE},
    "TABLES": ("--task", "texts", "--gold", "references.csv", "outputs.tsv"),
    "LABELS": ("--gold", "labels.csv", "me=labels.csv"),
}


@refusals("""
score TEXTS -m kappa => measure 'kappa', which reads labels, on texts | rouge-n, rouge-s | set --task to the kind
score TEXTS -m r4c-align => measure 'r4c-align', which reads derivations, on texts
score R4C -m rouge-l => measure 'rouge-l', which reads texts, on derivations | one of r4c-rouge, r4c-align
score TEXTS -m rouge-l:stopwords=stop.tsv -o stop.tsv => stop.tsv: the file that was read as words
score TEXTS -m esk --per-item lexicon.tsv => lexicon.tsv: the file that was read as lexicon
score TEXTS -f csv -o both.csv --per-item ./both.csv => one file for the results and for the scores of items
score --task texts --gold nowhere outputs.jsonl -o no/scores.csv => Error: no/scores.csv
score --task texts --gold nowhere outputs.jsonl --per-item no/items.csv => Error: no/items.csv
score --task texts outputs.jsonl => no references | name it with --gold
score --task texts --gold references.jsonl => no run beside gold
score TEXTS -m rouge-l:stopwords=nowhere.txt --per-item old.csv => nowhere.txt
score LABELS -m rouge-l => measure 'rouge-l', which reads texts, on labels | accuracy
score LABELS -m macro-f1 --per-item new.csv =>
    scores of single items under macro-f1 | a mean over items, such as accuracy | leave out --per-item
merge-classes TEXTS => a merge of classes with --task texts | data with labels
stability --stratified TEXTS => without gold classes | data with labels | leave out --stratified
score --trivial TEXTS => trivial systems with --task texts | data with labels | leave out --trivial
score --labels 'a<b' TEXTS =>
    --labels with --task texts, to which it does not apply | one of the tasks fnc1, | leave out --labels
similarity --preset rouge TABLE =>
    --preset rouge with --task table | choose them with --measure; without it all measures are used
score --drop-gold a TEXTS => --drop-gold with --task texts | leave out --drop-gold
score --on-missing label:a TEXTS => error, drop, or worst
score --on-unknown drop R4C => --on-unknown with --task r4c | leave out --on-unknown
score --on-missing worst TABLE => --on-missing worst | error, drop or
score TEXTS -m wsk:lambda=1.5 => lambda=1.5 in measure 'wsk'; expected a number from 0 to 1
score TEXTS -m rouge-s:skip=any => skip=any | a whole number from 0 to | or all
score TEXTS -m rouge-l:stopwords=stop.txt => stop.txt: no such file | a file that exists
score TEXTS -m rouge-l:stem=porter,exceptions=broken.exc =>
    broken.exc:2: line 'mice' | a form and its base form | mice mouse
score PLAIN --lexicon broken.tsv -m esk =>
    broken.tsv:2: line 'dog PET' | a word, a tab and its labels | broken.tsv:4: line 'cow'
score PLAIN --lexicon labels.xls => lexicon 'labels.xls' | FILE.tsv, sudachi
score PLAIN --lexicon sudachi => choose this tokenizer
score PLAIN -m esk => references.jsonl: measure 'esk', which uses semantic labels | --lexicon FILE.tsv, or choose wsk
score PLAIN --lexicon other.tsv -m esk:d=3 => other.tsv: measure 'esk:d=3' | a lexicon that knows some of the words
score TEXTS -m rouge-l:words=content => parts of speech | --tokenizer japanese | words=all, with stop words
score --task texts --gold ja.jsonl me=ja_me.jsonl =>
    a tokenizer that drops 10 of 10 letters | --tokenizer japanese
score --task r4c --gold gold.json one.json short.json =>
    short.json:1: a triple of 2 fields in item 'q1', step 1 | [title, sentence, [head, relation, tail]]
score TABLES --per-item references.csv =>
    references.csv: the file that was read as gold | expected another file
score TEXTS --per-item outputs.jsonl =>
    --per-item 'outputs.jsonl'; expected a file name that ends in .csv or .tsv | for example items.csv
score TEXTS -m rouge-l:exceptions=irregular.exc =>
    exceptions= without stem=porter | both or neither
score TABLE --per-item items.csv => read as run
similarity --task texts --gold references.jsonl one.jsonl => one system (good) | name the runs of other systems
""")
@pytest.mark.usefixtures("broken")
def test_what_does_not_go_together_is_told_with_a_way_out(
    metaeval: CommandLine, words: tuple[str, ...], parts: list[str]
) -> None:
    before = everything()
    metaeval.refuses_with(["Error: ", *parts], *(word for name in words for word in DATA.get(name, (name,))))
    # Neither touched nor left behind.
    assert everything() == before


@pytest.fixture
def broken(write: Write) -> None:
    """Further files, wrong ones most of them."""
    write("labels.csv", "id,label\na,yes\nb,no\n")
    write("broken.tsv", "cat\tPET\ndog PET\n\ncow\n")
    for name, text in {"stop.tsv": "the\n", "none.jsonl": "", "old.csv": "old"}.items():
        write(name, text)
    write("broken.exc", "feet foot\nmice\n")
    write("irregular.exc", "feet foot\n")
    write("references.csv", "item,reference,text\nt1,0,The cat sat.\nt2,0,Dogs bark.\n")
    write("outputs.tsv", "system\titem\ttext\ngood\tt1\tA cat sat.\ngood\tt2\tDogs bark.\n")
    write("other.tsv", "zebra\tANIMAL\n")
    write("ja.jsonl", references_of({"t1": ["猫が好きだ。"], "t2": ["犬も好きだ。"]}))
    write("ja_me.jsonl", '{"item": "t1", "text": "猫だ。"}\n{"item": "t2", "text": "犬だ。"}\n')
    write("short.json", json.dumps({"re": {**RIGHT_STEPS, "q1": [["Title", 0, ["Ed Wood", "director"]]]}}))
    write("one.jsonl", outputs_of({"good": OUTPUTS["good"]}))


def everything() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


# --- what a review found -------------------------------------------------------------------------------------


def test_files_of_words_stand_in_the_provenance_by_their_role_and_hash(metaeval: CommandLine, write: Write) -> None:
    content = {"lexicon.tsv": LEXICON, "stop.txt": "the\n", "irregular.exc": "rose rise\n"}
    for name, text in content.items():
        write(name, text)
    measures = (
        "-m",
        "rouge-l:stopwords=stop.txt",
        "-m",
        "rouge-n:stem=porter,stopwords=stop.txt,exceptions=irregular.exc",
    )
    report = metaeval.report("score", *TEXTS, *measures)
    files = {file["path"]: file for file in report["provenance"]["files"]}
    assert len(files) == len(report["provenance"]["files"]) == 5
    roles = {"lexicon.tsv": "lexicon", "stop.txt": "words", "irregular.exc": "words"}
    for name, role in roles.items():
        assert files[name]["role"] == role
        assert files[name]["sha256"] == hashlib.sha256(content[name].encode()).hexdigest()


def test_the_signature_tells_lexicons_of_one_name_apart(metaeval: CommandLine, write: Write) -> None:
    def signature(lexicon: str) -> str:
        return str(metaeval.report("score", *TEXTS[:-1], lexicon, "-m", "esk")["signature"])

    here = signature("lexicon.tsv")
    assert signature(write("elsewhere/lexicon.tsv", LEXICON)) == here
    assert signature(write("other/lexicon.tsv", LEXICON + "team\tGROUP\n")) != here


def test_notes_and_presets_follow_the_lexicon(metaeval: CommandLine) -> None:
    texts = [text for some in REFERENCES.values() for text in some] + [
        text for system in OUTPUTS.values() for text in system.values()
    ]
    words = {word for text in texts for word in re.findall("[a-z]+", text.lower())}
    labelled_words = {line.split("\t")[0] for line in LEXICON.splitlines()} & words
    note = f"the lexicon has labels for {len(labelled_words)} of {len(words)} different words"
    assert note in metaeval.succeeds("score", *TEXTS, "-m", "rouge-l").err
    assert "the lexicon" not in metaeval.succeeds("score", *TEXTS[:-2], "-m", "rouge-l").err
    names = list(metaeval.tables("score", *TEXTS, "--preset", "all")["scores"][0])
    without = list(metaeval.tables("score", *TEXTS[:-2], "--preset", "all")["scores"][0])
    left_out = [name for name in names if name not in without]
    assert [name for name in names if name not in left_out] == without
    assert left_out
    assert {name.partition(":")[0] for name in left_out} == {"esk"}
    assert "wsk" in {name.partition(":")[0] for name in without}


# --- options of tasks ------------------------------------------------------------------------------------------------

VALUES: dict[str, Any] = {
    "clusters": ("thread",),
    "gold": "gold.json",
    "labels": ClassScale(("a", "b")),
    "class_weights": {"a": 1.0},
    "class_values": {"a": 1.0},
    "map_labels": {"A": "a"},
    "drop_gold": ("a",),
    "on_missing": Policy("drop"),
    "on_unknown": Policy("drop"),
    "on_extra": "drop",
    "id_column": "item",
    "label_column": "what",
    "gold_column": "what",
    "prediction_column": "what",
    "system_column": "what",
    "tokenizer": "characters",
    "lexicon": "lexicon.tsv",
    "sources": "outputs.jsonl",
    "lower_is_better": ("ter",),
    "engine": "memory",
}
CLASSES = ["labels", "class_weights", "class_values", "drop_gold"]
COLUMNS = ["id_column", "label_column", "gold_column", "prediction_column", "system_column"]
ANSWERS = ["gold", "on_missing", "on_unknown", "on_extra", *COLUMNS]
USED = {
    "labels": [*CLASSES, *ANSWERS, "engine", "map_labels"],
    "scores": [*CLASSES, *ANSWERS],
    "fnc1": [*CLASSES, *(name for name in ANSWERS if name not in COLUMNS), "engine", "map_labels"],
    "texts": [*(name for name in ANSWERS if name != "on_unknown"), "tokenizer", "lexicon", "sources"],
    "r4c": ["gold", "on_missing", "on_extra"],
    "table": [*(name for name in ANSWERS[1:] if name not in COLUMNS[2:4]), "lower_is_better"],
}
USED = {task: [*names, "clusters"] for task, names in USED.items()}


def test_all_that_can_be_said_of_data_is_put_to_the_test() -> None:
    elsewhere = {"task", "runs", "human", "human_pool", "memory", "encoding", "quoting"}
    elsewhere |= {"only_systems", "exclude_measures", "exclude_systems"}
    elsewhere |= {"group", "group_by_file", "member", "ratios", "f_scores", "replicates"}
    elsewhere |= {"skip_invalid", "invalid", "gaps"}
    assert {*VALUES, *elsewhere} == {field.name for field in fields(DataConfig)}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("task", USED)
def test_what_a_task_has_no_use_for_is_an_error(task: str, name: str) -> None:
    data = DataConfig(**{"gold": None if task == "table" else "nowhere", name: VALUES[name]}, task=task, runs=("gone",))
    # The files do not exist: there is an error in any case.
    with pytest.raises(InputError) as error:
        read_study(ExperimentConfig(data))
    message = str(error.value)
    does_not_apply = f"{name} with task='{task}', to which it does not apply" in message
    assert does_not_apply == (name not in USED[task]), message
    assert "does not apply" not in message or does_not_apply
    if does_not_apply:
        assert f"leave out {name}" in message
        expected = message.partition("expected ")[2].partition("\n")[0]
        takers = expected.removeprefix("one of the tasks ").removeprefix("task=").replace("'", "").split(", ")
        assert {taker for taker in USED if taker in takers} == {taker for taker in USED if name in USED[taker]}


# --- tables of any numbers -------------------------------------------------------------------------------------------


def assert_nearly_equal(one: dict[str, Any], other: dict[str, Any], tolerance: float) -> None:
    """The same cells, numbers up to a relative difference."""
    for key, value in other.items():
        expected = pytest.approx(value, rel=tolerance) if isinstance(value, float) else value
        assert one[key] == expected, key


def test_the_stability_of_a_measure_does_not_depend_on_what_stands_beside_it(
    metaeval: CommandLine, write: Write
) -> None:
    random = np.random.default_rng(4)
    small = np.round(random.random((5, 24)) * 1e-3, 5)
    # Systems of which two tie in many halves.
    small[1] = random.permutation(small[0])
    values = {"small": small, "tiny": random.random((5, 24)) * 1e-12, "huge": random.random((5, 24)) * 1e15}
    rows_by_measure: dict[str, dict[str, Any]] = {}
    for names in (["small"], ["tiny"], ["small", "tiny", "huge"], ["huge", "small"]):
        path = write("some.csv", score_table({name: values[name] for name in names}))
        rows = metaeval.tables("stability", "--task", "table", path, "--trials", 200)["stability"]
        for row in rows:
            del row["letters"]
            # Sums over trials differ in the last bit with the number of columns.
            assert_nearly_equal(rows_by_measure.setdefault(row["measure"], row), row, 1e-9)
    assert rows_by_measure["small"]["sd"] > 0


@pytest.mark.parametrize("scale", [2.0**990, 2.0**-990, 1e300, 1e-320, 0.0, 1e308])
def test_numbers_of_any_size_are_ranked(metaeval: CommandLine, write: Write, scale: float) -> None:
    plain = np.random.default_rng(5).integers(1, 9, size=(4, 10)) / 8
    path = write("some.csv", score_table({"plain": plain, "scaled": plain * scale}))
    for command in ("score", "similarity", "stability", "summary"):
        options = {"score": (), "similarity": ("--permutations", 20)}.get(command, ("--trials", 20))
        tables = metaeval.tables(command, "--task", "table", path, *options)
        assert tables
        if command == "stability" and scale in (2.0**990, 2.0**-990):
            rows = {row["measure"]: row for row in tables["stability"]}
            same = [key for key in rows["plain"] if key not in ("measure", "letters")]
            # The decimals of the grid of scores are not those of a power of two.
            scaled, plain_row = ({key: rows[name][key] for key in same} for name in ("scaled", "plain"))
            assert_nearly_equal(scaled, plain_row, 1e-7)
