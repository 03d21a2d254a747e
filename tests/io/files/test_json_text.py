"""Lines of keys, and what JSON lines are not."""

import json

import pytest
from command_line import CommandLine, Write, refusal
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.io.files.json import lines_of_members, texts_of_rows

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


def test_an_object_over_several_lines_is_rejected_and_what_may_be_lines_is_not() -> None:
    for text in ('{\n"a": 1}', '\n {  \n"a": 1}\n', '{"a": 1,\n"b": 2}\n{"a": 3}'):
        message = refusal(texts_of_rows, text, "x.json", '{"id": …}', hint="or say so")
        assert 'x.json:1: an object over several lines; expected an object {"id": …} for each row' in message
        assert "What to do: or say so." in message
    for text in ("[1", "{", "{\n", "[1],", "[{}{}]", "[{},]"):
        with pytest.raises(InputError, match="JSON cannot be read"):
            texts_of_rows(text, "x.json", '{"id": …}')
    for text in ('{"a": 1}', "{}\n", '{"a": [\n', "a ["):
        assert list(texts_of_rows(text, "x.json", "")[0]) == [text.rstrip("\n")]


@given(st.lists(st.dictionaries(st.sampled_from(["id", 'a"\n', "{b}"]), VALUES), min_size=1, max_size=4))
def test_rows_of_a_list_and_of_an_object_are_those_of_lines(rows: list[dict[str, object]]) -> None:
    texts = [json.dumps(row) for row in rows]
    lines = list(range(2, len(rows) + 2))
    members, list_lines = texts_of_rows("[\n" + ",\n".join(texts) + "\n]", "x.json", "")
    assert ([*map(json.loads, members)], list_lines()) == (rows, lines)
    by_id = ",\n".join(f'"{number}" :{text}' for number, text in enumerate(texts))
    members, object_lines = texts_of_rows("{\n" + by_id + "}", "x.json", "")
    with_ids = [{"id": str(number), **row} for number, row in enumerate(rows)]
    assert ([*map(json.loads, members)], object_lines()) == (with_ids, lines)


def test_every_reader_of_json_lines_tells_keys_that_stand_twice(metaeval: CommandLine, write: Write) -> None:
    row = '{"id": "1", "label": "x", "text": "x", "bleu": 1, "system": "s", "system": "t"}\n'
    path, gold = write("twice.jsonl", row), write("gold.csv", "id,label,text\n1,x,x\n")
    for task in (("--gold", gold), ("--task", "texts", "--gold", gold), ("--task", "table")):
        message = metaeval.refuses("score", *task, path)
        assert "twice.jsonl:1: key 'system' again; expected every key once" in message
