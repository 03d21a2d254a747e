"""The set of distributions: stars that several raters gave reviews, and systems that predict how many give which."""

import csv
import io
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

STARS = ("1", "2", "3", "4", "5")
REVIEWS, RATERS, VOTES = 80, 9, 7


def reviews_files(*, seed: int) -> dict[str, str]:
    """Votes of seven of nine raters on 80 reviews, and seven systems that predict them; path to text."""
    rng = np.random.Generator(np.random.PCG64(seed))
    centre, spread = rng.normal(2.3, 1.3, REVIEWS), rng.uniform(0.4, 1.3, REVIEWS)
    opinions = around(centre, spread)
    ids = [f"r{number:02}" for number in range(1, REVIEWS + 1)]
    votes = [
        (item, f"rater{rater + 1}", STARS[rng.choice(5, p=opinion)])
        for item, opinion in zip(ids, opinions, strict=True)
        for rater in sorted(rng.choice(RATERS, VOTES, replace=False).tolist())
    ]
    guessed = around(centre + rng.normal(0, 0.5, REVIEWS), spread * rng.uniform(0.8, 1.25, REVIEWS))
    positions = np.arange(5)
    mean = guessed @ positions
    ends = np.stack([4 - mean, *np.zeros((3, REVIEWS)), mean], axis=1) / 4
    systems = {
        "calibrated": guessed,
        "sharp": normalised(guessed**3),
        "soft": 0.5 * guessed + 0.1,
        "one-up": np.concatenate(
            [guessed[:, :1] * 0, guessed[:, :3], guessed[:, 3:].sum(axis=1, keepdims=True)], axis=1
        ),
        "two-camps": 0.45 * guessed + 0.55 * ends,
        "majority": np.eye(5)[guessed.argmax(axis=1)],
        "same-for-all": np.tile(guessed.mean(axis=0), (REVIEWS, 1)),
    }
    files = {"reviews/votes.csv": csv_text(("item", "rater", "label"), votes)}
    for name, shares in systems.items():
        rows = [(item, *(f"{share:.3f}" for share in row)) for item, row in zip(ids, shares.tolist(), strict=True)]
        files[f"reviews/systems/{name}.csv"] = csv_text(("item", *STARS), rows)
    return files


def around(centre: Reals, spread: Reals) -> Reals:
    """Opinions that are spread around a place among the stars."""
    distance = (np.arange(5) - centre[:, np.newaxis]) / spread[:, np.newaxis]
    return normalised(np.exp(-0.5 * distance**2))


def normalised(shares: Reals) -> Reals:
    """Rows that sum to 1."""
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """CSV with LF line ends on every platform."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
