"""The names that settings take are those of the properties there are."""

from typing import get_args

from metaeval.analyses.axioms.properties import PROPERTIES
from metaeval.analyses.axioms.settings import Property


def test_every_property_can_be_named() -> None:
    assert list(get_args(Property)) == list(PROPERTIES)
