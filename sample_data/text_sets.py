"""The sets of texts: files written by hand, and systems derived from them.

Sources, references and the systems `abstract_good` and `abstract_fair` are files of the sample data itself, a sentence
a line; `generate.py` reads them and writes the rest. Nothing here needs an analyser or a dictionary.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

FOLDER = Path(__file__).resolve().parent
ANNOTATORS = ("A", "B")
WRITTEN_SYSTEMS = ("abstract_good", "abstract_fair")
SYSTEMS = (*WRITTEN_SYSTEMS, "lead", "extract", "repeat", "tfidf_words")

Sentences = list[str]


# --- Words without a dictionary ----------------------------------------------------------------------------

# What follows a number is what it counts, and 約 before one is not of the word before it.
_JAPANESE_WORDS = re.compile(
    r"[ァ-ヴー]{2,}|(?<![ぁ-ん])[がでとにのはもを](?![ぁ-ん])|(?<![0-9一-龠々])[一-龠々]{2,}?(?=約?[0-9]|[^一-龠々]|$)"
)
_ENGLISH_WORDS = re.compile(r"[a-z]+")


def japanese_words(sentence: str) -> list[str]:
    """Runs of at least two kanji or two katakana, most of them nouns, and particles of one hiragana.

    >>> japanese_words("20日夜に瀬名川があふれ、住民約900人とボランティアが逃れた。")
    ['に', '瀬名川', '住民', 'と', 'ボランティア', 'が']
    """
    return _JAPANESE_WORDS.findall(sentence)


def english_words(sentence: str) -> list[str]:
    """Runs of letters, in small ones.

    >>> english_words("The ferry carries 120 people.")
    ['the', 'ferry', 'carries', 'people']
    """
    return _ENGLISH_WORDS.findall(sentence.lower())


# --- A set -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TextSet:
    """Topics in one language.

    folder: its own, below sample_data/. topics: the names of its items. words: the words of a sentence.
    between: what parts the words of a list.
    """

    folder: str
    topics: tuple[str, ...]
    words: Callable[[str], list[str]]
    between: str

    def written(self, path: str) -> Sentences:
        """The sentences of a hand-written file; the articles of a source are parted by blank lines."""
        return [line for line in self.text(path).split("\n") if line]

    def text(self, path: str) -> str:
        """A hand-written file."""
        return (FOLDER / self.folder / path).read_text(encoding="utf-8")

    def written_paths(self) -> list[str]:
        """The hand-written files, as seen from the folder of the set."""
        return [
            path
            for topic in self.topics
            for path in (
                f"sources/{topic}.txt",
                *(f"references/{topic}.{annotator}.txt" for annotator in ANNOTATORS),
                *(f"systems/{system}/{topic}.txt" for system in WRITTEN_SYSTEMS),
            )
        ]

    def outputs(self) -> dict[str, dict[str, Sentences]]:
        """What every system says: system to topic to sentences."""
        weights = self.word_weights()
        texts: dict[str, dict[str, Sentences]] = {system: {} for system in SYSTEMS}
        for topic in self.topics:
            length = self.length(topic)
            source = self.written(f"sources/{topic}.txt")
            good = self.written(f"systems/abstract_good/{topic}.txt")
            texts["abstract_good"][topic] = good
            texts["abstract_fair"][topic] = self.written(f"systems/abstract_fair/{topic}.txt")
            texts["lead"][topic] = up_to(length, self.in_turn(topic))
            best = up_to(length, by_weight(source, [self.weight(line, weights[topic]) for line in source]))
            # As far as they are chosen, sentences stand in the order of the sources.
            texts["extract"][topic] = [line for line in source if line in best]
            texts["repeat"][topic] = [good[0]] * max(2, round(length / len(good[0])))
            ranked = self.ranked_words(topic, weights[topic])
            chosen = up_to(length, ranked, gap=len(self.between))
            texts["tfidf_words"][topic] = [self.between.join(chosen)]
        return texts

    def length(self, topic: str) -> int:
        """The characters of a summary: as many as the references have in the mean."""
        references = [self.written(f"references/{topic}.{annotator}.txt") for annotator in ANNOTATORS]
        return round(sum(len("".join(reference)) for reference in references) / len(references))

    def in_turn(self, topic: str) -> Sentences:
        """The first sentence of every article, then the second ones, and so on."""
        articles = [article.split("\n") for article in self.text(f"sources/{topic}.txt").strip().split("\n\n")]
        longest = max(len(article) for article in articles)
        return [article[index] for index in range(longest) for article in articles if index < len(article)]

    def word_counts(self) -> dict[str, Counter[str]]:
        """How often the sources of a topic have a word, by topic."""
        return {
            topic: Counter(word for line in self.written(f"sources/{topic}.txt") for word in self.words(line))
            for topic in self.topics
        }

    def word_weights(self) -> dict[str, dict[str, float]]:
        """TF·IDF by topic and word: times in its sources, times 1 + ln(topics / topics with the word)."""
        counts = self.word_counts()
        topics_with = Counter(word for count in counts.values() for word in count)
        return {
            topic: {word: times * (1 + math.log(len(counts) / topics_with[word])) for word, times in count.items()}
            for topic, count in counts.items()
        }

    def ranked_words(self, topic: str, weights: dict[str, float]) -> list[str]:
        """The words of the sources, heaviest first.

        Words of every topic, such as particles and articles, come again: the second time with half of their weight,
        the third with a third. Of equal ones those of early sentences come first, but not in the order of a sentence.
        """
        counts = self.word_counts()
        lines = self.in_turn(topic)
        words = dict.fromkeys(word for line in lines for word in sorted(set(self.words(line))))
        common = set.intersection(*(set(count) for count in counts.values()))
        most = {word: counts[topic][word] if word in common else 1 for word in words}
        times = [(word, time) for word in words for time in range(1, most[word] + 1)]
        return by_weight([word for word, _ in times], [weights[word] / time for word, time in times])

    def weight(self, sentence: str, weights: dict[str, float]) -> float:
        """The weights of the words of a sentence together, rounded, since a sum's last bit may differ elsewhere."""
        return round(sum(weights[word] for word in self.words(sentence)), 6)


def by_weight(things: Sequence[str], weights: Sequence[float]) -> list[str]:
    """The things, heaviest first; of equal ones the first stays first.

    >>> by_weight(["a", "b", "c"], [1.0, 2.0, 1.0])
    ['b', 'a', 'c']
    """
    return [things[index] for index in sorted(range(len(things)), key=lambda index: -weights[index])]


def up_to(length: int, parts: Iterable[str], *, gap: int = 0) -> list[str]:
    """The first parts, as many as bring the sum of their characters (and gaps) nearest to a length; at least one.

    >>> up_to(10, ["four", "five", "six"])
    ['four', 'five', 'six']
    >>> up_to(9, ["four", "five", "six"])
    ['four', 'five']
    """
    chosen: list[str] = []
    total = 0
    for part in parts:
        longer = total + len(part) + (gap if chosen else 0)
        if chosen and abs(longer - length) > abs(total - length):
            break
        chosen.append(part)
        total = longer
    return chosen


# --- The two sets ------------------------------------------------------------------------------------------

TSC3 = TextSet("tsc3", tuple(f"t{number}" for number in range(1, 6)), japanese_words, "")
NEWS = TextSet("news", tuple(f"n{number}" for number in range(1, 7)), english_words, " ")


def tsc3_files(*, rng: np.random.Generator) -> dict[str, str]:
    """Summaries of news in Japanese, their lexicon and what assessors think of them, path to text."""
    lexicon = {"tsc3/lexicon.tsv": TSC3.text("lexicon.tsv")}
    return folder_files(TSC3) | lexicon | {"tsc3/human.csv": human_scores(TSC3, rng=rng)}


def news_files() -> dict[str, str]:
    """Summaries of news in English, as folders, as JSON lines and with the settings of ROUGE-1.5.5, path to text."""
    outputs = NEWS.outputs()
    systems = [
        {"system": system, "item": topic, "text": " ".join(outputs[system][topic])}
        for system in sorted(outputs)
        for topic in NEWS.topics
    ]
    references = [
        {"item": topic, "reference": name, "text": " ".join(NEWS.written(f"references/{topic}.{name}.txt"))}
        for topic in NEWS.topics
        for name in ANNOTATORS
    ]
    return folder_files(NEWS) | {
        "news/systems.jsonl": json_lines(systems),
        "news/references.jsonl": json_lines(references),
        "news/settings.xml": rouge_settings(NEWS),
    }


def folder_files(texts: TextSet) -> dict[str, str]:
    """The hand-written files of a set and the outputs of its systems, a sentence a line."""
    written = {f"{texts.folder}/{path}": texts.text(path) for path in texts.written_paths()}
    derived = {
        f"{texts.folder}/systems/{system}/{topic}.txt": "\n".join(sentences) + "\n"
        for system, topic_sentences in texts.outputs().items()
        for topic, sentences in topic_sentences.items()
    }
    return derived | written


def json_lines(rows: Iterable[dict[str, str]]) -> str:
    """An object a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def rouge_settings(texts: TextSet) -> str:
    """The settings file of ROUGE-1.5.5 for the folders of a set."""
    lines = ['<ROUGE-EVAL version="1.5.5">']
    for topic in texts.topics:
        peers = [f"<P ID={quoteattr(system)}>{escape(f'{system}/{topic}.txt')}</P>" for system in sorted(SYSTEMS)]
        models = [f"<M ID={quoteattr(name)}>{escape(f'{topic}.{name}.txt')}</M>" for name in ANNOTATORS]
        lines += [
            f"<EVAL ID={quoteattr(topic)}>",
            "<PEER-ROOT>systems</PEER-ROOT>",
            "<MODEL-ROOT>references</MODEL-ROOT>",
            '<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT>',
            "<PEERS>",
            *peers,
            "</PEERS>",
            "<MODELS>",
            *models,
            "</MODELS>",
            "</EVAL>",
        ]
    return "\n".join([*lines, "</ROUGE-EVAL>", ""])


# --- What assessors think ----------------------------------------------------------------------------------

DATA_SETS = ("D1", "D2", "D3", "D4", "D5")
# How much of the references a system's summaries hold in the eyes of the mean assessor, 0 to 1.
QUALITY = {
    "abstract_good": 0.78,
    "abstract_fair": 0.50,
    "extract": 0.52,
    "lead": 0.47,
    "repeat": 0.20,
    "tfidf_words": 0.15,
}
# How far an assessor is from the mean one, by data set: a strict one, mild ones, and so on.
MILDNESS = (0.00, -0.05, 0.03, 0.01, 0.06)
SPREAD_OF_SUMMARIES = 0.24
SPREAD_OF_TASTES = 0.16
SPREAD_OF_SCORES = 0.20


def human_scores(texts: TextSet, *, rng: np.random.Generator) -> str:
    """Invented scores in tidy form, `measure,system,item,value`, from 0.0 to 1.0 in steps of 0.1.

    Whether a system did well or badly on a topic is shared by the assessors; which systems they like, and how they
    judge single summaries, is their own.
    """
    rows = ["measure,system,item,value"]
    shape = (len(DATA_SETS), len(QUALITY), len(texts.topics))
    shared = (rng.random(shape[1:]) - 0.5) * SPREAD_OF_SUMMARIES
    tastes = (rng.random(shape) - 0.5) * SPREAD_OF_SCORES + (rng.random((*shape[:2], 1)) - 0.5) * SPREAD_OF_TASTES
    for assessor, (data_set, mildness) in enumerate(zip(DATA_SETS, MILDNESS, strict=True)):
        for index, (system, quality) in enumerate(QUALITY.items()):
            for item, topic in enumerate(texts.topics):
                score = quality + mildness + float(shared[index, item]) + float(tastes[assessor, index, item])
                rows.append(f"{data_set},{system},{topic},{min(max(round(10 * score), 0), 10) / 10:.1f}")
    return "\n".join(rows) + "\n"
