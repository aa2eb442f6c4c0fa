"""What documents are called beside their titles: the words of a path, and numbers in a series ("PEP 649").

A label is one word for a series and a number in it: "pep#649" for `pep-0649.rst`, "PEP 0649" and "pep649". No
text has such a word. A passage is indexed with the labels in its document's path and title and in its
headings; a question asks for those in its words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import compress, pairwise

from asof.lang import calendar_words, stop_words, tables
from asof.text.tokens import LABEL, tokenize

MOST = 64
"""The most words of a path, and the most labels of a passage, that are indexed."""

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}")
_JOINED = re.compile(r"([^\W\d_]{1,20})([0-9]{1,9}(?:\.[0-9]{1,9}){0,5})")  # pep649, v1
_FIGURE = re.compile("[0-9]")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
_LEADING = re.compile(r"^0+(?=[0-9])")


@lru_cache(maxsize=4096)
def plain_name(key: str) -> str:
    """The name of a field as names are compared: `Date created`, `date-created` and `dateCreated` are one."""
    marks = unicodedata.normalize("NFKD", key).casefold()
    return "".join(sign for sign in marks if sign not in " \t_-" and not unicodedata.combining(sign))


@cache
def _versions(languages: tuple[str, ...]) -> tuple[str, ...]:
    """The words for a version, the first being the series of all of them."""
    named = (tables(code, "words").get("version", "").split() for code in languages)
    return tuple(dict.fromkeys(word for words in named for word in words))


@cache
def _apart(languages: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Words of grammar; words of the calendar: a number after either is in no series."""
    return (
        frozenset().union(*map(stop_words, languages)),
        frozenset().union(*map(calendar_words, languages)),
    )


def is_label(word: str) -> bool:
    """True for a series and a number in one word."""
    return LABEL in word[1:-1]


def labels(words: Sequence[str], languages: tuple[str, ...], series: Sequence[str] = ()) -> Iterator[str]:
    """The labels of tokens in their order; a number before all other words is of these `series`.

    >>> list(labels(["peps", "563", "and", "0649"], ("en",))), list(labels(["v1"], ("en",)))
    (['peps#563', 'peps#649'], ['version#1'])
    >>> list(labels(["0003", "use", "kafka"], ("en",), ["adr"])), list(labels(["may", "2023"], ("en",)))
    (['adr#3'], [])
    """
    grammar, calendar = _apart(languages)
    numbered = False
    for word in words:
        joined = _JOINED.fullmatch(word)
        if joined is not None:
            series = (joined[1],)
        if joined is not None or _NUMBER.fullmatch(word):
            yield from (_label(each, joined[2] if joined else word, languages) for each in series)
            numbered = True
        elif not (numbered and word in grammar):  # "PEPs 563 and 649"
            numbered, series = False, () if word in grammar or word in calendar else (word,)


@cache
def _agents(languages: tuple[str, ...]) -> frozenset[str]:
    """The words before what acts, or tells: "which RFC did RFC 1157 obsolete", "is cited in RFC 1157"."""
    return frozenset(word for code in languages for word in tables(code, "words").get("agent", "").split())


ASKED_FIRST = 3
"""A question for one of a series names the series among so many words at its beginning."""


def asked(words: Sequence[str], languages: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The labels among the tokens of a question, without those of a series that it names without a number,
    too; and which of these others are of documents that another one of the series acts on: "which PEP
    replaced PEP 563". A version is none of these: the next one need not name it."""
    agents, versions = _agents(languages), _versions(languages)
    pairs = list(zip(words, [*words[1:], ""], strict=False))
    told = {
        label
        for at, word in enumerate(words)
        if word in agents
        for label in labels(words[at + 1 : at + 3], languages)
    }
    alone, first = _without_numbers(pairs), _without_numbers(pairs[:ASKED_FIRST])
    found = [(each, each.partition(LABEL)[0]) for each in labels(words, languages)]
    own = [label for label, series in found if label in told or series not in alone]
    acted_on = [each for each, series in found if each not in own and series in first - {*versions}]
    return own, acted_on


def _without_numbers(pairs: Sequence[tuple[str, str]]) -> set[str]:
    """The words that no number follows, also with and without an s at the end."""
    alone = [word for word, after in pairs if not _NUMBER.fullmatch(after)]
    return {form for word in alone for form in (word, f"{word}s", word.removesuffix("s"))}


def _label(series: str, number: str, languages: tuple[str, ...]) -> str:
    versions = _versions(languages)
    return f"{versions[0] if series in versions else series}{LABEL}{_LEADING.sub('', number)}"


def document_words(document: str, title: str, headings: str, languages: tuple[str, ...]) -> Iterator[str]:
    """The words with which a passage is indexed beside its text: those of its document's id, their numbers
    without leading zeros, and labels."""
    named = list(_of_path(document, languages))
    for text in (title, *headings.split("\n")):
        if _FIGURE.search(text):
            named += _of_text(text, languages)
    for word in named[: 2 * MOST]:
        yield word  # and for labels what they are a part of: 4.2.1 is of 4.2, and of 4
        while "." in word and is_label(word := word.rpartition(".")[0]):
            yield word


@lru_cache(maxsize=4096)
def _of_text(text: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The labels of a title or heading, none of one word ("IPv6"); cached, since many passages share them."""
    apart = ("" if _JOINED.fullmatch(word) else word for word in tokenize(text)[:MOST])
    return tuple(labels(list(apart), languages))


@lru_cache(maxsize=1024)
def _of_path(path: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The different words and labels of a path; of an id that is none a label alone ("rfc792", "call-17").

    A number at the beginning of a part is of the series that the folders above are named by:
    `keps/sig-node/1287-resize/README.md` is KEP 1287.
    """
    words: list[str] = []
    folders: list[str] = []
    bare = _ENDING.sub("", path)
    if bare == path and "/" not in path:
        own = tokenize(path)
        return tuple(labels(own, languages)) if len(own) <= 2 else ()
    for part in bare.split("/")[:MOST]:
        own = tokenize(part)
        words += own
        if _FIGURE.search(part):
            numbers = [bool(_NUMBER.fullmatch(word)) for word in own]
            apart = [not all(pair) for pair in pairwise([False, *numbers])]
            words += labels(list(compress(own, apart)), languages, folders)
            if "." in part and _NUMBER.fullmatch(part) and (versions := _versions(languages)):
                words.append(_label(versions[0], part, languages))
            words += [_LEADING.sub("", word) for word in compress(own, numbers)]
        folders += [word for word in own[-1:] if word.isalpha()]
        if len(words) > MOST:
            break
    return tuple(dict.fromkeys(words[:MOST]))
