"""Write the sample data of metaeval: eleven invented sets, with what invented systems answer.

    python sample_data/generate.py            rewrite every file, bit for bit the same each time
    python sample_data/generate.py --check    write nothing; exit 1 and name the files that differ

Of the sets with gold classes, a system is one row below: how it answers each gold class, in per cent. The
counts in its file are that row, rounded, so its accuracy can be read off the row. WHICH items of a class it gets
wrong is decided by a difficulty that all systems share and by the system's own luck, so that errors are correlated
between systems as they are among real ones. Texts and derivations begin with files written by hand, which stay as
they are: `text_sets.py` and `derivation_set.py` derive the rest.
"""

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FOLDER = Path(__file__).resolve().parent
# A script finds what lies beside it, but by these names mypy does too.
sys.path.append(str(FOLDER.parent))

from sample_data.contrast_set import contrast_files  # noqa: E402
from sample_data.derivation_set import r4c_files  # noqa: E402
from sample_data.distribution_set import reviews_files  # noqa: E402
from sample_data.judged_set import judged_files  # noqa: E402
from sample_data.preference_set import preference_files  # noqa: E402
from sample_data.score_formats import format_files  # noqa: E402
from sample_data.text_sets import news_files, tsc3_files  # noqa: E402

SEED = 20201

Codes = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


# --- What the systems do -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class SystemProfile:
    """An invented system, by the answers it gives to the items of each gold class.

    percent: rows gold class, columns answer, both in the declared order of the classes; a row sums to 100.
    shared: 0..1, how far the difficulty common to all systems, not the system's luck, decides what it misses.
    """

    name: str
    percent: tuple[tuple[int, ...], ...]
    shared: float = 0.7

    def __post_init__(self) -> None:
        if any(len(row) != len(self.percent) or sum(row) != 100 for row in self.percent):
            raise ValueError(f"{self.name}: a row is {len(self.percent)} answers that sum to 100 per cent")


STANCES = ("disagree", "discuss", "agree")
# Gold counts of the related FNC-1 test items (697, 4464, 1903) divided by five.
STANCE_COUNTS = (139, 893, 381)
# How many (headline, body) pairs of each stance stand in the file twice, as some do in the official one.
STANCE_REPEATS = (1, 6, 3)

# `neighbour_*` and `opposite_*` pair up at about the same accuracy: only a measure that sees the order of the
# classes tells the two of a pair apart. README.md says in words what every system gets wrong.
STANCE_SYSTEMS = (
    SystemProfile("atlas_large", ((64, 32, 4), (2, 90, 8), (1, 18, 81)), shared=0.85),
    SystemProfile("atlas_base", ((52, 36, 12), (3, 89, 8), (3, 24, 73)), shared=0.85),
    SystemProfile("neighbour_net", ((42, 56, 2), (6, 80, 14), (1, 31, 68))),
    SystemProfile("neighbour_tree", ((30, 68, 2), (5, 80, 15), (1, 38, 61))),
    SystemProfile("neighbour_words", ((22, 75, 3), (5, 76, 19), (1, 40, 59)), shared=0.5),
    SystemProfile("opposite_net", ((34, 12, 54), (3, 90, 7), (38, 12, 50))),
    SystemProfile("opposite_tree", ((30, 14, 56), (5, 87, 8), (42, 13, 45))),
    SystemProfile("opposite_words", ((24, 18, 58), (6, 84, 10), (44, 16, 40)), shared=0.5),
    SystemProfile("no_disagree", ((0, 62, 38), (0, 89, 11), (0, 28, 72))),
    SystemProfile("eager_agree", ((12, 22, 66), (2, 58, 40), (1, 7, 92))),
    SystemProfile("cautious_discuss", ((14, 84, 2), (1, 96, 3), (1, 62, 37))),
    SystemProfile("even_recall", ((57, 26, 17), (22, 57, 21), (14, 29, 57)), shared=0.6),
    SystemProfile("random_guess", ((33, 34, 33), (33, 34, 33), (33, 34, 33)), shared=0.0),
    SystemProfile("always_discuss", ((0, 100, 0), (0, 100, 0), (0, 100, 0))),
)

RUMOUR_LABELS = ("support", "deny", "query", "comment")
# The gold counts of RumourEval 2017, subtask A.
RUMOUR_COUNTS = (94, 71, 106, 778)

# The spread of accuracy is that of Table 2 in Scarton et al. (2020); no row imitates one of its systems.
RUMOUR_SYSTEMS = (
    SystemProfile("never_deny", ((30, 0, 4, 66), (8, 0, 10, 82), (2, 0, 58, 40), (4, 0, 2, 94)), shared=0.8),
    SystemProfile("comment_leaning", ((36, 2, 4, 58), (8, 4, 10, 78), (2, 1, 48, 49), (3, 1, 2, 94))),
    SystemProfile("query_keen", ((20, 1, 5, 74), (5, 3, 12, 80), (1, 0, 76, 23), (3, 1, 4, 92)), shared=0.8),
    SystemProfile("support_keen", ((48, 2, 4, 46), (16, 6, 8, 70), (4, 1, 45, 50), (8, 1, 3, 88))),
    SystemProfile("steady", ((34, 8, 6, 52), (8, 20, 12, 60), (3, 4, 52, 41), (6, 5, 6, 83))),
    SystemProfile("comment_words", ((12, 6, 6, 76), (6, 10, 10, 74), (4, 4, 47, 45), (6, 3, 5, 86))),
    SystemProfile("deny_hunter", ((38, 16, 6, 40), (12, 30, 10, 48), (6, 10, 36, 48), (8, 13, 5, 74))),
    SystemProfile("even_recall", ((63, 10, 7, 20), (13, 63, 9, 15), (7, 6, 63, 24), (15, 11, 11, 63))),
)


# --- Which items they miss ---------------------------------------------------------------------------------


class Items(NamedTuple):
    """Gold classes of N items and what makes systems fail on them; three arrays of shape (N,).

    difficulty: 0 (easy) .. 1 (hard).
    pull: where a wrong answer goes, 0 (the first of the other classes) .. 1 (the last).
    """

    gold: Codes
    difficulty: Reals
    pull: Reals


def draw_items(class_counts: Sequence[int], *, rng: np.random.Generator) -> Items:
    """Items of every class in random order, as many as asked for."""
    gold = np.repeat(np.arange(len(class_counts)), class_counts)[random_order(sum(class_counts), rng=rng)]
    return Items(gold=gold, difficulty=rng.random(gold.size), pull=rng.random(gold.size))


def answers(profile: SystemProfile, items: Items, *, rng: np.random.Generator) -> Codes:
    """The class a system answers for each item, (N,): its profile exactly, up to rounding to whole items."""
    luck = rng.random((2, items.gold.size))
    hardness = mixture(items.difficulty, luck[0], share=profile.shared)
    pull = mixture(items.pull, luck[1], share=profile.shared)
    predicted = items.gold.copy()
    for gold_class, percent in enumerate(profile.percent):
        members = np.flatnonzero(items.gold == gold_class)
        quotas = whole_parts(members.size, percent=percent)
        missed = members[np.argsort(hardness[members], kind="stable")][quotas[gold_class] :]
        quotas[gold_class] = 0
        predicted[missed[np.argsort(pull[missed], kind="stable")]] = np.repeat(np.arange(quotas.size), quotas)
    return predicted


def mixture(shared: Reals, individual: Reals, *, share: float) -> Reals:
    """What decides for one system: `share` of it common to all systems, the rest individual."""
    return share * shared + (1 - share) * individual


def whole_parts(total: int, *, percent: Sequence[int]) -> Codes:
    """Whole numbers in the given proportions that sum to `total`; nought per cent is none at all.

    >>> whole_parts(7, percent=(50, 50, 0))
    array([4, 3, 0])
    """
    # Rounding the running sums, not the parts, is what keeps the total.
    ends = (np.cumsum(percent) * total + 50) // 100
    return np.diff(ends, prepend=0)


def random_order(size: int, *, rng: np.random.Generator) -> Codes:
    """A random permutation of the integers below `size`.

    Everything random here comes from `Generator.random`: NumPy may change between versions how `permutation`
    or `choice` use the bits, and then the shipped files could not be made again.
    """
    return np.argsort(rng.random(size), kind="stable")


def distinct_integers(count: int, *, low: int, high: int, rng: np.random.Generator) -> list[int]:
    """`count` different integers in [low, high), in random order."""
    integers: dict[int, None] = {}
    while len(integers) < count:
        integers[low + int(rng.random() * (high - low))] = None
    return list(integers)


# --- The headlines -----------------------------------------------------------------------------------------

STORIES = 150
HEADLINES_PER_STORY = 6
BODIES_PER_STORY = 6
HEADLINES_PER_LINE_BREAK = 80

SUBJECTS = (
    "harbour pilot", "night-shift baker", "lighthouse keeper", "school caretaker", "tram driver", "beekeeper",
    "cheese inspector", "amateur astronomer", "chess club", "wedding photographer", "ferry captain",
    "tax clerk", "retired diver", "village choir", "goat farmer", "clock restorer", "library cat",
    "weather presenter", "12-year-old inventor", "postal worker",
)  # fmt: skip
PREDICATES = (
    "finds a meteorite in a flour sack", "teaches crows to sort the post",
    "wins the lottery twice in 24 hours", "survives a fall from a 40-metre crane",
    "discovers a third tunnel under the old mint", "sells a bridge to three buyers",
    "receives a letter posted in 1911", "lives for a year on bread, milk and honey",
    "films a glowing fish in the reservoir", "refuses a €2 million reward", "sets off alarms in nine towns",
    "wakes up speaking a language nobody knows", "is outvoted by a parrot", "grows a 900-kg pumpkin indoors",
    "swims home across the strait", "catches the runaway balloon", "returns a library book after 83 years",
    "hides a river under the market square", "fixes the town clock, then vanishes",
    "gets a parking fine on the frozen lake",
)  # fmt: skip
PLACES = (
    "Brindle Bay", "Valdóra", "Saint-Élaud", "North Carrow", "Müllersrück", "Port Osmund", "Tarnhollow",
    "Little Wexby", "Åsvatn", "Quillhaven", "Monte Sereno Alto", "East Dunmarsh", "Kestrel Falls", "Piñaloma",
    "Gravelmouth",
)  # fmt: skip
HEADLINE_FORMS = (
    "{Subject} {predicate} in {place}",
    "{place} {subject} {predicate}",
    "{place}: {subject} {predicate}, report says",
    "Report: {subject} {predicate}, {place} officials confirm",
    '"It really happened": {place} {subject} {predicate}',
    'Police call story of {subject} who {predicate} "pure invention"',
    "No, the {place} {subject} who {predicate} is not real – council",
    "Is it true that a certain {subject} {predicate}?",
    "{place} doubts grow over {subject} who {predicate}",
    'Witness, 71, on the {subject} who {predicate}: "I saw it, and I have photos"',
    "UPDATE – {Subject} {predicate}; {place} mayor orders inquiry",
    "Viral tale of the {place} {subject} who {predicate}, explained",
)


def draw_headlines(*, rng: np.random.Generator) -> list[list[str]]:
    """The headlines of every story: (story, headline), no two the same."""
    plots = random_order(len(SUBJECTS) * len(PREDICATES), rng=rng)[:STORIES]
    return [
        [
            broken_at_times(HEADLINE_FORMS[form].format(**story_words(int(plot), rng=rng)), rng=rng)
            for form in random_order(len(HEADLINE_FORMS), rng=rng)[:HEADLINES_PER_STORY]
        ]
        for plot in plots
    ]


def story_words(plot: int, *, rng: np.random.Generator) -> dict[str, str]:
    """The words that fill a headline form. Retellings of one plot may disagree about the place."""
    subject = SUBJECTS[plot // len(PREDICATES)]
    return {
        "subject": subject,
        "Subject": subject[0].upper() + subject[1:],
        "predicate": PREDICATES[plot % len(PREDICATES)],
        "place": PLACES[int(rng.random() * len(PLACES))],
    }


def broken_at_times(headline: str, *, rng: np.random.Generator) -> str:
    """The headline, in one case of about eighty with a line break, as a careless export leaves it."""
    if rng.random() * HEADLINES_PER_LINE_BREAK >= 1:
        return headline
    words = headline.split(" ")
    middle = len(words) // 2
    return " ".join(words[:middle]) + "\n" + " ".join(words[middle:])


def draw_pairs(count: int, *, rng: np.random.Generator) -> list[tuple[str, int]]:
    """`count` different (headline, body id) pairs; headlines and bodies recur, within their story."""
    headlines = draw_headlines(rng=rng)
    body_ids = distinct_integers(STORIES * BODIES_PER_STORY, low=1, high=2600, rng=rng)
    pairs = [
        (headline, body_id)
        for story, titles in enumerate(headlines)
        for headline in titles
        for body_id in body_ids[story * BODIES_PER_STORY : (story + 1) * BODIES_PER_STORY]
    ]
    return [pairs[index] for index in random_order(len(pairs), rng=rng)[:count]]


# --- The sets with gold ----------------------------------------------------------------------------------------


def fnc1_files(*, rng: np.random.Generator) -> dict[str, str]:
    """Stance of a headline towards a body in the native form of FNC-1, path to text."""
    items = draw_items(np.subtract(STANCE_COUNTS, STANCE_REPEATS).tolist(), rng=rng)
    pairs = draw_pairs(items.gold.size, rng=rng)
    # A repeated pair is the same input, and a system answers it the same way: rows repeat after predicting.
    repeated = np.concatenate(
        [np.flatnonzero(items.gold == stance)[:repeats] for stance, repeats in enumerate(STANCE_REPEATS)]
    )
    rows = np.concatenate([np.arange(items.gold.size), repeated])
    rows = rows[random_order(rows.size, rng=rng)]
    files = {"fnc1/gold.csv": fnc1_text(pairs, items.gold, rows)}
    for profile, system_rng in zip(STANCE_SYSTEMS, rng.spawn(len(STANCE_SYSTEMS)), strict=True):
        predicted = answers(profile, items, rng=system_rng)
        files[f"fnc1/systems/{profile.name}.csv"] = fnc1_text(pairs, predicted, rows)
    return files


def fnc1_text(pairs: Sequence[tuple[str, int]], stances: Codes, rows: Codes) -> str:
    """A file of the form `Headline,Body ID,Stance`, quoted where CSV needs it."""
    return csv_text(
        ("Headline", "Body ID", "Stance"),
        [(*pairs[row], STANCES[stances[row]]) for row in rows],
    )


RUMOUR_STORIES = ("bridge", "festival", "museum", "storm")

RUMOUR_TEAMS = (
    ("comma", "comment_leaning", "yes", "no", "41.5", "large encoder"),
    ("comma", "comment_words", "no", "no", "2.1", "bag of words"),
    ("evenly", "even_recall", "yes", "no", "63.0", "ensemble of five"),
    ("askers", "query_keen", "no", "no", "18.2", "encoder"),
    ("askers", "never_deny", "no", "no", "12.4", "small encoder"),
    ("backers", "support_keen", "no", "yes", "20.9", "encoder"),
    ("hunters", "deny_hunter", "no", "no", "9.7", "encoder"),
    ("steady", "steady", "no", "no", "0.1", "majority class"),
)
"""Made metadata of the systems, as if teams had submitted them: some have two, one is late."""


def rumoureval_files(*, rng: np.random.Generator) -> dict[str, str]:
    """Stance of a reply towards a rumour in the native form of RumourEval 2017, path to text."""
    items = draw_items(RUMOUR_COUNTS, rng=rng)
    ids = distinct_integers(items.gold.size, low=9 * 10**17, high=9 * 10**17 + 10**14, rng=rng)
    stories = ((str(item), RUMOUR_STORIES[item % len(RUMOUR_STORIES)]) for item in ids)
    files = {
        "rumoureval2017/gold.json": rumoureval_text(ids, items.gold),
        "rumoureval2017/stories.csv": csv_text(("id", "story"), stories),
        "rumoureval2017/teams.csv": csv_text(("team", "run", "primary", "late", "seconds", "model"), RUMOUR_TEAMS),
    }
    for profile, system_rng in zip(RUMOUR_SYSTEMS, rng.spawn(len(RUMOUR_SYSTEMS)), strict=True):
        predicted = answers(profile, items, rng=system_rng)
        files[f"rumoureval2017/systems/{profile.name}.json"] = rumoureval_text(ids, predicted)
    return files


def rumoureval_text(ids: Sequence[int], labels: Codes) -> str:
    """A flat JSON object from id to label, one entry a line so that a line number leads to an item."""
    label_by_id = {str(item): RUMOUR_LABELS[label] for item, label in zip(ids, labels, strict=True)}
    return json.dumps(label_by_id, indent=0) + "\n"


# Ranks, A best, and the scores of `article` are the worked example of the article named in README.md.
WORK_LABELS = ("F", "C", "E", "G", "A", "C", "D", "A")
WORK_SCORES = {
    "article": ("0.15", "0.30", "0.35", "0.25", "0.55", "0.45", "0.20", "0.40"),
    "perfect_order": ("0.20", "0.65", "0.35", "0.05", "0.95", "0.65", "0.50", "0.95"),
    "reversed": ("0.80", "0.35", "0.65", "0.95", "0.05", "0.35", "0.50", "0.05"),
    "coarse": ("0.25", "0.50", "0.25", "0.25", "0.75", "0.50", "0.50", "0.50"),
}


def works_files() -> dict[str, str]:
    """Eight ranked works with numeric predictions, path to text; nothing in them is random."""
    ids = [f"work{number}" for number in range(1, len(WORK_LABELS) + 1)]
    files = {"works/gold.csv": csv_text(("id", "label"), zip(ids, WORK_LABELS, strict=True))}
    for name, scores in WORK_SCORES.items():
        files[f"works/systems/{name}.csv"] = csv_text(("id", "score"), zip(ids, scores, strict=True))
    return files


SEEDED_SYSTEMS = {"tuned-large": 0.72, "tuned-base": 0.66, "tuned-small": 0.62, "prompted": 0.58, "retrieval": 0.45}
"""The systems of `seeds/` with the share of the questions that each answers."""


def seeds_files(*, rng: np.random.Generator) -> dict[str, str]:
    """Scores of five systems, each trained with three random seeds, on questions about documents; path to text."""
    documents, questions, seeds = 20, 3, 3
    document_effects = rng.normal(0, 0.08, documents)
    rows = []
    for system, share in SEEDED_SYSTEMS.items():
        on_documents = document_effects + rng.normal(0, 0.05, documents)
        for seed in range(1, seeds + 1):
            level = share + rng.normal(0, 0.03)
            for document in range(documents):
                for question in range(questions):
                    chance = min(max(level + on_documents[document], 0.0), 1.0)
                    right = float(rng.random() < chance)
                    overlap = min(max(0.6 * right + 0.25 + rng.normal(0, 0.1), 0.0), 1.0)
                    item = f"d{document + 1:02}-q{question + 1}"
                    rows.append((system, seed, item, f"d{document + 1:02}", f"{right:g}", f"{overlap:.2f}"))
    header = ("system", "seed", "item", "document", "exact-match", "overlap")
    return {"seeds/scores.csv": csv_text(header, rows)}


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """CSV with LF line ends on every platform."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


# --- Writing and checking ----------------------------------------------------------------------------------


def sample_files() -> dict[str, bytes]:
    """Every generated file: path below sample_data/ to its bytes."""
    # A generator each, so that a change to one set leaves the other as it is; PCG64 by name, since the bits
    # behind `default_rng` may change.
    generators = np.random.Generator(np.random.PCG64(SEED)).spawn(5)
    fnc1_rng, rumoureval_rng, tsc3_rng, formats_rng, seeds_rng = generators
    texts = fnc1_files(rng=fnc1_rng) | rumoureval_files(rng=rumoureval_rng) | works_files()
    texts |= tsc3_files(rng=tsc3_rng) | news_files() | r4c_files() | format_files(rng=formats_rng)
    texts |= seeds_files(rng=seeds_rng) | reviews_files(seed=SEED)
    texts |= contrast_files() | judged_files(rng=np.random.Generator(np.random.PCG64((SEED, 9))))
    texts |= preference_files(seed=SEED)
    return {path: text.encode("utf-8") for path, text in texts.items()}


def write(files: Mapping[str, bytes], *, folder: Path) -> None:
    """Write the files, byte by byte as given."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def differing(files: Mapping[str, bytes], *, folder: Path) -> list[str]:
    """Paths that are missing, that hold something else, or that no set knows, sorted."""
    sets = {path.partition("/")[0] for path in files}
    present = {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for name in sets
        for file in (folder / name).rglob("*")
        if file.is_file()
    }
    return sorted(path for path in files.keys() | present.keys() if files.get(path) != present.get(path))


def main(arguments: Sequence[str] | None = None, *, folder: Path = FOLDER) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Write the sample data of metaeval.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 naming files that differ")
    options = parser.parse_args(arguments)
    files = sample_files()
    if not options.check:
        write(files, folder=folder)
        return 0
    differences = differing(files, folder=folder)
    for path in differences:
        print(path)
    return 1 if differences else 0


if __name__ == "__main__":
    raise SystemExit(main())
