"""R4C: derivations of answers, as JSON.

references    {"ITEM": [[[title, sentence, [head, relation, tail]], …], …], …}     derivations of each item
a system      {"re": {"ITEM": [[title, sentence, [head, relation, tail]], …], …}}  one derivation of each item
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from metaeval.errors import (
    Problem,
    empty,
    missing_key,
    raise_any,
    refuse,
    repeated,
    setting,
    shortened,
    wrong_type,
)
from metaeval.io.dataset import Dataset, Progress, no_run
from metaeval.io.files.json import JsonObject, kind_of, lines_of_members, parse_json, reject_half_surrogates
from metaeval.io.files.run_files import find_run_files, without_gold
from metaeval.io.files.source import Source, SourceFiles
from metaeval.io.groups import Membership
from metaeval.io.labels.columns import repetitions
from metaeval.io.labels.join import Policies
from metaeval.io.texts.outputs import OutputIndex, check_policies, join_outputs
from metaeval.model.runs import Derivation, DerivationRuns, Step

_STEP = "[title, sentence, [head, relation, tail]]"
_GOLD = f'an object {{"ITEM": [[{_STEP}, …], …], …}}'
_RUN = f'an object {{"re": {{"ITEM": [{_STEP}, …], …}}}}'
_RUN_KEY = "re"


class _DerivationStore:
    """The derivations of one system or of gold (''), a row each, and the problems of the members of its object.

    within: the key of the object in the file, or ''. member: the group whose derivations are stored.
    """

    def __init__(
        self, system: str, source: Source, members: JsonObject, member: Membership | None, *, within: str = ""
    ) -> None:
        self.system = system
        self.path = source.path_or_name
        self.items: list[str] = []
        self.references: list[str] = []
        self.derivations: list[Derivation] = []
        self._member = member
        self._rows: list[int] = []
        self._problems: list[Problem] = []
        self._lines = cache(lambda: lines_of_members(source.text(), within))
        names = [item for item, _ in members.pairs]
        for row, item in enumerate(names):
            if not item.strip():
                self.reject(row, empty("id"))
        for row, before in repetitions(names):
            if names[row].strip():
                self.reject(row, repeated("item", names[row], self._lines()[before]))

    def reject(self, row: int, problem: Problem) -> None:
        """Add a problem of the member of a row."""
        self._problems.append(problem.at(self.path, self._lines()[row]))

    def raise_any(self) -> None:
        """Raise an `InputError` if there are problems."""
        raise_any(self._problems, "correct these derivations")

    def add(self, row: int, item: str, value: object, where: str = "", reference: str = "") -> None:
        """Add a derivation of a row without the steps that have problems, unless its item belongs to another group."""
        where = f" in item '{item}'{where}"
        if not isinstance(value, list):
            self.reject(row, wrong_type(kind_of(value), where, f"a list of steps {_STEP}"))
            return
        faults = [_problem_of_step(step) for step in value]
        for number, fault in enumerate(faults, start=1):
            if fault:
                self.reject(row, wrong_type(fault, f"{where}, step {number}", _STEP))
        if self._member is not None and self._member.excludes(item):
            return
        self._rows.append(row)
        self.items.append(item)
        self.derivations.append(tuple(Step(*step[2]) for step, fault in zip(value, faults, strict=True) if not fault))
        self.references.append(reference)

    def index(self) -> OutputIndex:
        empty_outputs = np.array([not derivation for derivation in self.derivations], dtype=np.bool_)
        names = () if self.system else self.references
        return OutputIndex(self.system, self.path, self.items, empty_outputs, self._location, references=names)

    def _location(self, row: int) -> tuple[str, int]:
        return self.path, self._lines()[self._rows[row]]


def read_derivations(
    gold: str,
    runs: Sequence[str],
    *,
    policies: Policies,
    progress: Progress,
    needs_runs: bool = True,
    member: Membership | None = None,
) -> Dataset[DerivationRuns]:
    """Read reference derivations and those of every system, and join them by item.

    gold: a path, or '-'. runs: files, folders, patterns, `name=path`. needs_runs: whether gold alone is an error.
    member: the group whose items are read. All problems of the files are one `InputError`.
    """
    check_policies(policies)
    run_files, notes = find_run_files(runs, gold=gold)
    run_files, gold_notes = without_gold(run_files, gold)
    if needs_runs and not run_files:
        raise no_run(gold, "name the files of the systems", "at least one system")
    problems = policies.systems.gathered()
    files = SourceFiles()
    references = None
    with problems.errors():
        references = _read_gold(files.open(gold, "gold"), member)
    systems: list[_DerivationStore] = []
    for file in progress(run_files, "Reading runs"):
        with problems.errors(file.system):
            systems.append(_read_run(files.open(file.path, "run"), file.system, member))
    if references is None or (run_files and not systems):
        problems.raise_any(())
    assert references is not None
    # A system may lack all items of a group.
    systems = [store for store in systems if store.items or member is None]
    names = [store.system for store in systems]
    selection = policies.systems.of(names)
    systems = [store for store in systems if store.system in selection]
    with problems.errors():
        join = join_outputs(references.index(), [store.index() for store in systems], policies)
    problems.raise_any(store.system for store in systems)
    derivations = [references.derivations[row] for row in join.references.tolist()]
    ends = np.cumsum(join.reference_counts).tolist()
    return Dataset(
        DerivationRuns(
            join.items,
            tuple(store.system for store in systems),
            tuple(
                tuple(store.derivations[row] if row >= 0 else () for row in rows.tolist())
                for store, rows in zip(systems, join.outputs, strict=True)
            ),
            tuple(tuple(derivations[begin:end]) for begin, end in zip([0, *ends], ends, strict=False)),
        ),
        tuple(store.path for store in systems),
        files.files,
        join.repairs,
        (*notes, *gold_notes, *policies.systems.notes(names), *files.notes, *join.notes),
    )


def _read_gold(source: Source, member: Membership | None) -> _DerivationStore:
    text, path = source.text(), source.path_or_name
    members = parse_json(text, path)
    reject_half_surrogates(members, text, path)
    if not isinstance(members, JsonObject) or not members:
        raise refuse((path, 1), wrong_type(kind_of(members), "", _GOLD))
    if all(isinstance(value, dict) for value in members.values()):
        keys = ", ".join(repr(shortened(key)) for key in list(members)[:3])
        hint = f"this may be the file of a system: name it as a run, and the references with {setting('gold')}"
        raise refuse((path, 1), wrong_type("objects", f" under {keys}", _GOLD, hint))
    store = _DerivationStore("", source, members, member)
    for row, (item, derivations) in enumerate(members.pairs):
        if not isinstance(derivations, list) or not derivations:
            problem = wrong_type(kind_of(derivations), f" for item '{item}'", "a list of at least one derivation")
            store.reject(row, empty(f"derivation of item '{item}'", "at least one") if derivations == [] else problem)
            continue
        for number, derivation in enumerate(derivations, start=1):
            store.add(row, item, derivation, f", derivation {number}", str(number))
    store.raise_any()
    return store


def _read_run(source: Source, system: str, member: Membership | None) -> _DerivationStore:
    text, path = source.text(), source.path_or_name
    top = parse_json(text, path)
    reject_half_surrogates(top, text, path)
    keys = [key for key, _ in top.pairs] if isinstance(top, JsonObject) else []
    members = top[_RUN_KEY] if _RUN_KEY in keys else None
    if keys.count(_RUN_KEY) != 1 or not isinstance(members, JsonObject):
        hint = f"name the file of references with {setting('gold')}"
        if keys.count(_RUN_KEY) > 1:
            problem = repeated("key", _RUN_KEY)
        elif _RUN_KEY in keys:
            problem = wrong_type(kind_of(members), f" under '{_RUN_KEY}'", _RUN, hint)
        else:
            problem = missing_key(keys, [_RUN_KEY], hint) if keys else wrong_type(kind_of(top), "", _RUN, hint)
        raise refuse((path, 1), problem)
    store = _DerivationStore(system, source, members, member, within=_RUN_KEY)
    for row, (item, derivation) in enumerate(members.pairs):
        store.add(row, item, derivation)
    store.raise_any()
    return store


def _problem_of_step(step: object) -> str:
    """The problem of a step, or ''."""
    if not isinstance(step, list):
        return kind_of(step)
    if len(step) != 3:
        return f"a list of {len(step)}"
    triple = step[2]
    if not isinstance(triple, list):
        return f"{kind_of(triple)} for the triple"
    if len(triple) != 3:
        return f"a triple of {len(triple)} fields"
    wrong = next((value for value in triple if not isinstance(value, str)), "")
    return f"{kind_of(wrong)} in the triple" if wrong != "" else ""
