"""The same data set in each form is read in the same way, or refused in the same words."""

from pathlib import Path

import pytest
from faults.forms import outcomes

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(40))
def test_every_form_of_a_data_set_has_the_same_result_or_error(seed: int, tmp_path: Path) -> None:
    found = outcomes(seed, tmp_path)
    assert set(found.values()) == {found["csv"]}
    assert found["csv"][0] in (0, 2)
