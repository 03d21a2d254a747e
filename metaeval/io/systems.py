"""The systems that are evaluated, chosen by patterns of their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from metaeval.errors import UnknownName, did_you_mean, none_left, refuse, setting

_LISTED = 12
"""Maximum number of names in a message."""


@dataclass(frozen=True)
class SystemChoice:
    """Patterns of names of systems, as in the shell; by default all systems are evaluated.

    only: patterns of systems that are evaluated. excluded: of those that are not. always: names to which no pattern
    applies. seen: the systems of all groups of items, which grows; in a group a pattern may match none.

    >>> SystemChoice(only=("bert*",), excluded=("*-tiny",)).of(["bert", "bert-tiny", "svm"])
    {'bert'}
    """

    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    seen: dict[str, None] | None = None

    def __bool__(self) -> bool:
        return bool(self.only or self.excluded)

    def keeps(self, name: str) -> bool:
        """Whether a system is evaluated."""
        if name in self.always:
            return True
        return (not self.only or _matches(name, self.only)) and not _matches(name, self.excluded)

    def of(self, names: Iterable[str]) -> set[str]:
        """The systems that are evaluated; a pattern without a system, and no system left, are an error."""
        known = [name for name in dict.fromkeys(names) if name not in self.always]
        kept = {name for name in known if self.keeps(name)}
        if self.seen is not None:
            self.seen.update(dict.fromkeys(known))
            if self and not kept:
                # A group without a system is left out.
                kind, patterns = ("system", self.only) if self.only else ("system besides", self.excluded)
                raise UnknownName(kind, ", ".join(patterns), known)
            return kept | set(self.always)
        for option, patterns in (("only_systems", self.only), ("exclude_systems", self.excluded)):
            for pattern in patterns:
                if not any(_matches(name, (pattern,)) for name in known):
                    found = f"{setting(option, pattern)}, which matches no system"
                    expected = "the name of a system or a pattern such as 'bert*'"
                    hint = did_you_mean(pattern, known) or f"the systems are {_listed(known)}"
                    raise refuse(None, found, expected, hint, kind="unknown")
        if self and not kept:
            hint = f"change {setting('only_systems')} or {setting('exclude_systems')}"
            raise refuse(None, none_left("system", f"the systems are {_listed(known)}", hint))
        return kept | set(self.always)

    def notes(self, names: Iterable[str]) -> tuple[str, ...]:
        """A note on the systems that are not evaluated."""
        left_out = [name for name in dict.fromkeys(names) if not self.keeps(name)]
        return (f"excluded systems ({len(left_out):,}): {_listed(left_out)}",) if left_out else ()


EVERY_SYSTEM = SystemChoice()


def _matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is one of the patterns, or is matched by one."""
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return (", ".join(names[:_LISTED]) or "none") + more
