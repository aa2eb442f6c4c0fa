"""The word lists of languages: a folder for each, named by its ISO 639-1 code, without code of its own.

    dates.toml         names of fields that hold the date of a document
    files.toml         what the name of a copy of a file looks like
    time.toml          words for times: months, "yesterday", "ago"
    intent.toml        words of a question that ask for the newest or the past, or mark a tense
    answer_kinds.toml  words that name the kind of answer: a price, a result, a record
    facts.toml         words by which sentences state facts
    questions.toml     words that tell what a question asks for: "each quarter", "highest"
    statements.toml    words by which a statement that stands alone says what is so, and what no longer is
    states.toml        words by which states, offices and events are told
    force, acts.toml   words by which a sentence says when it holds, or what its document does to another one
    versions.toml      words by which questions and changelogs speak of versions
    stale.toml         words that bind a sentence or a document to its day: "currently", "minutes"
    words.toml         function words, words of the calendar, endings

A language may lack any of them. English has all, with a comment on what each list means.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from functools import cache
from typing import Any

FIRST = "en"
"""The language of texts that do not state their own."""


@cache
def codes(lists: str) -> tuple[str, ...]:
    """The languages that have a file of that name (without `.toml`), English first, then by code."""
    from importlib.resources import files  # which `asof --help` need not wait for

    languages = [folder.name for folder in files(__name__).iterdir() if (folder / f"{lists}.toml").is_file()]
    return tuple(sorted(languages, key=lambda code: (code != FIRST, code)))


def every(lists: str) -> str:
    """The codes of the languages that have a file of that name, as functions take them: "en de"."""
    return " ".join(codes(lists))


@cache
def tables(code: str, lists: str) -> dict[str, Any]:
    """The content of a file of a language; empty if the language does not have it."""
    import tomllib
    from importlib.resources import files

    if code not in codes(lists):
        return {}
    return tomllib.loads((files(__name__) / code / f"{lists}.toml").read_text("utf-8"))


@cache
def of_all(lists: str, key: str) -> tuple[str, ...]:
    """The words of a list in the files of that name of all languages, those of English first."""
    found = (tables(code, lists).get(key, ()) for code in codes(lists))
    return tuple(word for each in found for word in (each.split() if isinstance(each, str) else each))


@cache
def set_of(lists: str, key: str) -> frozenset[str]:
    """The same as a set."""
    return frozenset(of_all(lists, key))


def detect(
    words: Collection[str], known: Mapping[str, Container[str]], default: str = "", *, least: int = 0
) -> str:
    """The language that knows most of some words; of equals `default`, then the first.

    `known` has the words of each language by its code, and at least one language. If `default` is one of
    them, another has to know `least` words.
    """
    counts = {code: sum(map(of_it.__contains__, words)) for code, of_it in known.items()}
    best = max(counts, key=lambda code: (counts[code], code == default))
    return default if counts[best] < least and default in counts else best


@cache
def stop_words(code: str) -> frozenset[str]:
    """The words of grammar of a language (and, of, the), none if it has no list."""
    return frozenset(tables(code, "words").get("stop", "").split())


@cache
def calendar_words(code: str) -> frozenset[str]:
    """Months, days of the week, seasons and feasts of a language, none if it has no list."""
    return frozenset(tables(code, "words").get("calendar", "").split())


@cache
def numerals(language: str) -> dict[str, tuple[str, ...]]:
    """The numbers of a language in words with their figures, and the other way, from two on."""
    found: dict[str, tuple[str, ...]] = {}
    for figure, words in tables(language, "time").get("cardinal", {}).items():
        if int(figure) > 1:
            found[figure] = tuple(words.split())
            found.update(dict.fromkeys(words.split(), (figure,)))
    return found
