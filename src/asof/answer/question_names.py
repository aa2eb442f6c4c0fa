"""The names in a question: known names in any spelling, and capitalised phrases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from asof.text.names import key

WORD = re.compile(r"\w[\w.'’-]*")
"""A word with its inner punctuation."""

_RUN = re.compile(
    r"[^\W\d_a-zß-öø-ÿ][\w.&’'-]*(?:(?:,\s+(?=(?:Inc|Ltd|Corp|LLC|L\.P|Co|plc|AG|GmbH|S\.A)\b)|\s+(?:of|and|&|de|von|der|the)"
    r"\s+(?=[^\W\d_a-zß-öø-ÿ])|\s+)(?:[^\W\d_a-zß-öø-ÿ][\w.&’'-]*|plc\b))*"
)
_POSSESSIVE = re.compile(r"['’]s(?!\w)|(?<=s)['’](?!\w)")
_LOWERCASE_NEXT = re.compile(
    r"[ ](?!and\b|or\b|in\b|und\b|oder\b|between\b|from\b|during\b|before\b|after\b)[a-zß-öø-ÿ]"
)
_AUXILIARY = re.compile(
    r"\b(?:did|does|do|is|are|was|were|has|have|had|will|by|of|c[efot]o|hat|haben|ist|war|wird|von)\s+$"
)
_AND = re.compile(r"\s+and\s+")
_VON = re.compile(r"\s+(?:von|der)\s+")
_DETERMINED = re.compile(
    r"\b(?i:de[rsnm]|die|das|eine?[rsnm]?|i[mn]s?|am|zu[mr]|vom|beim|welche[rsnm]?|jede[rsnm]?|wie viele?)\s+"
    r"(?:[a-zß-ÿ]+e[rsnm]?\s+){0,2}$"
)
_TITLE = re.compile(r"(?:C[EFOT]O|[A-Z&-]{2,9}(?=\s+of\s))\b\s*(?:of\s+)?")
"""An office or a measure before a name: "CEO Mira Voss", "AFFO of Birch Bay"."""

_CONTEXT = 80
"""How many characters before a capitalised phrase are read to decide whether it is a name."""
_LEGAL_END = re.compile(r"\b(?:Inc|Ltd|Corp|Co|L\.P|S\.A|U\.S\.A?)\.$")


def names_in(
    rest: str, known: Iterable[str], question: frozenset[str], *, nouns: bool
) -> tuple[tuple[str, ...], str]:
    """The names in a question, and the question with blanks in their places.

    `known`: names in the corpus. `question`: words that only ask. `nouns`: nouns are capitalised (German).
    """
    source = rest
    names: dict[int, tuple[int, str]] = {}
    letters = re.sub(r"\W", "", rest.lower())
    present = {name for name in known if key(name) and all(each in letters for each in _required_words(name))}
    for name in sorted(present, key=lambda each: (-len(each), each)):
        for match in re.finditer(rf"(?<!\w){_pattern(name)}(?:['’]s)?(?!\w)", rest, re.IGNORECASE):
            names[match.start()] = match.end(), name
            rest = blank_out(rest, [match.span()])
    for begin, run in _runs(rest, _VON if nouns else _AND):
        start, text = _without_question_words(begin, run, question)
        possessive = _POSSESSIVE.search(text)
        text = text[: possessive.start()] if possessive else text
        text = text.rstrip(" ,?!" if _LEGAL_END.search(text) else " ,.?!")
        if not key(text) or (_is_measure(text) and not possessive):
            continue
        before = rest[max(0, start - _CONTEXT) : start]
        if nouns:
            if " " not in text and _DETERMINED.search(before):
                continue
        elif not possessive and _continues(rest, before, start + len(text)):
            continue
        names[start] = start + len(text), text
        rest = blank_out(rest, [(start, start + len(text))])
    return tuple(dict.fromkeys(_in_order(names, source))), rest


def _in_order(names: Mapping[int, tuple[int, str]], source: str) -> Iterator[str]:
    """The names in order of position. Two capitalised names with one blank between are one: "Ida Brandt"."""
    starts = sorted(names)
    at = 0
    while at < len(starts):
        first = starts[at]
        end, name = names[first]
        at += 1
        while at < len(starts) and _adjacent(source, end, starts[at]) and source[first].isupper():
            end = names[starts[at]][0]
            name = source[first:end]
            at += 1
        yield name


def _adjacent(source: str, end: int, start: int) -> bool:
    return start == end + 1 and source[start].isupper() and not _POSSESSIVE.search(source, end - 2, end)


def _runs(rest: str, separator: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The capitalised phrases with their offsets, split at `separator`.

    In German a single word before "von" is a noun and no name ("Umsatz von", "Kapitän der").
    """
    for match in _RUN.finditer(rest):
        begin = match.start()
        for cut in separator.finditer(match[0]):
            run = rest[begin : match.start() + cut.start()]
            if separator is _AND or " " in run:
                yield begin, run
            begin = match.start() + cut.end()
        yield begin, rest[begin : match.end()]


def _required_words(name: str) -> list[str]:
    """The words of a name that a question must have to contain it; "and" may be written "&"."""
    return [word for word in key(name).split() if word.isalnum() and word != "and"]


def _without_question_words(start: int, text: str, question: frozenset[str]) -> tuple[int, str]:
    """A capitalised phrase, and its offset, without first words that only ask ("Which") or are an office."""
    while text:
        head = WORD.match(text)
        asks = head is not None and head[0].lower() in question
        before = head if asks else _TITLE.match(text)
        if before is None:
            break
        left = text[before.end() :].lstrip(" ,")
        start, text = start + len(text) - len(left), left
    return start, text


def _continues(rest: str, before: str, end: int) -> bool:
    """Whether a capitalised phrase only begins a longer phrase ("China sales growth").

    After an auxiliary ("did Baltic Lines open") or an office ("CEO Mira Voss say") it is a name.
    """
    return _LOWERCASE_NEXT.match(rest, end) is not None and not _AUXILIARY.search(before.lower())


def _pattern(name: str) -> str:
    """A pattern for a name with or without its legal form and punctuation."""
    legal = r"(?:,?\s+(?:inc|corp|co|ltd|plc|llc|lp|ag|se|gmbh|corporation|company|incorporated)\b\.?)?"
    words = ("(?:and|&)" if word == "and" else _dotted(word) for word in key(name).split())
    return r"[\s.,’'-]*".join(words) + legal


def _dotted(word: str) -> str:
    return r"[.’']?".join(map(re.escape, word))


def _is_measure(text: str) -> bool:
    """Whether a capitalised phrase names a measure (GAAP, EBITDA, AFFO) or begins with a number."""
    return all(word.isupper() and len(word) > 1 for word in text.split()) or text[0].isdigit()


def blank_out(text: str, extents: Sequence[tuple[int, int]]) -> str:
    """The text with blanks in place of these (start, end) ranges; its length stays the same."""
    for start, end in extents:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text
