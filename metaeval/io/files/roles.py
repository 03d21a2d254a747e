"""The roles of columns: what a column is for, its usual names, and the setting that names it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from metaeval.errors import InputError, ambiguous, first_of, refuse, shortened

_BETWEEN_WORDS = re.compile(r"[\s_.-]+")


def normal(name: str) -> str:
    """A name without case and punctuation between words.

    >>> normal("Prompt ID") == normal("prompt_id") == normal("promptId")
    True
    """
    return _BETWEEN_WORDS.sub("", name.casefold())


@dataclass(frozen=True)
class Role:
    """What a column is for.

    names: in any case, with or without punctuation between words; the first is that in messages. option: the setting
    that names the column. weaker: names that mean something else beside one of `names`, such as `doc_id` beside `item`.
    beginnings: of names that may have the role, too, as in `pred_bert`. usual: how many of `names` need no note.
    """

    names: tuple[str, ...]
    option: str = ""
    weaker: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()
    usual: int = 2

    def among(self, header: Iterable[str], omit: Container[str] = ()) -> list[str]:
        """The columns of a header that may have the role, the usual names first; omit: those of other roles.

        >>> ITEM.among(["doc_id", "Prompt ID", "text"]), ITEM.among(["doc_id", "text"])
        (['Prompt ID'], ['doc_id'])
        """
        every = list(header)
        free = [name for name in every if name not in omit]
        # A column may be named for another role, too: items as clusters.
        for names, columns in ((self.names, free), (self.weaker, free), (self.names, every)):
            order = _order_of(names)
            if matching := [name for name in columns if normal(name) in order]:
                return sorted(matching, key=lambda name: order[normal(name)])
        return []

    def is_usual(self, name: str) -> bool:
        """Whether a column has one of the first names, which need no note."""
        return normal(name) in map(normal, self.names[: self.usual])

    def may_be(self, name: str) -> bool:
        """Whether a column may have the role by the first word of its name."""
        return bool(self.beginnings) and _BETWEEN_WORDS.split(name.casefold())[0] in self.beginnings

    def column(self, header: Iterable[str], path: str, line: int | None = 1, omit: Container[str] = ()) -> str | None:
        """The column with the role; None without one. Two that may have it are an `InputError`."""
        return only_column(self.among(header, omit), path, line, self.option)


@lru_cache(maxsize=256)
def _order_of(names: tuple[str, ...]) -> dict[str, int]:
    """The first position of each name in its normal form."""
    return {normal(name): index for index, name in reversed([*enumerate(names)])}


def only_column(names: Sequence[str], path: str, line: int | None = 1, option: str = "") -> str | None:
    """The only one of the columns that may have a role; two are an `InputError`. option: the setting that names it."""
    if len(names) > 1:
        raise two_of(names, path, line, option)
    return names[0] if names else None


def two_of(names: Sequence[str], path: str, line: int | None = 1, option: str = "") -> InputError:
    """The error for two columns that may have one role."""
    # DuckDB ignores the case of names, so that a setting cannot distinguish them.
    same = names[0].casefold() == names[1].casefold()
    return refuse((path, line), ambiguous(names[0], names[1], "" if same else option))


_IDENTITY = re.compile(r"(.*[\s_.-])?id", re.I)


def is_id(name: str) -> bool:
    """Whether a column is called an id, such as `doc_id`."""
    return _IDENTITY.fullmatch(name) is not None


def is_identity(name: str) -> bool:
    """Whether a column names things, perhaps by numbers, which are no scores.

    >>> [is_identity(name) for name in ("doc_id", "Model", "segment", "bleu")]
    [True, True, True, False]
    """
    return is_id(name) or any(role.among([name]) for role in (ITEM, SYSTEM))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ITEM = Role(
    _words(
        "item id item_id prompt_id question_id example_id sample_id case_id instance_id segment segment_id seg_id "
        "pair_id uid sid"
    ),
    "id_column",
    weaker=_words("doc_id document_id query_id idx"),
)
SYSTEM = Role(
    _words("system system_id system_name model model_id model_name generator"),
    "system_column",
    weaker=_words("run run_id submission"),
)
GOLD = Role(
    _words(
        "gold gold_label gold_labels true true_label true_labels reference_label reference_labels y_true actual target "
        "truth ground_truth human_label human_labels expected expected_label"
    ),
    "gold_column",
)
LABEL = Role(_words("label labels class stance"), "label_column")
_TEXTS_OF_SYSTEMS = _words("output answer response model_output")
PREDICTION = Role(
    _words(
        "prediction predictions predicted predicted_label predicted_labels pred preds pred_label pred_labels "
        "predicted_class y_pred y_hat output outputs answer answers response responses model_prediction model_output "
        "judge_label system_label"
    ),
    "prediction_column",
    beginnings=_words("pred preds prediction predictions predicted"),
)
VOTE = Role((*LABEL.names, *PREDICTION.names), LABEL.option)
MEASURE = Role(("measure", "metric"))
HUMAN = Role(("human",), "humans", GOLD.names, _words("human humans annotator annotators rater raters expert experts"))
JUDGE = Role(
    ("judge",),
    "judges",
    (*(name for name in PREDICTION.names if name.removesuffix("s") not in _TEXTS_OF_SYSTEMS), "model"),
    (*PREDICTION.beginnings, *_words("judge judges llm model")),
)
"""Labels of people, and of what judges in their place."""
SCORE = Role(("value", "score"), "label_column")
RATING = Role(("label", "labels", "rating", "value", "score"), "label_column", usual=5)
_PEOPLE = _words("annotator judge rater worker user evaluator assessor coder labeler labeller")
ANNOTATOR = Role(
    (*(f"{one}{end}" for end in ("", "_id", "_name") for one in _PEOPLE), "judge_hash"),
    "judge_column",
    weaker=("measure",),
)
KIND = Role(_words("kind annotator_kind judge_kind annotator_type judge_type"))
"""Whether an annotator is a person or a judge."""
WEIGHT = Role(("weight", "weights"))
PROBABILITY = Role(
    _words("probability probabilities prob probs proba y_proba y_prob y_score confidence score scores logit logits"),
    beginnings=_words("prob probs probability probabilities logit logits"),
)
TEXT = Role(
    _words("text sentences texts sentence headline title tweet premise hypothesis question context prompt input source")
)
OUTPUT = Role(
    _words(
        "text sentences prediction predictions output outputs hypothesis candidate generated generated_text summary "
        "response translation completion"
    ),
    "prediction_column",
    beginnings=_words("prediction pred output hypothesis hyp candidate generated response answer completion"),
)
REFERENCE_TEXT = Role(
    _words("text sentences reference references target gold gold_text summary highlights"), "gold_column"
)
REPLICATE = Role((), "replicates")
CLUSTER = Role((), "clusters")
GROUP = Role((), "group")
COUNT = Role(("count",))
LANGUAGE_PAIR = Role(("language_pair", "lp"), "language_pair_column")
TURN = Role(("turn",))
PHENOMENON = Role(("phenomenon", "phenomena", "pert_name", "subset"))
GOOD = Role(("good", "good-translation", "mt_sent", "chosen"))
BAD = Role(("bad", "incorrect-translation", "pert_sent", "rejected"))
REFERENCE = Role(("reference", "eng_sent"))
GOLD_OR_REFERENCE = Role(("gold", *REFERENCE.names))
PERTURBED = Role(("pert_check",))
INSTRUCTION = Role(("instruction",))


def note_on_columns(roles: Mapping[Role, str], unread: Sequence[str] = ()) -> tuple[str, ...]:
    """A note on columns with names of their own, by their roles, and on those that are not read; () without any.

    >>> note_on_columns({GOLD: "human_label", PREDICTION: "prediction"}, ["notes"])
    ('read as: gold human_label; not read: notes',)
    """
    unusual = ((role.names[0], name) for role, name in roles.items() if not role.is_usual(name))
    listing = ", ".join(f"{role} {shortened(name)}" for role, name in unusual)
    others = first_of([*map(shortened, unread)], MOST_NAMED)
    parts = [part for part in (listing and f"read as: {listing}", others and f"not read: {others}") if part]
    return ("; ".join(parts),) if parts else ()


MOST_NAMED = 6
"""Number of columns that are not read and that a note names."""


READERS: Mapping[str, tuple[Role, ...]] = {
    "labels": (ITEM, SYSTEM, GOLD, LABEL, PREDICTION),
    "numeric predictions": (ITEM, SYSTEM, GOLD, LABEL, PREDICTION, SCORE),
    "texts": (ITEM, SYSTEM, OUTPUT, REFERENCE_TEXT),
    "distributions": (ITEM, SYSTEM, VOTE, ANNOTATOR, COUNT),
    "tables of scores": (ITEM, SYSTEM, MEASURE, SCORE),
    "ratings": (ITEM, SYSTEM, ANNOTATOR, RATING),
    "verdicts": (ITEM, INSTRUCTION, ANNOTATOR, KIND, WEIGHT, LANGUAGE_PAIR, TURN),
    "contrast sets": (ITEM, PHENOMENON, GOOD, BAD, GOLD_OR_REFERENCE, PERTURBED),
}
"""The roles that each reader of tables seeks."""
