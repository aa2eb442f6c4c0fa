"""A surname for a full name, inside one document: "Quill" after "Marta Quill"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from asof.knowledge.fact_names import NameMention

FULL = range(2, 4)
"""How many words a full name has."""


def full_name(name: str, key: str) -> bool:
    """Whether a name may be a person's first and last: two or three capitalised words and nothing else.

    >>> full_name("Marta Quill", "marta quill"), full_name("M. Quill", "m quill")
    (True, False)
    """
    words = name.split()
    return (
        len(words) in FULL
        and len(key.split()) == len(words)
        and words[0].casefold() != "the"
        and all(_capitalised(word) and len(word) > 1 for word in words)
    )


def surname_of(key: str) -> str:
    """The key of the last word of a full name."""
    return key.rpartition(" ")[2]


def surnames(mentions: Sequence[NameMention], independent: Iterable[str]) -> dict[str, str]:
    """The keys of surnames in a document and those of the full names that they stand for.

    `mentions` are those of one document, in the order of its text. A surname stands for the one full name of
    the document that ends in it, if it stands there alone, capitalised and without an article wherever it
    stands, and only after the full name. `independent` are keys that are names by themselves (a company that
    is called like its founder).
    """
    full: dict[str, dict[str, int]] = defaultdict(dict)
    alone: dict[str, int] = {}
    barred = set(independent)
    for at, each in enumerate(mentions):
        if full_name(each.name, each.key):
            full[surname_of(each.key)].setdefault(each.key, at)
        elif " " not in each.key:
            alone.setdefault(each.key, at)
            if " " in each.name.strip() or not _capitalised(each.name.strip()):
                barred.add(each.key)
    return {
        surname: next(iter(names))
        for surname, names in full.items()
        if len(names) == 1 and surname not in barred and min(names.values()) < alone.get(surname, -1)
    }


def _capitalised(word: str) -> bool:
    letters = word.replace("-", "").replace("'", "").replace("’", "")
    return letters.isalpha() and letters[0].isupper() and not letters.isupper()
