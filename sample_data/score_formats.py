"""Scores of invented systems in the formats of other tools: `formats/`, a folder for each format.

One table of scores per format: the quality of a system, the difficulty of an item and luck make the score of an item.
"""

import json
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]

DOCUMENTS = (("news", "harbour", 6), ("news", "tram", 5), ("talk", "bees", 7), ("talk", "tides", 6))
"""Domain, document and number of segments."""

TRANSLATORS = ("Alder", "Birch", "Cedar", "Doum", "Elm")
RETRIEVERS = ("bm25_short", "bm25_long", "dense_small", "dense_large")
MODELS = ("acme__tiny", "acme__base", "umbra__one", "umbra__two")
TASKS = {"capitals": 20, "sums": 16}


def format_files(*, rng: np.random.Generator) -> dict[str, str]:
    """Every file, path to text."""
    parts = (_mtme(rng), _trec(rng), _lm_eval(rng), _every_eval_ever(rng))
    return {f"formats/{path}": text for part in parts for path, text in part}


def _chances(rng: np.random.Generator, systems: int, items: int) -> Scores:
    """How well each system does on each item, 0..1, (systems, items): better systems come later."""
    quality = np.linspace(0.35, 0.7, systems)[:, np.newaxis]
    return np.clip(quality + 0.2 * rng.standard_normal(items) + 0.12 * rng.standard_normal((systems, items)), 0, 1)


def _mtme(rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """English to German: two metrics, and human scores with missing ones."""
    segments = [(domain, document) for domain, document, number in DOCUMENTS for _ in range(number)]
    good = _chances(rng, len(TRANSLATORS), len(segments))
    yield "mtme/documents/en-de.docs", "".join(f"{domain}\t{document}\n" for domain, document in segments)
    penalty = np.floor(25 * (1 - good) ** 2)
    rated = rng.random(good.shape) > 0.04
    human = np.where(rated, [[f"{-points:g}" for points in row] for row in penalty], "None").tolist()
    yield "mtme/human-scores/en-de.mqm.seg.score", _blocks(human)
    for name, noise in (("chrF-refA", 0.15), ("COMET-like-src", 0.06)):
        metric = np.clip(good + noise * rng.standard_normal(good.shape), 0, 1)
        yield f"mtme/metric-scores/en-de/{name}.seg.score", _blocks([[f"{cell:.4f}" for cell in row] for row in metric])


def _blocks(rows: Sequence[Sequence[str]]) -> str:
    return "".join(f"{system}\t{score}\n" for system, row in zip(TRANSLATORS, rows, strict=True) for score in row)


def _trec(rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """What `trec_eval -q` prints for each run: average precision and precision at 10."""
    topics = range(301, 321)
    for name, good in zip(RETRIEVERS, _chances(rng, len(RETRIEVERS), len(topics)), strict=True):
        precision = np.round(10 * good) / 10
        lines = [("runid", "all", name)]
        for topic, average_precision, precision_at_10 in zip(topics, good**1.5, precision, strict=True):
            lines += [("map", str(topic), f"{average_precision:.4f}"), ("P_10", str(topic), f"{precision_at_10:.4f}")]
        lines += [("map", "all", f"{np.mean(good**1.5):.4f}"), ("P_10", "all", f"{precision.mean():.4f}")]
        yield f"trec/{name}.txt", "".join(f"{measure:<22}\t{topic}\t{value}\n" for measure, topic, value in lines)


def _lm_eval(rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """The logs of two tasks, with two filters of the second."""
    for task, documents in TASKS.items():
        filters = ("none",) if task == "capitals" else ("strict-match", "flexible-extract")
        for model, good in zip(MODELS, _chances(rng, len(MODELS), documents), strict=True):
            lines = [
                {"doc_id": document, "doc": {"question": f"{task} {document}"}, "target": "x", "arguments": {},
                 "resps": [["x"]], "filtered_resps": ["x"], "filter": name, "metrics": ["exact_match"],
                 "exact_match": float(chance > (0.5 if name != "flexible-extract" else 0.4))}
                for name in filters for document, chance in enumerate(good)
            ]  # fmt: skip
            path = f"lm-eval/{model}/samples_{task}_2025-03-04T05-06-07.890123.jsonl"
            yield path, "".join(json.dumps(line) + "\n" for line in lines)


def _every_eval_ever(rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """Instances of one evaluation, with a score between 0 and 1."""
    for model, good in zip(MODELS, _chances(rng, len(MODELS), 18), strict=True):
        name = model.replace("__", "/")
        lines = [
            {"schema_version": "0.3.0", "evaluation_id": f"riddles/{name}", "model_id": name,
             "evaluation_name": "riddles", "sample_id": f"riddle-{number:02}", "interaction_type": "single_turn",
             "input": {"raw": f"Riddle {number}?", "reference": ["x"]}, "output": {"raw": ["x"]},
             "answer_attribution": [{"turn_idx": 0, "source": "output.raw", "extracted_value": "x",
                                     "extraction_method": "exact_match", "is_terminal": True}],
             "evaluation": {"score": round(float(chance), 3), "is_correct": bool(chance > 0.5)}}
            for number, chance in enumerate(good, start=1)
        ]  # fmt: skip
        yield f"every-eval-ever/{model}_samples.jsonl", "".join(json.dumps(line) + "\n" for line in lines)
