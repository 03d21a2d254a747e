"""One judge and one human: intervals of shares and coefficients of labels, of numbers, and differences of groups."""

from __future__ import annotations

import numpy as np

from metaeval.analyses.agreement.against import JudgeAgreement, Kind, compare
from metaeval.stats.rater_pairs import Groups, Pairs
from simulations.generators import Floats, unequal_clusters
from simulations.scenarios import Bound, Outcome, Scenario

LABELS = Kind(
    np.array([0.0, 1.0]), ("bad", "ok"), 0, categories=True, ordered=False, numeric=False, levels=("nominal",)
)
NUMBERS = Kind(np.array([]), (), 0, categories=False, ordered=True, numeric=True, levels=())
COEFFICIENTS = {"alpha": "alpha:level=nominal", "kappa": "cohen:weights=none", "AC1": "gwet-ac1", "MCC": "mcc"}
PREVALENCE = 0.7
ALIKE = 0.2
"""Share of the variance of what is right that the items of a cluster have in common."""


def label_scenario(units: int, right: float, quick: int) -> Scenario:
    """A human who labels 70 % ok, and a judge who is right on a share of either class; two groups of outputs."""
    cells = np.diag([1 - PREVALENCE, PREVALENCE]) @ np.array([[right, 1 - right], [1 - right, right]])
    human, judge = cells.sum(axis=1), cells.sum(axis=0)
    pooled = (human + judge) / 2
    chance = {"alpha": (pooled**2).sum(), "kappa": human @ judge, "AC1": 1 - (pooled**2).sum()}
    true = {name: (right - by_chance) / (1 - by_chance) for name, by_chance in chance.items()}
    true["MCC"] = (cells[0, 0] * cells[1, 1] - cells[0, 1] * cells[1, 0]) / np.sqrt(human.prod() * judge.prod())

    def simulate(random: np.random.Generator) -> Outcome:
        cell = random.choice(4, size=units, p=cells.ravel())
        ratings = np.stack([cell // 2, cell % 2]).astype(np.float64)
        judged = _judged(ratings, LABELS, random)
        assert judged.share is not None
        first_class, *_ = judged.classes
        intervals = {"agreement": (*judged.share[1:3], right), "recall": (*first_class.recall[1:3], right)}
        for name, statistic in COEFFICIENTS.items():
            estimate = next(candidate for candidate in judged.estimates if candidate.statistic.name == statistic)
            intervals[name] = (estimate.low, estimate.high, true[name])
        difference = judged.groups[0].difference
        intervals["difference of groups"] = (float(difference.low), float(difference.high), 0.0)
        return {f"{name} covers": _covers(*interval) for name, interval in intervals.items()}

    # Wilson's interval of a share of .98 covers in 92 % of samples of 20 and 50.
    shares = Bound(at_least=0.91)
    names = ("agreement", "recall", *COEFFICIENTS, "difference of groups")
    name = f"judge, {units} items, right on {100 * right:g} %"
    return Scenario(name, 1000, quick, simulate, {f"{quantity} covers": shares for quantity in names})


def number_scenario(units: int, quick: int) -> Scenario:
    """A human and a judge who is higher by half a standard deviation, with normal errors of both."""
    reliability, shift = 0.7, 0.5
    limits = 1.959964 * np.sqrt(2 * (1 - reliability))

    def simulate(random: np.random.Generator) -> Outcome:
        truth, errors = random.standard_normal(units), random.standard_normal((2, units))
        ratings = np.sqrt(reliability) * truth + np.sqrt(1 - reliability) * errors
        ratings[1] += shift
        judged = _judged(ratings, NUMBERS, random)
        assert judged.limits is not None
        icc = next(estimate for estimate in judged.estimates if estimate.statistic.name == "icc(3,1)")
        middle, lower, upper = judged.limits
        return {
            "ICC(3,1) covers": _covers(icc.low, icc.high, reliability),
            "shift covers": _covers(*middle[1:], shift),
            "limits cover": (_covers(*lower[1:], shift - limits) + _covers(*upper[1:], shift + limits)) / 2,
        }

    claims = {claim: Bound(at_least=0.94) for claim in ("ICC(3,1) covers", "shift covers", "limits cover")}
    return Scenario(f"judge of numbers, {units} items", 1000, quick, simulate, claims)


def _judged(ratings: Floats, kind: Kind, random: np.random.Generator) -> JudgeAgreement:
    units = np.arange(ratings.shape[1])
    groups: Groups = (units, units)
    parts = [("a", "b")[unit % 2] for unit in units.tolist()]
    return compare(ratings[:1], [("judge", ratings[1:])], groups, kind, parts, random).judges[0]


def _covers(low: float, high: float, true: float) -> float:
    """Whether an interval covers, or there is none."""
    return float(np.isnan(low) or low - 1e-12 <= true <= high + 1e-12)


def run_scenario(units: int, people: int, runs: int, quick: int) -> Scenario:
    """Several people or runs of a judge on each item, of which the pairs of an item vary together."""
    right, reliable = 0.85, 0.95 if people > 1 else 1.0
    true = right * reliable + (1 - right) * (1 - reliable)

    def simulate(random: np.random.Generator) -> Outcome:
        label = random.random(units) < PREVALENCE
        item_shares = random.beta(3 * right, 3 * (1 - right), size=units)
        humans = np.where(random.random((people, units)) < reliable, label, ~label)
        judges = np.where(random.random((runs, units)) < item_shares, label, ~label)
        pairs = Pairs.of(humans.astype(float), judges.astype(float), (np.arange(units), np.arange(units)))
        share = pairs.share(pairs.equal)
        return {"agreement covers": _covers(share.low, share.high, true)}

    name = f"judge in {runs} runs and {people} people, {units} items"
    return Scenario(name, 1000, quick, simulate, {"agreement covers": Bound(at_least=0.92)})


def cluster_scenario(units: int, clusters: int, right: float, quick: int) -> Scenario:
    """A judge whose share of right labels, near 0 or 1, differs between clusters of items."""
    codes = unequal_clusters(clusters, units)
    alpha = 1 / ALIKE - 1

    def simulate(random: np.random.Generator) -> Outcome:
        cluster_shares = random.beta(alpha * right, alpha * (1 - right), size=clusters)
        human = random.random(units) < 0.5
        judge = np.where(random.random(units) < cluster_shares[codes], human, ~human)
        pairs = Pairs.of(human[np.newaxis].astype(float), judge[np.newaxis].astype(float), (codes, codes))
        recalls = [pairs.share(pairs.other == value, pairs.one == value) for value in (0, 1)]
        return {"TPR and TNR cover": float(np.mean([_covers(recall.low, recall.high, right) for recall in recalls]))}

    name = f"judge right on {100 * right:g} %, {units} items in {clusters} clusters"
    return Scenario(name, 1000, quick, simulate, {"TPR and TNR cover": Bound(at_least=0.94)})


SCENARIOS = [
    *(label_scenario(units, right, 100 if units == 50 else 0) for units in (20, 50, 200) for right in (0.5, 0.9, 0.98)),
    *(number_scenario(units, 100 if units == 20 else 0) for units in (20, 50, 200)),
    *(run_scenario(units, 2, 1, 0) for units in (20, 50, 200)),
    *(
        cluster_scenario(units, clusters, right, 100 if (clusters, right) == (15, 0.98) else 0)
        for units, clusters in ((12, 6), (60, 15), (200, 20), (200, 50))
        for right in (0.02, 0.1, 0.9, 0.98)
    ),
    *(run_scenario(units, 1, 3, 100 if units == 50 else 0) for units in (20, 50, 200)),
]
