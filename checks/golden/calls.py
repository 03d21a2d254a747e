"""Calls of every public function of metaeval, whose results are golden as the outputs of commands are.

Run as a program by the golden command `python-calls`, in the folder of the samples: writes a JSON file a call.
"""

import dataclasses
import enum
import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import metaeval
from metaeval.model.runs import Step, TokenizedTexts, Word

ORDER = "disagree<discuss<agree"
TWO = ["cem-ord", "accuracy"]
STANCE, NEWS, TABLE = "configs/stance.yaml", "configs/news.yaml", "golden/table.yaml"
HUMAN = "sample_data/tsc3/human.csv"
VERDICTS = "sample_data/preferences/verdicts.csv"
SCALE = metaeval.ClassScale(("a", "b", "c"), ordered=True)
GOLD = np.array([0, 1, 2, 2, 1, 0, 1, 2])
PREDICTED = np.array([[0, 1, 2, 1, 1, 0, 0, 2], [2, 1, 0, 2, 1, 1, 1, 2]])
ITEMS = tuple(f"i{number}" for number in range(8))


def fnc1(**options: Any) -> metaeval.Runs:
    return metaeval.read(
        "sample_data/fnc1/systems", gold="sample_data/fnc1/gold.csv", task="fnc1", labels=ORDER, **options
    )


def labels(**options: Any) -> metaeval.Runs:
    systems: dict[str, list[str | None]] = {"a": ["yes", "no", "no", "yes"], "b": ["no", "no", "yes", None]}
    return metaeval.from_labels(systems, gold=["yes", "no", "yes", "yes"], labels="no<yes", **options)


def distributions() -> metaeval.Runs:
    return metaeval.from_distributions(
        {"a": [[0, 0, 1], [1, 2, 1]]}, gold=[[3, 1, 0], [0, 2, 2]], labels="low<mid<high"
    )


def texts(**options: Any) -> metaeval.Runs:
    return metaeval.from_texts(
        {"lead": ["The cat sat down.", "It rained."], "other": ["A dog barked.", "It rained all day."]},
        references=[["The cat sat.", "A cat sat down."], ["It rained all day."]],
        **options,
    )


def scores(**options: Any) -> metaeval.Runs:
    values = (np.arange(2 * 4 * 6).reshape(2, 4, 6) * 7 % 11) / 10
    names = ["bleu", "ter"]
    return metaeval.from_scores(values, measures=names, systems=list("abcd"), lower_is_better="ter", **options)


def frame(**options: Any) -> metaeval.Runs:
    rows = pd.read_csv("made/labels/wide.csv")
    return metaeval.from_frame(rows, item="id", labels=ORDER, **options)


def tokenized() -> metaeval.TextRuns:
    outputs = (TokenizedTexts.of([[[0, 1, 2]], [[3, 4]]]), TokenizedTexts.of([[[2, 1]], [[4, 4], [3]]]))
    references = TokenizedTexts.of([[[0, 1]], [[0, 2, 1]], [[3, 4, 4]]])
    words = tuple(Word(form) for form in ("the", "cat", "sat", "it", "rained"))
    return metaeval.TextRuns(("i1", "i2"), ("s1", "s2"), outputs, references, np.array([2, 1]), words)


def derivations() -> metaeval.DerivationRuns:
    one, two = Step("Alma", "was", "a composer"), Step("Velmara", "lies", "on the Orrel")
    return metaeval.DerivationRuns(
        ("q1", "q2"), ("s1", "s2"), (((one,), (two,)), ((two,), (one, two))), (((one, two),), ((two,), (one, two)))
    )


def page(name: str, results: Any, **options: Any) -> list[object]:
    result = metaeval.report(results, name, **options)
    return [result, len(Path(name).read_text(encoding="utf-8").split("<svg"))]


def forms(result: metaeval.Result) -> list[object]:
    """Everything that a result can show or save."""
    result.save("saved.md")
    frames = [result.to_pandas(), *(result.to_pandas(table.name) for table in result.tables)]
    return [str(result), repr(result), result._repr_html_(), [frame.to_csv() for frame in frames],
            Path("saved.md").read_text(encoding="utf-8")]  # fmt: skip


DECLARED: dict[str, Any] = dict.fromkeys(("title", "question", "source", "formula", "undefined"), "golden")


def declared(decorate: Callable[[Any], Any]) -> object:
    """The description of a measure that is declared here."""
    decorate(lambda *data: 1.0)
    return forms(metaeval.list_measures())


CALLS: dict[str, Callable[[], object]] = {
    "read": lambda: fnc1(),
    "read-mapping": lambda: metaeval.read(
        {"best": "made/labels/tidy/systems/atlas_base.csv"}, gold="made/labels/tidy/gold.csv",
        class_weights={"agree": 0.7, "discuss": 0.3}, class_values={"agree": 3, "discuss": 1},
        labels="discuss<agree", drop_gold="disagree", on_unknown="worst",
    ),
    "read-table": lambda: metaeval.read(HUMAN, task="table", human=["D5", "D4"]),
    "read-texts": lambda: metaeval.read(
        "sample_data/tsc3/systems", gold="sample_data/tsc3/references", task="texts", tokenizer="japanese",
        lexicon="sample_data/tsc3/lexicon.tsv", sources="sample_data/tsc3/sources", human=HUMAN,
    ),
    "read-nowhere": lambda: metaeval.read("nowhere", gold="sample_data/fnc1/gold.csv", task="fnc1"),
    "read-task": lambda: metaeval.read("sample_data/fnc1/systems", task="fcn1"),
    "read_config": lambda: metaeval.read_config("golden/labels.yaml"),
    "read_config-data": lambda: metaeval.read_config("golden/data.yaml"),
    "read_config-wrong": lambda: metaeval.read_config("golden/wrong-values.yaml"),
    "from_distributions": lambda: metaeval.score(distributions()),
    "from_distributions-shape": lambda: metaeval.from_distributions({}, gold=[1.0, 2.0], labels="a,b"),
    "from_labels": lambda: metaeval.score(labels(on_missing="drop")),
    "from_labels-missing": lambda: labels(),
    "from_labels-policy": lambda: labels(on_missing="dorp"),
    "from_frame": lambda: metaeval.score(frame(), TWO),
    "from_frame-column": lambda: frame(gold="golden"),
    "from_texts": lambda: metaeval.score(texts(), "rouge"),
    "from_texts-sources": lambda: metaeval.robustness(texts(sources=["A cat. A dog.", "Rain."]), "rouge-l"),
    "from_scores": lambda: metaeval.score(scores()),
    "from_scores-frame": lambda: metaeval.score(metaeval.from_scores(pd.read_csv(HUMAN))),
    "from_scores-shape": lambda: metaeval.from_scores(np.zeros((2, 3)), measures=["x"], systems=["a"]),
    "score": lambda: metaeval.score(fnc1(), TWO, trivial=True, sort_by="accuracy", seed=3),
    "score-preset": lambda: metaeval.score(fnc1(), ["mcc", "nominal"]),
    "score-forms": lambda: forms(metaeval.score(fnc1(), TWO)),
    "score-wrong": lambda: metaeval.score(fnc1(), "acuracy"),
    "score-workers": lambda: metaeval.score(fnc1(), "accuracy", workers=0),
    "score-seed": lambda: metaeval.score(fnc1(), "accuracy", seed=-1),
    "scoring_program": lambda: metaeval.scoring_program("configs/rumour2017.yaml", "bundle"),
    "audit": lambda: metaeval.audit(fnc1(), "macro-f1", baselines="random_guess"),
    "leaderboard": lambda: metaeval.leaderboard(
        "configs/rumour2017.yaml", "macro-f1", metadata="sample_data/rumoureval2017/teams.csv", cost="seconds"
    ),
    "similarity": lambda: metaeval.similarity(fnc1(), TWO, coefficient="spearman", permutations=20, margin=0.8),
    "similarity-wrong": lambda: metaeval.similarity(fnc1(), TWO, coefficient="kendal"),  # type: ignore[arg-type]
    "stability": lambda: metaeval.stability(STANCE, TWO, trials=30, sizes=[0.1, 0.5], workers=2),
    "stability-options": lambda: metaeval.stability(
        STANCE, TWO, trials=20, stratified=True, permutations=50, alpha=0.1, seed=2
    ),
    "stability-wrong": lambda: metaeval.stability(STANCE, TWO, trials=0),
    "stability-alpha": lambda: metaeval.stability(STANCE, TWO, alpha=2),
    "merge_classes": lambda: metaeval.merge_classes(STANCE, TWO, merges="agree+discuss", permutations=20),
    "merge_classes-balance": lambda: metaeval.merge_classes(STANCE, TWO, adjacent=True, balance=True, trials=10),
    "merge_classes-wrong": lambda: metaeval.merge_classes(STANCE, TWO, merges="agree+none"),
    "recommend": lambda: metaeval.recommend(STANCE, permutations=199, halves=2),
    "summary": lambda: metaeval.summary(STANCE, "stance-nine", trials=20),
    "correlate": lambda: metaeval.correlate(
        metaeval.read(HUMAN, task="table", human="D5"), resamples=20, permutations=20, levels="system"
    ),
    "correlate-options": lambda: metaeval.correlate(
        TABLE, human="D3", levels=["system", "item"], coefficients="pearson", interval="systems", test="items",
        resamples=20, permutations=20, alpha=0.1, seed=4,
    ),
    "correlate-wrong": lambda: metaeval.correlate(fnc1(), "accuracy"),
    "correlate-level": lambda: metaeval.correlate(TABLE, levels="systems"),  # type: ignore[arg-type]
    "sensitivity": lambda: metaeval.sensitivity(NEWS, "rouge-su", grid={"skip": [1, 4]}),
    "sensitivity-weights": lambda: metaeval.sensitivity("configs/rumour2017.yaml", weights="configs/weightings.csv"),
    "sensitivity-wrong": lambda: metaeval.sensitivity(NEWS, "rouge-su", grid="skip"),
    "agreement": lambda: metaeval.agreement(HUMAN, by="system", judges="D5", levels="interval"),
    "agreement-words": lambda: metaeval.agreement(
        "made/ratings/named.csv", judge_column="who", id_column="what", label_column="mark",
        labels="low<mid<high", class_values={"low": 1, "mid": 2, "high": 5}, seed=2,
    ),
    "agreement-wrong": lambda: metaeval.agreement(HUMAN, judges="D9", epsilon=0.1, alignment="rmse"),
    "correct": lambda: metaeval.correct("sample_data/judged/labels.csv", labels=["no", "yes"], sampled_by="class"),
    "correct-options": lambda: metaeval.correct(
        "sample_data/judged/scores.csv", judge_column="human", human_column="judge", id_column="item", clusters="topic",
        interval_width=0.5, seed=2,
    ),
    "correct-wrong": lambda: metaeval.correct("sample_data/judged/labels.csv", labels="no<yes", judge_column="item"),
    "contrast": lambda: metaeval.contrast("sample_data/contrast/texts.csv", "rouge-l", clusters="item", seed=2),
    "contrast-wrong": lambda: metaeval.contrast({"phenomenon": ["a"], "good": ["x"]}),
    "preferences": lambda: metaeval.preferences(VERDICTS, judges=["juno", "kite"], ties="left-out"),
    "preferences-wrong": lambda: metaeval.preferences(VERDICTS, judges="jun"),
    "robustness": lambda: metaeval.robustness("configs/rumour2017.yaml", "accuracy"),
    "items": lambda: metaeval.items("configs/rumour2017.yaml", alpha=0.1),
    "reliability": lambda: metaeval.reliability("configs/rumour2017.yaml", "accuracy"),
    "references": lambda: metaeval.references("configs/r4c.yaml", "r4c-rouge:level=full", trials=20, subsets=3),
    "references-wrong": lambda: metaeval.references(STANCE),
    "compare": lambda: metaeval.compare(
        STANCE, TWO, systems=["atlas_large", "atlas_base"], permutations=60, baseline="even_recall", alpha=0.1,
    ),
    "compare-wrong": lambda: metaeval.compare(STANCE, TWO, permutations=0),
    "plan": lambda: metaeval.plan(STANCE, TWO, tau=0.8, sizes=[500, 2000], resamples=5),
    "plan-wrong": lambda: metaeval.plan(STANCE, TWO, power=1.5),
    "power": lambda: metaeval.power(STANCE, TWO, permutations=99, alpha=0.1, workers=2),
    "power-wrong": lambda: metaeval.power(STANCE, TWO, permutations=0),
    "explain": lambda: metaeval.explain(STANCE, TWO, max_pairs=2),
    "explain-all": lambda: metaeval.explain(NEWS, ["rouge-l", "rouge-n:n=1", "rouge-n:n=2"], max_items=2),
    "explain-wrong": lambda: metaeval.explain(STANCE, ["accuracy"]),
    "axioms": lambda: metaeval.axioms(TWO, properties="imbalance", cases=10, seed=4),
    "axioms-wrong": lambda: metaeval.axioms(TWO, properties="balance"),  # type: ignore[arg-type]
    "list_measures": lambda: metaeval.list_measures(),
    "describe_measure": lambda: metaeval.describe_measure("cem-ord"),
    "describe_measure-each": lambda: [
        metaeval.describe_measure(name) for name in metaeval.list_measures().to_pandas()["name"]
    ],
    "describe_measure-wrong": lambda: metaeval.describe_measure("cem-odr"),
    "validate": lambda: metaeval.validate(fnc1()),
    "reproduce": lambda: metaeval.reproduce("inoue2020"),
    "reproduce-wrong": lambda: metaeval.reproduce("nobody2020"),
    "demo": lambda: [metaeval.demo(), metaeval.demo("copied")],
    "doctor": lambda: metaeval.doctor(),
    "run": lambda: metaeval.run("configs/ordinal.yaml", seed=5, workers=2),
    "run-held": lambda: metaeval.run(texts(), "rouge-l"),
    "check": lambda: metaeval.check("configs/ordinal.yaml", fail_if="scores.reversed.spearman > 0"),
    "check-baseline": lambda: [
        metaeval.check("configs/ordinal.yaml", fail_if="scores.reversed.spearman > 0", save_baseline="base.json"),
        metaeval.check("configs/ordinal.yaml", baseline="base.json", alpha=0.1, permutations=99),
    ],
    "check-wrong": lambda: metaeval.check(STANCE),
    "report": lambda: page("page.html", "configs/ordinal.yaml", seed=5),
    "report-result": lambda: page("result.html", metaeval.score(fnc1(), TWO)),
    "report-wrong": lambda: page("page.csv", metaeval.describe_measure("accuracy")),
    "measure": lambda: [metaeval.measure(text).parameters for text in ("f-beta:beta=0.5", "kappa:weights=linear")],
    "measure-wrong": lambda: metaeval.measure("kappa:weights=cubic"),
    "preset": lambda: {
        name: [str(measure) for measure in metaeval.preset(name)] for name in ("stance-nine", "rouge", "r4c")
    },
    "preset-wrong": lambda: metaeval.preset("stance-ten"),
    "count": lambda: metaeval.count(GOLD, PREDICTED, classes=3),
    "merge": lambda: metaeval.merge(metaeval.count(GOLD, PREDICTED, classes=3), [[0], [1, 2]]),
    "reweight": lambda: [
        metaeval.reweight(GOLD, PREDICTED, np.array([[1, 2, 0, 1, 1, 3, 0, 0]]), classes=3),
        metaeval.WeighableItems.of(GOLD, PREDICTED, classes=3).reweight(np.array([[1, 2, 0, 1, 1, 3, 0, 0]])),
    ],
    "score_labels": lambda: metaeval.score_labels(
        metaeval.LabelledRuns(ITEMS, GOLD, PREDICTED, ("s1", "s2"), SCALE), metaeval.preset("stance-nine")
    ),
    "score_counts": lambda: metaeval.score_counts(
        metaeval.count(GOLD, PREDICTED, classes=3), metaeval.preset("stance-nine"), scale=SCALE, systems=["s1", "s2"]
    ),
    "score_numbers": lambda: metaeval.score_numbers(
        metaeval.NumericRuns(ITEMS, GOLD, PREDICTED * 0.7 + 0.1, ("s1", "s2"), SCALE), metaeval.preset("numeric")
    ),
    "score_texts": lambda: metaeval.score_texts(tokenized(), metaeval.preset("rouge")),
    "score_derivations": lambda: metaeval.score_derivations(derivations(), metaeval.preset("r4c")),
    # The last ones: measures that are declared stay.
    "load_plugin": lambda: metaeval.load_plugin("made/my_measures.py").name,
    "label_measure": lambda: declared(metaeval.label_measure(
        "golden-labels", bounds=(0, 9), traits=set(), **DECLARED
    )),
    "text_measure": lambda: declared(metaeval.text_measure("golden-texts", **DECLARED)),
    "item_measure": lambda: declared(metaeval.item_measure("golden-items", statistics=("a", "b"), **DECLARED)),
    "sum_measure": lambda: declared(metaeval.sum_measure("golden-sums", statistics=("a", "b"), **DECLARED)),
}  # fmt: skip
"""What is called, by the name of the function and of the case."""


def plain(value: Any) -> Any:
    """A value as JSON can hold it, with every digit; a result by its `to_dict()`."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, metaeval.Runs):
        return [repr(value), list(value.systems), list(value.items)[:5]]
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(element) for key, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    return repr(value)


def outcome(name: str) -> Any:
    """What a call returns, or the error that it raises; one that is not metaeval's own is also printed."""
    try:
        return plain(CALLS[name]())
    except metaeval.MetaevalError as error:
        return {"raised": type(error).__name__, "message": str(error)}
    except Exception as error:  # a defect is recorded, too, and the other calls go on
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        return {"raised": type(error).__name__, "message": str(error)}


def main() -> None:
    """Write the results of all calls into the folder of the first argument."""
    folder = Path(sys.argv[1])
    folder.mkdir()
    for name in CALLS:
        text = json.dumps(outcome(name), indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
