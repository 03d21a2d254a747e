"""Studies of labels, for tests that look at what was read."""

from metaeval.config import ExperimentConfig
from metaeval.study.labels import LabelStudy
from metaeval.study.read import read_study


def read_labels(config: ExperimentConfig) -> LabelStudy:
    study = read_study(config)
    assert isinstance(study, LabelStudy)
    return study
