"""Lines of keys, and what JSON lines are not."""

import json

import pytest
from command_line import CommandLine, Write
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.io.files.json_text import Pairs, key_again, lines_of_members, reject_no_lines

VALUES = st.recursive(st.text('":\\,{}[a\n', max_size=4), lambda inner: st.lists(inner, max_size=3), max_leaves=5)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"a": ["x",\n":y"],\n"b": 1}', [1, 3]),
        ('{"a": [",", ":"],\n"b" : 1}', [1, 2]),
        ('{"a": "b\\":",\n"b": 1}', [1, 2]),
        ('{"a": ["b", "a"],\n"\\u0062"\n: 1}', [1, 2]),
        ("{}", []),
    ],
)
def test_keys_are_found_beside_texts_in_lists(text: str, lines: list[int]) -> None:
    json.loads(text)
    assert lines_of_members(text) == lines


@given(st.dictionaries(st.text('":\\,a\n', max_size=4), VALUES, max_size=6))
def test_every_key_is_found_on_its_line(members: dict[str, object]) -> None:
    rows = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in members.items()]
    text = "{\n" + ",\n".join(rows) + "}"
    assert lines_of_members(text) == list(range(2, len(members) + 2))


def test_lists_over_several_lines_do_not_put_a_report_out_of_step(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.json", '{"subtaskbenglish": {\n"e1": "true",\n"e2": "false"}}')
    run = write("run.json", '{"subtaskbenglish": {\n"e1": ["x",\n":y"],\n"e2": ["false", 7]}}')
    message = metaeval.refuses("score", "--task", "rumoureval2019-b", "--gold", gold, run)
    assert "run.json:2: confidence ':y' for id 'e1'" in message
    assert "run.json:4: confidence 7 for id 'e2'" in message


@pytest.mark.parametrize("text", ["[1]", " \n[", "{\n}", "\n {  \n", "{"])
def test_what_spans_lines_is_rejected(text: str) -> None:
    with pytest.raises(InputError) as error:
        reject_no_lines(text, "x.json", '{"id": …}', hint="or say so")
    message = str(error.value)
    assert (
        'x.json:1: JSON that spans lines, or a list; expected JSON lines: an object {"id": …} on every line' in message
    )
    assert "`jq -c '.[]'` turns a list into lines; or say so" in message


@pytest.mark.parametrize("text", ['{"a": 1}', "{}\n", '{"a": [\n', "", "a [", "\n"])
def test_what_may_be_lines_is_not_rejected(text: str) -> None:
    reject_no_lines(text, "x.json", '{"id": …}')


def test_a_key_again_is_told() -> None:
    assert key_again(Pairs([("a", 1), ("b", 1)]), "x", 1) is None
    assert key_again(Pairs(), "x", 1) is None


def test_every_reader_of_json_lines_tells_keys_that_stand_twice(metaeval: CommandLine, write: Write) -> None:
    row = '{"id": "1", "label": "x", "text": "x", "bleu": 1, "system": "s", "system": "t"}\n'
    path, gold = write("twice.jsonl", row), write("gold.csv", "id,label,text\n1,x,x\n")
    for task in (("--gold", gold), ("--task", "texts", "--gold", gold), ("--task", "table")):
        message = metaeval.refuses("score", *task, path)
        assert "twice.jsonl:1: key 'system' twice in one object; expected every key once" in message
