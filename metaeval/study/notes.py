"""Notes on tests of differences between systems that several analyses print."""

from __future__ import annotations

from metaeval.errors import counted
from metaeval.stats.pairs import fewest_resamples
from metaeval.study.bootstrap import MIN_ITEMS
from metaeval.study.study import Study


def note_on_few_items(study: Study, *, remedy: str) -> list[str]:
    """A note where the items are too few for a bootstrap to keep its level; remedy: the test that keeps it."""
    if len(study.items) >= MIN_ITEMS:
        return []
    told = "of systems that are alike, at 0.05, in 7 % of cases with 30 items, 10 % with 10, 29 % with 3"
    return [f"on {len(study.items)} items a bootstrap finds differences too easily ({told}); {remedy} keeps its level"]


def note_on_undefined(measure: str, undefined: int, resamples: int) -> list[str]:
    """A note where resamples have no score; undefined: their number, of the pair that has most of them."""
    if not undefined:
        return []
    verb = "has" if resamples == 1 else "have"
    return [
        f"{measure}: up to {undefined:,} of {counted(resamples, 'resample')} {verb} no difference, and are left out"
    ]


def note_on_few_resamples(resamples: int, alpha: float) -> list[str]:
    """A note where no difference can be significant with so few resamples, however large it is."""
    least = fewest_resamples(alpha=alpha)
    if resamples >= least:
        return []
    told = f"{counted(resamples, 'resample')} {'is' if resamples == 1 else 'are'}"
    return [f"{told} too few for a difference at {alpha:g}: say --resamples {least} or more"]
