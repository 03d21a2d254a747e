"""Texts in scripts whose letters a tokenizer drops are refused, whatever the command and the format."""

import json

import pytest
from command_line import CommandLine, Write

import metaeval
from metaeval.errors import InputError

DROPPED = {
    "Hindi": "2024 में 15 किसान BBC से मिले।",
    "Bengali": "ঢাকায় 30 জন আহত হয়েছে।",
    "Telugu": "హైదరాబాద్‌లో 40 మంది ఉన్నారు.",
    "Tamil": "சென்னையில் 7 பேர் கைது.",
    "Burmese": "ရန်ကုန်မြို့တွင် 8 ဦး ဒဏ်ရာရ။",
    "Khmer": "មនុស្ស 5 នាក់ នៅភ្នំពេញ។",
    "Sinhala": "කොළඹ 6 දෙනෙක් සිටිති.",
    "Malayalam": "കൊച്ചിയിൽ 3 പേർ മരിച്ചു.",
    "Punjabi": "ਅੰਮ੍ਰਿਤਸਰ ਵਿੱਚ 4 ਲੋਕ ਸਨ।",
    "Thai": "กรุงเทพมี 10 เขต",
    "Arabic": "وصل 20 شخصا إلى القاهرة.",
    "Hebrew": "הגיעו 11 אנשים לתל אביב.",
    "Greek": "Στην Αθήνα ήρθαν 14 άνθρωποι.",
    "Russian": "В Москву приехали 16 человек.",
    "Chinese": "北京有 17 个区。",
    "Japanese": "東京には23の区がある。",
    "Korean": "서울에는 25개의 구가 있다.",
}
READ = {
    "German": "Über Köln fährt früh der große Zug.",
    "French": "Élève à l'école, où l'été a été gâté.",
    "Polish": "Zażółć gęślą jaźń, łódź się kołysze.",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "Turkish": "Çocuklar bahçede oynuyor, güneş ışıldıyor.",
    "Vietnamese": "Hôm nay trời đẹp ở Hà Nội.",
    "Japanese in English": "The cat is called 猫 in Japanese.",
    "numbers": "2024 — 15 % … １２３",
}
SCORE = ("score", "--task", "texts", "-m", "rouge-n")


def files(write: Write, form: str, gold: str, output: str) -> tuple[str, ...]:
    """References and outputs of one item in a format, as arguments."""
    names = [("ref", gold), ("sys", output)]
    match form:
        case "jsonl":
            paths = [write(f"{name}.jsonl", json.dumps({"id": 1, "text": text})) for name, text in names]
        case "csv":
            paths = [write(f"{name}.csv", f'id,text\n1,"{text}"\n') for name, text in names]
        case "folder":
            paths = [write(f"{name}/1.txt", text).rpartition("/")[0] for name, text in names]
        case "settings":
            models, peers = (
                f"<{tag}S><{tag[0]} ID='1'>{name}.txt</{tag[0]}></{tag}S>"
                for tag, name in (("MODEL", "ref"), ("PEER", "sys"))
            )
            _ = [write(f"{name}.txt", text) for name, text in names]
            body = f"<EVAL ID='1'><INPUT-FORMAT TYPE='SPL'/>{peers}{models}</EVAL>"
            return "--gold", write("settings.xml", f"<ROUGE-EVAL>{body}</ROUGE-EVAL>")
    return "--gold", *paths


@pytest.mark.parametrize("language", DROPPED)
def test_a_script_that_is_dropped_is_refused_and_the_remedy_works(
    metaeval: CommandLine, write: Write, language: str
) -> None:
    paths = files(write, "jsonl", DROPPED[language], DROPPED[language])
    message = metaeval.refuses(*SCORE, *paths)
    remedies = ("japanese", "characters") if language == "Japanese" else ("whitespace", "characters")
    assert f"--tokenizer {remedies[0]}, or {remedies[1]}" in message
    assert "of the references" in message
    assert "of system 'sys'" in message
    for tokenizer in remedies:
        scores = metaeval.succeeds(*SCORE, "-f", "csv", *paths, "--tokenizer", tokenizer).column("rouge-n")
        assert list(scores.values()) == [1.0]


@pytest.mark.parametrize("language", READ)
def test_latin_letters_with_accents_are_read(metaeval: CommandLine, write: Write, language: str) -> None:
    metaeval.succeeds(*SCORE, *files(write, "csv", READ[language], READ[language]))


@pytest.mark.parametrize("command", ["score", "validate", "compare"])
@pytest.mark.parametrize("form", ["jsonl", "csv", "folder", "settings"])
def test_one_system_that_is_dropped_is_refused_by_every_command(
    metaeval: CommandLine, write: Write, command: str, form: str
) -> None:
    paths = files(write, form, "A cat sat in Paris for a long time, and it rained.", DROPPED["Hindi"])
    message = metaeval.refuses(command, "--task", "texts", *paths)
    assert "letters of system" in message
    assert "of the references" not in message


def test_texts_in_memory_are_refused_but_sources_may_be_of_another_script() -> None:
    text = DROPPED["Russian"]
    with pytest.raises(InputError, match=r"drops 22 of 22 letters of system 'a'.*\n.*tokenizer='whitespace'"):
        metaeval.score(metaeval.from_texts({"a": [text]}, references=["A cat."]))
    metaeval.score(metaeval.from_texts({"a": ["A cat."]}, references=["A cat."], sources=[text]), "rouge-n")
