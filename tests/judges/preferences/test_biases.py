"""Biases of judges at equal strength of the systems: what is found, what is not, and what cannot be known."""

import json
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, csv_text, sentences
from hypothesis import given, settings
from hypothesis import strategies as st
from judges.preferences.verdicts import verdicts_of

from metaeval.judges.preferences.biases import biases_of
from metaeval.judges.preferences.study import Raters

HEADER = "item,left,right,winner,judge"
JUDGE = ("--judge", "gpt")


def biases(report: dict[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    rows = report["tables"].get("judge_biases", [])
    return {(row["judge"], row["bias"], *([row["against"]] if row.get("against") else [])): row for row in rows}


def simulate(
    seed: int, items: int, judges: dict[str, dict[str, float]], *, same_length: bool = False
) -> list[dict[str, Any]]:
    """Verdicts in both orders on pairs of systems, whose strong ones write more.

    judges: their scale, and their log odds for the first output, for twice the length and for their family f.
    """
    random = np.random.default_rng(seed)
    strength = {"a": 1.0, "b": 0.4, "c": -0.4, "d": -1.0}
    rows = []
    for item in range(items):
        lengths = {
            name: 100 * 2 ** (1.5 * worth + (0 if same_length else random.normal())) for name, worth in strength.items()
        }
        for judge, effects in judges.items():
            one, other = random.permutation(list(strength))[:2].tolist()
            for left, right in ((one, other), (other, one)):
                odds = effects.get("scale", 1.0) * (strength[left] - strength[right]) + effects.get("first", 0.0)
                odds += effects.get("longer", 0.0) * np.log2(lengths[left] / lengths[right])
                odds += effects.get("own", 0.0) * ((left in "ac") - (right in "ac"))
                win, loss = np.exp(odds / 2), np.exp(-odds / 2)
                chances = np.cumsum([win, loss, 0.4]) / (win + loss + 0.4)
                winner = ("left", "right", "tie")[int((random.random() > chances).sum())]
                row = {"item": item, "left": left, "right": right, "winner": winner, "judge": judge}
                row |= {"length-left": lengths[left], "length-right": lengths[right]}
                row |= {"family-left": "f" if left in "ac" else "g", "family-right": "f" if right in "ac" else "g"}
                rows.append(row | {"family-judge": "f" if judge == "gpt" else ""})
    return rows


def test_planted_biases_are_found_beyond_those_of_people(metaeval: CommandLine, write: Write) -> None:
    planted = {"gpt": {"first": 0.8, "longer": 0.6, "own": 1.2}, "ann": {"longer": 0.2}}
    report = metaeval.report("preferences", write("v.csv", csv_text(simulate(1, 400, planted))), *JUDGE)
    effects = biases(report)
    for key, odds in {
        ("gpt", "first"): 0.8,
        ("gpt", "longer (×2)"): 0.6,
        ("ann", "longer (×2)"): 0.2,
        ("gpt", "longer (×2)", "ann"): 0.4,
        ("gpt", "own family", "ann"): 1.2,
    }.items():
        row = effects[key]
        assert row["low"] < 1 / (1 + np.exp(-odds)) < row["high"], key
        assert row["odds_ratio"] == pytest.approx(row["share"] / (1 - row["share"]))
        assert (row["p"] <= 0.05) == (row["low"] > 0.5)
    (sentence,) = (text for text in sentences(report) if text.startswith("Significant biases at equal strength"))
    for part in ("gpt for first outputs", "gpt for outputs of twice the length", "and 1 more"):
        assert part in sentence


def test_strong_systems_that_write_more_are_no_bias_for_length_or_family(metaeval: CommandLine, write: Write) -> None:
    planted = {"gpt": {"scale": 1.6}, "ann": {}}
    report = metaeval.report("preferences", write("v.csv", csv_text(simulate(2, 200, planted))), *JUDGE)
    effects = biases(report)
    assert {row["p_adjusted"] > 0.05 for row in effects.values()} == {True}
    assert {key[1] for key in effects} == {"first", "longer (×2)", "own family"}
    assert "No judge has a significant bias at equal strength (adjusted p > 0.05)" in sentences(report)


def test_a_bias_for_first_outputs_needs_both_orders(metaeval: CommandLine, write: Write) -> None:
    rows = "".join(f"{item},strong,weak,{'right' if item % 10 == 0 else 'left'},gpt\n" for item in range(60))
    report = metaeval.report("preferences", write("v.csv", f"{HEADER}\n{rows}"), *JUDGE)
    assert "judge_biases" not in report["tables"]
    reason = "no pair of systems was shown in both orders"
    assert sentences(report)[0] == f"Whether gpt prefers first outputs is unknown: {reason}"
    # The better system always comes first, and wins: what a–b and b–c add up to does not tell a–c.
    pairs = [("a", "b"), ("b", "c"), ("a", "c")]
    rows = "".join(f"{item},{left},{right},left,gpt\n" for item in range(30) for left, right in pairs)
    report = metaeval.report("preferences", write("v.csv", f"{HEADER}\n{rows}"), *JUDGE)
    assert not biases(report)
    assert f"no bias first of gpt: {reason}" in report["notes"]


def both_orders(flips: int) -> str:
    rows = []
    for item in range(40):
        better = "AB"[item % 2]
        for left, right in (("A", "B"), ("B", "A")):
            flip = item < flips and left == "B"
            rows.append(f"{item},{left},{right},{'left' if (left == better) != flip else 'right'},gpt\n")
    return f"{HEADER}\n{''.join(rows)}"


def test_one_flip_leaves_no_narrower_interval_than_none(metaeval: CommandLine, write: Write) -> None:
    reports = [metaeval.report("preferences", write("v.csv", both_orders(flips)), *JUDGE) for flips in (0, 1)]
    none, one = (biases(report)["gpt", "first"] for report in reports)
    assert one["high"] - one["low"] >= (none["high"] - none["low"]) * 0.99
    (no_flip,), (one_flip,) = (report["tables"]["judge_preferences"] for report in reports)
    assert (no_flip["statistic"], no_flip["share"], one_flip["share"]) == ("flips", 0.0, 1 / 40)
    assert no_flip["high"] == pytest.approx(0.0881, abs=1e-4)
    assert 0.12 < one_flip["high"] < 0.15


def test_own_family_needs_verdicts_of_others(metaeval: CommandLine, write: Write) -> None:
    planted = {"gpt": {"own": 1.5}, "kim": {}}
    rows = simulate(4, 150, planted)
    alone = [row for row in rows if row["judge"] == "gpt"]
    report = metaeval.report("preferences", write("v.csv", csv_text(alone)), *JUDGE)
    assert not any(key[1] == "own family" for key in biases(report))
    assert any("no verdicts of others tell the strength of its systems" in note for note in report["notes"])
    report = metaeval.report("preferences", write("v.csv", csv_text(rows)), *JUDGE, "--judge", "kim")
    assert biases(report)["gpt", "own family", "other judges"]["low"] > 0.5


def test_a_covariate_has_two_columns_or_their_difference(metaeval: CommandLine, write: Write) -> None:
    rows = simulate(5, 60, {"gpt": {"longer": 0.5}})
    for row in rows:
        left, right = row["length-left"] // 40, row["length-right"] // 40
        row |= {"lists-left": left, "lists-right": right, "signed": left - right}
        del row["length-left"], row["length-right"]
    path = write("v.csv", csv_text(rows))
    two, one = (
        biases(metaeval.report("preferences", path, *JUDGE, "--covariate", name))["gpt", f"{name} (+1)"]
        for name in ("lists", "signed")
    )
    assert {**two, "bias": ""} == {**one, "bias": ""}
    assert two["share"] > 0.5
    without = metaeval.report("preferences", path, *JUDGE)
    assert {key[1] for key in biases(without)} == {"first"}
    parts = ["--covariate list", "did you mean 'lists'", "a column of numbers of the files"]
    metaeval.refuses_with(parts, "preferences", path, "--covariate", "list")


def games(lengths: dict[str, int]) -> str:
    lines = []
    for question in range(12):
        winner = "model_1" if question % 3 else "model_2"
        game = {"question_id": question, "model_1": "AB"[question % 2], "model_2": "BA"[question % 2], "judge": "gpt"}
        game |= {"g1_winner": winner, "g2_winner": winner}
        lines.append(json.dumps(game | {name: value + question**2 for name, value in lengths.items()}) + "\n")
    return "".join(lines)


@pytest.mark.parametrize("ends", [("model_1", "model_2"), ("left", "right")])
def test_lengths_beside_the_fields_of_fastchat_are_used(
    metaeval: CommandLine, write: Write, ends: tuple[str, str]
) -> None:
    text = games({f"length-{end}": number for end, number in zip(ends, (90, 50), strict=True)})
    effects = biases(metaeval.report("preferences", write("v.jsonl", text), *JUDGE))
    assert effects["gpt", "longer (×2)"]["verdicts"] == 24


def test_verdicts_without_a_length_are_counted(metaeval: CommandLine, write: Write) -> None:
    rows = simulate(6, 30, {"gpt": {}})
    rows[0]["length-left"], rows[1]["length-left"] = "", "0"
    report = metaeval.report("preferences", write("v.csv", csv_text(rows)), *JUDGE)
    assert {key[1]: row["verdicts"] for key, row in biases(report).items()} == {"first": 60, "longer (×2)": 58}
    assert "biases of gpt, except first, are without 2 verdicts that lack a length or covariate" in report["notes"]


def test_a_covariate_that_tells_nothing_is_named_with_the_reason(metaeval: CommandLine, write: Write) -> None:
    rows = simulate(1, 20, {"gpt": {"first": 0.4}})
    constant = [row | {"z": 0} for row in rows]
    report = metaeval.report("preferences", write("z.csv", csv_text(constant)), *JUDGE, "--covariate", "z")
    assert "no bias z (+1) of gpt: it never differs between the outputs, or is missing" in report["notes"]
    for row in rows[2:]:
        row["length-left"] = ""
    report = metaeval.report("preferences", write("v.csv", csv_text(rows)), *JUDGE)
    assert "no bias longer (×2) of gpt: too few verdicts have a length and every covariate" in report["notes"]
    assert biases(report)["gpt", "first"]["verdicts"] == len(rows)
    for row in rows:
        row["length-left"] = ""
    alone = biases(metaeval.report("preferences", write("w.csv", csv_text(rows)), *JUDGE))["gpt", "first"]
    assert biases(report)["gpt", "first"]["share"] == pytest.approx(alone["share"], abs=0.05)


def test_a_covariate_of_another_unit_has_the_same_test(metaeval: CommandLine, write: Write) -> None:
    rows = simulate(5, 60, {"gpt": {"longer": 0.5}})
    results = []
    for unit in (1.0, 1e7, 1e200, 1e-200):
        scaled = [row | {"z": (row["length-left"] - row["length-right"]) / 100 * unit} for row in rows]
        report = metaeval.report("preferences", write("v.csv", csv_text(scaled)), *JUDGE, "--covariate", "z")
        results.append(next(row for key, row in biases(report).items() if key[1].startswith("z (+")))
    assert [row["bias"] for row in results] == ["z (+1)", "z (+1e+07)", "z (+1e+200)", "z (+1e-200)"]
    for row in results[1:]:
        for name in ("share", "low", "high", "p", "odds_ratio"):
            assert row[name] == pytest.approx(results[0][name], rel=1e-6)


def weighted(rows: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    random = np.random.default_rng(seed)
    return [row | {"weight": int(random.integers(1, 4))} for row in rows]


def test_weights_reach_biases_and_flips_and_their_unit_changes_nothing(metaeval: CommandLine, write: Write) -> None:
    rows = weighted(simulate(8, 60, {"gpt": {"first": 0.6, "longer": 0.5}}), 1)
    one, other, without = (
        metaeval.report("preferences", write("v.csv", csv_text(case)), *JUDGE)
        for case in (rows, [row | {"weight": row["weight"] / 4} for row in rows], [row | {"weight": 1} for row in rows])
    )
    for name in ("judge_biases", "controlled_strengths", "judge_preferences"):
        for row, again, plain in zip(*(report["tables"][name] for report in (one, other, without)), strict=True):
            numbers, scaled, equal = (
                [cells[key] for key, value in row.items() if isinstance(value, float)] for cells in (row, again, plain)
            )
            assert numbers == pytest.approx(scaled, rel=1e-5, nan_ok=True)
            assert numbers != pytest.approx(equal, rel=1e-3, nan_ok=True)
    plain_strengths = {row["system"]: row["strength"] for row in one["tables"]["strengths"]}
    controlled = {row["system"]: row["strength"] for row in one["tables"]["controlled_strengths"]}
    assert controlled == pytest.approx(plain_strengths, abs=1e-6)


def test_a_verdict_of_weight_two_flips_as_two_verdicts_do(metaeval: CommandLine, write: Write) -> None:
    rows = weighted(simulate(9, 40, {"gpt": {"first": 1.0}}), 2)
    twice = [row | {"weight": 1} for row in rows for _ in range(row["weight"])]
    (one,), (other,) = (
        [row for row in report["tables"]["judge_preferences"] if row["statistic"] == "flips"]
        for report in (metaeval.report("preferences", write("v.csv", csv_text(case)), *JUDGE) for case in (rows, twice))
    )
    for name in ("share", "low", "high", "verdicts"):
        assert one[name] == pytest.approx(other[name])


def test_an_unsure_graded_preference_is_less_evidence_of_a_bias(metaeval: CommandLine, write: Write) -> None:
    rows = simulate(10, 80, {"gpt": {"longer": 1.0}})
    shares = []
    for certain in (1.0, 0.8, 0.6):
        preferences = {"left": 2 - certain, "right": 1 + certain, "tie": 1.5}
        graded = [
            {
                "instruction": row["item"],
                "generator_1": row["left"],
                "generator_2": row["right"],
                "preference": preferences[row["winner"]],
                "annotator": "gpt",
                "length-generator_1": row["length-left"],
                "length-generator_2": row["length-right"],
            }
            for row in rows
        ]
        report = metaeval.report("preferences", write("v.csv", csv_text(graded)), *JUDGE)
        shares.append(biases(report)["gpt", "longer (×2)"]["share"])
        controlled = {row["system"]: row["strength"] for row in report["tables"]["controlled_strengths"]}
        assert controlled == pytest.approx(
            {row["system"]: row["strength"] for row in report["tables"]["strengths"]}, abs=1e-6
        )
    assert 0.5 < shares[2] < shares[1] < shares[0]


def test_orders_that_are_merged_have_the_mean_weight_of_both(metaeval: CommandLine, write: Write) -> None:
    rows = ["1,A,B,left,gpt,2", "1,B,A,right,gpt,4", "2,A,B,right,gpt,5", "2,B,A,left,gpt,5", "3,A,B,left,gpt,1"]
    path = write("v.csv", "\n".join([f"{HEADER},weight", *rows, ""]))
    report = metaeval.report("preferences", path, *JUDGE, "--merge-orders", "tie", "--baseline", "B")
    (rate,) = report["tables"]["win_rates"]
    assert (rate["win_rate"], rate["verdicts"]) == (pytest.approx(4 / 9), 9)


def test_orders_that_always_differ_leave_no_verdict(metaeval: CommandLine, write: Write) -> None:
    rows = "".join(f"{item},{order},left,gpt\n" for item in range(4) for order in ("A,B", "B,A"))
    message = metaeval.refuses("preferences", write("v.csv", f"{HEADER}\n{rows}"), "--merge-orders", "drop")
    assert "no verdict is left" in message
    assert "--merge-orders tie" in message
    both = rows.replace("gpt", "ann") + rows.replace("B,A,left", "B,A,right")
    path = write("b.csv", f"{HEADER}\n{both}")
    notes = metaeval.report("preferences", path, "--human", "ann", "--merge-orders", "drop")["notes"]
    assert "no agreement with people: no verdict of theirs is left" in notes


def test_orders_are_merged_before_everything_else(metaeval: CommandLine, write: Write) -> None:
    rows = [
        "1,A,B,left,gpt", "1,B,A,right,gpt",  # A twice
        "2,A,B,left,gpt", "2,B,A,left,gpt",  # first twice
        "3,A,B,tie,gpt", "3,B,A,left,gpt",
        "4,B,A,left,gpt", "4,A,B,tie,ann", "2,A,B,right,ann",
    ]  # fmt: skip
    path = write("v.csv", "\n".join([HEADER, *rows, ""]))
    merged = {
        "tie": {"agreement": 0.0, "verdicts": 2},
        "drop": {"agreement": 0.0, "verdicts": 1},
    }
    for differing, expected in merged.items():
        report = metaeval.report("preferences", path, *JUDGE, "--merge-orders", differing)
        fate = "became ties" if differing == "tie" else "were left out"
        note = f"3 pairs of verdicts on the same outputs in both orders merged into one each; 2 that differ {fate}"
        assert note in report["notes"]
        assert f"|verdicts:{6 if differing == 'tie' else 4}|" in report["signature"]
        statistics = {row["statistic"]: row for row in report["tables"]["judge_preferences"] if row["judge"] == "gpt"}
        assert "flips" not in statistics
        assert (statistics["agreement"]["share"], statistics["agreement"]["verdicts"]) == tuple(expected.values())
    assert "flips" in {row["statistic"] for row in metaeval.tables("preferences", path, *JUDGE)["judge_preferences"]}


def test_strengths_are_shown_without_and_with_biases_held_fixed(metaeval: CommandLine, write: Write) -> None:
    rows = simulate(7, 200, {"ann": {"longer": 1.0}})
    report = metaeval.report("preferences", write("v.csv", csv_text(rows)))
    controlled = {row["system"]: row for row in report["tables"]["controlled_strengths"]}
    plain = {row["system"]: row["strength"] for row in report["tables"]["strengths"]}
    assert {name: row["strength"] for name, row in controlled.items()} == pytest.approx(plain)
    true = {"a": 1.0, "b": 0.4, "c": -0.4, "d": -1.0}
    assert all(row["low"] < true[name] < row["high"] for name, row in controlled.items())
    assert controlled["a"]["strength"] > 1.6 > controlled["a"]["high"]


@given(st.integers(0, 2**32 - 1), st.integers(1, 25), st.integers(2, 5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_few_verdicts_have_intervals_with_width_that_agree_with_the_test(
    seed: int, number: int, systems: int, lazy: bool
) -> None:
    random = np.random.default_rng(seed)
    left = random.integers(systems, size=number)
    items, judges = random.integers(4, size=number), random.integers(3, size=number)
    family = random.integers(2, size=systems)
    right = (left + random.integers(1, systems, size=number)) % systems
    winner = np.ones(number, dtype=np.intp) if lazy else random.integers(-1, 2, size=number)
    verdicts = verdicts_of(
        np.stack([items, left, right, winner], axis=1),
        judges=judges,
        names_of_judges=("x", "y", "z"),
        length=random.integers(0, 4, size=(number, 2)).astype(np.float64),
        judges_family=np.where(judges == 0, family[left] - family[right], 0).astype(np.int8),
        displayed=random.random(number) < 0.8,
    )
    raters = [Raters(name, judges == code) for code, name in enumerate(verdicts.names_of_judges)]
    for one in biases_of(verdicts, raters[:2], raters[2], 1).estimates:
        assert 0 <= one.share.low <= one.share.value <= one.share.high <= 1
        assert one.share.low < one.share.high
        assert (one.share.p > 0.05) == (one.share.low <= 0.5 <= one.share.high)
