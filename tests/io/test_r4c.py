"""R4C's files of derivations."""

import json
import time
from functools import partial

import pytest
from command_line import Write, refusal
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.io.dataset import Dataset
from metaeval.io.labels.join import Policies, Policy
from metaeval.io.r4c import read_derivations
from metaeval.model.runs import DerivationRuns, Step
from metaeval.study.study import no_progress

STEP = ["Title", 0, ["x", "is", "y"]]
OTHER = ["Title", 1, ["y", "is", "z"]]
GOLD = {"q1": [[STEP], [STEP, OTHER]], "q2": [[OTHER]]}
RUN = {"sp": {"q1": [["Title", 0]]}, "re": {"q2": [OTHER], "q1": [STEP]}, "answer": {"q1": "yes"}}
R4C = SHARED_DATA / "r4c"


def read(gold: str, *runs: str, policies: Policies | None = None, needs_runs: bool = True) -> Dataset[DerivationRuns]:
    return read_derivations(gold, runs, policies=policies or Policies(), progress=no_progress, needs_runs=needs_runs)


refused = partial(refusal, read)


def test_references_and_systems_are_joined_by_item(write: Write) -> None:
    gold, run = write("gold.json", json.dumps(GOLD)), write("pred_core.json", json.dumps(RUN))
    dataset = read(gold, run, f"again={run}")
    runs = dataset.runs
    assert (runs.items, runs.systems, dataset.paths) == (("q1", "q2"), ("pred_core", "again"), (run, run))
    step, other = Step("x", "is", "y"), Step("y", "is", "z")
    assert runs.outputs == (((step,), (other,)),) * 2
    assert runs.references == (((step,), (step, other)), ((other,),))
    assert dataset.notes == ()
    assert [file.role for file in dataset.files] == ["gold", "run"]
    assert read(gold, needs_runs=False).runs.systems == ()
    assert "gold.json: no run beside gold" in refused(gold)


def test_derivations_without_steps_are_allowed_and_told(write: Write) -> None:
    gold = write("gold.json", json.dumps({"q1": [[], [STEP]], "q2": [[STEP]]}))
    dataset = read(gold, write("me.json", '{"re": {"q1": [], "q2": []}}'))
    assert dataset.runs.outputs == (((), ()),)
    assert dataset.notes == ("2 empty outputs of me score 0", "1 empty reference")
    worst = read(gold, write("me.json", '{"re": {}}'), policies=Policies(Policy("worst")))
    assert worst.notes == ("2 missing outputs: counted as empty, score 0 (me)", "1 empty reference")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (
            '{"re": {"q1": [["T", 0, ["x", "y", "z"]],\n["T", 0, ["x", "y"]]],\n"q2": []}}',
            "me.json:1: a triple of 2 fields in item 'q1', step 2; expected [title, sentence, [head, relation, tail]]",
        ),
        (
            '{"re": {"q1": [],\n"q2": [["T", 0, ["x", 1, "z"]]]}}',
            "me.json:2: a number in the triple in item 'q2', step 1",
        ),
        ('{"re": {"q1": [],\n"q2": [["T", 0, "x"]]}}', "me.json:2: a text for the triple in item 'q2', step 1"),
        ('{"re": {"q1": [],\n"q2": [["T", 0]]}}', "me.json:2: a list of 2 in item 'q2', step 1"),
        ('{"re": {"q1": [],\n"q2": [{}]}}', "me.json:2: an empty object in item 'q2', step 1"),
        ('{"re": {"q1": [],\n"q2": null}}', "me.json:2: null in item 'q2'; expected a list of steps"),
        ('{"re": {"q1": [],\n"q1": []}}', "me.json:2: item 'q1' again, first on line 1; expected every item once"),
        ('{"re": {"q1": [],\n"q2": [], "q3": []}}', "me.json:2: item 'q3'; expected an item with a reference"),
        ('{"re": {"q1": []}}', "me.json: no output of 'me' for item 'q2'"),
        (
            '{"re": {"q1": [],\n"q2": [["\\ud83d\\ude00", 0, ["\\udc00", "y", "z"]]]}}',
            "me.json: JSON cannot be read (half of a surrogate pair, \\udc00",
        ),
        ('{"sp": {}}', "me.json:1: keys 'sp'; expected the key 're'"),
        ('{"re": [1]}', "me.json:1: a list under 're'; expected an object"),
        ('{"re": {}, "re": {}}', "me.json:1: key 're' again"),
        ("[]", "me.json:1: a list; expected an object"),
        ('{"re": {', "me.json:1: JSON cannot be read ("),
        ("", "me.json: the file is empty"),
    ],
)
def test_what_is_wrong_with_a_run_is_told_with_item_step_and_line(write: Write, run: str, message: str) -> None:
    assert message in refused(write("gold.json", json.dumps(GOLD)), write("me.json", run))


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ('{"q1": [],\n"q2": []}', "gold.json:2: no derivation of item 'q2'; expected at least one"),
        ('{"q1": {}}', "gold.json:1: objects under 'q1'"),
        (json.dumps(RUN), "name it as a run, and the references with gold"),
        ('{"q1": [[["T", 0, ["x"]]]]}', "gold.json:1: a triple of 1 fields in item 'q1', derivation 1, step 1"),
        ('{"q1": [["T", 0, ["x", "y", "z"]]]}', "gold.json:1: a text in item 'q1', derivation 1, step 1"),
        ('{"": [[]]}', "gold.json:1: no id"),
        ('{"q1": [[]], "q1": [[]]}', "gold.json:1: item 'q1' again, first on line 1"),
        ("{}", "gold.json:1: an empty object; expected an object"),
    ],
)
def test_what_is_wrong_with_gold_is_told_with_item_and_line(write: Write, gold: str, message: str) -> None:
    refusal = refused(write("gold.json", gold), write("me.json", json.dumps(RUN)))
    assert message in refusal


def test_all_files_are_told_at_once(write: Write) -> None:
    message = refused(write("gold.json", "{}"), write("a.json", "[1]"), write("b.json", '{"re": {"q": 1}}'), "c.json")
    for part in (
        "gold.json:1: an empty object",
        "a.json:1: a list",
        "b.json:1: a number in item 'q'",
        "c.json: no such",
    ):
        assert part in message


@needs_shared_data
def test_the_files_of_the_shared_task_are_read_at_once() -> None:
    gold, core = str(R4C / "dev_csf.json"), str(R4C / "pred_core.json")
    started = time.process_time()
    dataset = read(gold, core)
    assert time.process_time() - started < 5
    assert dataset.runs.items == tuple(json.loads((R4C / "dev_csf.json").read_text(encoding="utf-8")))
    assert dataset.runs.systems == ("pred_core",)
    assert {len(references) for references in dataset.runs.references} == {3}


@needs_shared_data
def test_the_oracle_has_67_items_with_references() -> None:
    gold, oracle = str(R4C / "dev_csf.json"), str(R4C / "pred_oracle.json")
    dataset = read(gold, oracle, policies=Policies(Policy("drop"), drop_extra=True))
    assert len(dataset.runs.items) == 67
    assert dataset.notes[0] == "dropped 31 outputs for items without a reference (pred_oracle)"
    assert "expected an item with a reference" in refused(gold, oracle)
