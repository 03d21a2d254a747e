"""Choices are listed in settings, which import no numpy; they are those that the statistics have."""

from typing import get_args

from metaeval.analyses.agreement.settings import AgreementSettings
from metaeval.analyses.correlate import settings as of_correlate
from metaeval.analyses.correlate.compute import CALIBRATED, SOFT
from metaeval.analyses.sensitivity.settings import Coefficient
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.settings import Choice, Several, options_of
from metaeval.stats import association, correlation, leave_out


def names_of(settings: type, option: str) -> set[str]:
    kind = options_of(settings)[option].kind
    kind = kind.item if isinstance(kind, Several) else kind
    assert isinstance(kind, Choice)
    return set(kind.names)


def test_choices_are_those_of_the_statistics() -> None:
    assert names_of(SimilaritySettings, "coefficient") == set(correlation.RANK_COEFFICIENTS)
    assert set(get_args(Coefficient)) == set(association.COEFFICIENTS)
    assert set(get_args(of_correlate.Coefficient)) == {*association.COEFFICIENTS, CALIBRATED, SOFT}
    assert set(get_args(of_correlate.Level)) == set(association.LEVELS)
    assert names_of(AgreementSettings, "levels") == set(get_args(leave_out.Level))
