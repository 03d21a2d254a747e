"""What worker processes and those of a Dask cluster cost and give: whole commands, beside threads and one worker."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.paired import Comparison, as_long
from benchmarks.processes import made_labels, metaeval_program

TRIALS, ITEMS = 100_000, 25_413
SENTENCES, WORDS, TEXT_SYSTEMS, TEXT_ITEMS = 10, 25, 4, 150
VOCABULARY, SENSES = 5_000, 1_000
WORD_ITEMS = 4_000
KERNEL = ("-m", "esk:d=4,lambda=0.5,beta=2", "--lexicon", "lexicon.tsv")
ROUGE = ("--preset", "rouge")
WORKERS = ("--workers", "2")
LOCAL = ("--scheduler", "local", *WORKERS)


def compare_trials(rounds: int, *, trials: int = TRIALS, items: int = ITEMS) -> Comparison:
    """Many split halves, by two processes and by two threads."""
    return _trials(rounds, trials, items, WORKERS, "two threads")


def compare_trials_with_one(rounds: int, *, trials: int = TRIALS, items: int = ITEMS) -> Comparison:
    """Many split halves, by two processes and by one."""
    return _trials(rounds, trials, items, (), "one worker")


def compare_texts(rounds: int, *, items: int = TEXT_ITEMS) -> Comparison:
    """Kernels of texts, by two processes of a cluster and by two workers of the machine itself."""
    return _texts(rounds, items, KERNEL, LOCAL, WORKERS)


def compare_texts_with_one(rounds: int, *, items: int = TEXT_ITEMS) -> Comparison:
    """Kernels of texts, by two processes of a cluster and by one."""
    return _texts(rounds, items, KERNEL, LOCAL, ())


def compare_words(rounds: int, *, items: int = WORD_ITEMS) -> Comparison:
    """Many texts read and scored, by two worker processes and by one."""
    return _texts(rounds, items, ROUGE, WORKERS, ())


def _trials(rounds: int, trials: int, items: int, theirs: tuple[str, ...], peer: str) -> Comparison:
    with TemporaryDirectory() as folder:
        data = made_labels(Path(folder), items)
        files = ("--gold", str(data / "gold.csv"), str(data / "systems"))
        scale = ("--labels", "agree<disagree<discuss<unrelated", "--preset", "stance-nine")
        command = [metaeval_program(), "stability", "-q", "--trials", str(trials), *scale, *files]
        return as_long(
            f"`metaeval stability --trials {trials}`, two processes of `--scheduler local`",
            [*command, *LOCAL],
            peer=peer,
            theirs=[*command, *theirs],
            claim="",
            rounds=rounds,
        )


def _texts(
    rounds: int, items: int, measures: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]
) -> Comparison:
    with TemporaryDirectory() as folder:
        data = _made_texts(Path(folder), items)
        arguments = [str(data / word) if word.endswith(".tsv") else word for word in measures]
        files = ("--gold", str(data / "references.jsonl"), str(data / "systems"))
        command = [metaeval_program(), "score", "-q", "--task", "texts", *arguments, *files]
        return as_long(
            f"`metaeval score {' '.join(measures[:2])} {' '.join(ours)}`, {TEXT_SYSTEMS} × {items:,} texts",
            [*command, *ours],
            peer=f"`{' '.join(theirs)}`" if theirs else "one worker",
            theirs=[*command, *theirs],
            claim="",
            rounds=rounds,
        )


def _made_texts(folder: Path, items: int) -> Path:
    """Texts of words by a Zipf law, a reference an item; every word but the hundred commonest has a sense."""
    random = np.random.default_rng(1)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    codes = random.choice(
        VOCABULARY, size=(1 + TEXT_SYSTEMS, items, SENTENCES, WORDS), p=weights / weights.sum()
    ).tolist()
    (folder / "systems").mkdir()
    files = [folder / "references.jsonl", *(folder / "systems" / f"system{run}.jsonl" for run in range(TEXT_SYSTEMS))]
    for file, texts in zip(files, codes, strict=True):
        rows = ({"item": f"i{number}", "text": _text(sentences)} for number, sentences in enumerate(texts))
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    senses = random.integers(SENSES, size=VOCABULARY).tolist()
    lexicon = (f"w{word}\ts{sense}\n" for word, sense in enumerate(senses) if word >= 100)
    (folder / "lexicon.tsv").write_text("".join(lexicon), encoding="utf-8")
    return folder


def _text(sentences: list[list[int]]) -> str:
    return "\n".join(" ".join(f"w{word}" for word in sentence) + "." for sentence in sentences)
