"""Findings of `sensitivity` say what its numbers say."""

import numpy as np

from metaeval.analyses.sensitivity.tables import on_rankings

NAN = float("nan")


def test_the_measure_whose_ranking_settings_change_most_is_named() -> None:
    (changed,) = on_rankings("xy", [np.array([1.0, 0.5]), np.array([1.0, NAN])])
    assert changed.sentence.endswith("under x (lowest tau with the default 0.50); not at all under: y")
    (nothing,) = on_rankings("xy", [np.array([1.0]), np.array([1.0])])
    assert nothing.sentence == "no setting changes the ranking of the systems"
