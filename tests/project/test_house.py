"""Each measure of `make house` notices a violation, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from house.__main__ import main
from house.circles import circles
from house.new_analysis import Addition, add, edited_sources, files_in_all, run_tests
from house.parameters import undocumented_parameters
from house.sizes import LARGE_FOLDERS, code_lines, fullest_folder, lines, longest_file, longest_function
from house.sources import Measurement
from house.spellings import spellings
from house.targets import TARGETS, Target
from house.type_checks import type_checks

SETTINGS = """
class ToySettings(AnalysisSettings, section="toy"):
    section: ClassVar[str] = ""
    per_item: bool = flag(False, "A file")
    levels: Texts = several(Text(), (), "Levels", flag="--level")
"""


def tree(root: Path, files: Mapping[str, str]) -> Path:
    """A checkout of these files, below `metaeval/`."""
    for name, text in files.items():
        path = root / "metaeval" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


# Sizes


def test_lines_are_those_of_python_files_in_all_folders(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a.py": "1\n2\n", "b/c.py": "1\n", "b/d.yaml": "x: 1\n"})
    assert lines(root, "metaeval") == Measurement(3)


def test_lines_of_code_are_those_that_are_neither_blank_nor_comments_nor_docstrings(tmp_path: Path) -> None:
    text = '"""Doc\n\nof two."""\n\n# A comment\nx = (1,\n\n     # inside\n     2)  # beside\n'
    text += '"""Of x."""\ny = """1\n\n2"""\n'
    root = tree(tmp_path, {"a.py": text, "b.py": "1\n"})
    assert code_lines(root, "metaeval") == Measurement(2 + 3 + 1)


def test_a_file_above_the_limit_is_named(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a.py": "1\n" * 4, "b.py": "1\n" * 5})
    assert longest_file(root, "metaeval", 4) == Measurement(5, ("metaeval/b.py: 5 lines",))
    assert longest_file(root, "metaeval", 5) == Measurement(5)


def test_a_function_counts_from_its_def_to_its_end(tmp_path: Path) -> None:
    text = "@cache\ndef f():\n    '''Doc'''\n    return 1\nclass A:\n    @cache\n    def g(self):\n        return 1\n"
    root = tree(tmp_path, {"a.py": text})
    assert longest_function(root, "metaeval", 3) == Measurement(3)
    (two, one) = longest_function(root, "metaeval", 1).details
    assert (two[-10:], one[-10:]) == ("f: 3 lines", "g: 2 lines")


def test_a_folder_counts_its_own_files_of_every_kind_and_large_ones_apart(tmp_path: Path) -> None:
    files = ["a.py", "b.yaml", "c/d.py", "c/e.py", "c/__pycache__/x.pyc", "c/__pycache__/y.pyc", "c/__pycache__/z.pyc"]
    root = tree(tmp_path, dict.fromkeys([*files, "c/f.css", *(f"stats/{name}.py" for name in "abcd")], ""))
    assert fullest_folder(root, "metaeval", 2) == Measurement(3, ("metaeval/c: 3 files",))
    assert fullest_folder(root, "metaeval", 3, LARGE_FOLDERS) == Measurement(4, ("metaeval/stats: 4 files",))


# Circles


@pytest.mark.parametrize(
    "back",
    [
        "from metaeval.a import x",
        "import metaeval.a",
        "from metaeval import a",
        "from . import a",
        "from .a import x",
        "if TYPE_CHECKING:\n    from metaeval.a import x",
        "def f():\n    from metaeval.a import x",
    ],
)
def test_a_circle_is_found_however_it_is_closed(tmp_path: Path, back: str) -> None:
    root = tree(tmp_path, {"__init__.py": "", "a.py": "from metaeval.b import y", "b.py": back})
    assert circles(root) == Measurement(1, ("metaeval.a <-> metaeval.b",))


def test_a_long_circle_is_one_and_a_diamond_is_none(tmp_path: Path) -> None:
    steps = {f"{one}.py": f"from metaeval.{other} import x" for one, other in ("ab", "bc", "cd")}
    assert circles(tree(tmp_path / "line", {**steps, "d.py": "", "e.py": "import metaeval.c, metaeval.b"})).value == 0
    found = circles(tree(tmp_path / "circle", {**steps, "d.py": "import metaeval.a"}))
    assert found == Measurement(1, ("metaeval.a <-> metaeval.b <-> metaeval.c <-> metaeval.d",))


def test_a_package_is_in_a_circle_with_a_module_that_asks_it(tmp_path: Path) -> None:
    files = {"p/__init__.py": "from metaeval.p.a import x", "p/a.py": "from metaeval.p import y"}
    assert circles(tree(tmp_path, files)).value == 1


def test_what_the_package_offers_is_no_import_of_its_own(tmp_path: Path) -> None:
    files = {"__init__.py": "from metaeval.a import x", "a.py": "from metaeval import __version__"}
    assert circles(tree(tmp_path, files)).value == 0


# Types of studies


@pytest.mark.parametrize(
    "question",
    [
        "isinstance(x, LabelStudy)",
        "isinstance(x, (int, labels.LabelledRuns))",
        "isinstance(x, TextRuns | None)",
        "issubclass(x, Capability)",
        "isinstance(x, ANY)",
        "type(x) is LabelStudy",
        "match x:\n    case LabelledRuns(items=1): pass",
        "from metaeval.model import LabelledRuns as Labels\nisinstance(x, Labels)",
    ],
)
def test_a_question_for_the_type_of_a_study_counts_outside_its_home(tmp_path: Path, question: str) -> None:
    model = "class LabelledRuns: ...\nclass TextRuns: ...\nANY = LabelledRuns, TextRuns\nOTHER = int, str"
    study = f"class LabelStudy: ...\nclass Capability: ...\n{question}"
    others = "isinstance(x, OTHER)\nisinstance(LabelStudy, int)\ntype(x) is int\nStudy(isinstance(x, dict))"
    root = tree(tmp_path, {"study/labels.py": study, "model.py": model, "use.py": question, "fine.py": others})
    line = question.count("\n") + 1
    assert type_checks(root) == Measurement(1, (f"metaeval/use.py:{line}",))


# Spellings


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("io/a.py", 'hint = "leave --per-item out"'),
        ("cli/a.py", 'KEYS = {"per-item": 1}'),
        ("config/a.py", 'KEYS = ["levels"]'),
        ("analyses/toy/compute.py", 'raise E(f"{x} --level")'),
        ("api/a.py", "def toy(runs, *, levels=()): ..."),
        ("config/a.py", "class ToyConfig:\n    levels: int = 0"),
        ("cli/toy.py", "def command(per_item): ..."),
    ],
)
def test_a_second_spelling_of_an_option_is_found(tmp_path: Path, file: str, text: str) -> None:
    found = spellings(tree(tmp_path, {"analyses/toy/settings.py": SETTINGS, file: text}))
    assert found.value == 2
    assert f": metaeval/{file}:" in found.details[0]


def test_what_spells_no_option_does_not_count(tmp_path: Path) -> None:
    files = {
        "analyses/toy/settings.py": SETTINGS,
        "analyses/toy/tables.py": 'Column("levels")\nsettings.levels',
        "cli/a.py": 'def f():\n    """As --level says."""\nx = "--levels-of"',
        "api/a.py": "def other(levels): ...",
    }
    assert spellings(tree(tmp_path / "toy", files)) == Measurement(1)
    assert spellings(tree(tmp_path / "none", {"a.py": ""})).value is None


# Parameters


def documented(runs: str, *, trials: int = 1) -> None:
    """Do it.

    Parameters
    ----------
    runs
        Systems.
    trials : int
        Splits.
    """


def half_documented(runs: str, *, trials: int = 1) -> None:
    """Do it; trials: splits.

    Parameters
    ----------
    runs
        Systems.
    """


@dataclass
class Undocumented:
    """A value."""

    value: int

    @classmethod
    def of(cls, text: str) -> "Undocumented":
        """Read it."""
        return cls(int(text))


class Words:
    """What options have."""

    def __init__(self, text: str) -> None:
        self.help = text


class Settings:
    trials = Words("Splits")
    levels = Words("")


@dataclass
class Toy:
    """An analysis."""

    settings: type = field(default=Settings)

    def __call__(self, runs: str, *, trials: int = 1, levels: str = "") -> None:
        """Analyse.

        Parameters
        ----------
        runs
            Systems.
        """


@pytest.mark.parametrize(
    ("value", "missing"),
    [
        (documented, ()),
        (half_documented, ("name(trials)",)),
        (Undocumented, ("name(value)", "name.of(text)")),
        (Toy(), ("name(levels)",)),
    ],
    ids=["function", "half a function", "class", "analysis"],
)
def test_parameters_that_nothing_describes_are_named(value: object, missing: tuple[str, ...]) -> None:
    assert undocumented_parameters({"name": value}) == Measurement(len(missing), missing)


# A new analysis


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return tree(tmp_path / "checkout", {"analyses/__init__.py": "A = {\n    1: 1,\n}\n", "cli.py": "x\n"})


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return tree(tmp_path / "toy", {"analyses/toy/compute.py": "", "analyses/toy/tables.py": ""})


EDIT = {"file": "metaeval/analyses/__init__.py", "after": "    1", "line": "    2: 2,"}


def test_new_and_edited_files_are_counted_and_the_checkout_stays(checkout: Path, toy: Path) -> None:
    seen = []

    def look(copy: Path, _recipe: object) -> None:
        seen.append((copy / "metaeval/analyses/__init__.py").read_text())
        assert (copy / "metaeval/analyses/toy/tables.py").exists()

    edits = [EDIT, {**EDIT, "line": "    3: 3,"}, {"file": "metaeval/cli.py", "after": "x", "line": "y"}]
    addition = add(checkout, toy, {"edits": edits}, [look])
    assert edited_sources(addition).value == 2
    assert files_in_all(addition).value == 4
    assert seen == ["A = {\n    1: 1,\n    3: 3,\n    2: 2,\n}\n"]
    assert (checkout / "metaeval/cli.py").read_text() == "x\n"
    assert not (checkout / "metaeval/analyses/toy").exists()


def test_edits_of_documentation_are_no_edits_of_sources() -> None:
    addition = Addition(("metaeval/a.py", "docs/a.md"), ("metaeval/b.py", "mkdocs.yml"))
    assert (edited_sources(addition).value, files_in_all(addition).value) == (1, 4)


def test_what_cannot_be_added_is_no_number(checkout: Path, toy: Path) -> None:
    for after in ("    9", "", "x = 1"):
        addition = add(checkout, toy, {"edits": [{**EDIT, "after": after}]}, [])
        assert edited_sources(addition).value is None
        assert "that begin with" in addition.problem
    assert add(checkout / "empty", toy, {"edits": []}, []).problem == "there is no metaeval/analyses"
    test = tree(toy, {"test_toy.py": "def test_it(): assert 1 == 2"})
    addition = add(checkout, test, {"edits": [], "tests": ["metaeval/test_toy.py"]}, [run_tests])
    assert files_in_all(addition).value is None
    assert "pytest fails" in addition.problem
    assert add(checkout, tree(toy, {"cli.py": "z\n"}), {"edits": []}, []).problem == "metaeval/cli.py exists already"


# The verdict


@pytest.mark.parametrize(("value", "code", "word"), [(5, 0, "ok"), (6, 1, "MISSED"), (None, 1, "MISSED")])
def test_a_target_that_is_missed_or_not_measured_ends_with_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, value: int | None, code: int, word: str
) -> None:
    target = Target("lines of something", 5, lambda _: Measurement(value, ("a.py:1",)))
    assert main(["--details"], root=tmp_path, targets=(target,)) == code
    _, line, *details = capsys.readouterr().out.splitlines()
    assert line.split() == ["lines", "of", "something", "—" if value is None else str(value), "5", word]
    assert details == (["    a.py:1"] if code else [])


def test_every_target_has_a_name_of_its_own() -> None:
    assert len({target.name for target in TARGETS}) == len(TARGETS)


def test_the_page_for_contributors_names_the_limits_of_size() -> None:
    page = " ".join((Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    sizes = [f"{one.name} {one.limit:,}" for one in TARGETS if one.name.startswith(("lines", "files in a "))]
    assert len(sizes) == 7
    assert [size for size in sizes if size not in page] == []
