"""The set of derivations in R4C's forms: files written by hand, and systems derived from them.

References, the systems `careful` and `core`, the questions, and the steps that are true but beside the question
(`asides.json`) are files of the sample data itself; `generate.py` reads them and writes the rest.
"""

import json
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "r4c"
WRITTEN_PATHS = ("questions.tsv", "references.json", "asides.json", "systems/careful.json", "systems/core.json")

Step = tuple[str, int, tuple[str, str, str]]
"""Title of the article, number of the sentence, and head, relation and tail."""
Derivation = list[Step]


def r4c_files() -> dict[str, str]:
    """Derivations of twelve answers, path to text."""
    careful, core = derivations("systems/careful.json", key="re"), derivations("systems/core.json", key="re")
    asides = derivations("asides.json")
    written = {f"r4c/{path}": (FOLDER / path).read_text(encoding="utf-8") for path in WRITTEN_PATHS}
    verbose = {item: verbosely(steps, core[item], asides[item]) for item, steps in careful.items()}
    return written | {
        "r4c/systems/verbose.json": system_text(verbose),
        "r4c/systems/swapped.json": system_text(swapped(careful)),
    }


def derivations(path: str, *, key: str = "") -> dict[str, Derivation]:
    """A derivation for every item from a file, or from what stands in it under a key."""
    content = json.loads((FOLDER / path).read_text(encoding="utf-8"))
    members: dict[str, list[tuple[str, int, list[str]]]] = content[key] if key else content
    return {
        item: [(title, sentence, (head, relation, tail)) for title, sentence, (head, relation, tail) in steps]
        for item, steps in members.items()
    }


def verbosely(careful: Derivation, core: Derivation, asides: Derivation) -> Derivation:
    """Everything about one article, then everything about the next: what is asked for, what is plain, and more."""
    steps = [*careful, *core, *asides]
    titles = dict.fromkeys(title for title, _, _ in steps)
    return [step for title in titles for step in dict.fromkeys(steps) if step[0] == title]


def swapped(careful: Mapping[str, Derivation]) -> dict[str, Derivation]:
    """The steps of `careful`, with the relations of the question after it, from the last back to the first."""
    items = list(careful)
    answers = {}
    for item, following in zip(items, [*items[1:], items[0]], strict=True):
        relations = [relation for _, _, (_, relation, _) in reversed(careful[following])]
        answers[item] = [
            (title, sentence, (head, relations[index % len(relations)], tail))
            for index, (title, sentence, (head, _, tail)) in enumerate(careful[item])
        ]
    return answers


def system_text(answers: Mapping[str, Derivation]) -> str:
    """The file of a system, an item a line so that a line number leads to an item."""
    lines = [f"{json.dumps(item)}: {json.dumps(steps)}" for item, steps in answers.items()]
    return '{"re": {\n' + ",\n".join(lines) + "\n}}\n"
