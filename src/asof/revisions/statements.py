"""What a text states but for its values: by that it is found to follow an earlier one.

A *frame* is a short text without its names, numbers and dates; a *lead* is what a statement of a longer text
says before its value.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from asof.lang import tables
from asof.text.tokens import term_hash

DIGIT = re.compile(r"\d")
LETTERS = re.compile(r"[^\W\d_]+")


class Grammar(NamedTuple):
    """The words of the calendar and of grammar in the languages of a corpus."""

    calendar: frozenset[str]
    stop: frozenset[str]


class Frame(NamedTuple):
    """The frame of a statement: a hash of its text without the values in it, 0 for none, and how many words
    of content are left (negative if there are no values in it)."""

    hash: int
    words: int


NO_FRAME = Frame(0, 0)

LONGEST_FRAME = 300
"""The most characters of a text that is one statement."""

LEAST_FRAME = 2
"""The fewest words of content of a frame; one is enough beside a value, if there is a title."""

LONGEST_VALUE = 6
"""The most words of the value of a label of three words or more ("Where is the ferry now: at the mole"); one
of fewer may be the name of who speaks, or a field that every document has."""

_LABEL = re.compile(r": (?=\S)([^\n:.!?]+)[.]?\Z")
_PIECE = re.compile(r"\w+(?:[.,:/'’-]\w+)*|[.!?\n]")


def frame_of(text: str, language: str, grammar: Grammar) -> Frame:
    """The frame of a text: its words, but "_" for each run of names, numbers and dates, and for the value of
    a label.

    "The fee for a berth is 40 crowns" and "... 45 crowns" have one frame, as have "The master is Ada Marsh"
    and "The master is Tom Reed".
    """
    text = text.strip()
    if len(text) > LONGEST_FRAME:
        return NO_FRAME
    label = _LABEL.search(text) if "\n" not in text else None
    if label and len(label[1].split()) <= LONGEST_VALUE and text.count(" ", 0, label.start()) >= 2:
        text = text[: label.start()] + " 0"
    nouns = tables(language, "questions").get("capital_nouns", False)
    calendar, stop = grammar.calendar, grammar.stop
    words: list[str] = []
    count = values = 0
    begins = named = True  # at the beginning of a sentence; behind a word that begins it and has a capital
    for word in _PIECE.findall(text):
        if word in ".!?\n":
            begins = True
            continue
        folded = word.lower()
        capital = folded != word and word[0].isupper() and not nouns
        if (capital and not begins) or folded in calendar or not (word.isalpha() or not DIGIT.search(word)):
            if capital and named and words and words[-1] not in stop:  # the name that begins a sentence
                count -= words.pop() != "_"
            if not words or words[-1] != "_":
                words.append("_")
            values += 1
        else:
            words.append(folded)
            count += len(word) > 1 and folded not in stop
        begins, named = False, begins and capital
    if not values:
        count = -count if count >= LEAST_FRAME else 0
    return Frame(term_hash(" ".join(words)) or 1, count) if count else NO_FRAME


MOST_LEADS = 12
"""The most statements of a passage that are compared, from its beginning."""

_LEAD = re.compile(
    r"(?:^|[.!?…。]\s)[ \t|*+•–-]{0,8}+([^\n.!?…。|:：\d]{2,160}+)(:\s|：|\||)[^\S\n]?[€$£¥]?(\d?)",
    re.MULTILINE,
)


_BEHIND_LEAD = re.compile(r"[\d:：]")


def leads_of(text: str, grammar: Grammar) -> list[int]:
    """Hashes of what the statements of a text say before their values; the first `MOST_LEADS`, each once.

    Before a number that is a label, the name of a row, or two words of content; before another value a label
    of two words that is no name ("Ann Lee: Shall we sail?").
    """
    found: dict[int, None] = {}
    for lead, label, number in _LEAD.findall(text) if _BEHIND_LEAD.search(text) else ():
        if not number and (label in ("", "|") or lead.istitle()):
            continue
        words = [word for word in LETTERS.findall(lead.lower()) if word not in grammar.calendar]
        count = sum(len(word) > 1 and word not in grammar.stop for word in words)
        if count >= (1 if label and number else 2):
            found[term_hash(" ".join(words)) & 0xFFFFFFFF] = None
            if len(found) == MOST_LEADS:
                break
    return list(found)
