"""The operators that a question may hold: `-word`, `NOT word`, `a OR b`, and filters such as `tag:money`.

They are read before times and intent, so that whatever reads a question reads the words that are left. What
is not clearly an operator stays a word, with a note: a question in plain language is never changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches

from msgspec import Struct

from asof.errors import UsageError
from asof.text.query import QUOTED
from asof.text.tokens import tokenize

KEYS = ("tag", "path", "source", "meta", "after", "before")
"""The filters that a question may hold, each followed by a colon and its value."""

MOST = 50
"""The most operators of a question."""

READ, UNREAD = "read as filters:", "read as words:"
BRACKETS = "brackets are not read: OR joins the words beside it, NOT leaves out the next word"
OPERATOR_NOTES = (READ, UNREAD, BRACKETS)
"""The beginnings of notes on what was read as an operator, and on what was not."""

_CHUNK = re.compile(rf"(?:{QUOTED.pattern}|\S)+")
_FILTER = re.compile(rf"(-?)({'|'.join(KEYS)}):(.+)", re.DOTALL)
_UNKNOWN = re.compile(r"(-?)([^\W\d_]{2,}):([^\W_][^\s@]*|[\"“„«].+)", re.DOTALL)
_ADDRESS = re.compile(r"^[^\"“„«].*[:/]")
_MINUS = re.compile(r"-(?:[^\W\d_][^\s]|[\"“„«]).*", re.DOTALL)
_MARKS = re.compile('["“”„«»]')
_ENDING = ",.;:!?"

NEAREST = {
    "folder": "path", "dir": "path", "directory": "path", "file": "path", "filename": "path", "name": "path",
    "title": "path", "ext": "path", "filetype": "path", "tags": "tag", "label": "tag", "labels": "tag",
    "category": "tag", "keyword": "tag", "keywords": "tag", "since": "after", "from": "after",
    "newer": "after", "until": "before", "to": "before", "older": "before",
}  # fmt: skip
"""Filters of other programs, and the one here that is nearest; others are fields of the metadata."""

PATTERNS = {
    "file": "*{}*", "filename": "*{}*", "name": "*{}*", "title": "*{}*", "ext": "*.{}", "filetype": "*.{}",
}  # fmt: skip
"""The pattern of a path that is meant, where that is not the value itself."""

AND, OR, NOT, FILTER, MINUS, WORD, OTHER = "AND", "OR", "NOT", "filter", "minus", "word", "other"
"""Kinds of chunks. WORD: a word of content or a quotation; OTHER: a word of grammar, or no word at all."""

Negatable = (WORD, FILTER, MINUS)


class Operators(Struct, frozen=True):
    """A question without its operators.

    `text`: the words that are left, those beside OR among them. `filters`: keys and values, in order; "-tag"
    is the key of a tag that no hit may have. A hit contains none of `without`, and at least one of each group
    of `any_of`: words, or phrases of several words. `notes`: what was read as an operator, and what looks
    like one and was not.
    """

    text: str
    filters: tuple[tuple[str, str], ...] = ()
    without: tuple[str, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


class _Chunk(Struct, frozen=True):
    """A stretch between blanks, in which a quotation counts as one sign; `bare`: without brackets and the
    punctuation behind it."""

    kind: str
    start: int
    end: int
    raw: str
    bare: str

    @property
    def wanted(self) -> str:
        """The word or phrase that a hit has to contain, or not."""
        return _MARKS.sub("", self.bare.removeprefix("-")).strip()

    @property
    def opens(self) -> bool:
        return self.raw.startswith("(")

    @property
    def closes(self) -> bool:
        return self.raw.rstrip(_ENDING).endswith(")")


def read_operators(question: str, is_grammar: Callable[[str], bool]) -> Operators:
    """Read the operators of a question; `is_grammar`: True for a word of grammar ("what", "does").

    Raises UsageError for a filter without a value or that cannot be negated, for OR beside a filter, and for
    more than MOST operators.
    """
    chunks = [_chunk(match, is_grammar) for match in _CHUNK.finditer(question)]
    if all(each.kind in (WORD, OTHER) for each in chunks):
        return Operators(question, notes=_of_unknown(chunks))
    reader = _Reader(question, chunks)
    reader.read()
    return reader.operators()


def _chunk(match: re.Match[str], is_grammar: Callable[[str], bool]) -> _Chunk:
    raw = match[0]
    bare = raw.lstrip("(").rstrip(_ENDING)
    bare = bare.rstrip(")").rstrip(_ENDING) if raw.startswith("(") or bare.endswith(")") else bare
    words = tokenize(bare)
    if _FILTER.fullmatch(bare):
        kind = FILTER
    elif bare in (AND, OR, NOT):
        kind = bare
    elif not words:
        kind = OTHER
    elif _MINUS.fullmatch(bare):
        kind = MINUS
    else:
        quoted = QUOTED.match(bare) is not None
        kind = WORD if quoted or not all(map(is_grammar, words)) else OTHER
    return _Chunk(kind, match.start(), match.end(), raw, bare)


class _Reader:
    """Reads the operators among the chunks of a question, from the first chunk to the last."""

    def __init__(self, question: str, chunks: Sequence[_Chunk]) -> None:
        self.question, self.chunks = question, chunks
        self.is_sentence = question.rstrip().endswith(("?", "？"))
        self.removed: set[int] = set()
        self.filters: list[tuple[str, str]] = []
        self.without: list[int] = []
        self.groups: list[list[int]] = []
        self.read_as: list[str] = []
        self.unread: list[str] = []

    def read(self) -> None:
        """Finds the operators, each with the chunks that belong to it."""
        for at, chunk in enumerate(self.chunks):
            if at in self.removed or chunk.kind in (WORD, OTHER):
                continue
            before = self.chunks[at - 1] if at else None
            after = self.chunks[at + 1] if at + 1 < len(self.chunks) else None
            if chunk.kind == FILTER:
                self._filter(at)
            elif chunk.kind == MINUS and (before is None or before.kind != OTHER or not tokenize(before.raw)):
                self._leave_out(at, chunk.bare)
            elif chunk.kind == NOT and self._negates(at, before, after):
                self._negate(at)
            elif chunk.kind == OR and self._joins(at, before, after):
                self._join(at)
            else:
                self.unread.append(chunk.bare)

    def _filter(self, at: int, *, negated: bool = False) -> None:
        found = _FILTER.fullmatch(self.chunks[at].bare)
        assert found is not None  # noqa: S101  its kind says so
        minus, key = found[1], found[2]
        value = _MARKS.sub("", found[3]).strip()
        if not value:
            raise UsageError(f"{key}: a value is expected: {key}:VALUE; in quotes it is searched as words")
        if (minus or negated) and key != "tag":
            raise UsageError(
                f"-{key}:{value}: only a tag, a word or a phrase can be left out; in quotes it is searched as"
                " words"
            )
        negative = bool(minus) != negated
        self.filters.append((f"-{key}" if negative else key, value))
        self.removed.add(at)
        self.read_as.append(f"{'-' * negative}{key}:{value}")

    def _negates(self, at: int, before: _Chunk | None, after: _Chunk | None) -> bool:
        """True if NOT stands between two words, filters or phrases: "does NOT mean" is plain language."""
        if before is not None and before.kind == AND and at > 1:
            before = self.chunks[at - 2]
        between = before is not None and before.kind in Negatable
        return not self.is_sentence and between and after is not None and after.kind in (WORD, FILTER)

    def _negate(self, at: int) -> None:
        self.removed.add(at)
        if self.chunks[at - 1].kind == AND:
            self.removed.add(at - 1)
            self.unread.remove(AND)
        if self.chunks[at + 1].kind == FILTER:
            self._filter(at + 1, negated=True)
        else:
            self._leave_out(at + 1, f"{NOT} {self.chunks[at + 1].bare}")

    def _leave_out(self, at: int, typed: str) -> None:
        self.without.append(at)
        self.removed.add(at)
        self.read_as.append(typed)

    def _joins(self, at: int, before: _Chunk | None, after: _Chunk | None) -> bool:
        """True if OR stands between two words or phrases, without punctuation before it."""
        if self.is_sentence or before is None or after is None:
            return False
        if FILTER in (before.kind, after.kind):
            raise UsageError(
                f"{before.raw} OR {after.raw}: OR joins two words or phrases, and no filters: ask twice"
            )
        if at - 1 in self.removed:
            return False
        return before.kind == after.kind == WORD and not before.raw.endswith(tuple(_ENDING))

    def _join(self, at: int) -> None:
        self.removed.add(at)
        if self.groups and self.groups[-1][-1] == at - 1:
            self.groups[-1].append(at + 1)
            self.read_as[-1] += f" OR {self.chunks[at + 1].bare}"
        else:
            self.groups.append([at - 1, at + 1])
            self.read_as.append(f"{self.chunks[at - 1].bare} OR {self.chunks[at + 1].bare}")

    def _brackets(self) -> bool:
        """True if brackets stand elsewhere than around a whole group of OR, or one word of NOT."""
        for group in ([self.chunks[at] for at in numbers] for numbers in self.groups):
            inner = any(each.opens for each in group[1:]) or any(each.closes for each in group[:-1])
            if inner or group[0].opens != group[-1].closes:
                return True
        return any(self.chunks[at].opens != self.chunks[at].closes for at in self.without)

    def operators(self) -> Operators:
        """What was read. Raises UsageError for more than MOST operators."""
        rest = [each for at, each in enumerate(self.chunks) if at not in self.removed and tokenize(each.raw)]
        if not rest and not self.filters:  # what is left out cannot be all
            return Operators(self.question, notes=(_of_words([each.raw for each in self.chunks]),))
        if len(self.read_as) > MOST:
            raise UsageError(f"the question has {len(self.read_as):,} operators; accepted: up to {MOST}")
        notes = [f"{READ} {', '.join(self.read_as)}"] if self.read_as else []
        if self._brackets():
            notes.append(BRACKETS)
        if self.unread:
            notes.append(_of_words(self.unread))
        notes += _of_unknown(self.chunks)
        return Operators(
            self._rest(), tuple(self.filters),
            tuple(dict.fromkeys(self.chunks[at].wanted for at in self.without)),
            tuple(tuple(self.chunks[at].wanted for at in group) for group in self.groups), tuple(notes),
        )  # fmt: skip

    def _rest(self) -> str:
        """The question without what was removed; of OR the words, for a quotation would be required."""
        pieces, at = [], 0
        joined = {at for group in self.groups for at in group}
        for number in sorted(self.removed | joined):
            chunk = self.chunks[number]
            pieces += [self.question[at : chunk.start].strip(), chunk.wanted if number in joined else ""]
            at = chunk.end
        asks = "?" if self.is_sentence and at == len(self.question.rstrip()) else ""
        return " ".join(filter(None, [*pieces, self.question[at:].strip()])) + asks


def _of_unknown(chunks: Sequence[_Chunk]) -> tuple[str, ...]:
    """A note on the words of the form of a filter that none is, each with what may be meant."""
    meant = []
    for chunk in chunks:
        found = _UNKNOWN.fullmatch(chunk.bare)
        if found is None or chunk.kind == FILTER or found[3].lower() == found[2].lower():
            continue
        minus, key, value = found[1], found[2].lower(), found[3]
        nearest = NEAREST.get(key) or next(iter(get_close_matches(key, KEYS, 1, ALIKE)), "")
        if minus and nearest != "tag":  # nothing else can be left out, but words
            continue
        if key in PATTERNS:
            value = PATTERNS[key].format(_MARKS.sub("", value))
        if nearest:
            meant.append((chunk.bare, f"{minus}{nearest}:{value}"))
        elif not _ADDRESS.search(value):
            meant.append((chunk.bare, f"meta:{key}={value}"))
    if not meant:
        return ()
    words, operators = (", ".join(dict.fromkeys(each)) for each in zip(*meant, strict=True))
    return (f"{UNREAD} {words} (did you mean {operators}?)",)


ALIKE = 0.7
"""The least likeness of a word before a colon and the filter that is meant, as difflib has it."""


def _of_words(unread: Sequence[str]) -> str:
    """The note on what looks like an operator."""
    return f"{UNREAD} {', '.join(dict.fromkeys(unread))} (operators: a -b, a NOT b, a OR b)"
