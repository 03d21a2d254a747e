"""A shared task of 40 teams in which some submissions have a fault that the test planted."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]
LABELS = ("agree", "disagree", "discuss")
ITEMS, TEAMS = 400, 40


def gold_and_runs(
    random: np.random.Generator, systems: int, items: int = ITEMS, classes: int = 3
) -> tuple[Codes, Codes]:
    """Gold labels, (N,), and predictions, (S, N), of systems for which the same items are difficult.

    Systems of one of four families are alike, and half of the errors on an item are the same.
    """
    gold = random.choice(classes, items, p=random.dirichlet(np.full(classes, 8.0)))
    family = random.normal(0, 0.7, (4, items))[random.integers(0, 4, systems)]
    ability = random.normal(1.2, 0.5, (systems, 1)) - random.normal(0, 1.2, items) + family
    is_right = ability + random.logistic(0, 1, (systems, items)) > 0
    usual = (gold + 1 + random.integers(0, classes - 1, items)) % classes
    other = (gold + 1 + random.integers(0, classes - 1, (systems, items))) % classes
    wrong = np.where(random.random((systems, items)) < 0.5, usual, other)
    return gold, np.where(is_right, gold, wrong)


def table(labels: Sequence[str] | NDArray[np.str_], ids: Sequence[str] = ()) -> str:
    """A file of predictions."""
    names = ids or [f"doc-{number:04d}" for number in range(len(labels))]
    return "id,label\n" + "".join(f"{name},{label}\n" for name, label in zip(names, labels, strict=True))


def archive(**files: str) -> bytes:
    """A ZIP archive of files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as opened:
        for name, text in files.items():
            opened.writestr(f"{name}.csv", text)
    return content.getvalue()


def write_task(folder: Path, seed: int) -> dict[str, tuple[str, ...]]:
    """Write gold, submissions and metadata; the words that the audit has to say of each submission with a fault."""
    random = np.random.default_rng(seed)
    gold, runs = gold_and_runs(random, TEAMS)
    labels = np.array(LABELS)
    files: dict[str, str | bytes] = {"gold.csv": table(labels[gold])}
    faults: dict[str, tuple[str, ...]] = {}

    def submit(team: int, predicted: Codes, *words: str, suffix: str = "/main.csv") -> None:
        files[f"teams/team{team:02d}{suffix}"] = table(labels[predicted])
        if words:
            faults[f"team{team:02d}"] = words

    for team, predicted in enumerate(runs):
        submit(team, predicted)
    submit(1, runs[0], "identical to team00")
    faults["team00"] = ("identical to team01",)
    for team, source, share in ((2, 3, 0.01), (4, 5, 0.03)):
        changed = random.choice(ITEMS, round(share * ITEMS), replace=False)
        copy = runs[source].copy()
        copy[changed] = (copy[changed] + 1) % len(LABELS)
        submit(team, copy, f"nearly identical to team{source:02d}")
        faults[f"team{source:02d}"] = (f"nearly identical to team{team:02d}",)
    submit(6, np.roll(runs[6], 1), "shifted: predictions fit the item 1 row before theirs")
    submit(7, np.roll(runs[7], -2), "shifted: predictions fit the item 2 rows after theirs")
    submit(8, np.full(ITEMS, 2), "constant: always discuss")
    submit(9, np.where(runs[9] == 1, 2, runs[9]), "never predicts disagree")
    submit(10, runs[11], "equal to baseline team11")
    faults["team11"] = ()
    submit(12, runs[12], "late")
    submit(13, gold, "equal to gold")
    whole = table(labels[runs[14]]).splitlines(keepends=True)
    broken: dict[str, tuple[str | bytes, str]] = {
        "team14/main.csv": ("".join(whole[:301]), "no prediction for id 'doc-0300' and the 99 items after it"),
        "team15/main.csv": ("".join(whole).replace("doc-", "item-"), "id 'item-0000'"),
        "team16/main.csv": ("".join(whole).replace("disagree", "disagre"), "prediction 'disagre'"),
        "team17/main.csv": ("", "the file is empty"),
        "team18/main.csv": ("".join([*whole, whole[-1]]), "id 'doc-0399' again, first on line 401"),
        "team19/main.csv": ("".join(whole[:200] + whole[201:]), "no prediction for id 'doc-0199'"),
        "team20.zip": (archive(main="".join(whole))[:100], "ZIP archive cannot be read"),
    }
    del files["teams/team20/main.csv"], files["teams/team21/main.csv"]
    for name, (content, words) in broken.items():
        files[f"teams/{name}"] = content
        faults[name[:6]] = (words,)
    # Two archives without a fault: of one run, and of two runs of a team, of which the worse one is primary.
    files["teams/team21.zip"] = archive(run=table(labels[runs[21]]))
    del files["teams/team22/main.csv"]
    worse = np.where(random.random(ITEMS) < 0.3, (runs[22] + 1) % len(LABELS), runs[22])
    files["teams/team22.zip"] = archive(first=table(labels[runs[22]]), second=table(labels[worse]))
    rows = [f"team{team:02d},,{'yes' if team == 12 else 'no'},no" for team in range(TEAMS) if team != 22]
    rows += ["team22,first,no,no", "team22,second,no,yes", "team40,,no,no"]
    files["teams/metadata.csv"] = "\n".join(["team,run,late,primary", *rows, ""])
    faults["team40"] = ("no file",)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return {name: words for name, words in faults.items() if words}
