"""The shipped texts and derivations: readable, of similar length, and as their page describes them."""

import csv
import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.r4c import read_derivations
from metaeval.io.texts.summaries import read_texts
from metaeval.measures.text.japanese import japanese
from metaeval.measures.text.lexicons import read_lexicon
from metaeval.measures.text.vocabulary import vocabulary_of
from metaeval.model.texts import TextRuns, TokenizedTexts

Item = TypeVar("Item")

FOLDER = Path(__file__).resolve().parent.parent / "sample_data"
TOPICS = {"tsc3": ["t1", "t2", "t3", "t4", "t5"], "news": ["n1", "n2", "n3", "n4", "n5", "n6"]}
TEXT_SYSTEMS = ["abstract_fair", "abstract_good", "extract", "lead", "repeat", "tfidf_words"]
STEP_SYSTEMS = ["careful", "core", "swapped", "verbose"]
TOPICS_OF_SETS = [(name, topic) for name, topics in TOPICS.items() for topic in topics]

each_set = pytest.mark.parametrize("name", TOPICS)
each_topic = pytest.mark.parametrize(("name", "topic"), TOPICS_OF_SETS)


def sentences(path: str) -> list[str]:
    return (FOLDER / path).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def summary(name: str, system: str, topic: str) -> list[str]:
    return sentences(f"{name}/systems/{system}/{topic}.txt")


def references(name: str, topic: str) -> list[list[str]]:
    return [sentences(f"{name}/references/{topic}.{annotator}.txt") for annotator in "AB"]


def articles(name: str, topic: str) -> list[list[str]]:
    text = "\n".join(sentences(f"{name}/sources/{topic}.txt"))
    return [article.split("\n") for article in text.split("\n\n")]


def json_lines(path: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in sentences(path)]


def unchanged(items: Sequence[Item], description: str) -> Sequence[Item]:
    return items


def read(gold: str, *runs: str, tokenizer: str = "whitespace") -> TextRuns:
    return read_texts(
        str(FOLDER / gold),
        [str(FOLDER / run) for run in runs],
        encoder=vocabulary_of(tokenizer),
        columns=Columns(),
        policies=Policies(),
        progress=unchanged,
    ).runs


def texts_in(told: TokenizedTexts, forms: Sequence[str]) -> list[list[list[str]]]:
    """Texts as lists of sentences, these as lists of words."""
    words = iter([forms[code] for code in told.codes])
    lengths = iter(told.lengths.tolist())
    return [[[next(words) for _ in range(next(lengths))] for _ in range(size)] for size in told.sizes.tolist()]


def words_of(runs: TextRuns) -> dict[str, list[list[list[str]]]]:
    """The texts of the references (as '') and of each system."""
    said = {"": runs.references, **dict(zip(runs.systems, runs.outputs, strict=True))}
    return {system: texts_in(told, [word.form for word in runs.words]) for system, told in said.items()}


def grams(text: list[list[str]], n: int) -> Counter[tuple[str, ...]]:
    words = [word for sentence in text for word in sentence]
    return Counter(zip(*(words[place:] for place in range(n)), strict=False))


def shared(runs: TextRuns, system: str, n: int) -> float:
    """The share of the n-grams of the references that a system has, in the mean over topics and references."""
    said = words_of(runs)
    shares = []
    for place, reference in enumerate(said[""]):
        gold_texts = grams(reference, n)
        shares.append((gold_texts & grams(said[system][place // 2], n)).total() / gold_texts.total())
    return float(np.mean(shares))


# --- Texts -------------------------------------------------------------------------------------------------


@each_topic
def test_texts_of_a_topic_are_what_the_page_says(name: str, topic: str) -> None:
    told, gold_texts = articles(name, topic), references(name, topic)
    source = [line for article in told for line in article]
    assert len(told) == 3
    assert 15 <= len(source) <= 25
    # Human texts are complete sentences, and all summaries are about as long as the references.
    end = "。" if name == "tsc3" else "."
    written = [*gold_texts, *(summary(name, system, topic) for system in TEXT_SYSTEMS[:4])]
    assert all(line.endswith(end) and line.count(end) == 1 for text in written for line in text)
    assert all(4 <= len(text) <= 6 for text in gold_texts)
    length = np.mean([len("".join(reference)) for reference in gold_texts])
    for system in TEXT_SYSTEMS:
        assert len("".join(summary(name, system, topic))) == pytest.approx(length, rel=0.2), system
    # One sentence over and over; the first of every article; sentences of the source in their order.
    repeated = summary(name, "repeat", topic)
    assert len(repeated) > 2
    assert set(repeated) == {summary(name, "abstract_good", topic)[0]}
    assert summary(name, "lead", topic)[:3] == [article[0] for article in told]
    places = [source.index(line) for line in summary(name, "extract", topic)]
    assert len(places) > 2
    assert all(before < after for before, after in pairwise(places))


@pytest.mark.parametrize("topic", TOPICS["news"])
def test_an_english_word_list_repeats_only_words_that_every_source_has(topic: str) -> None:
    (line,) = summary("news", "tfidf_words", topic)
    sources = {
        other: set(re.findall("[a-z]+", "\n".join(sentences(f"news/sources/{other}.txt")).lower()))
        for other in TOPICS["news"]
    }
    counts = Counter(line.split(" "))
    assert set(counts) <= sources[topic]
    assert {word for word, times in counts.items() if times > 1} <= set.intersection(*sources.values())


@pytest.mark.parametrize("topic", TOPICS["tsc3"])
def test_a_japanese_word_list_is_no_sentence(topic: str) -> None:
    (line,) = summary("tsc3", "tfidf_words", topic)
    assert set(line) <= set("".join(sentences(f"tsc3/sources/{topic}.txt")))
    assert not set(line) & set("、。「」 0123456789")


@each_set
def test_word_lists_share_many_words_with_references_and_hardly_a_bigram(name: str) -> None:
    runs = read(f"{name}/references", f"{name}/systems", tokenizer="japanese" if name == "tsc3" else "rouge")
    unigrams, bigrams = ({system: shared(runs, system, n) for system in TEXT_SYSTEMS} for n in (1, 2))
    assert unigrams["tfidf_words"] > unigrams["repeat"]
    assert bigrams["tfidf_words"] == min(bigrams.values())
    assert max(unigrams, key=unigrams.__getitem__) == max(bigrams, key=bigrams.__getitem__) == "abstract_good"


@each_set
def test_no_two_systems_say_the_same(name: str) -> None:
    texts = [tuple(summary(name, system, topic)) for system in TEXT_SYSTEMS for topic in TOPICS[name]]
    assert len(set(texts)) == len(texts)


# --- Japanese ----------------------------------------------------------------------------------------------


@cache
def tokens(path: str) -> frozenset[str]:
    tokenize = japanese()
    return frozenset(word.form for line in sentences(path) for word in tokenize(line))


def test_every_word_of_the_lexicon_occurs_and_shares_a_label_with_another() -> None:
    labels = read_lexicon(FOLDER / "tsc3/lexicon.tsv")
    listed = [line.partition("\t")[0] for line in sentences("tsc3/lexicon.tsv")]
    paths = [path for part in ("sources", "references", "systems") for path in (FOLDER / "tsc3" / part).rglob("*.txt")]
    known = set().union(*(tokens(str(path.relative_to(FOLDER))) for path in paths))
    assert listed == sorted(set(listed))
    assert [word for word in listed if word not in known] == []
    for word in listed:
        assert any(set(labels(word)) & set(labels(other)) for other in listed if other != word), word


@pytest.mark.parametrize("topic", TOPICS["tsc3"])
def test_by_the_lexicon_a_good_abstract_shares_more_with_the_references(topic: str) -> None:
    labels = read_lexicon(FOLDER / "tsc3/lexicon.tsv")
    said = tokens(f"tsc3/systems/abstract_good/{topic}.txt")
    meant = {label for word in said for label in labels(word)}
    for annotator in "AB":
        other_words = tokens(f"tsc3/references/{topic}.{annotator}.txt") - said
        assert any(meant & set(labels(word)) for word in other_words)


@cache
def human_means() -> dict[str, dict[str, float]]:
    """Data set to system to the mean over topics."""
    with (FOLDER / "tsc3/human.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {(row["measure"], row["system"], row["item"]) for row in rows} == {
        (f"D{number}", system, topic) for number in range(1, 6) for system in TEXT_SYSTEMS for topic in TOPICS["tsc3"]
    }
    assert len(rows) == 150
    assert all(re.fullmatch(r"0\.\d|1\.0", row["value"]) for row in rows)
    means: dict[str, dict[str, float]] = {}
    for row in rows:
        of_set = means.setdefault(row["measure"], dict.fromkeys(TEXT_SYSTEMS, 0.0))
        of_set[row["system"]] += float(row["value"]) / len(TOPICS["tsc3"])
    return means


def test_assessors_agree_but_not_wholly() -> None:
    table = np.array([[of_set[system] for system in TEXT_SYSTEMS] for of_set in human_means().values()])
    between = np.corrcoef(table)[np.triu_indices(5, 1)]
    assert 0.85 < between.min() < between.max() < 0.995


@pytest.mark.parametrize("data_set", ["D1", "D2", "D3", "D4", "D5"])
def test_every_assessor_puts_the_good_abstract_first_and_the_tricks_last(data_set: str) -> None:
    ranked = sorted(TEXT_SYSTEMS, key=lambda system: -human_means()[data_set][system])
    assert ranked[0] == "abstract_good"
    assert set(ranked[-2:]) == {"repeat", "tfidf_words"}


def test_the_page_states_the_mean_human_score_of_every_system() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\| `(\w+)` \|.*\| (0\.\d\d) \|$", page, flags=re.MULTILINE)
    means = {system: np.mean([of_set[system] for of_set in human_means().values()]) for system in TEXT_SYSTEMS}
    assert dict(stated) == {system: f"{mean:.2f}" for system, mean in means.items()}


# --- Derivations -------------------------------------------------------------------------------------------

ITEMS = [f"q{number:02d}" for number in range(1, 13)]


@cache
def steps(path: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FOLDER / "r4c" / path).read_text(encoding="utf-8"))
    return content["re"] if path.startswith("systems/") else content


def entities(derivation: list[Any]) -> list[tuple[str, str]]:
    return [(head, tail) for _, _, (head, _, tail) in derivation]


def relations(derivation: list[Any]) -> list[str]:
    return [relation for _, _, (_, relation, _) in derivation]


def test_swapped_has_other_relations_than_careful_and_verbose_says_more_than_all() -> None:
    for item in ITEMS:
        careful, core, swapped, verbose = (
            steps(f"systems/{system}.json")[item] for system in ("careful", "core", "swapped", "verbose")
        )
        assert entities(careful) == entities(swapped)
        assert not set(relations(careful)) & set(relations(swapped))
        assert all(step in verbose for step in [*careful, *core])
        assert len(verbose) > len(careful) + len(core)


# --- The readers -------------------------------------------------------------------------------------------


@each_set
def test_the_folders_are_read(name: str) -> None:
    texts = read(f"{name}/references", f"{name}/systems")
    assert list(texts.items) == TOPICS[name]
    assert sorted(texts.systems) == TEXT_SYSTEMS
    assert texts.reference_counts.tolist() == [2] * len(TOPICS[name])


@pytest.mark.parametrize(
    "paths", [["news/references.jsonl", "news/systems.jsonl"], ["news/settings.xml"]], ids=["json", "settings"]
)
def test_every_layout_gives_the_sentences_of_the_folders(paths: list[str]) -> None:
    texts, folders = read(*paths), read("news/references", "news/systems")
    assert texts.items == folders.items
    assert words_of(texts) == words_of(folders)


def test_derivations_are_read() -> None:
    found = read_derivations(
        str(FOLDER / "r4c/references.json"), [str(FOLDER / "r4c/systems")], policies=Policies(), progress=unchanged
    ).runs
    assert list(found.items) == ITEMS
    assert sorted(found.systems) == STEP_SYSTEMS


def test_the_page_describes_every_system_of_texts_and_derivations() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [system for system in [*TEXT_SYSTEMS, *STEP_SYSTEMS] if f"| `{system}` |" not in page] == []
