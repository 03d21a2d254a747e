"""With fewer than six clusters no difference can be significant at 0.05, and no analysis claims one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import metaeval
from metaeval.errors import InputError


def table(clusters: int) -> Any:
    """Six systems on 60 items in some clusters, three measures of which the last is noise, and human scores."""
    random = np.random.default_rng(6)
    systems, items = np.repeat(np.arange(6), 60), np.tile(np.arange(60), 6)
    columns = {name: systems * step + random.normal(size=360) for name, step in (("m1", 0.8), ("m2", 0.7), ("m3", 0.0))}
    doc = {"doc": [f"d{item % clusters}" for item in items.tolist()]}
    cells: dict[str, list[Any]] = {"system": [f"s{s}" for s in systems.tolist()], "item": items.tolist(), **doc}
    cells |= {name: values.round(3).tolist() for name, values in columns.items()}
    cells["human"] = (systems + random.normal(size=360)).round(3).tolist()
    return cells


def rows(report: Any, name: str) -> list[dict[str, Any]]:
    table: list[dict[str, Any]] = report.to_dict()["tables"][name]
    return table


@pytest.mark.parametrize(("clusters", "claims"), [(5, False), (20, True)])
def test_measures_differ_only_where_clusters_are_enough(clusters: int, claims: bool) -> None:
    runs = metaeval.from_scores(table(clusters), clusters="doc")
    measures = ["m1", "m2", "m3"]
    similarity = metaeval.similarity(runs, measures, permutations=499)
    ends = {(row["ci_low"], row["ci_high"]) for row in rows(similarity, "similarity_intervals") if row["corrected"]}
    assert (ends == {(-1, 1)}) == (not claims)
    stability = metaeval.stability(runs, measures, trials=50, permutations=499)
    assert any(row["p_adjusted"] <= 0.05 for row in rows(stability, "stability_differences")) == claims
    assert any(row["p"] <= 0.05 for row in rows(stability, "stability_differences")) == claims
    verdict = metaeval.recommend(runs, ["m1", "m2"], permutations=499, halves=0, official="m1")
    (outcome,) = rows(verdict, "verdict")
    assert outcome["outcome"] == "keep"
    tiers = "print tiers until then: so few clusters of doc show no significant difference"
    assert (tiers in verdict.findings[-1].sentence) == (not claims)
    assert ("do not show that the choice matters" in verdict.findings[0].sentence) == (not claims)


@pytest.mark.parametrize("swapped", ["items", "both"])
@pytest.mark.parametrize("clusters", [5, 20])
def test_correlations_name_no_measure_as_not_different_where_no_test_could_tell(clusters: int, swapped: Any) -> None:
    runs = metaeval.from_scores(table(clusters), clusters="doc", human="human")
    report = metaeval.correlate(runs, ["m1", "m2"], coefficients="pearson", levels="system", test=swapped, resamples=20)
    (sentence,) = (finding.sentence for finding in report.findings if "highest" in finding.sentence)
    verdict = sentence.partition("). ")[2].partition(" (")[0]
    if clusters == 5:
        possible = {"5 clusters are too few to distinguish m1 from it"}
    else:
        possible = {"The other measure is not significantly lower for these systems"}
    if swapped == "both" or clusters == 20:
        possible.add("The other measure is significantly lower for these systems")
    assert verdict in possible


def test_a_single_cluster_is_refused() -> None:
    runs = metaeval.from_scores(table(1), clusters="doc")
    with pytest.raises(InputError, match="1 cluster of doc; expected at least two"):
        metaeval.compare(runs, "m1")


def test_a_plan_of_systems_has_no_clusters() -> None:
    runs = metaeval.from_scores(table(20), clusters="doc", human="human")
    findings = [finding.sentence for finding in metaeval.plan(runs, ["m1"], resamples=50, permutations=99).findings]
    (sentence,) = (sentence for sentence in findings if " systems" in sentence)
    assert "clusters" not in sentence


@pytest.mark.parametrize(("clusters", "bounded"), [(5, False), (6, True), (20, True)])
def test_intervals_of_merges_have_bounds_only_where_clusters_are_enough(
    tmp_path: Path, clusters: int, bounded: bool
) -> None:
    random = np.random.default_rng(4)
    gold = random.integers(3, size=120)
    columns = {
        "gold": gold,
        **{f"s{n}": np.where(random.random(120) < n / 10, random.integers(3, size=120), gold) for n in range(6)},
    }
    lines = [f"id,doc,{','.join(columns)}"]
    for item, codes in enumerate(zip(*columns.values(), strict=True)):
        lines.append(f"{item},d{item % clusters},{','.join('abc'[code] for code in codes)}")
    path = tmp_path / "gold.csv"
    path.write_text("\n".join(lines) + "\n")
    read = metaeval.read(gold=path, labels="a<b<c", clusters="doc")
    report = metaeval.merge_classes(read, ["accuracy", "kappa"], permutations=199)
    merge_rows = [*rows(report, "merge_classes"), *rows(report, "merge_classes_intervals")]
    pairs = (("ci_low", "ci_high"), ("corrected_low", "corrected_high"))
    ends = [(row[low], row[high]) for row in merge_rows for low, high in pairs if row.get(low) is not None]
    assert all(low == -1 and high == 1 for low, high in ends) == (not bounded)
    assert len(ends) > 6
