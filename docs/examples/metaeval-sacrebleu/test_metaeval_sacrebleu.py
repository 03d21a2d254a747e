"""The measures are what they declare, and equal sacreBLEU's scores."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF

import metaeval
from metaeval.testing import check_measure

OUTPUTS = ["The cat sat on a mat.", "It rained all day in Oslo.", "", "He left.", "He said: no, thank you."]
REFERENCES = [
    ["The cat sat on the mat.", "A cat sat on the mat by the door."],
    ["It rained in Oslo all day long."],
    ["Nothing."],
    ["She left."],
    ["No, thank you, he said.", "He said: no thanks."],
]
STREAMS = [
    [texts[0] for texts in REFERENCES],
    [texts[-1] if len(texts) > 1 else None for texts in REFERENCES],
]


@pytest.mark.parametrize("name", ["corpus-bleu", "corpus-chrf"])
def test_the_measures_are_what_they_declare(name: str) -> None:
    """Properties, bounds and batches."""
    check_measure(name)


def test_the_scores_are_those_of_sacrebleu() -> None:
    """Also with other parameters, an empty output, and different numbers of references."""
    runs = metaeval.from_texts({"system": OUTPUTS}, references=REFERENCES)
    names = ["corpus-bleu", "corpus-bleu:lowercase=1", "corpus-chrf"]
    (row,) = metaeval.score(runs, names).to_dict()["tables"]["scores"]
    oracles = [BLEU(), BLEU(lowercase=True), CHRF()]
    expected = [oracle.corpus_score(OUTPUTS, STREAMS).score for oracle in oracles]
    assert np.allclose([row[name] for name in names], expected, rtol=0, atol=1e-9)
