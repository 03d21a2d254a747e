"""Item scores of texts: in blocks and grids as on one item under one measure, laid out by hand from the strings."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import snowballstemmer
from command_line import Write
from made_runs import text_runs
from text_reading import encode

from metaeval.measures import PRESETS, Measure, measure
from metaeval.measures.text.matches import WordLabels
from metaeval.measures.text.overlap import Comparison
from metaeval.measures.text.vocabulary import Vocabulary
from metaeval.model.runs import TextRuns, Word
from metaeval.scoring import texts
from metaeval.scoring.evaluation import item_scores
from metaeval.scoring.texts import check_texts, plan_texts, score_texts

Text = list[str]
"""Sentences, words between blanks."""

FUNCTION_WORDS = {"the", "of", "is", "an"}
CONTENT_WORDS = ("dog", "dogs", "cat", "cats", "run", "runs", "running", "mouse", "mice", "general", "generally")
LEXICON = {
    "dog": ("PET", "ANIMAL"),
    "dogs": ("PACK",),
    "cat": ("PET", "ANIMAL"),
    "mouse": ("ANIMAL",),
    "mice": ("RODENT", "PET"),
    "of": ("PACK",),
}
STOPWORDS = ("the", "runs", "mouse")
EXCEPTIONS = {"mice": "mouse", "cats": "dog"}
SYSTEMS = ("s0", "s1", "s2")

NAMES = (
    "rouge-n:n=1",
    "rouge-n:n=2,stat=recall,refs=best",
    "rouge-n:n=3,stopwords=stop.txt",
    "rouge-n:n=1,words=content,stem=porter,stopwords=stop.txt,exceptions=irregular.exc",
    "rouge-s:skip=1,refs=pooled,stat=precision",
    "rouge-s:skip=all,stem=porter,variant=perl",
    "rouge-su",
    "rouge-su:skip=9,words=content,refs=best",
    "rouge-l:stem=porter,variant=perl",
    "rouge-l:refs=best,beta=3",
    "rouge-w:words=content",
    "rouge-w:variant=perl,weight=2,stat=recall",
    "wsk",
    "wsk:d=3,lambda=0.3,beta=1,refs=best,stat=precision",
    "wsk:d=1,stopwords=stop.txt",
    "esk:d=3,lambda=0.7",
    "esk:d=2,stem=porter,stopwords=stop.txt",
    "esk:d=2,words=content,stat=recall",
    "esk:d=3,stem=porter,exceptions=irregular.exc,refs=best",
)


def written(random: np.random.Generator) -> Text:
    """No sentence to four, of no word to seven."""
    ordered = sorted((*FUNCTION_WORDS, *CONTENT_WORDS))
    return [" ".join(random.choice(ordered, size=random.integers(8))) for _ in range(random.integers(5))]


def made_up(items: int, seed: int = 0) -> tuple[list[list[Text]], list[list[Text]]]:
    """What three systems wrote for each item, and one to three references of each."""
    random = np.random.default_rng(seed)
    outputs = [[written(random) for _ in range(items)] for _ in SYSTEMS]
    references = [[written(random) for _ in range(1 + random.integers(3))] for _ in range(items)]
    # Someone copies a reference, so that not all scores are low.
    outputs[1] = [
        group[-1] if index % 3 else text for index, (text, group) in enumerate(zip(outputs[1], references, strict=True))
    ]
    return outputs, references


def cut(sentence: str) -> list[Word]:
    return [Word(form, content=form not in FUNCTION_WORDS) for form in sentence.split()]


def runs_of(outputs: Sequence[Sequence[Text]], references: Sequence[Sequence[Text]]) -> TextRuns:
    vocabulary = Vocabulary(cut, lambda form: LEXICON.get(form, ()))

    def coded(texts: Sequence[Sequence[Text]]) -> list[list[list[list[int]]]]:
        return [[[encode(vocabulary, sentence) for sentence in text] for text in some] for some in texts]

    # What the words are is known when all texts are read.
    read, against = coded(outputs), coded(references)
    return text_runs(read, against, vocabulary.words())


def measures_of(*names: str) -> tuple[Measure, ...]:
    return tuple(measure(name) for name in names)


def compared_as(form: str, arguments: dict[str, Any]) -> str | None:
    """What a measure takes a word for; None where it does not look at it."""
    if arguments["stopwords"] and form in STOPWORDS:
        return None
    if arguments["words"] == "content" and form in FUNCTION_WORDS:
        return None
    if arguments["stem"] == "none" or len(form) <= 3:
        return form
    irregular = EXCEPTIONS if arguments["exceptions"] else {}
    return irregular.get(form) or str(snowballstemmer.stemmer("porter").stemWord(form))


def alone(of: Measure, output: Text, references: Sequence[Text]) -> float:
    """One output of one item, all of it by hand; labels of all the words there are."""
    arguments = of.arguments
    vocabulary = [(form, compared_as(form, arguments)) for form in (*sorted(FUNCTION_WORDS), *CONTENT_WORDS)]
    codes = {word: code for code, word in enumerate(dict.fromkeys(word for _, word in vocabulary if word is not None))}
    names = sorted({label for labels in LEXICON.values() for label in labels})
    labels: list[set[int]] = [set() for _ in codes]
    for form, word in vocabulary:
        if word is not None:
            labels[codes[word]] |= {names.index(label) for label in LEXICON.get(form, ())}

    def coded(text: Text) -> list[list[int]]:
        words = [[compared_as(form, arguments) for form in sentence.split()] for sentence in text]
        return [[codes[word] for word in sentence if word is not None] for sentence in words]

    comparison = replace(
        Comparison.of([coded(output)], [[coded(reference) for reference in references]]),
        labels=WordLabels.of([sorted(word_labels) for word_labels in labels]),
    )
    common = ("stat", "words", "stem", "stopwords", "exceptions")
    keywords = {key: arguments[key] for key in arguments if key not in common}
    return float(getattr(of.declaration.function(comparison, **keywords), arguments["stat"])[0])


@pytest.fixture
def lists(write: Write) -> None:
    """The files that the measures name."""
    write("stop.txt", "\n".join(STOPWORDS) + "\n")
    write("irregular.exc", "".join(f"{form} {base}\n" for form, base in EXCEPTIONS.items()))


@pytest.mark.slow
@pytest.mark.usefixtures("lists")
def test_every_score_is_that_of_the_measure_on_the_item_alone() -> None:
    outputs, references = made_up(24)
    together = score_texts(runs_of(outputs, references), measures_of(*NAMES))
    assert together.measures == tuple(str(measure(name)) for name in NAMES)
    assert together.systems == SYSTEMS
    for name, values in zip(NAMES, together.values, strict=True):
        by_hand = [[alone(measure(name), *pair) for pair in zip(row, references, strict=True)] for row in outputs]
        np.testing.assert_allclose(values, by_hand, rtol=0, atol=1e-12, err_msg=name)
        assert 0 < values.mean() < 1


@pytest.mark.usefixtures("lists")
def test_the_size_of_blocks_changes_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, measures = runs_of(*made_up(16, seed=2)), measures_of(*NAMES)
    assert len(plan_texts(runs, measures).blocks) == 1
    whole = score_texts(runs, measures)
    monkeypatch.setattr(texts, "WORDS_AT_ONCE", 60)
    plan = plan_texts(runs, measures)
    assert len(plan.blocks) > 5
    assert [item for block in plan.blocks for item in range(block.start, block.stop)] == list(range(16))
    scores = score_texts(runs, measures)
    # Kernels of a block are sums of products of matrices, whose shapes decide the last bit.
    np.testing.assert_allclose(scores.values, whole.values, rtol=0, atol=1e-12)
    counted = [index for index, name in enumerate(NAMES) if name.startswith("rouge")]
    np.testing.assert_array_equal(scores.values[counted], whole.values[counted])


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Every evaluation that scoring makes: the measure, and its arguments."""
    made: list[tuple[str, dict[str, Any]]] = []
    original = texts._compare

    def noting(compared: tuple[Any, ...], measure: Measure, arguments: dict[str, Any]) -> Any:
        made.append((measure.declaration.name, arguments))
        return original(compared, measure, arguments)

    monkeypatch.setattr(texts, "_compare", noting)
    return made


@pytest.mark.parametrize("kernel", ["wsk", "esk"])
def test_a_grid_scores_as_each_setting_alone_and_is_evaluated_once(
    calls: list[tuple[str, dict[str, Any]]], kernel: str
) -> None:
    outputs, references = made_up(9, seed=4)
    runs = runs_of(outputs[:1], references)
    # In no order, and not the whole product.
    settings = list(product((3, 1, 2), (0.5, 0, 1, 0.25), (2, 0, 3), ("f", "precision", "recall")))[1::2]
    names = [f"{kernel}:d={d},lambda={rate},beta={beta},stat={stat}" for d, rate, beta, stat in settings]
    measures = measures_of(*names)
    scores = score_texts(runs, measures)
    ((name, arguments),) = calls
    assert (name, sorted(arguments["d"]), sorted(arguments["lambda_"])) == (kernel, [1, 2, 3], [0, 0.25, 0.5, 1])
    assert sorted(arguments["beta"]) == [0, 2, 3]
    for index, setting in enumerate(measures):
        single = score_texts(runs, [setting]).values[0]
        np.testing.assert_allclose(scores.values[index], single, rtol=0, atol=1e-12)
        by_hand = [alone(setting, *pair) for pair in zip(outputs[0], references, strict=True)]
        np.testing.assert_allclose(scores.values[index, 0], by_hand, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("lists")
def test_a_grid_is_evaluated_once_for_each_view_pooling_system_and_block(
    calls: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = runs_of(*made_up(6, seed=5))
    grid = [f"wsk:d={d},lambda={rate}" for d in (1, 2) for rate in (0.5, 1)]
    views = ["", ",stem=porter", ",stopwords=stop.txt", ",words=content", ",refs=best"]
    measures = measures_of(*(name + view for view in views for name in grid))
    together = score_texts(runs, measures)
    assert len(calls) == len(views) * len(SYSTEMS)
    assert all((arguments["d"], arguments["lambda_"]) == ([1, 2], [0.5, 1]) for _, arguments in calls)
    calls.clear()
    monkeypatch.setattr(texts, "WORDS_AT_ONCE", 1)
    np.testing.assert_allclose(score_texts(runs, measures).values, together.values, rtol=0, atol=1e-12)
    assert len(calls) == len(views) * len(SYSTEMS) * 6


@pytest.mark.parametrize(
    "name", ["rouge-n:n=2", "rouge-s:skip=all", "rouge-su", "rouge-l", "rouge-w:weight=1.5", "wsk:d=3", "esk"]
)
def test_recall_precision_and_f_come_from_one_evaluation(calls: list[tuple[str, dict[str, Any]]], name: str) -> None:
    runs = runs_of(*made_up(10, seed=6))
    joint = ":" if ":" not in name else ","
    measures = measures_of(*(f"{name}{joint}stat={stat}" for stat in ("recall", "precision", "f")), name)
    recall, precision, f, default = score_texts(runs, measures).values
    assert len(calls) == len(SYSTEMS)
    assert (recall != precision).any()
    np.testing.assert_array_equal(f, default)
    calls.clear()
    different = measures_of("rouge-n:n=1", "rouge-n:n=2", "rouge-n:n=1,beta=2", "rouge-n:n=1,refs=best")
    score_texts(runs, different)
    assert len(calls) == len(different) * len(SYSTEMS)


@pytest.mark.parametrize(
    "points",
    [
        [(d, d / 100, 1 + d / 7) for d in range(1, 25)],
        [*((1, rate / 50, 1) for rate in range(50)), *((d, 0.5, 1) for d in range(1, 40))],
        [(d, rate / 10, beta) for d in (1, 2) for rate in range(5) for beta in (1, 3)],
        [(2, 0.5, 1)],
    ],
    ids=["a diagonal", "a cross", "a whole grid", "a point"],
)
def test_hardly_more_points_of_a_grid_are_computed_than_were_asked_for(
    calls: list[tuple[str, dict[str, Any]]], points: list[tuple[int, float, float]]
) -> None:
    outputs, references = made_up(3, seed=10)
    runs = runs_of(outputs[:1], references)
    measures = measures_of(*(f"wsk:d={d},lambda={rate},beta={beta!r}" for d, rate, beta in points))
    scores = score_texts(runs, measures)
    computed = sum(len(arguments["d"]) * len(arguments["lambda_"]) * len(arguments["beta"]) for _, arguments in calls)
    assert len(set(points)) <= computed <= 4 * len(set(points))
    for index in (0, len(points) // 2, len(points) - 1):
        by_hand = [alone(measures[index], *pair) for pair in zip(outputs[0], references, strict=True)]
        np.testing.assert_allclose(scores.values[index, 0], by_hand, rtol=0, atol=1e-12)


# --- nothing at all --------------------------------------------------------------------------------------------------


def test_no_systems_no_items_and_no_measures_give_empty_scores() -> None:
    outputs, references = made_up(5)
    measures = measures_of("rouge-l", "wsk")
    for runs, shape in (
        (runs_of([], references), (2, 0, 5)),
        (runs_of([[], [], []], []), (2, 3, 0)),
        (runs_of([], []), (2, 0, 0)),
    ):
        scores = score_texts(runs, measures)
        assert scores.values.shape == shape
        assert (len(scores.measures), len(scores.systems), len(scores.items)) == shape
        check_texts(runs, measures)
    assert score_texts(runs_of(outputs, references), ()).values.shape == (0, 3, 5)
    assert item_scores([], measures, ("a",), ()).values.shape == (2, 1, 0)


@pytest.mark.parametrize("name", [*PRESETS["rouge"], "rouge-w", "rouge-s:skip=all", "wsk", "esk"])
def test_empty_outputs_and_references_score_nothing(name: str) -> None:
    text, blank, nothing = ["the dog runs"], ["", ""], list[str]()
    outputs = [[nothing, blank, text, text, text, nothing]]
    references = [[text], [text], [nothing], [blank], [text, nothing], [nothing]]
    values = score_texts(runs_of(outputs, references), measures_of(f"{name}{',' if ':' in name else ':'}refs=mean"))
    np.testing.assert_allclose(values.values[0, 0], [0, 0, 0, 0, 0.5, 0])
