"""Measures of files and packages that others write."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write

import metaeval as api
from metaeval.arrays import Floats
from metaeval.errors import InputError
from metaeval.measures import REGISTRY, measure
from metaeval.measures.plugin_calls import call_plugin
from metaeval.testing import check_measure

pytestmark = pytest.mark.usefixtures("repository")

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
FILE = EXAMPLES / "my_measures.py"
PACKAGE = EXAMPLES / "metaeval-sacrebleu"

STANCE = (
    *("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "sample_data/fnc1/systems"),
    *("--labels", "disagree<discuss<agree", "--seed", "7"),
)
FEW = ("--permutations", "99")
ANALYSES: dict[str, tuple[str, ...]] = {
    "score": ("score", "--trivial"),
    "similarity": ("similarity", *FEW),
    "stability": ("stability", "--trials", "200", *FEW),
    "merge-classes": ("merge-classes", *FEW),
    "robustness": ("robustness",),
    "power": ("power", *FEW),
    "tukey": ("power", "--test", "tukey", *FEW),
    "compare": ("compare", *FEW),
    "plan": ("plan", *FEW),
    "summary": ("summary",),
    "recommend": ("recommend", *FEW),
    "correlate": ("correlate", "--human", "{human}", *FEW, "--resamples", "50"),
}


@pytest.fixture
def human(repository: Path, tmp_path: Path) -> str:
    systems = sorted(path.stem for path in (repository / "sample_data/fnc1/systems").iterdir())
    file = tmp_path / "human.csv"
    file.write_text("system,score\n" + "".join(f"{name},{rank}\n" for rank, name in enumerate(systems)))
    return str(file)


def results(metaeval: CommandLine, *words: str) -> dict[str, Any]:
    """The tables, findings and notes of a command, as if the measure were the built-in one."""
    report = json.loads(metaeval.succeeds(*words, "-f", "json", "--quiet").out.replace("share-correct", "accuracy"))
    return {name: report[name] for name in ("tables", "findings", "notes")}


@pytest.mark.parametrize("words", ANALYSES.values(), ids=ANALYSES)
def test_a_measure_that_computes_accuracy_gives_its_results(
    metaeval: CommandLine, human: str, words: tuple[str, ...]
) -> None:
    words = tuple(word.format(human=human) for word in (*words, *STANCE))
    others = ("-m", "closeness") if "tukey" in words else ("-m", "cem-ord")
    expected = results(metaeval, *words, "-m", "accuracy", *others)
    for workers in ("1", "2"):
        options = ("--plugin", str(FILE), "-m", "share-correct", *others, "--workers", workers)
        assert results(metaeval, *words, *options) == expected


def test_explain_and_axioms_treat_it_like_accuracy(metaeval: CommandLine) -> None:
    for words, tables in (
        (("explain", "{}", "cem-ord", *STANCE), None),
        (("axioms", "-m", "{}"), ("axioms", "counter_examples")),
    ):
        expected, ours = (
            results(metaeval, *(word.format(name) for word in words), "--plugin", str(FILE))["tables"]
            for name in ("accuracy", "share-correct")
        )
        # A publication's claims are about accuracy itself.
        assert {name: ours[name] for name in tables or ours} == {name: expected[name] for name in tables or expected}


def test_python_yaml_and_command_line_load_the_same_file(metaeval: CommandLine, repository: Path, write: Write) -> None:
    data = f"data:\n  task: fnc1\n  gold: {repository}/sample_data/fnc1/gold.csv\n"
    data += f"  runs: [{repository}/sample_data/fnc1/systems]\n  labels: disagree<discuss<agree\n"
    # Measures may stand before the plugins that declare them.
    config = write("experiment.yaml", f"measures: [share-correct]\nplugins: [{FILE}]\n{data}score: {{}}\n")
    expected = metaeval.report("run", config)
    tables = [expected["tables"], metaeval.tables("score", "--config", config)]
    api.load_plugin(FILE)
    tables.append(api.score(config, "share-correct").to_dict()["tables"])
    assert all(result["scores"] == tables[0]["scores"] for result in tables)
    plugin = api.load_plugin(FILE)
    assert str(plugin) == f"my_measures-1.0@{plugin.sha256[:8]}"
    assert f"|plugins:{plugin}" in expected["signature"]
    assert {"path": str(FILE), "role": "plugin", "sha256": plugin.sha256} in expected["provenance"]["files"]


def test_its_measures_are_listed_described_completed_and_suggested(
    metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "share-correct" in metaeval.succeeds("measures", "--plugin", FILE).out
    described = metaeval.succeeds("measures", "--plugin", FILE, "share-correct").out
    assert "Doe, J. (2026)" in described
    assert "my_measures-1.0@" in described
    assert "Did you mean 'share-correct'" in metaeval("measures", "--plugin", FILE, "share-corect").err
    for words in ("metaeval score --plugin FILE -m share", "metaeval measures --plugin FILE share"):
        line = words.replace("FILE", str(FILE))
        complete = {"_METAEVAL_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        shell = subprocess.run(
            [sys.executable, "-m", "metaeval"],
            env={**os.environ, **complete},
            capture_output=True,
            text=True,
            check=True,
        )
        assert shell.stdout == "plain,share-correct\n"


HEAD = "import numpy as np\nimport metaeval\n"
DECLARED = (
    "title='T', question='q', source='s', formula='f', undefined='no items', bounds=(0.0, 1.0), "
    "traits={metaeval.Trait.ADDITIVE}, parameters={}"
)
OF_NO_TRAIT = DECLARED.replace("{metaeval.Trait.ADDITIVE}", "set()")
CORRECT = "return np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1))"


def label_plugin(body: str, name: object = "mine") -> str:
    """A file with one measure of labels, whose function is at line 4."""
    return f"{HEAD}@metaeval.label_measure({name!r}, {DECLARED})\ndef scores(counts):\n    {body}\n"


SMALLEST = """
import metaeval

@metaeval.label_measure
def lowest_recall(counts, weight=1.0):
    \"\"\"Lowest recall of a class.\"\"\"
    return weight * (counts.diagonal(axis1=-2, axis2=-1) / counts.sum(axis=-1)).min(axis=-1)

@metaeval.text_measure
def same_text(outputs, references):
    return [float(output in texts) for output, texts in zip(outputs, references)]

@metaeval.item_measure
def item_words(edits, words, best=1.0):
    return best - edits / words

@metaeval.sum_measure(better=metaeval.Direction.LOWER)
def all_words(edits, words):
    return edits / words
"""


def test_a_measure_is_a_function_and_a_word(metaeval: CommandLine, tmp_path: Path) -> None:
    plugin = tmp_path / "smallest.py"
    plugin.write_text(SMALLEST)
    rows = metaeval.tables("measures", "--plugin", plugin, "lowest-recall")["measure"]
    described = {row["aspect"]: row["explanation"] for row in rows}
    assert described.pop("plugin").startswith("smallest@")
    assert described == {
        "meaning": "Lowest recall of a class.",
        "better": "higher",
        "range": "−∞ to ∞",
        "uses": "class names only",
        "weight=": "(number; default 1)",
        "source": "smallest.py",
    }
    assert measure("lowest-recall").title == "Lowest recall of a class"
    assert [measure(name).title for name in ("same-text", "all-words")] == ["Same text", "All words"]
    for name in ("lowest-recall", "same-text", "item-words", "all-words"):
        check_measure(name)
    recalls = ("-m", "lowest-recall", "-m", "lowest-recall:weight=2")
    for row in metaeval.tables("score", *STANCE, "--plugin", plugin, *recalls)["scores"]:
        assert row["lowest-recall:weight=2"] == pytest.approx(2 * row["lowest-recall"])
    words = ("-m", "item-words", "-m", "all-words", "-m", "item-error-rate", "-m", "error-rate")
    speech = ("--task", "table", "docs/examples/speech.csv", "--plugin", plugin, "--plugin", FILE)
    for row in metaeval.tables("score", *speech, *words)["scores"]:
        assert row["item-words"] == pytest.approx(1 - row["item-error-rate"])
        assert row["all-words"] == row["error-rate"]


@pytest.mark.parametrize("declared", ["", "plugin"])
def test_no_measure_changes_the_counts_of_another_and_none_sees_an_empty_batch(write: Write, declared: str) -> None:
    """In a plugin, and in a program or notebook that uses metaeval."""
    source = SMALLEST.partition("@metaeval.text_measure")[0].replace("lowest_recall", f"in_{declared or 'program'}")
    source = source.replace("    return", "    counts /= counts.sum()\n    return")
    path = write("mine.py", source)
    if declared:
        api.load_plugin(path)
    else:
        exec(compile(source, path, "exec"), {"__name__": "__main__"})
    name = f"in-{declared or 'program'}"
    counts, scale = np.eye(2)[np.newaxis], api.ClassScale(("a", "b"))
    with pytest.raises(
        InputError, match=rf"mine.py:7: measure '{name}'.* raises ValueError: output array is read-only"
    ):
        measure(name)(counts, scale)
    assert (counts == np.eye(2)).all()
    assert measure(name)(counts[:0], scale).shape == (0,)
    REGISTRY.remove(name)


BROKEN = {
    "raise ValueError('no luck')": (":5:", "scores() raises ValueError: no luck"),
    "return 1.0": (":3:", "scores() returns an array of shape ()"),
    "return counts.sum(axis=-1)": (":3:", "returns an array of shape"),
    "exit(0)": (":5:", "scores() raises SystemExit: 0"),
    "raise __import__('asyncio').CancelledError": (":5:", "scores() raises CancelledError"),
    "counts /= counts.sum(axis=(-2, -1), keepdims=True)": (":5:", "scores() raises ValueError", "read-only"),
    "return np.sqrt(counts[..., 0, 0] - 1e6 + 0j)": (":3:", "returns complex numbers; expected real numbers"),
    "return np.full(counts.shape[:-2], 'high')": (":3:", "scores() raises ValueError: could not convert string"),
    "return np.trace(counts, axis1=-2, axis2=-1) / 0": (":3:", "returns an infinite score"),
    "return np.trace(counts, axis1=-2, axis2=-1)": (":3:", "returns the score", "expected scores from 0 to 1"),
}


@pytest.mark.parametrize(("body", "parts"), BROKEN.items())
def test_a_broken_function_is_one_error_with_its_file_and_name(
    metaeval: CommandLine, tmp_path: Path, body: str, parts: tuple[str, ...]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(label_plugin(body))
    outcome = metaeval("score", *STANCE, "--plugin", file, "-m", "mine")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("What to do:") == 1
    assert all(part in outcome.err for part in ("mine.py", "measure 'mine'", *parts)), outcome.err


def text_plugin(body: str) -> str:
    return f"{HEAD}@metaeval.text_measure('mine', {OF_NO_TRAIT})\ndef scores(outputs, references):\n    {body}\n"


def test_a_function_of_texts_may_change_the_lists_that_it_gets(metaeval: CommandLine, tmp_path: Path) -> None:
    body = "scores = [float(len(texts)) for texts in references]; [texts.clear() for texts in references]"
    file = tmp_path / "mine.py"
    file.write_text(text_plugin(f"{body}; return scores").replace("(0.0, 1.0)", "(0.0, 9.0)"))
    words = ("score", "--config", "configs/news.yaml", "--plugin", file, "-m", "mine")
    output = metaeval.succeeds(*words, "-f", "csv", "-q").out
    assert all(float(line.split(",")[1]) >= 1 for line in output.splitlines()[1:])


UNLOADABLE = {
    "x = (": ("mine.py:1: plugin cannot be read (SyntaxError",),
    "import no_such_module": (
        "mine.py:1: plugin cannot be read (ModuleNotFoundError: No module named 'no_such_module'",
    ),
    "exit(3)": ("mine.py:1: plugin cannot be read (SystemExit",),
    label_plugin("return 1").replace("title", "titel"): ("mine.py:3: plugin cannot be read (TypeError", "titel"),
    label_plugin("return 1", "accuracy"): ("measure 'accuracy' of plugin", "mine.py, which metaeval has already"),
    **{
        label_plugin("return 1", name): ("mine.py:3: ", "measure name", "; expected one or more characters")
        for name in ("two words", "a,b", "", 5)
    },
    "x = 1": ("mine.py: no measure; expected functions that are decorated with label_measure",),
    label_plugin("return 1").replace("counts)", "counts, *, beta: float)"): ("beta of scores has no default",),
    label_plugin("return 1").replace("counts)", "counts, *, beta=True)"): ("beta of scores is not declared as",),
    f"{HEAD}metaeval.label_measure(lambda counts: 1)": ("mine.py:3: measure name '<lambda>'",),
    f"{HEAD}@metaeval.item_measure\ndef mine(): pass": (
        "mine.py:3: plugin cannot be read (ValueError",
        "no statistics",
    ),
}


@pytest.mark.parametrize(("content", "parts"), UNLOADABLE.items())
def test_a_file_that_cannot_be_loaded_is_one_error(
    metaeval: CommandLine, write: Write, content: str, parts: tuple[str, ...]
) -> None:
    before = set(REGISTRY)
    outcome = metaeval("measures", "--plugin", write("mine.py", content))
    assert (outcome.code, outcome.out) == (2, "")
    assert all(part in outcome.err for part in parts), outcome.err
    assert set(REGISTRY) == before


def test_two_files_with_one_name_are_an_error_that_names_both(metaeval: CommandLine, write: Write) -> None:
    one, other = (write(f"{name}.py", label_plugin(CORRECT)) for name in ("one", "other"))
    outcome = metaeval("measures", "--plugin", one, "--plugin", other)
    assert outcome.code == 2
    assert "other.py, which plugin" in outcome.err
    assert "one.py has already" in outcome.err


def test_a_changed_file_replaces_what_it_declared(write: Write) -> None:
    counts, scale = np.eye(2)[np.newaxis], api.ClassScale(("a", "b"))
    for factor in (1.0, 0.5):
        body = f"return {factor} * np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1))"
        api.load_plugin(write("mine.py", label_plugin(body)))
        assert measure("mine")(counts, scale).tolist() == [factor]
    file = Path(write("mine.py", label_plugin(body)))
    arrived = pickle.dumps(measure("mine"))
    assert pickle.loads(arrived) == measure("mine")
    file.write_text(label_plugin(body) + "# changed\n")
    with pytest.raises(InputError, match=r"plugin mine on a worker: version mine@"):
        pickle.loads(arrived)
    file.unlink()
    with pytest.raises(InputError, match=r"plugin mine on a worker: plugin cannot be read"):
        pickle.loads(arrived)


def test_loading_prints_nothing_to_standard_output(metaeval: CommandLine, write: Write) -> None:
    file = write("mine.py", f"print('hello')\n{label_plugin(CORRECT)}")
    outcome = metaeval.succeeds("measures", "accuracy", "-f", "json", "--plugin", file)
    assert "hello" not in outcome.out
    assert outcome.err.startswith("hello")


def test_a_line_in_a_test_checks_a_measure(write: Write) -> None:
    for name in ("accuracy", "kappa", "mae", "cem-ord"):
        check_measure(name)
    api.load_plugin(FILE)
    for name in ("share-correct", "first-word", "error-rate", "item-error-rate"):
        check_measure(name)
    api.load_plugin(write("mine.py", label_plugin(CORRECT)))
    with pytest.raises(AssertionError, match="exchanging gold and predictions does not change the score: True"):
        check_measure("mine")


@pytest.mark.slow
def test_the_example_package_is_installed_found_and_tested(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(tmp_path), str(PACKAGE)], check=True)
    root = str(PACKAGE.parents[2])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), root])}

    def python(*words: str) -> str:
        run = subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True, cwd=tmp_path)
        assert run.returncode == 0, run.stderr + run.stdout
        return run.stdout

    assert "metaeval-sacrebleu-1.0@" in python("-m", "metaeval", "measures", "corpus-bleu")
    # Nothing is imported for a measure of metaeval, and for the help.
    for words in ("['--help']", "['measures', 'accuracy', '-q']", "['score', '--help']"):
        script = f"import sys; sys.argv[1:] = {words}\nfrom metaeval.cli import main\n"
        script += "try: main(sys.argv[1:])\nfinally: assert 'metaeval_sacrebleu' not in sys.modules"
        python("-c", script)
    tests = PACKAGE / "test_metaeval_sacrebleu.py"
    python("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tests))


def test_a_path_of_a_plugin_is_a_path() -> None:
    paths: tuple[Any, ...] = (3, None, ["mine.py"], b"mine.py", "missing.py", "a\0b")
    for path in paths:
        with pytest.raises(InputError, match="plugin cannot be read" if isinstance(path, str) else "as a plugin"):
            api.load_plugin(path)


UNDEFINED = {
    "label_measure": ("counts", "np.full(counts.shape[:-2], np.nan)", ""),
    "text_measure": ("outputs, references", "[np.nan] * len(outputs)", ""),
    "item_measure": ("rows", "np.nan * rows[..., 0]", "statistics=('edits', 'words'), "),
    "sum_measure": ("rows", "np.nan * rows[..., 0]", "statistics=('edits', 'words'), "),
}


@pytest.mark.parametrize(("kind", "code"), UNDEFINED.items())
def test_a_measure_that_is_never_defined_fails_its_check(write: Write, kind: str, code: tuple[str, str, str]) -> None:
    parameters, returned, more = code
    text = f"{HEAD}@metaeval.{kind}('mine', {more}{OF_NO_TRAIT})\ndef scores({parameters}):\n    return {returned}\n"
    api.load_plugin(write("mine.py", text))
    with pytest.raises(AssertionError, match="mine: every score is NaN, but it is declared for 'no items' only"):
        check_measure("mine")


def test_a_description_names_the_columns_that_a_measure_reads(metaeval: CommandLine) -> None:
    described = metaeval.succeeds("measures", "--plugin", FILE, "error-rate", "-f", "csv").out
    assert 'uses,"columns of a table: edits, words"' in described
    assert "uses,texts and references" in metaeval.succeeds("measures", "rouge-l", "-f", "csv").out


def test_a_table_without_a_column_of_a_measure_is_an_error_that_names_both(metaeval: CommandLine, write: Write) -> None:
    table = write("t.csv", "system,item,edits,pages\na,1,1,2\nb,1,0,3\n")
    for words in (("--plugin", FILE, "-m", "error-rate"), ("--ratio", "rate=edits/words")):
        name = "rate" if "--ratio" in words else "error-rate"
        message = metaeval.refuses("score", "--task", "table", table, *words)
        assert message == f"Error: unknown column of measure '{name}': 'words'. Known: edits, pages.\n"


def test_sources_of_plugins_are_notes_among_the_references(metaeval: CommandLine, write: Write) -> None:
    plugin = write("own.py", FILE.read_text().replace("Doe, J. (2026).", "{Doe} & Co,\\n100 % \\\\x."))
    table = write("t.csv", "system,item,edits,words\na,1,1,2\nb,1,0,3\n")
    bib = Path(table).with_name("works.bib")
    words = ("--task", "table", table, "-m", "error-rate", "-m", "item-error-rate", "--bibtex", bib)
    metaeval.succeeds("score", "--plugin", plugin, *words)
    first, second = bib.read_text().split("\n\n")
    assert first.startswith("@misc{metaeval,")
    note = r"Doe \& Co, 100 \% x. A measure of our own."
    assert second == f"@misc{{error-rate,\n  key = {{error-rate}},\n  note = {{{note}}},\n}}\n"


def test_what_plugins_print_in_several_threads_leaves_standard_output_for_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before, both = sys.stdout, Barrier(2)
    first_is_done = Event()

    def first() -> Floats:
        both.wait(5)
        print("first")
        return np.zeros(1)

    def last() -> Floats:
        both.wait(5)
        first_is_done.wait(5)
        print("last")
        return np.zeros(1)

    threads = [Thread(target=call_plugin, args=("m", function, (1,), None)) for function in (first, last)]
    for thread in threads:
        thread.start()
    threads[0].join()
    first_is_done.set()
    threads[1].join()
    assert sys.stdout is before
    assert capsys.readouterr() == ("", "first\nlast\n")
