"""Published claims about measures, as properties that can be tested; the claims are in `claims.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from metaeval.analyses.axioms.properties.checking import Verdict


@dataclass(frozen=True)
class Claim:
    """A claim that a measure has a formal property, or does not have it.

    source: key in `model.works`. place: in the source. text: the claim, in our words. measure, property: names.
    """

    source: str
    place: str
    text: str
    measure: str
    property: str
    has: bool


@cache
def read_claims() -> tuple[Claim, ...]:
    """Published claims, by paper."""
    import yaml

    return tuple(
        Claim(entry["source"], entry["place"], entry["claim"], measure, name, entry["has"])
        for entry in yaml.safe_load(files(__package__).joinpath("claims.yaml").read_text(encoding="utf-8"))
        for measure in entry["measures"].split()
        for name in entry["properties"].split()
    )


def with_verdicts(verdicts: Iterable[Verdict]) -> Iterator[tuple[Claim, Verdict]]:
    """The claims about measures and properties that have a verdict, each with it, in the order of `read_claims`."""
    by_names = {(str(verdict.measure), verdict.declared.name): verdict for verdict in verdicts}
    for claim in read_claims():
        verdict = by_names.get((claim.measure, claim.property))
        if verdict is not None and verdict.holds is not None:
            yield claim, verdict
