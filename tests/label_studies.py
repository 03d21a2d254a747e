"""Studies of labels, and files of made-up labels."""

from collections.abc import Iterable

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
    return [write(f"{name}.csv", label_file(of_system)) for name, of_system in labels.items()]
