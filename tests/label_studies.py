"""Studies of labels, for tests that look at what was read."""

from metaeval.config import ExperimentConfig
from metaeval.experiment.label_study import LabelStudy
from metaeval.experiment.reading import read_study


def read_labels(config: ExperimentConfig) -> LabelStudy:
    study = read_study(config)
    assert isinstance(study, LabelStudy)
    return study
