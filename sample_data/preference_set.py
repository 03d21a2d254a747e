"""Verdicts of invented people and judges on pairs of outputs: `preferences/`.

A system's quality, the luck of its output and the taste of the judge decide on a verdict; small differences are
ties. `juno` prefers the first output and those of its own family, `kite` the longer one.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

SYSTEMS = ("Alder", "Birch", "Cedar", "Doum", "Elm")
QUALITY = (0.9, 0.5, 0.0, -0.4, -1.0)
FAMILIES = ("juniper", "acorn", "juniper", "acorn", "acorn")
PEOPLE, JUDGES = ("ann", "bob"), ("juno", "kite")
ITEMS, PAIRS = 60, 2
LANGUAGE_PAIRS = ("de-en", "en-de")
SEGMENTS = 40


def preference_files(*, seed: int) -> dict[str, str]:
    """Every file, path to text."""
    rng = np.random.Generator(np.random.PCG64([seed, 1970]))
    worth = np.array(QUALITY) + 0.5 * rng.standard_normal((ITEMS, len(SYSTEMS)))
    length = rng.integers(20, 90, worth.shape)
    # One metric with many ties, which the length misleads, and one with few.
    metrics = np.stack([np.round(worth + 0.012 * length + 0.8 * rng.standard_normal(worth.shape)) / 2,
                        np.round(worth + 0.5 * rng.standard_normal(worth.shape), 2)])  # fmt: skip
    header = "item,left,right,winner,judge,length-left,length-right,family-left,family-right,family-judge"
    scores = "lexi-left,lexi-right,sema-left,sema-right"
    files = {
        "verdicts.csv": _text(f"{header},{scores}", _verdicts(rng, worth, length, metrics)),
        "darr.csv": _text("lp,sid,better,worse,lexi-better,lexi-worse,sema-better,sema-worse", _darr(rng)),
        "scores.csv": _text("system,item,lexi,sema", (
            (name, f"q{item + 1:02}", f"{metrics[0, item, system]:g}", f"{metrics[1, item, system]:g}")
            for system, name in enumerate(SYSTEMS) for item in range(ITEMS)
        )),
    }  # fmt: skip
    return {f"preferences/{path}": text for path, text in files.items()}


def _text(header: str, rows: Iterable[Sequence[object]]) -> str:
    return "".join(f"{','.join(map(str, row))}\n" for row in ((header,), *rows))


def _verdicts(
    rng: np.random.Generator, worth: np.ndarray, length: np.ndarray, metrics: np.ndarray
) -> Iterator[Sequence[object]]:
    """Each person judges every pair once, each judge in both orders."""
    for item in range(ITEMS):
        for _ in range(PAIRS):
            one, other = rng.permutation(len(SYSTEMS))[:2].tolist()
            orders = [((one, other), (other, one))[rng.integers(2)] for _ in PEOPLE]
            shown = [*zip(PEOPLE, orders, strict=True), *((name, order) for name in JUDGES
                     for order in ((one, other), (other, one)))]  # fmt: skip
            for judge, (left, right) in shown:
                difference = worth[item, left] - worth[item, right] + 0.6 * rng.standard_normal()
                same_family = [judge == "juno" and FAMILIES[side] == "juniper" for side in (left, right)]
                difference += 0.35 * (judge == "juno") + 0.5 * (int(same_family[0]) - int(same_family[1]))
                difference += 0.02 * (judge == "kite") * float(length[item, left] - length[item, right])
                winner = "tie" if abs(difference) < 0.25 else "left" if difference > 0 else "right"
                yield (
                    f"q{item + 1:02}", SYSTEMS[left], SYSTEMS[right], winner, judge,
                    *(length[item, side] for side in (left, right)), *(FAMILIES[side] for side in (left, right)),
                    {"juno": "juniper", "kite": "kestrel"}.get(judge, ""),
                    *(f"{scores[item, side]:g}" for scores in metrics for side in (left, right)),
                )  # fmt: skip


def _darr(rng: np.random.Generator) -> Iterator[Sequence[object]]:
    """Two language pairs; the metrics are the better one in turn."""
    for noise, pair in zip(((1.2, 0.5), (0.5, 0.7)), LANGUAGE_PAIRS, strict=True):
        worth = np.array(QUALITY) + 0.5 * rng.standard_normal((SEGMENTS, len(SYSTEMS)))
        lexi = np.round(worth + noise[0] * rng.standard_normal(worth.shape), 1)
        sema = np.round(worth + noise[1] * rng.standard_normal(worth.shape), 3)
        for segment in range(SEGMENTS):
            one, other, third = rng.permutation(len(SYSTEMS))[:3].tolist()
            for first, second in ((one, other), (other, third)):
                if worth[segment, first] + 0.3 * rng.standard_normal() < worth[segment, second]:
                    first, second = second, first
                both = [f"{scores[segment, side]:g}" for scores in (lexi, sema) for side in (first, second)]
                yield (pair, segment + 1, SYSTEMS[first], SYSTEMS[second], *both)
