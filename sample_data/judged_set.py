"""Write `judged/`: scores and labels of a judge on all items, and of people on some."""

import numpy as np

ITEMS, TOPICS, LABELLED = 300, 60, 90

SYSTEMS = {"kin-large": (3.2, 0.7), "other-large": (3.5, 0.0), "kin-base": (2.9, 0.5), "other-base": (2.8, 0.0)}
"""Systems with the mean score of people, and what the judge adds to it: it prefers systems of its own family."""

SHARES = {"kin-large": (0.62, 0.9, 0.6), "other-large": (0.75, 0.85, 0.8), "other-base": (0.5, 0.85, 0.8)}
"""Systems with the share of correct answers, and the sensitivity and specificity of the judge."""


def judged_files(*, rng: np.random.Generator) -> dict[str, str]:
    """Scores from 1 to 5, and labels no and yes; path to text. People scored the same random items of all systems."""
    labelled = rng.permutation(ITEMS) < LABELLED
    topic = np.arange(ITEMS) % TOPICS
    topic_effects, item_effects = rng.normal(0, 0.4, TOPICS)[topic], rng.normal(0, 0.4, ITEMS)
    scores, labels = ["system,item,topic,judge,human\n"], ["system,item,topic,judge,human\n"]
    for system, (mean, bias) in SYSTEMS.items():
        quality = mean + topic_effects + item_effects + rng.normal(0, 0.5, ITEMS)
        human = np.clip(np.rint(quality + rng.normal(0, 0.4, ITEMS)), 1, 5).astype(int)
        judge = np.clip(np.rint(2 * (quality + bias + rng.normal(0, 0.5, ITEMS))) / 2, 1, 5)
        rows = zip(topic.tolist(), [f"{score:g}" for score in judge.tolist()], human.tolist(), labelled, strict=True)
        scores += [_row(system, item, *row) for item, row in enumerate(rows)]
    for system, (share, sensitivity, specificity) in SHARES.items():
        right = rng.random(ITEMS) < np.clip(share + 0.3 * topic_effects, 0, 1)
        says = rng.random(ITEMS) < np.where(right, sensitivity, 1 - specificity)
        answers = ([("no", "yes")[code] for code in side.astype(int).tolist()] for side in (says, right))
        labels += [
            _row(system, item, *row) for item, row in enumerate(zip(topic.tolist(), *answers, labelled, strict=True))
        ]
    return {"judged/scores.csv": "".join(scores), "judged/labels.csv": "".join(labels)}


def _row(system: str, item: int, topic: int, judge: object, human: object, labelled: object) -> str:
    return f"{system},i{item + 1:03},t{topic + 1:02},{judge},{human if labelled else ''}\n"
