"""Features of passages: the columns by which a passage is found to follow an earlier one.

Words are kept as sets, not as text. Dates and numbers change within a series, so they are left out of both
sets.

    body, title  the words of the text, and of its document's title and headings; 512 bits each
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
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.documents import CHANGES, PART, is_note
from asof.index.columns import Array
from asof.lang import calendar_words, of_all
from asof.revisions.rows import DEFAULT, GraphLimits
from asof.revisions.statements import (
    DIGIT,
    LETTERS,
    MOST_ENDED,
    MOST_LEADS,
    Grammar,
    UntitledStatement,
    frame_of,
    is_statement,
    leads_of,
    statement_of,
)
from asof.sources.source import original_of
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

_OTHER, _CONTENT = 0, 1


class WordReader:
    """Reads words and caches their hashes and kinds; not thread-safe."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self._analyzer = Analyzer(languages)
        self._kinds = np.zeros(0, np.uint8)
        self.languages = languages
        calendar = frozenset[str]().union(*map(calendar_words, languages))
        self.grammar = Grammar(calendar, self._analyzer.stop_words, self._analyzer.stem)
        self._dates = {stem for word in calendar for stem in (word, *self._analyzer.alternatives(word))}

    def begin(self) -> None:
        """Start a batch of texts: only here may the numbering of words be reset."""
        if self._analyzer.reset_if_large():
            self._kinds = np.zeros(0, np.uint8)

    def read(self, texts: Sequence[str], languages: Sequence[str]) -> WordTable:
        """The words of texts, each in its language."""
        known, analyzer = self._analyzer.languages, self._analyzer
        numbers = [
            analyzer.ids(text, language if language in known else known[0])
            for text, language in zip(texts, languages, strict=True)
        ]
        lengths = np.fromiter(map(len, numbers), np.int64, len(numbers))
        flat = np.fromiter(chain.from_iterable(numbers), np.int32, int(lengths.sum()))
        owner = np.repeat(np.arange(len(numbers)), lengths)
        hashes = analyzer.hashes()
        self._classify(len(hashes))
        return WordTable(analyzer, hashes, self._kinds, flat, owner)

    def _classify(self, n: int) -> None:
        begin = len(self._kinds)
        if begin < n:
            stop = self._analyzer.stop_numbers()
            more = [self._kind(number, stop) for number in range(begin, n)]
            self._kinds = np.concatenate([self._kinds, np.array(more, np.uint8)])

    def _kind(self, number: int, stop: frozenset[int]) -> int:
        word = self._analyzer.stem_of(number)
        other = number in stop or word in self._dates or len(word) < 2 or DIGIT.search(word)
        return _OTHER if other else _CONTENT


class WordTable(Struct, frozen=True):
    """The words of some texts, concatenated (`flat`): the analyzer's numbers, and the text of each
    (`owner`)."""

    analyzer: Analyzer
    hashes: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    flat: NDArray[np.int32]
    owner: NDArray[np.int64]

    def content(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Hashes of the content words (no stop words, numbers or dates), and the text of each."""
        keep = self.kinds[self.flat] == _CONTENT
        return self.hashes[self.flat[keep]], self.owner[keep]


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
"""The least words of a text without a title for keys of words; with one `CandidateLimits.words_titled`."""

COLUMNS: dict[str, tuple[type, tuple[int, ...]]] = {
    "body": (np.uint64, (SIZE_WORDS,)), "title": (np.uint64, (SIZE_WORDS,)), "subject": (np.uint64, ()),
    "version": (np.int32, (PARTS,)), "frame": (np.uint64, ()), "framed": (np.int16, ()),
    "leads": (np.uint32, (MOST_LEADS,)), "ended": (np.uint32, (MOST_ENDED,)), "folder": (np.uint64, ()),
    "event": (np.bool_, ()),
    "dated": (np.bool_, ()), "changed": (np.bool_, ()), "text": (np.uint64, ()), "name": (np.uint64, ()),
    "original": (np.uint64, ()), "edition": (np.int64, ()),
}  # fmt: skip

_SALTS = {"subject": 1, "frame": 2, "first": 3, "second": 4, "words": 5, "stated": 6}
OF_WORDS, STATED = np.uint64(1), np.uint64(2)
"""The last bits of keys of words, and of keys of what texts without titles state; of others they are 0."""

_DIGITS = re.compile(r"\d+")
_VERSION = re.compile(r"(?:(?<!\w)|(?<=\bv)|(?<=\bV))\d+(?:\.\d+)*")
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:1\d|20)\d\d")
_ISO = re.compile(r"(?<!\d)(?:1\d|20)\d\d-\d\d(?:-\d\d)?(?!\d)")

_TEXTS = (
    "SELECT p.id, p.dated, h.path, p.headings, p.text, h.title, h.language, v.dated_by FROM passages AS p"
    " JOIN heads AS h ON h.id = p.head"
    " JOIN versions AS v ON v.id = p.version"
    " WHERE p.id BETWEEN ? AND ? ORDER BY p.id"
)


class StatementBatch(NamedTuple):
    """Statements of nodes `begin` to `end` (exclusive); `keys` (p), and `owners` (p): node - `begin`.

    Two statements can be of one series only if they have a key in common.
    """

    begin: int
    end: int
    columns: dict[str, Array]
    keys: NDArray[np.uint64]
    owners: NDArray[np.int32]


class TitleSubject(NamedTuple):
    """The subject of a title and its headings (a hash, or 0), and the version as written or ""."""

    subject: int
    version: str


def read(
    db: sqlite3.Connection, first: int, begin: int, end: int, lexicon: WordReader,
    limits: GraphLimits = DEFAULT,
) -> Iterator[StatementBatch]:  # fmt: skip
    """The statements of nodes `begin` to `end` (exclusive), whose passages are `first` + node."""
    for low in range(begin, end, limits.texts_at_once):
        high = min(low + limits.texts_at_once, end)
        rows = db.execute(_TEXTS, (first + low, first + high - 1)).fetchall()
        yield _batch(rows, first, low, high, lexicon, limits.candidates.words_titled)


def _batch(rows: list[tuple[int, int, str, str, str, str, str, str]], first: int, low: int, high: int,
           lexicon: WordReader, words_titled: int) -> StatementBatch:  # fmt: skip
    lexicon.begin()
    grammar = lexicon.grammar
    columns: dict[str, Array] = {
        name: np.zeros((high - low, *shape), dtype) for name, (dtype, shape) in COLUMNS.items()
    }
    columns["version"][:] = -1
    nodes = np.array([row[0] for row in rows], np.int64) - first - low
    above, place = _distinct((f"{row[5]}\n{row[3]}", row[6]) for row in rows)
    titles = [title_of(text, grammar.calendar) for text, _ in above]
    bodies = lexicon.read([row[4][:READ] for row in rows], [row[6] for row in rows])
    headed = lexicon.read([text for text, _ in above], [language for _, language in above])
    content_words = bodies.content()
    columns["dated"][nodes] = [bool(row[1]) for row in rows]
    columns["body"][nodes] = bits_of(*content_words, len(rows))
    columns["title"][nodes] = bits_of(*headed.content(), len(titles))[place]
    columns["subject"][nodes] = np.array([title.subject for title in titles], np.uint64)[place]
    columns["version"][nodes] = _versions([title.version for title in titles])[place]
    notes = np.array([is_note(row[2]) and bool(row[5]) for row in rows], bool)
    subjects = [term_hash(rows[at][5].casefold()) or 1 for at in np.flatnonzero(notes).tolist()]
    columns["subject"][nodes[notes]] = np.array(subjects, np.uint64)  # "Locker A1" is no other "Locker A2"
    columns["version"][nodes[notes]] = -1
    alone = notes & np.array([is_statement(row[4]) for row in rows], bool)
    for node, row, at, stated in zip(nodes.tolist(), rows, place.tolist(), alone.tolist(), strict=True):
        if titles[at].subject and not stated:
            said = UntitledStatement(frame_of(row[4], row[6], grammar), leads_of(row[4], grammar), ())
        else:
            said = statement_of(row[4], row[6], grammar)
        columns["frame"][node], columns["framed"][node] = said.frame
        columns["leads"][node, : len(said.leads)] = said.leads
        columns["ended"][node, : len(said.ended)] = said.ended
    paged = np.array([bool(row[3]) and row[3].rpartition("\n")[2] != row[5] for row in rows], bool)
    columns["changed"][nodes] = [row[7] in CHANGES for row in rows]
    columns["text"][nodes] = [term_hash(" ".join(row[4].split())) for row in rows]
    documents, of = _distinct((row[2], row[5]) for row in rows)
    for column, read_from in _OF_DOCUMENTS.items():
        values = [read_from(name, title) for name, title in documents]
        columns[column][nodes] = np.array(values, COLUMNS[column][0])[of]
    columns["event"][nodes[alone]] = True  # words in common tell no value from another fact of its subject
    folder, title = np.array([_editions(*each) for each in documents], np.int64).reshape(-1, 2)[of].T
    columns["edition"][nodes] = np.where((folder > 0) | ~paged, folder, title)
    keys, owners = _keys({name: values[nodes] for name, values in columns.items()})
    bands, carriers = _bands(*content_words, columns["subject"][nodes], words_titled)
    keys, owners = np.concatenate([keys, bands]), np.concatenate([owners, carriers])
    order = np.argsort(keys, kind="stable")
    return StatementBatch(low, high, columns, keys[order], nodes[owners[order]].astype(np.int32))


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
    what tells how it was on a day (minutes, a diary)."""
    if document.endswith(".eml") or PART in document:
        return True
    names = (title, *(document.rpartition(".")[0] or document).split("/"))
    parts = (f" {' '.join(LETTERS.findall(name.casefold()))} " for name in names)
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


def _keys(columns: dict[str, Array]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Keys of subjects: alone, with a frame, one and two parts of a version; and of what texts without titles
    state."""
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
    keys = [salted(name, subject[which] ^ mixed(more[which])) for name, which, more in kinds]
    owners = [np.flatnonzero(which) for _, which, _ in kinds]
    for name in ("leads", "ended"):
        owner, at = np.nonzero((columns[name] > 0) & ~has_subject[:, None])
        keys.append(salted("stated", columns[name][owner, at].astype(np.uint64)))
        owners.append(owner)
    return np.concatenate(keys), np.concatenate(owners)


def salted(name: str, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Values as keys of one kind (`OF_WORDS`, `STATED`)."""
    keys = mixed(values + np.uint64(_SALTS[name] * 0x9E3779B97F4A7C15 % 2**64)) & ~(OF_WORDS | STATED)
    return keys | {"words": OF_WORDS, "stated": STATED}.get(name, np.uint64(0))


def _bands(
    hashes: NDArray[np.uint64], owner: NDArray[np.int64], subject: Array, words_titled: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Keys of texts that have most words in common: pairs of least hashes (Broder 1997)."""
    sizes = np.bincount(owner, minlength=len(subject))
    enough = sizes >= np.where(subject > 0, words_titled, LEAST_UNTITLED)
    keep = enough[owner]
    least = minima(hashes[keep], owner[keep], BANDS * PER_BAND)
    owners = np.flatnonzero(enough)
    keys = []
    for band in range(BANDS):
        one, other = least[band * PER_BAND], least[band * PER_BAND + 1]
        keys.append(salted("words", mixed(one + np.uint64(band)) ^ other))
    return np.concatenate(keys), np.tile(owners, BANDS)


class StatementTable(Struct):
    """The statements of all nodes, a table that only grows; columns have capacity for more than `n`."""

    n: int
    columns: dict[str, Array]

    @classmethod
    def none(cls) -> StatementTable:
        return cls(0, {name: np.zeros((0, *shape), dtype) for name, (dtype, shape) in COLUMNS.items()})

    def add(self, batch: StatementBatch) -> None:
        """Append a batch."""
        capacity = len(self.columns["subject"])
        for name, values in batch.columns.items():
            if batch.end > capacity:
                grown = np.zeros((max(batch.end, capacity + capacity // 4), *values.shape[1:]), values.dtype)
                grown[: self.n] = self.columns[name][: self.n]
                self.columns[name] = grown
            self.columns[name][batch.begin : batch.end] = values
        self.n = batch.end

    def snapshot(self) -> StatementTable:
        """The table as it is now, which does not grow."""
        return StatementTable(self.n, dict(self.columns))

    def __getitem__(self, name: str) -> Array:
        return self.columns[name][: self.n]
