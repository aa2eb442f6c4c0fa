"""Features of passages: the columns of a segment by which a passage is found to follow an earlier one.

Words are kept as sets, not as text. Dates and numbers change within a series, so they are left out of both
sets. `asof.revisions` compares the features; here they are read from texts, once, when a segment is written.

    body, title  the words of the text, and of its document's title and headings; 512 bits each; both have the
                 name with a number that the text is of ("Berth 4 costs 9 crowns")
    subject      hash of title and headings without numbers and dates, equal for "Node.js 21.7.0" and
                 "Node.js 21.6.2"; 0 if nothing is left
    version      the first three numbers of the version in the title, -1 for none
    leads        hashes of what its statements say before their values ("Single ticket, adult:"), 0 for none;
                 of a text without a title, or a note of one sentence, the words of what it states
    ended        of a text without a title, or such a note, hashes of the words of a state that it ends, 0 for
                 none
    event        whether it follows no other by words in common: what tells how it was on a day, such a note
    dated        whether the passage has a date
    edition      the version that a folder of its document names, or for a section its title: what is of one
                 supersedes nothing of another ("Python 3.9 Release Schedule"); 0 for none
    bands        pairs of least hashes of its words, equal for texts with most words in common; 0 for none
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.documents import CHANGES, PART, is_note
from asof.index.columns import Array, ArraySpec
from asof.index.statements import (
    DIGIT,
    LETTERS,
    MOST_ENDED,
    MOST_LEADS,
    Grammar,
    UntitledStatement,
    frame_of,
    is_letter,
    is_statement,
    leads_of,
    name_in,
    statement_of,
)
from asof.lang import calendar_words, codes, of_all
from asof.sources.source import original_of
from asof.store.writing import IndexRow
from asof.text.force import document_nouns
from asof.text.passages import body
from asof.text.query import mixed
from asof.text.tokens import Analyzer, term_hash, tokenize
from asof.text.versions import of_path, versions_in

# -- word sets -----------------------------------------------------------------------------------------
# Each word sets one of 512 bits. k different words set 512 (1 - e^(-k/512)) on average, so the number of bits
# gives the number of words (linear counting, Whang et al. 1990): nearly exact for a sentence, close enough
# for a page.

BITS = 512
SIZE_WORDS = BITS // 64

WORDS_OF = np.array([-BITS * math.log(1 - min(k, BITS - 1) / BITS) for k in range(BITS + 1)])
"""The estimated number of words, by the number of bits set."""


def grammar_of(analyzer: Analyzer) -> Grammar:
    """The words of grammar of the languages of an analyzer."""
    return Grammar(_calendar(analyzer.languages), analyzer.stop_words, analyzer.stem)


@cache
def _calendar(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset[str]().union(*map(calendar_words, languages))


class WordTable(NamedTuple):
    """Hashes of the content words of some texts (no stop words, numbers or dates), and the text of each."""

    hashes: NDArray[np.uint64]
    owner: NDArray[np.int64]

    @classmethod
    def read(cls, texts: Sequence[str], languages: Sequence[str], analyzer: Analyzer) -> WordTable:
        """The content words of texts, each in its language."""
        numbers = [analyzer.ids(*each) for each in zip(texts, languages, strict=True)]
        lengths = np.fromiter(map(len, numbers), np.int64, len(numbers))
        flat = np.fromiter(chain.from_iterable(numbers), np.int32, int(lengths.sum()))
        used, place = np.unique(flat, return_inverse=True)
        stop, dates = analyzer.stop_numbers(), _dates(analyzer.languages)
        content = [number not in stop and _is_content(analyzer.stem_of(number), dates) for number in used]
        keep = np.array(content, bool)[place]
        owner = np.repeat(np.arange(len(numbers)), lengths)
        return cls(analyzer.hashes()[flat[keep]], owner[keep])


def _is_content(stem: str, dates: frozenset[str]) -> bool:
    return len(stem) > 1 and stem not in dates and not DIGIT.search(stem)


@cache
def _dates(languages: tuple[str, ...]) -> frozenset[str]:
    """The words of the calendar, and their stems."""
    calendar = _calendar(languages)
    return calendar.union(*map(Analyzer(languages).alternatives, calendar))


def bits_of(hashes: NDArray[np.uint64], owner: NDArray[np.int64], n: int) -> NDArray[np.uint64]:
    """The set of words of each of `n` texts, (n, 8)."""
    dense = np.zeros((n, BITS), bool)
    dense[owner, (hashes >> np.uint64(64 - 9)).astype(np.int64)] = True
    return np.packbits(dense, axis=1).view(np.uint64)


def minima(hashes: NDArray[np.uint64], owner: NDArray[np.int64], count: int) -> list[NDArray[np.uint64]]:
    """For each text with words, `count` minimum hashes (MinHash), each under another permutation."""
    if not len(owner):
        return [np.zeros(0, np.uint64)] * count
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    # an odd factor permutes the hashes; as they are random already, each factor gives another random order
    factors = (np.uint64((2 * order + 1) * 0x9E3779B97F4A7C15 % 2**64) for order in range(count))
    return [np.minimum.reduceat(hashes * factor, starts) for factor in factors]


def words_in(sets: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The estimated number of words in each set (n, 8)."""
    counted: NDArray[np.float64] = WORDS_OF[np.bitwise_count(sets).sum(axis=1, dtype=np.int64)]
    return counted


# -- features ------------------------------------------------------------------------------------------

READ = 600
"""How many characters of a passage are read: its beginning has the statement and its subject."""

PARTS = 3
BANDS, PER_BAND = 4, 2
LEAST_UNTITLED = 7
"""The least words of a text without a title for keys of words."""
WORDS_TITLED = 12
"""The least words of one with a title for these."""

COLUMNS: dict[str, tuple[type, tuple[int, ...]]] = {
    "body": (np.uint64, (SIZE_WORDS,)), "title": (np.uint64, (SIZE_WORDS,)), "subject": (np.uint64, ()),
    "version": (np.int32, (PARTS,)), "frame": (np.uint64, ()), "framed": (np.int16, ()),
    "leads": (np.uint32, (MOST_LEADS,)), "ended": (np.uint32, (MOST_ENDED,)), "folder": (np.uint64, ()),
    "event": (np.bool_, ()), "says_title": (np.bool_, ()),
    "dated": (np.bool_, ()), "changed": (np.bool_, ()), "text": (np.uint64, ()), "name": (np.uint64, ()),
    "original": (np.uint64, ()), "edition": (np.int64, ()), "bands": (np.uint64, (BANDS,)),
}  # fmt: skip
"""The columns, each with its type and the shape of a row."""

FEATURE_COLUMNS = {
    f"feature_{name}": ArraySpec(np.dtype(dtype).str, "n", shape[0] if shape else "")
    for name, (dtype, shape) in COLUMNS.items()
}
"""Their arrays in a segment."""

_SALTS = {"subject": 1, "frame": 2, "first": 3, "second": 4, "words": 5, "stated": 6}
OF_WORDS, STATED = np.uint64(1), np.uint64(2)
"""The last bits of keys of words, and of keys of what texts without titles state; of others they are 0."""

_DIGITS = re.compile(r"\d+")
_VERSION = re.compile(r"(?:(?<!\w)|(?<=\bv)|(?<=\bV))\d+(?:\.\d+)*")
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:1\d|20)\d\d")
_ISO = re.compile(r"(?<!\d)(?:1\d|20)\d\d-\d\d(?:-\d\d)?(?!\d)")


class TitleSubject(NamedTuple):
    """The subject of a title and its headings (a hash, or 0), and the version as written or ""."""

    subject: int
    version: str


AT_ONCE = 8_192
"""Texts that are read at once."""


def read(rows: Sequence[IndexRow], analyzer: Analyzer) -> dict[str, Array]:
    """The features of passages, by the name of the column; words count by their stems in any corpus."""
    stemming = analyzer.stemming
    if stemming is not analyzer:
        stemming.reset_if_large()
    read_parts = [_read(rows[at : at + AT_ONCE], stemming) for at in range(0, max(len(rows), 1), AT_ONCE)]
    return {name: np.concatenate([part[name] for part in read_parts]) for name in COLUMNS}


def _read(rows: Sequence[IndexRow], analyzer: Analyzer) -> dict[str, Array]:
    grammar = grammar_of(analyzer)
    columns: dict[str, Array] = {
        name: np.zeros((len(rows), *shape), dtype) for name, (dtype, shape) in COLUMNS.items()
    }
    above, place = _distinct((f"{row.title}\n{row.headings}", row.language) for row in rows)
    titles = [title_of(text, grammar.calendar) for text, _ in above]
    words = WordTable.read([row.body[:READ] for row in rows], [row.language for row in rows], analyzer)
    headed = WordTable.read([text for text, _ in above], [language for _, language in above], analyzer)
    columns["dated"][:] = [row.dated for row in rows]
    columns["body"] = bits_of(*words, len(rows))
    columns["title"] = bits_of(*headed, len(titles))[place]
    agreed = [document_nouns().search(row.title) is not None for row in rows]
    names = (name_in(row.body[:READ], grammar, agreed=of) for row, of in zip(rows, agreed, strict=True))
    named = np.fromiter(names, np.uint64, len(rows))
    of_name = bits_of(named[named > 0], np.flatnonzero(named), len(rows))
    columns["says_title"] = _has_words(rows, columns["title"], columns["body"], analyzer)
    columns["body"] |= of_name
    columns["title"] |= of_name
    columns["subject"] = np.array([title.subject for title in titles], np.uint64)[place]
    columns["version"] = _versions([title.version for title in titles])[place]
    notes = np.array([is_note(row.path) and bool(row.title) for row in rows], bool)
    subjects = [term_hash(rows[at].title.casefold()) or 1 for at in np.flatnonzero(notes).tolist()]
    columns["subject"][notes] = np.array(subjects, np.uint64)  # "Locker A1" is no other "Locker A2"
    columns["version"][notes] = -1
    alone = notes & np.array([is_statement(row.body) for row in rows], bool)
    for at, (row, title, stated) in enumerate(zip(rows, place.tolist(), alone.tolist(), strict=True)):
        if titles[title].subject and not stated:
            said = UntitledStatement(
                frame_of(row.body, row.language, grammar), leads_of(row.body, grammar), ()
            )
        else:
            said = statement_of(row.body, row.language, grammar)
        columns["frame"][at], columns["framed"][at] = said.frame
        columns["leads"][at, : len(said.leads)] = said.leads
        columns["ended"][at, : len(said.ended)] = said.ended
    paged = [bool(row.headings) and row.headings.rpartition("\n")[2] != row.title for row in rows]
    columns["changed"][:] = [row.dated_by in CHANGES for row in rows]
    columns["text"][:] = [term_hash(" ".join(row.body.split())) for row in rows]
    documents, of = _distinct((row.path, row.title) for row in rows)
    for column, read_from in _OF_DOCUMENTS.items():
        values = [read_from(name, title) for name, title in documents]
        columns[column] = np.array(values, COLUMNS[column][0])[of]
    columns["event"][alone] = True  # words in common tell no value from another fact of its subject
    columns["event"] |= np.array([is_letter(row.body[:READ]) for row in rows], bool)
    folder, title = np.array([_editions(*each) for each in documents], np.int64).reshape(-1, 2)[of].T
    columns["edition"] = np.where((folder > 0) | ~np.array(paged, bool), folder, title)
    columns["bands"] = _bands(words, columns["subject"])
    return columns


def _has_words(
    rows: Sequence[IndexRow], titles: NDArray[np.uint64], bodies: NDArray[np.uint64], analyzer: Analyzer
) -> NDArray[np.bool_]:
    """Which passages (n) say all words of their titles below the lines of their titles and headings."""
    begins = [body(row.body, (row.title, *row.headings.split("\n"))) for row in rows]
    headed = [row._replace(body=row.body[at:]) for row, at in zip(rows, begins, strict=True) if at]
    words = WordTable.read([row.body[:READ] for row in headed], [row.language for row in headed], analyzer)
    below = bodies.copy()
    below[np.flatnonzero(begins)] = bits_of(*words, len(headed))
    return np.asarray(~(titles & ~below).any(axis=1), bool)


def _distinct(values: Iterable[tuple[str, str]]) -> tuple[list[tuple[str, str]], NDArray[np.int64]]:
    """The different ones of values, and for each value its place among these."""
    places: dict[tuple[str, str], int] = {}
    place = np.array([places.setdefault(each, len(places)) for each in values], np.int64)
    return list(places), place


def title_of(text: str, calendar: frozenset[str] = frozenset()) -> TitleSubject:
    """The subject of a title, with headings in the lines below it.

    Words in `calendar`, numbers, and the mark of an answer ("Re: ") are no part of the subject.

    >>> title_of("Node.js 21.7.0").version, title_of("Council minutes July 2023", frozenset({"july"})).version
    ('21.7.0', '')
    """
    lines = [_title_line(line, calendar) for line in text.strip("\n").split("\n")]
    plain = not any(dated for _, dated, _ in lines)
    version = next((each for *_, numbers in lines for each in numbers if plain or "." in each), "")
    # not by lines: "Harbour" with a heading "Fees" has the same subject as "Harbour fees"
    subject = " ".join([words for words, _, _ in lines if words])
    return TitleSubject(term_hash(subject) or 1 if subject else 0, version)


_ANSWER = re.compile(r"\A(?:\s*(?:re|aw|antw|sv|fwd?|wg)(?:\[\d+\])?\s*:)+", re.IGNORECASE)
"""What mail programs write before the subject of a mail that is answered or forwarded."""


@lru_cache(maxsize=4096)
def _title_line(text: str, calendar: frozenset[str]) -> tuple[str, bool, list[str]]:
    """The words of a line for a subject, whether it names a date, and its numbers that are no years or dates;
    cached, since many passages share titles and headings."""
    tokens = tokenize(_ANSWER.sub("", text))
    words = [
        left for token in tokens if (
            left := token if token.isalpha() else _DIGITS.sub("", token).strip(".,")
        ) and left not in calendar and (left != "v" or left == token)
    ]  # fmt: skip
    versions = [
        each for each in (_VERSION.findall(_ISO.sub(" ", text)) if _DIGITS.search(text) else ())
        if (not _DATE.fullmatch(each) if "." in each else not (len(each) == 4 and "1800" <= each < "2200"))
    ]  # fmt: skip
    return " ".join(words), not calendar.isdisjoint(tokens), versions


@cache
def _day_words() -> tuple[str, ...]:
    return tuple(f" {word} " for word in of_all("stale", "day"))


def _tells_of_a_day(document: str, title: str) -> bool:
    """True for a mail, and if the title of a document or a part of its name begins or ends with a word for
    what tells how it was on a day (minutes, a diary), but for months and the like ("Duty log June")."""
    if document.endswith(".eml") or PART in document:
        return True
    names = (title, *(document.rpartition(".")[0] or document).split("/"))
    calendar = _calendar(tuple(codes("words")))
    words = ((word for word in LETTERS.findall(name.casefold()) if word not in calendar) for name in names)
    parts = (f" {' '.join(each)} " for each in words)
    return any(part.startswith(_day_words()) or part.endswith(_day_words()) for part in parts)


_OF_DOCUMENTS: dict[str, Callable[[str, str], int]] = {
    "name": lambda name, _: term_hash(name.casefold()),
    "original": lambda name, _: term_hash(original) if (original := original_of(name)) else 0,
    "folder": lambda name, _: term_hash(name.partition(PART)[0].rpartition("/")[0]),
    "event": _tells_of_a_day,
}
"""What the name and the title of a document tell."""


def _editions(name: str, title: str) -> tuple[int, int]:
    """The ordinals of the versions that the folders of a document and its title name, 0 for none."""
    of_title = next((version.at for version, _, _ in versions_in(title)), 0)
    return (edition.at if (edition := of_path(name.rpartition("/")[0] + "/")) else 0), of_title


def _versions(named: Sequence[str]) -> NDArray[np.int32]:
    """The first three numbers of each version, (n, 3)."""
    versions = np.full((len(named), PARTS), -1, np.int32)
    for at, version in enumerate(named):
        for part, digits in enumerate(version.split(".")[:PARTS] if version else ()):
            versions[at, part] = int(digits[-9:])
    return versions


OF_KEYS = ("subject", "version", "frame", "leads", "ended", "bands")
"""The columns that `keys` reads."""


def keys(columns: Mapping[str, Array]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The keys of passages by their columns, and the place of the one that has each: two can be of one series
    only if they have a key in common.

    Keys are those of subjects (alone, with a frame, with one and two parts of a version), of what texts
    without titles state, and of words.
    """
    subject = columns["subject"].astype(np.uint64)
    version = columns["version"].astype(np.int64)
    has_subject = subject > 0
    major = mixed(version[:, 0].astype(np.uint64) + np.uint64(1))
    minor = mixed(major ^ version[:, 1].astype(np.uint64))
    nothing = np.zeros(len(subject), np.uint64)
    kinds = [
        ("subject", has_subject, nothing), ("frame", columns["frame"] > 0, mixed(columns["frame"])),
        ("first", has_subject & (version[:, 1] >= 0), major),
        ("second", has_subject & (version[:, 2] >= 0), minor),
    ]  # fmt: skip
    found = [salted(name, subject[which] ^ mixed(more[which])) for name, which, more in kinds]
    owners = [np.flatnonzero(which) for _, which, _ in kinds]
    for name in ("leads", "ended"):
        owner, at = np.nonzero((columns[name] > 0) & ~has_subject[:, None])
        found.append(salted("stated", columns[name][owner, at].astype(np.uint64)))
        owners.append(owner)
    owner, at = np.nonzero(columns["bands"])
    return np.concatenate([*found, columns["bands"][owner, at]]), np.concatenate([*owners, owner])


def salted(name: str, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Values as keys of one kind (`OF_WORDS`, `STATED`)."""
    keys = mixed(values + np.uint64(_SALTS[name] * 0x9E3779B97F4A7C15 % 2**64)) & ~(OF_WORDS | STATED)
    return keys | {"words": OF_WORDS, "stated": STATED}.get(name, np.uint64(0))


def _bands(words: WordTable, subject: Array) -> NDArray[np.uint64]:
    """Keys of texts that have most words in common (n, BANDS): pairs of least hashes (Broder 1997); 0 where
    they have too few."""
    sizes = np.bincount(words.owner, minlength=len(subject))
    enough = sizes >= np.where(subject > 0, WORDS_TITLED, LEAST_UNTITLED)
    keep = enough[words.owner]
    least = minima(words.hashes[keep], words.owner[keep], BANDS * PER_BAND)
    bands = np.zeros((len(subject), BANDS), np.uint64)
    for band in range(BANDS):
        one, other = least[band * PER_BAND], least[band * PER_BAND + 1]
        bands[enough, band] = salted("words", mixed(one + np.uint64(band)) ^ other)
    return bands
