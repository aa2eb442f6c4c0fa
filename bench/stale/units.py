"""The sentences of a document, without code; and which of them an edit changed, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from html import unescape
from pathlib import PurePosixPath

from asof.lang import stop_words
from asof.text.sentences import sentences

STOP = stop_words("en")
LONGEST = 500
"""Characters of a sentence; what is longer is a table or no prose."""
MOST_PAIRS = 4_000
"""Of old and new sentences that are compared; beyond that a document was written anew."""
ALIKE = 0.4
"""From this share of equal words on, a sentence that was replaced is the same, edited."""

_WORD = re.compile(r"--?[A-Za-z][\w-]*|[$€£]?\w+(?:[.,:/@+'’-]\w+)*%?")
_LINK = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:\s+\"[^\"]*\")?\)|\]\[[^\]]*\]")
_WIKI = re.compile(r"!\[\[[^\[\]]*\]\]|!\[[^\[\]]*\]\([^()]*\)|\\(?=[_*#<>|])|\[\[[^\[\]|\n]*\|")
_MARKS = re.compile(r"<[^<>\n]*>|:[\w:+.-]+:(?=`)|https?://\S+|[`*]+|\{[{%][^{}]*[%}]\}|[_|\\]{2,}")
_LIST = re.compile(r"^\s*(?:[-*+>]\s+|#+\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+")
_FENCE = re.compile(r"^[ \t>]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->|<(pre|script|style|code)\b.*?</\1>", re.DOTALL)
_RST_CODE = re.compile(
    r"^\s*\.\. (?:code|code-block|sourcecode|parsed-literal|highlight|literalinclude|prompt|tab)\b"
)
_HEAD = re.compile(r"^(?:(#{1,6})\s+(.+?)\s*#*|([^\n]+)\n(?:={3,}|-{3,}|~{3,}|\^{3,}|\*{3,}))$", re.MULTILINE)


@dataclass(frozen=True)
class Unit:
    """A sentence as it stands in the text; `heads` are the words of the title and the headings above it."""

    text: str
    heads: frozenset[str]

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(_WORD.findall(visible(self.text)))

    @cached_property
    def folded(self) -> tuple[str, ...]:
        return tuple(word.casefold() for word in self.words)

    @cached_property
    def content(self) -> frozenset[str]:
        return content(self.folded)


def visible(text: str) -> str:
    """Without what a reader does not see: targets of links, marks of lists and emphasis."""
    return unescape(_MARKS.sub(" ", _LINK.sub("]", _WIKI.sub("", _LIST.sub("", text))))).replace("’", "'")


def content(words: tuple[str, ...]) -> frozenset[str]:
    """Words that are no grammar, singular and plural as one."""
    return frozenset(
        word.removesuffix("s")
        for word in words
        if len(word) > 2 and word not in STOP and word not in ("e.g", "i.e") and word.strip("-")
    )


@lru_cache(maxsize=400)
def units(text: str, path: str) -> list[Unit]:
    """The sentences of a document."""
    prose = without_code(text, PurePosixPath(path).suffix.lower())
    heads = [(at.start(), len(at[1] or "=="), at[2] or at[3] or "") for at in _HEAD.finditer(prose)]
    title = (
        next((words for _, _, words in heads), "")
        + " "
        + re.sub(r"[^A-Za-z]+", " ", PurePosixPath(path).stem)
    )
    found: list[Unit] = []
    above: list[tuple[int, str]] = []
    at = 0
    for start, end in sentences(prose):
        while at < len(heads) and heads[at][0] <= start:
            _, level, words = heads[at]
            above = [each for each in above if each[0] < level] + [(level, words)]
            at += 1
        names = content(tuple(_WORD.findall(" ".join([title, *(words for _, words in above)]).casefold())))
        for begin, stop in _rows(prose, start, end):
            quote = text[begin:stop]
            if 8 < len(quote) <= LONGEST and quote.count("</") < 3:
                found.append(Unit(quote, names))
    return found


def _rows(prose: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence without white space around it; of a table each row."""
    parts = prose[start:end].splitlines(keepends=True) if prose[start] == "|" else [prose[start:end]]
    for part in parts:
        begin = start + len(part) - len(part.lstrip())
        if part.strip():
            yield begin, begin + len(part.strip())
        start += len(part)


def without_code(text: str, suffix: str) -> str:
    """The text with blanks for code, comments and what stands before the text; of the same length."""
    for pattern in (_FRONT, _FENCE, _COMMENT):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    lines = text.split("\n")
    deeper: int | None = None
    for number, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        if deeper is not None and line.strip() and depth <= deeper:
            deeper = None
        if deeper is not None:
            lines[number] = " " * len(line)
        elif suffix in (".rst", ".txt"):
            if _RST_CODE.match(line) or (line.rstrip().endswith("::") and not line.lstrip().startswith("..")):
                deeper = depth
            if line.lstrip().startswith(("..", ":")):
                lines[number] = " " * len(line)
        elif (
            line.startswith(("    ", "\t"))
            and number
            and not lines[number - 1].strip()
            and not _LIST.match(line)
        ):
            lines[number] = " " * len(line)
    return "\n".join(lines)


Span = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of the old sentence that were replaced, and those that stand there now."""


@dataclass(frozen=True)
class Edit:
    """A sentence of a document before and after a commit."""

    path: str
    old: Unit
    new: Unit

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Each replaced stretch of words, as written."""
        moves = SequenceMatcher(None, self.old.folded, self.new.folded, autojunk=False).get_opcodes()
        return tuple(
            (self.old.words[a:b], self.new.words[c:d]) for what, a, b, c, d in moves if what != "equal"
        )

    @cached_property
    def removed(self) -> frozenset[str]:
        return self.old.content - self.new.content

    @cached_property
    def added(self) -> frozenset[str]:
        return self.new.content - self.old.content


def edits(old: str, new: str, path: str) -> Iterator[Edit]:
    """The sentences that were edited: replaced by one that shares words with it. None where much was."""
    before, after = units(old, path), units(new, path)
    kept = {unit.folded for unit in before} & {unit.folded for unit in after}
    gone = [unit for unit in before if unit.folded not in kept]
    free = [unit for unit in after if unit.folded not in kept]
    if len(gone) * len(free) > MOST_PAIRS:
        return
    for unit in gone:
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(unit.folded)
        best, score = None, ALIKE
        for each in free:
            matcher.set_seq1(each.folded)
            if matcher.real_quick_ratio() > score and matcher.quick_ratio() > score:
                ratio = matcher.ratio()
                best, score = (each, ratio) if ratio > score else (best, score)
        if best is not None:
            free.remove(best)
            yield Edit(path, unit, best)
