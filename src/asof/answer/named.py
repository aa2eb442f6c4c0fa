"""The names in a question: runs of capitals that are names, and names that are known, however written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from asof.text.names import key

WORD = re.compile(r"\w[\w.'’-]*")
"""A word, with the marks inside it."""

_RUN = re.compile(
    r"[^\W\d_a-zß-öø-ÿ][\w.&’'-]*(?:(?:,\s+(?=(?:Inc|Ltd|Corp|LLC|L\.P|Co|plc|AG|GmbH|S\.A)\b)|\s+(?:of|and|&|de|von|der|the)"
    r"\s+(?=[^\W\d_a-zß-öø-ÿ])|\s+)(?:[^\W\d_a-zß-öø-ÿ][\w.&’'-]*|plc\b))*"
)
_POSSESSIVE = re.compile(r"['’]s(?!\w)|(?<=s)['’](?!\w)")
_SMALL_NEXT = re.compile(
    r"[ ](?!and\b|or\b|in\b|und\b|oder\b|between\b|from\b|during\b|before\b|after\b)[a-zß-öø-ÿ]"
)
_AUXILIARY = re.compile(
    r"\b(?:did|does|do|is|are|was|were|has|have|had|will|by|of|c[efot]o|hat|haben|ist|war|wird|von)\s+$"
)
_JOINED = re.compile(r"\s+and\s+")
_JOINED_DE = re.compile(r"\s+(?:von|der)\s+")
_DETERMINED = re.compile(
    r"\b(?i:de[rsnm]|die|das|eine?[rsnm]?|i[mn]s?|am|zu[mr]|vom|beim|welche[rsnm]?|jede[rsnm]?|wie viele?)\s+"
    r"(?:[a-zß-ÿ]+e[rsnm]?\s+){0,2}$"
)
_BEFORE = re.compile(r"(?:C[EFOT]O|[A-Z&-]{2,9}(?=\s+of\s))\b\s*(?:of\s+)?")
"""An office or a measure before a name: "CEO Mira Voss", "AFFO of Birch Bay"."""

_LOOK_BACK = 80
"""So many characters before a run are looked at: what decides stands beside it."""
_LEGAL_END = re.compile(r"\b(?:Inc|Ltd|Corp|Co|L\.P|S\.A|U\.S\.A?)\.$")


def names_in(
    rest: str, known: Iterable[str], question: frozenset[str], *, nouns: bool
) -> tuple[tuple[str, ...], str]:
    """The names in a question, and the question without them. `nouns`: nouns have capitals too."""
    whole = rest
    found: dict[int, tuple[int, str]] = {}
    letters = re.sub(r"\W", "", rest.lower())
    there = {name for name in known if key(name) and all(each in letters for each in _said_in(name))}
    for name in sorted(there, key=lambda each: (-len(each), each)):
        for match in re.finditer(rf"(?<!\w){_loose(name)}(?:['’]s)?(?!\w)", rest, re.IGNORECASE):
            found[match.start()] = match.end(), name
            rest = blanked(rest, [match.span()])
    for begin, run in _runs(rest, _JOINED_DE if nouns else _JOINED):
        start, text = _without_question_words(begin, run, question)
        possessive = _POSSESSIVE.search(text)
        text = text[: possessive.start()] if possessive else text
        text = text.rstrip(" ,?!" if _LEGAL_END.search(text) else " ,.?!")
        if not key(text) or (_measure(text) and not possessive):
            continue
        before = rest[max(0, start - _LOOK_BACK) : start]
        if nouns:
            if " " not in text and _DETERMINED.search(before):
                continue
        elif not possessive and _goes_on(rest, before, start + len(text)):
            continue
        found[start] = start + len(text), text
        rest = blanked(rest, [(start, start + len(text))])
    return tuple(dict.fromkeys(_in_order(found, whole))), rest


def _in_order(found: Mapping[int, tuple[int, str]], whole: str) -> Iterator[str]:
    """The names in order of place. Two capitalised ones a blank apart are one: "Ida", "Brandt"."""
    starts = sorted(found)
    at = 0
    while at < len(starts):
        first = starts[at]
        end, name = found[first]
        at += 1
        while at < len(starts) and _goes_with(whole, end, starts[at]) and whole[first].isupper():
            end = found[starts[at]][0]
            name = whole[first:end]
            at += 1
        yield name


def _goes_with(whole: str, end: int, start: int) -> bool:
    return start == end + 1 and whole[start].isupper() and not _POSSESSIVE.search(whole, end - 2, end)


def _runs(rest: str, joined: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The runs of capitals with their places, parted at the words that join two of them. In German a single
    word before "von" is a noun ("Umsatz von", "Kapitän der") and no name."""
    for match in _RUN.finditer(rest):
        begin = match.start()
        for link in joined.finditer(match[0]):
            run = rest[begin : match.start() + link.start()]
            if joined is _JOINED or " " in run:
                yield begin, run
            begin = match.start() + link.end()
        yield begin, rest[begin : match.end()]


def _said_in(name: str) -> list[str]:
    """The words of a name that a question must have to say it; "and" may be written "&"."""
    return [word for word in key(name).split() if word.isalnum() and word != "and"]


def _without_question_words(start: int, text: str, question: frozenset[str]) -> tuple[int, str]:
    """A run of capitals without the words at its beginning that only ask ("Which", "Did") or are no name."""
    while text:
        head = WORD.match(text)
        asks = head is not None and head[0].lower() in question
        before = head if asks else _BEFORE.match(text)
        if before is None:
            break
        left = text[before.end() :].lstrip(" ,")
        start, text = start + len(text) - len(left), left
    return start, text


def _goes_on(rest: str, before: str, end: int) -> bool:
    """Whether a run is the beginning of a phrase in small letters ("China sales growth") and no name after
    an auxiliary ("did Baltic Lines open") or an office ("CEO Mira Voss say")."""
    return _SMALL_NEXT.match(rest, end) is not None and not _AUXILIARY.search(before.lower())


def _loose(name: str) -> str:
    """A pattern for a name in any case, with or without its legal form and marks."""
    legal = r"(?:,?\s+(?:inc|corp|co|ltd|plc|llc|lp|ag|se|gmbh|corporation|company|incorporated)\b\.?)?"
    words = ("(?:and|&)" if word == "and" else _dotted(word) for word in key(name).split())
    return r"[\s.,’'-]*".join(words) + legal


def _dotted(word: str) -> str:
    return r"[.’']?".join(map(re.escape, word))


def _measure(text: str) -> bool:
    """Whether a run of capitals is rather the name of a measure (GAAP, EBITDA, AFFO) than of somebody."""
    return all(word.isupper() and len(word) > 1 for word in text.split()) or text[0].isdigit()


def blanked(text: str, extents: Sequence[tuple[int, int]]) -> str:
    """The text with blanks in place of some stretches, as long as before."""
    for start, end in extents:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text
