"""Studies of labels, and files of made-up labels."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from command_line import Write

from metaeval.config import ExperimentConfig
from metaeval.study.labels import LabelStudy
from metaeval.study.read import read_study


def read_labels(config: ExperimentConfig) -> LabelStudy:
    study = read_study(config)
    assert isinstance(study, LabelStudy)
    return study


def label_file(labels: Iterable[object]) -> str:
    """The content of a file of labels; the ids are i0, i1 …"""
    return "id,label\n" + "".join(f"i{number},{label}\n" for number, label in enumerate(labels))


def label_files(write: Write, **labels: Iterable[object]) -> list[str]:
    """The paths of files of labels, by the names of systems."""
    return [write(f"{name}.csv", label_file(system_labels)) for name, system_labels in labels.items()]


def label_study(
    write: Write, shares: Mapping[str, float], items: int, *, classes: Sequence[str], seed: int = 1
) -> list[str]:
    """The paths of files of gold and of systems that know these shares of the items and guess the others.

    Earlier classes are more frequent.
    """
    random, labels = np.random.default_rng(seed), np.array(list(classes))
    weights = np.arange(len(classes), 0, -1)
    gold = random.choice(len(classes), size=items, p=weights / weights.sum())
    answers = {
        name: labels[np.where(random.random(items) < share, gold, random.integers(len(classes), size=items))]
        for name, share in shares.items()
    }
    return label_files(write, gold=labels[gold], **answers)
