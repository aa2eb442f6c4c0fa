"""Tokenizer: from text to words, stems and term hashes; the hot path of indexing.

A token is a run of letters, digits and combining marks, case-folded and in Unicode's form NFC. Inside it may
stand a dot or a comma between two digits (`3.15.5`, `6.1`) and an apostrophe before a letter (`don't`).
Then spellings are normalised: a possessive `'s` is cut, thousands lose their commas (`1,200` is `1200`), a
version loses its v (`v3.15.5` is `3.15.5`). Hyphens and underscores separate. `c++`, `c#` and `.net` are
tokens. A run of Chinese, Japanese or Korean becomes its overlapping pairs of characters.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING
from unicodedata import normalize

from asof.errors import UsageError
from asof.lang import detect, stop_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# -- scripts: which characters make words, as the insides of regular-expression classes ----------------
# Python's `\w` leaves out combining marks, without which words of Hindi, Thai or pointed Hebrew fall to
# pieces; scripts without spaces between words need bigrams.

MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u08e1"
    "\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83"
    "\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18\u0f19\u0f35\u0f37"
    "\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u17d3"
    "\u17dd\u180b-\u180d\u180f-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3"
    "\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\u3099\u309a"
    "\ua66f-\ua672\ua674-\ua67d\ua69e-\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d"
    "\ua947-\ua953\ua980-\ua9c0\ua9e5-\uaa4d\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed"
    "\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U00011000-\U00011046\U00011100-\U00011134\U000e0100-\U000e01ef"
)
"""Combining marks; ranges run on over letters and unassigned characters, never over punctuation."""

KANA_AND_HAN = (
    "\u3005\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003fffd"
)
"""Hiragana, Katakana, Bopomofo and Han: no space between words."""

CJK = KANA_AND_HAN + "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
"""The same and Hangul, which has spaces, but between phrases."""


# -- languages that can be stemmed: ISO 639-1 codes and their Snowball algorithms ----------------------

_SNOWBALL = """
ar arabic, ca catalan, cs czech, da danish, de german, el greek, en english, eo esperanto, es spanish,
et estonian, eu basque, fa persian, fi finnish, fr french, ga irish, hi hindi, hu hungarian, hy armenian,
id indonesian, it italian, lt lithuanian, nb norwegian, ne nepali, nl dutch, nn norwegian, no norwegian,
pl polish, pt portuguese, ro romanian, ru russian, sr serbian, st sesotho, sv swedish, ta tamil, tr turkish,
yi yiddish
"""


@cache
def algorithms() -> Mapping[str, str]:
    """The Snowball algorithm of each accepted code: those that the installed PyStemmer has."""
    import Stemmer  # the processes that parse files do without it

    named = dict(pair.split() for pair in _SNOWBALL.split(","))
    return {code: name for code, name in named.items() if name in Stemmer.algorithms()}


def checked(codes: Iterable[str]) -> tuple[str, ...]:
    """The codes without repetitions, in their order. Raises UsageError for none, or for an unknown one."""
    accepted = algorithms()
    unique = tuple(dict.fromkeys(codes))
    unknown = [code for code in unique if code not in accepted]
    if unknown or not unique:
        what = f"no stemmer for the language {unknown[0]!r}" if unknown else "no language was given"
        raise UsageError(f"{what}; accepted are the ISO 639-1 codes {', '.join(accepted)}")
    return unique


# -- tokens --------------------------------------------------------------------------------------------

LABEL = "#"
"""The sign inside a label (`asof.text.names`), between a series and a number in it."""

DETECTION = 200  # tokens that decide on a language
LONG_ENOUGH = 20 * DETECTION  # characters in which they are sought


def _word(first: str, more: str, letter: str) -> str:
    """The pattern of a word; atomic, so that no text makes it go back.

    No possessive quantifier after a group: it never ends before Python 3.11.5. After one set of letters it is
    sound, and quicker. What may go on begins with its sign: of most words the next one tells that none does.
    """
    many, some = (f"(?>{more}*)", f"(?>{more}+)") if more.startswith("(") else (f"{more}*+", f"{more}++")
    goes_on = rf"[.,'](?:(?<=\d[.,])(?=\d)|(?<=')(?={letter})){some}"
    return rf"{first}{many}(?:{goes_on}(?>(?:{goes_on})*)|)"


_ASCII = _word("[a-z0-9]", "[a-z0-9]", "[a-z]")
_WESTERN = _word("[a-z0-9ª²³¹º¼½¾ß-öø-ÿ]", "[a-z0-9ª²³¹º¼½¾ß-öø-ÿ]", "[a-zªºß-öø-ÿ]")
_RAISED = "²³¹¼½¾"  # figures, though no digits to `re`
_UNICODE = _word(r"\w", rf"[\w{MARKS}]", rf"[^\W\d{_RAISED}]")
_SPACED = _word(rf"[^\W{CJK}]", rf"(?:[^\W{CJK}]|[{MARKS}\u00ad\u200d])", rf"[^\W\d{_RAISED}{CJK}]")
_CODE = r"(?<!\w)c\+\+|(?<!\w)(?:c\#|\.net)(?!\w)"

_ASCII_WORDS = re.compile(_ASCII).findall
_ASCII_CODE_WORDS = re.compile(f"{_CODE}|{_ASCII}").findall
_WESTERN_IN_PLACE = f"(?i:{_CODE}|{_WESTERN})"
_IN_PLACE = f"[{CJK}]++|(?i:{_CODE})|{_SPACED}"  # letters of any case are in the classes of the others
_UNSPACED = f"[{CJK}]++"


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """The patterns of other scripts take 10 ms to compile: only where such a text is met."""
    return re.compile(pattern)


def any_of(phrases: Iterable[str], ends: Iterable[str] = ()) -> re.Pattern[str]:
    """Finds any of these phrases as whole words, in any case, the longest one at a place, or one of `ends` at
    the end of a word; of none: never."""
    whole, end = (_one_of(sorted(set(each))) or "(?!)" for each in (phrases, ends))
    return re.compile(rf"(?:\b{whole}|\B{end})\b" if ends else rf"\b{whole}\b", re.IGNORECASE)


def _one_of(phrases: Sequence[str]) -> str:
    """A pattern of any of these phrases, in order: each letter is tried once, ten times as fast as one phrase
    after the other."""
    following: dict[str, list[str]] = {}
    for phrase in phrases:
        following.setdefault(phrase[:1], []).append(phrase[1:])
    ways = [re.escape(letter) + _one_of(rest) for letter, rest in following.items() if letter]
    ways += [""] * ("" in following)
    return f"(?:{'|'.join(ways)})" if len(ways) > 1 else "".join(ways)


# Latin-1, dashes, quotation marks and currencies need no normalising: half of the time is saved there.
# (The classes are given by what is not in them, as small ones are compiled soon.)
_NOT_WESTERN = re.compile("[^\0-\u00ac\u00ae-\u00b4\u00b6-\u00ff\u2010-\u203a\u20a0-\u20bf]").search
_MAY_BE_UNSPACED = "[^\0-\u10ff\u1200-\u3004]"  # three times as fast
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])")
_DIGIT = re.compile(r"\d")


def tokenize(text: str) -> list[str]:
    """The tokens of a text, in order. The same for a text in NFC and in NFD."""
    return [surface if surface.isalpha() else _tidy(surface) for surface in _surfaces(text)]


def spans(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """The tokens with their character range `[start, end)` in the original text.

    Nearly always one token a stretch; several where decomposed Hangul or a rare letter expands.
    """
    western = not _NOT_WESTERN(text)
    for match in _pattern(_WESTERN_IN_PLACE if western else _IN_PLACE).finditer(_one_apostrophe(text)):
        start, end = match.span()
        run = match[0]
        if not western and _pattern(_UNSPACED).match(run) and len(run) > 1 and normalize("NFC", run) == run:
            for at in range(start, end - 1):
                yield at, at + 2, (text[at : at + 2],)
        else:
            yield start, end, tuple(tokenize(run))


def term_hash(term: str) -> int:
    """The 64 bits that represent a stem in the index: blake2b of its UTF-8 bytes, little-endian."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")


def _surfaces(text: str) -> list[str]:
    """The words of a text in lower case, before `_tidy`."""
    if not text.isascii():
        above, _, below = text.partition("\n")
        if below and below.isascii():  # a title with a dash
            return [*_surfaces(above), *_surfaces(below)]
    else:
        folded = text.lower()
        if "_" in folded:
            folded = folded.replace("_", " ")
        return (_ASCII_CODE_WORDS if _has_code(folded) else _ASCII_WORDS)(folded)
    if not _NOT_WESTERN(text):
        folded = _one_apostrophe(text.casefold())
        return _pattern(f"{_CODE}|{_WESTERN}" if _has_code(folded) else _WESTERN).findall(folded)
    folded = _fold(text)
    return _pattern(f"{_CODE}|{_UNICODE}" if _has_code(folded) else _UNICODE).findall(folded)


def _has_code(folded: str) -> bool:
    return "c++" in folded or "c#" in folded or ".net" in folded


def _fold(text: str) -> str:
    """Case-folded, NFC, one kind of apostrophe, no invisible joiners, pairs where there are no spaces."""
    text = normalize("NFC", text.replace("\u00ad", "").replace("\u200d", ""))
    # Folding splits a Turkish capital İ into an i and a dot that is never typed.
    text = normalize("NFC", text.casefold()).replace("i\u0307", "i")
    text = _one_apostrophe(text)
    return _pattern(_UNSPACED).sub(_pairs, text) if _pattern(_MAY_BE_UNSPACED).search(text) else text


def _one_apostrophe(text: str) -> str:
    """The text, as long as before, with ' for its typographic forms and no underscores."""
    return text.replace("\u2019", "'").replace("\u02bc", "'").replace("\uff07", "'").replace("_", " ")


def _pairs(match: re.Match[str]) -> str:
    run = match[0]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    return f" {' '.join(pairs)} "


def _tidy(word: str) -> str:
    if "'" in word:
        return word.removesuffix("'s")
    if "," in word and (thousands := _THOUSANDS.match(word)):
        return thousands[0].replace(",", "") + word[thousands.end() :]
    if word[0] == "v" and "." in word and word[1:2].isdigit():
        return word[1:]
    return word


class _Table(dict[str, int]):
    """From a word as it is written to the number of its stem, filled when a word is first met."""

    __slots__ = ("analyzer", "language", "stem_word")

    def __init__(self, analyzer: Analyzer, language: str, stem_word: Callable[[str], str] | None) -> None:
        super().__init__()
        self.analyzer = analyzer
        self.language = language
        self.stem_word = stem_word

    def __missing__(self, surface: str) -> int:
        analyzer = self.analyzer
        if surface.isalpha():
            stem = (self.stem_word(surface) or surface) if self.stem_word else surface
        else:
            stem = analyzer.stem(_tidy(surface), self.language)
        self[surface] = number = analyzer.number(stem)
        return number


class Analyzer:
    """Words, stems and term numbers of a corpus in the languages that were chosen for it.

    `languages` are ISO 639-1 codes, the first being the one for texts of unknown language; `stem=False` keeps
    words as they are. Raises UsageError for a code that PyStemmer has no algorithm for. It keeps tables and
    stemmers with a state: one thread at a time may use it.
    """

    def __init__(self, languages: tuple[str, ...] = ("en",), stem: bool = True) -> None:
        import Stemmer

        self.languages = checked(languages)
        names = algorithms()
        # no cache inside PyStemmer: ours answers for words met before, and for new ones its costs 2 µs
        self._stemmers = {code: Stemmer.Stemmer(names[code], 0) for code in self.languages} if stem else {}
        self._tables = {
            code: _Table(self, code, self._stemmers[code].stemWord if stem else None)
            for code in self.languages
        }
        self._numbers: dict[str, int] = {}
        self._stems: list[str] = []
        self._stop_numbers: frozenset[int] | None = None
        self._hashes = array("Q")
        self._functional = {code: stop_words(code) for code in self.languages}
        self.stop_words: frozenset[str] = frozenset().union(*self._functional.values())

    @cached_property
    def stemming(self) -> Analyzer:
        """The analyzer that gives stems: itself, or one of its languages that does."""
        return self if self._stemmers else Analyzer(self.languages)

    def detect(self, text: str) -> str:
        """The language that has the most stop words among the first 200 tokens (in 4,000 characters).

        With a tie, or without any, the first language. A language without a list of them is never
        found in this way, but may be the first.
        """
        if len(self.languages) == 1:
            return self.languages[0]
        tokens = tokenize(text[:LONG_ENOUGH])[:DETECTION]
        return detect(tokens, self._functional)

    def stem(self, token: str, language: str) -> str:
        """The stem of one token; one with a digit, one with a sign (`c++`), one without a stem is its own.

        Raises UsageError for a language not chosen.
        """
        if not self._stemmers:
            self._table(language)
            return token
        if not token.isalpha() and (_DIGIT.search(token) or token[-1] in "+#" or token[0] == "."):
            series, sign, number = token.partition(LABEL)
            return f"{self.stem(series, language)}{sign}{number}" if series and number else token
        if language not in self._stemmers:
            self._table(language)
        stem: str = self._stemmers[language].stemWord(token)
        return stem or token

    def terms(self, text: str, language: str) -> list[str]:
        """The stems of all tokens, stop words included, in order. UsageError for a language not chosen."""
        self._table(language)
        tokens = tokenize(text)
        if not self._stemmers:
            return tokens
        stems = self._stemmers[language].stemWords(tokens)
        pairs = zip(tokens, stems, strict=True)
        return [stem if stem and token.isalpha() else self.stem(token, language) for token, stem in pairs]

    def ids(self, text: str, language: str) -> list[int]:
        """The numbers of the `terms`: places in `hashes()`, good until the next reset."""
        return list(map(self._table(language).__getitem__, _surfaces(text)))

    def alternatives(self, word: str) -> tuple[str, ...]:
        """The distinct stems of a query's token in the languages, in their order."""
        return tuple(dict.fromkeys(self.stem(word, language) for language in self.languages))

    def number(self, stem: str) -> int:
        """The number of a stem; a new one gets the next."""
        number = self._numbers.setdefault(stem, len(self._stems))
        if number == len(self._stems):
            self._stems.append(stem)
        return number

    def stem_of(self, number: int) -> str:
        """The stem that a number represents."""
        return self._stems[number]

    def hashes(self) -> NDArray[np.uint64]:
        """For each number the `term_hash` of its stem."""
        import numpy as np

        self._hashes.extend(map(term_hash, self._stems[len(self._hashes) :]))
        return np.array(self._hashes, dtype=np.uint64)

    def stop_numbers(self) -> frozenset[int]:
        """The numbers of the stems of all stop words, good until the next reset."""
        if self._stop_numbers is None:
            self._stop_numbers = frozenset(
                self.number(stem) for word in self.stop_words for stem in self.alternatives(word)
            )
        return self._stop_numbers

    def reset_if_large(self, limit: int = 1_000_000) -> bool:
        """Empty the tables once they hold more than `limit` words; numbers then begin anew. True if so."""
        if sum(map(len, self._tables.values())) <= limit:
            return False
        for table in self._tables.values():
            table.clear()
        self._numbers.clear()
        self._stems.clear()
        self._stop_numbers = None
        self._hashes = array("Q")
        return True

    def _table(self, language: str) -> _Table:
        try:
            return self._tables[language]
        except KeyError:
            chosen = ", ".join(self.languages)
            raise UsageError(f"language {language!r} is not among those of this corpus: {chosen}") from None
