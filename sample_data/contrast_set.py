"""The contrast set: sentences with a good and a bad translation, written from a few lists of words."""

import csv
import io
from itertools import cycle

PEOPLE = ("Ana", "Ben", "Cora", "Dev", "Elif", "Finn", "Gita", "Hugo", "Ines", "Jonas", "Kemal", "Lena")
LOCATIONS = ("the harbour", "the station", "the old mill", "the market")
DAYS = ("Monday", "Tuesday", "Friday")
PAIRS = 24
"""Number of sentences, two in each document."""

HEADER = ("item", "document", "phenomenon", "severity", "reference", "good", "bad")


def contrast_files() -> dict[str, str]:
    """The contrast set as a CSV file, path to text."""
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(HEADER)
    locations, days = cycle(LOCATIONS), cycle(DAYS)
    for number in range(PAIRS):
        who, whom = PEOPLE[number % len(PEOPLE)], PEOPLE[(5 * number + 3) % len(PEOPLE)]
        key = f"s{number + 1}", f"d{number // 2 + 1}"
        for phenomenon, severity, *texts in contrasts(who, whom, next(locations), next(days), 12 + 7 * number):
            writer.writerow((*key, phenomenon, severity, *texts))
    return {"contrast/texts.csv": lines.getvalue()}


def contrasts(who: str, whom: str, location: str, day: str, count: int) -> list[tuple[str, str, str, str, str]]:
    """Phenomenon, severity, reference, good and bad translation of each pair about two people.

    Only one thing is wrong with a bad translation. A good one differs from its reference in a word, or, for the
    negation, in most: a measure that counts common words prefers the bad one.
    """
    met = f"{who} met {whom} near {location} on {day}."
    brought = f"{who} brought {count} boxes of apples to {location}."
    return [
        (
            "word order", "major", met, f"{who} met {whom} by {location} on {day}.",
            f"{whom} met {who} by {location} on {day}.",
        ),
        (
            "negation", "critical", f"{who} did not call {whom} on {day} because it was late.",
            f"As it was late, {whom} had no call from {who} that {day}.",
            f"{who} did call {whom} on {day} because it was late.",
        ),
        ("number", "major", brought, brought.replace("brought", "took"),
         brought.replace("brought", "took").replace(f" {count} ", f" {count + 30} ")),
        ("untranslated copy", "critical", met, f"{who} met {whom} by {location} on {day}.",
         f"{who} traf {whom} in der Nähe am {GERMAN[day]}."),
        ("repetition", "minor", met, f"{who} met {whom} by {location} on {day}.",
         f"{who} met {whom} by {location} on {day}, on {day}."),
    ]  # fmt: skip


GERMAN = {"Monday": "Montag", "Tuesday": "Dienstag", "Friday": "Freitag"}
