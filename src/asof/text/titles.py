"""What a title names: its words in order, and the key that the titles of one series share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from asof.lang import calendar_words
from asof.text.tokens import Analyzer, tokenize

_DIGITS = frozenset("0123456789")


def figure(word: str) -> bool:
    """Whether a word is a number, a version or a date in figures: it distinguishes members of a series."""
    return word[:1] in _DIGITS or (word[:1] == "v" and word[1:2] in _DIGITS)


@cache
def _dates(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(calendar_words, languages))


@dataclass(frozen=True, slots=True)
class TitleStems:
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


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """How a question relates to a title.

    `matched`: words of the title that are in the question. `off_topic`: words up to the last of these that
    are not: another subject ("Icinga Web" asked for by "Web", "women's singles" by "men's singles").
    `extra`: words after it, which name a part or a member ("Harbour Guide Deluxe"). Figures are neither.
    """

    matched: tuple[str, ...]
    off_topic: tuple[str, ...]
    extra: tuple[str, ...]

    @classmethod
    def of(cls, title: TitleStems, question_stems: frozenset[str]) -> TitleMatch:
        """Of a title, by the stems of a question."""
        stems = title.stems
        matched = tuple(dict.fromkeys(stem for stem in stems if stem in question_stems))
        left = len(stems)
        while left and stems[left - 1] not in question_stems:
            left -= 1
        if len(matched) == len(stems):
            return cls(matched, (), ())
        plain = set(title.plain)
        off_topic = dict.fromkeys(
            stem for stem in stems[:left] if stem in plain and stem not in question_stems
        )
        return cls(matched, tuple(off_topic), tuple(dict.fromkeys(s for s in stems[left:] if s in plain)))
