"""Query parsing: words with counts, quoted phrases; titles, names and shingles as they are compared."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.lang import calendar_words, set_of
from asof.text.names import asked, is_label
from asof.text.tokens import MARKS, Analyzer, tokenize

# -- queries -------------------------------------------------------------------------------------------

QUOTED = re.compile(r'"([^"]*+)"|“([^“”]*+)”|„([^„“”]*+)[“”]|«([^«»]*+)»')
"""A quotation. It may not hold the mark that opens it: the search is linear when one is never closed."""


class QueryWords(Struct, frozen=True):
    """A parsed question: `words` with their counts in the order of first mention, `phrases` as tokens.

    The words are tokens as in `tokenize`, not stems: each language of the corpus stems them its own way.
    """

    words: tuple[tuple[str, int], ...]
    phrases: tuple[tuple[str, ...], ...]


def parse(text: str, analyzer: Analyzer, *, stop_words: bool = False) -> QueryWords:
    """Read a question, without the stop words of the analyzer's languages unless `stop_words`.

    A stop word stays inside quotation marks ("The Who", “…”, „…“, «…»), and all stay when nothing else would
    be left. A quotation of two or more tokens is a phrase. An unclosed quotation mark is a character. A
    question with more words beside its quotations than in them has no phrases: it quotes somebody (which
    minister called it "a price worth paying"?), and what answers it need not repeat that. Without stop words
    the labels of the question are words of it ("pep#649", see `asof.text.names`).
    """
    return _parse(text, analyzer.languages, analyzer.stop_words, stop_words)


@lru_cache(maxsize=16)  # the stages of a recipe read the same question
def _parse(text: str, languages: tuple[str, ...], functional: frozenset[str], keep: bool) -> QueryWords:
    every: Counter[str] = Counter()
    content: Counter[str] = Counter()
    phrases: dict[tuple[str, ...], None] = {}
    beside: set[str] = set()
    for part, quoted in _parts(text):
        tokens = tokenize(part)
        every.update(tokens)
        content.update(token for token in tokens if quoted or keep or token not in functional)
        if quoted and len(tokens) > 1:
            phrases[tuple(tokens)] = None
        if not keep:
            content.update(asked(tokens, languages)[0])
        if not quoted:
            beside.update(token for token in tokens if token not in functional)
    # A stop word quoted once and unquoted elsewhere counts once: only the quotation asks for it.
    required = len(beside) <= sum(map(len, phrases))
    return QueryWords(tuple((content or every).items()), tuple(phrases) if required else ())


def contains_phrase(tokens: Sequence[str], phrase: Sequence[str]) -> bool:
    """True if the tokens of the phrase occur one after the other; the empty phrase always does."""
    length = len(phrase)
    expected = list(phrase)
    return any(list(tokens[at : at + length]) == expected for at in range(len(tokens) - length + 1))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """The stretches of the question in order, each with whether it was quoted."""
    at = 0
    for match in QUOTED.finditer(text):
        yield text[at : match.start()], False
        yield match[match.lastindex or 0], True
        at = match.end()
    yield text[at:], False


# -- titles: words in order, and the key that the titles of one series share ---------------------------

_DIGITS = frozenset("0123456789")


def figure(word: str) -> bool:
    """True if a word is a number, a version, a date in figures or a label: it distinguishes members of a
    series."""
    return word[:1] in _DIGITS or is_label(word) or (word[:1] == "v" and word[1:2] in _DIGITS)


@cache
def _dates(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(calendar_words, languages))


class TitleStems(Struct, frozen=True):
    """The stems of a title in order, without stop words; `plain`: those that are neither figures nor words of
    the calendar; `key`: the different ones of these, sorted.

    "Harbour Guide 2.1" and "Harbour Guide 2.2" share a key; so do "Fares from 1 May 2018" and "Fares from
    2 March 2020".
    """

    stems: tuple[str, ...]
    plain: tuple[str, ...]
    key: tuple[str, ...]

    @classmethod
    def of(cls, title: str, language: str, analyzer: Analyzer) -> TitleStems:
        """The title of a document in its language."""
        stop = analyzer.stop_words
        words = [word for word in tokenize(title) if word not in stop]
        stems = tuple(analyzer.stem(word, language) for word in words)
        dates = _dates(analyzer.languages)
        plain = tuple(
            stem for word, stem in zip(words, stems, strict=True) if not figure(stem) and word not in dates
        )
        return cls(stems, plain, tuple(sorted(set(plain))))


# -- names ---------------------------------------------------------------------------------------------
# Case, punctuation, possessive and legal form make no difference. Doubtful parts keep names apart: two keys
# can be joined by evidence, one key cannot be taken apart. So a legal form goes only at the end, never as the
# first word ("Co Down", "AG Barr") nor after a number ("5 kg"); words that are as often a part of a name
# (Group, Holdings) and forms that are words themselves (SpA) stay, and so do accents, decimals and the signs
# of "C++", "C#" and "Disney+". "The" in front goes unless the rest is one word that is no name by itself:
# "The Who" is not "who", but "the WHO" is "WHO".

_POSSESSIVE = re.compile(r"(?<=\w)'s(?!\w)")
_SILENT = re.compile(r"(?<=\w)(?:'(?=\w)|\.(?=[^\W\d])|(?<=\D)\.(?=\w)|,(?=[0-9]{3}(?![0-9])))")
"""Characters that are dropped inside a word: apostrophes, dots of abbreviations, commas of thousands."""

_SIGNS = r"(?:[+#]+(?!\w))?"
_APOSTROPHES = str.maketrans("’ʼ", "''")
_NO_POINTS = str.maketrans("", "", ".,")
_ASCII = re.compile(rf"[^\W_]+(?:[.,][0-9][^\W_]*)*{_SIGNS}", re.ASCII)


@cache
def _unicode() -> re.Pattern[str]:
    """Compiled on first use, as it takes long."""
    more = rf"(?:[^\W_]|[{MARKS}])*"
    return re.compile(rf"[^\W_]{more}(?:[.,][0-9]{more})*{_SIGNS}")


@lru_cache(maxsize=16_384)
def key(name: str) -> str:
    """The words of a name in lower case, parted by spaces; of a name that has none ("!!!") its signs.

    A key is its own key. "" only for a text that is blank.

    >>> key("Skechers U.S.A., Inc."), key("The Macerich Company’s"), key("JD.com")
    ('skechers usa', 'macerich', 'jdcom')
    >>> key("Tiffany & Co."), key("Co-op Bank"), key("The Who"), key("The Band"), key("5 kg")
    ('tiffany', 'co op bank', 'the who', 'band', '5 kg')
    """
    shown = _shown(name)
    plain = _folded(shown)
    words = _words(plain)
    if not words:
        return " ".join(plain.split())
    bare = _words(_POSSESSIVE.sub("", plain))
    first = 0
    while first < len(words) - 1 and words[first] == "the":
        first += 1
    end = _end_of_name([*words[first:-1], bare[-1]]) + first
    named = [*words[first : end - 1], bare[end - 1]]
    if first and len(named) == 1 and not _names(named[0], shown):
        return f"the {named[0]}"
    return " ".join(named)


def _shown(name: str) -> str:
    """The name without underscores and what is not seen (a soft hyphen, a mark of direction)."""
    name = name.replace("_", " ")
    if name.isascii():
        return name
    return "".join(sign for sign in unicodedata.normalize("NFKC", name) if unicodedata.category(sign) != "Cf")


def _folded(shown: str) -> str:
    if shown.isascii():
        return shown.lower()
    return unicodedata.normalize("NFKC", shown.casefold()).replace("i\u0307", "i").translate(_APOSTROPHES)


def _words(folded: str) -> list[str]:
    folded = _SILENT.sub("", folded).replace("&", " and ")
    return (_ASCII if folded.isascii() else _unicode()).findall(folded)


def _end_of_name(words: list[str]) -> int:
    """The number of words before the legal form: "Muster GmbH & Co. KG" has three words of one."""
    end = len(words)
    while end > 1 and (words[end - 1] in set_of("words", "legal") or words[end - 1] == "and"):
        if words[end - 1] != "and" and words[end - 2].translate(_NO_POINTS).isdigit():
            break
        end -= 1
    return end


@cache
def _no_names() -> frozenset[str]:
    """Words that are no name without their article."""
    return set_of("words", "no_name") | set_of("words", "legal")


def _names(word: str, shown: str) -> bool:
    """True if a word is a name without its article: "the WHO" is, "The Who" and "THE WHO" are not."""
    return word not in _no_names() or (word.upper() in shown and not shown.isupper())


VERSION = 1
"""A change of words or hashes needs another number: files of what is derived from them name it."""


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each number with its bits mixed, one to one (the finaliser of splitmix64, Steele et al. 2014)."""
    mixed = values ^ (values >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
