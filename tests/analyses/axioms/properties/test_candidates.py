"""A confusion matrix is scored once, however many cases it is in, and gets the score it always gets."""

from collections import Counter

import pytest

from metaeval.analyses.axioms.properties import PROPERTIES
from metaeval.analyses.axioms.properties.search import Search, candidates_of
from metaeval.stats.resample import seed_for

EVERY = PROPERTIES.values()
RANDOM = Search(4, 40, seed_for(5, "test"))


@pytest.mark.parametrize("search", [Search(2), RANDOM], ids=["exhaustive", "random"])
def test_trials_are_the_cases_of_the_properties_and_matrices_stand_once(search: Search) -> None:
    found = candidates_of(EVERY, search)
    cells = [tuple(matrix.ravel().tolist()) for matrix in found.matrices]
    assert cells == sorted(set(cells))
    assert search.is_exhaustive or max(map(max, cells)) > 255
    for declared in EVERY:
        made = Counter(
            (one.tobytes(), other.tobytes(), cases.exchanged)
            for cases in declared.make_cases(search.space())
            for one, other in zip(cases.before, cases.after, strict=True)
        )
        pooled = Counter(
            (one.tobytes(), other.tobytes(), trial.exchanged)
            for trial in found.trials.get(declared.name, ())
            for one, other in zip(found.matrices[trial.before], found.matrices[trial.after], strict=True)
        )
        assert pooled == made
        assert all(trial.exhaustive == search.is_exhaustive for trial in found.trials.get(declared.name, ()))
