"""How often an option is spelled.

An option is a field of a class in `metaeval/analyses/NAME/settings.py` that derives from `AnalysisSettings`. Its field
is one spelling. Every other place of the package that repeats its name to declare or to reach it is one more:

* a string that holds its flag as a word, as "--per-item", in any module but a `settings.py`; docstrings do not count;
* a string that is its YAML key, in `metaeval/cli`, `metaeval/config` and `metaeval/api`, where no columns are named;
  the declarations of other options, whose defaults may be the same word, do not count;
* a parameter or a field of its name in these three, in a function or class that is called as the analysis
  (`merge_classes`, `MergeClassesConfig`) or in a module that is.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from house.sources import Measurement, Module, classes, functions, literals, modules

ANALYSES = "metaeval.analyses"
WAYS_IN = ("metaeval.cli", "metaeval.config", "metaeval.api")
_BASE = "AnalysisSettings"
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@dataclass(frozen=True)
class DeclaredOption:
    """An option; analysis: the folder of its settings, flag: as on the command line."""

    analysis: str
    name: str
    flag: str

    @property
    def key(self) -> str:
        return self.name.replace("_", "-")


def spellings(root: Path, limit: int = 1) -> Measurement:
    """The spellings of the option that is spelled most often; details: those spelled more often than the limit."""
    package = modules(root)
    options = list(declared_options(package))
    if not options:
        return Measurement(None, (f"no settings of analyses in {ANALYSES.replace('.', '/')}/*/settings.py",))
    places: dict[DeclaredOption, set[str]] = defaultdict(set)
    for module in package:
        if module.name.rpartition(".")[2] == "settings" or module.name.startswith("metaeval.settings"):
            continue
        for option, line in _repetitions(module, options):
            places[option].add(f"{module.path}:{line}")
    repeated = {option: found for option, found in places.items() if len(found) + 1 > limit}
    details = [f"{option.analysis} {option.flag}: {', '.join(sorted(found))}" for option, found in repeated.items()]
    return Measurement(1 + max((len(found) for found in places.values()), default=0), tuple(details))


def declared_options(package: list[Module]) -> Iterator[DeclaredOption]:
    """The options of every analysis."""
    for module in package:
        parts = module.name.split(".")
        if module.name.startswith(f"{ANALYSES}.") and parts[-1] == "settings":
            for node in classes(module.tree):
                if any(isinstance(base, ast.Name) and base.id == _BASE for base in node.bases):
                    for field in node.body:
                        if isinstance(field, ast.AnnAssign) and isinstance(field.value, ast.Call):
                            yield _option(parts[-2], field, field.value)


def _option(analysis: str, field: ast.AnnAssign, declaration: ast.Call) -> DeclaredOption:
    name = field.target.id if isinstance(field.target, ast.Name) else ""
    said = next((word.value for word in declaration.keywords if word.arg == "flag"), None)
    flag = str(said.value) if isinstance(said, ast.Constant) else f"--{name.replace('_', '-')}"
    return DeclaredOption(analysis, name, flag)


def _repetitions(module: Module, options: list[DeclaredOption]) -> Iterator[tuple[DeclaredOption, int]]:
    way_in = module.name.startswith(WAYS_IN)
    declarations = {id(node) for owner in classes(module.tree) if _is_settings(owner) for node in ast.walk(owner)}
    for literal in literals(module.tree):
        flags = set(_FLAG.findall(str(literal.value)))
        names = {literal.value} if way_in and id(literal) not in declarations else set()
        for option in options:
            if option.flag in flags or names & {option.key, option.name}:
                yield option, literal.lineno
    for owner, name, line in _declared_names(module) if way_in else ():
        for option in options:
            if name == option.name and option.analysis.replace("_", "") in (owner, _file_of(module)):
                yield option, line


def _is_settings(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Settings" for base in node.bases)


def _file_of(module: Module) -> str:
    return module.name.rpartition(".")[2].replace("_", "")


def _declared_names(module: Module) -> Iterator[tuple[str, str, int]]:
    """Parameters and annotated fields, with the function or class that has them (without `_`, `Config` and case)."""
    for function in functions(module.tree):
        for parameter in (*function.args.args, *function.args.kwonlyargs):
            yield function.name.replace("_", ""), parameter.arg, parameter.lineno
    for node in classes(module.tree):
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                yield node.name.removesuffix("Config").lower(), field.target.id, field.lineno
