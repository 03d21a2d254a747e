"""RumourEval files of 2017 and 2019."""

import json

import pytest
from command_line import CommandLine, Write

OPTIONS = ("-m", "accuracy", "-f", "csv", "-q")
FLAT = {"1": "support", "2": "deny", "3": "query", "4": "comment"}
KEY_2019 = {"subtaskaenglish": FLAT, "subtaskbenglish": {"x": "true", "y": "false", "z": "unverified"}}


def test_a_flat_object_is_2017(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.json", json.dumps(FLAT, indent=1))
    run = write("run.json", json.dumps(dict.fromkeys(reversed(FLAT), "support")))
    outcome = metaeval.succeeds("score", "--task", "rumoureval2017", "--gold", gold, run, *OPTIONS)
    assert outcome.column("accuracy") == {"run": 0.25}


def test_subtasks_of_2019_are_read_each_from_its_key(metaeval: CommandLine, write: Write) -> None:
    answer = {
        "subtaskaenglish": {**FLAT, "1": "deny"},
        "subtaskbenglish": {"x": ["true", 1], "y": ["true", 0.25], "z": ["unverified", 0]},
    }
    gold, run = write("key.json", json.dumps(KEY_2019)), write("run.json", json.dumps(answer, indent=2))
    for task, accuracy in (("rumoureval2019", 3 / 4), ("rumoureval2019-b", 2 / 3)):
        outcome = metaeval.succeeds("score", "--task", task, "--gold", gold, run, *OPTIONS)
        assert outcome.column("accuracy") == pytest.approx({"run": accuracy}, abs=1e-12)


@pytest.mark.parametrize("language", ["danish", "russian"])
@pytest.mark.parametrize("letter", ["a", "b"])
def test_danish_and_russian_have_tasks_of_their_own(
    metaeval: CommandLine, write: Write, language: str, letter: str
) -> None:
    labels = FLAT if letter == "a" else {"x": "true", "y": "false", "z": "unverified"}
    gold = write("key.json", json.dumps({f"subtask{letter}{language}": labels}))
    task = f"rumoureval2019-{letter}-{language}"
    assert metaeval.succeeds("score", "--task", task, "--gold", gold, f"me={gold}", *OPTIONS).column("accuracy") == {
        "me": 1.0
    }


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (["true", 1.5], "confidence 1.5"),
        (["true", -0.1], "confidence -0.1"),
        (["true", True], "confidence True"),
        (["true", "1"], "confidence '1'"),
        (["true"], "a list"),
        ([0.5, "true"], "a list"),
        ({"label": "true"}, "an object"),
        (1, "a number"),
        (None, "null"),
        (True, "a truth value"),
    ],
)
def test_a_value_of_the_wrong_shape_is_named_with_id_and_line(
    metaeval: CommandLine, write: Write, value: object, problem: str
) -> None:
    gold = write("key.json", json.dumps(KEY_2019))
    members = {"x": "true", "y": value, "z": "unverified"}
    run = write("run.json", '{"subtaskbenglish": {\n' + json.dumps(members)[1:].replace(', "y', ',\n"y') + "}")
    message = metaeval.refuses("score", "--task", "rumoureval2019-b", "--gold", gold, run)
    assert f"run.json:3: {problem} for id 'y'; expected a label, or [\"label\", confidence from 0 to 1]" in message


def test_files_of_the_other_year_hint_at_their_task(metaeval: CommandLine, write: Write) -> None:
    flat, nested = write("flat.json", json.dumps(FLAT)), write("nested.json", json.dumps(KEY_2019))
    parts = ("nested.json:1: objects under 'subtaskaenglish'", "--task rumoureval2019")
    metaeval.refuses_with(parts, "score", "--task", "rumoureval2017", "--gold", nested, f"a={nested}")
    as_2019 = metaeval.refuses("score", "--task", "rumoureval2019", "--gold", flat, f"a={flat}")
    assert "flat.json:1: keys '1', '2', '3', '4'; expected the key 'subtaskaenglish'" in as_2019
    assert "--task rumoureval2017" in as_2019


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"subtaskaenglish": {}}', "an empty object under 'subtaskaenglish'"),
        ('{"subtaskaenglish": [1]}', "a list under 'subtaskaenglish'"),
        ('{"subtaskaenglish": null}', "null under 'subtaskaenglish'"),
        ('{"subtaskaenglish": {"1": "deny"}, "subtaskaenglish": {"1": "deny"}}', "key 'subtaskaenglish' again"),
        ("{}", "an empty object"),
        ("[]", "a list"),
        ('"deny"', "a text"),
    ],
)
def test_a_subtask_without_answers_is_refused(metaeval: CommandLine, write: Write, text: str, problem: str) -> None:
    path = write("key.json", text)
    for task in ("rumoureval2019", *(() if "subtask" in text else ("rumoureval2017",))):
        assert f": {problem}; expected" in metaeval.refuses("score", "--task", task, "--gold", path, f"a={path}")
