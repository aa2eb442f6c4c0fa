"""The current passages of a view for `asof stale`: their texts, since when each sentence stands, and anchors.

The lives of documents, the statements of a passage (without code and headings), patterns from the words of
`lang/*/stale.toml`, and headings and blocks that links name, as they stand and as they stood.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Annotated, NamedTuple

from asof.extensions.facts.store import CURRENT
from asof.hits import Why
from asof.index.view import View
from asof.lang import FIRST, codes, detect, set_of, stop_words, tables
from asof.store.digest import hit_id, layout_places
from asof.text.passages import body, sentences
from asof.text.tokens import tokenize
from asof.time.lexicon import is_unspaced
from asof.time.span import BEGINNING, NEVER, Instant, iso
from asof.wire import HIDDEN, As, Only, one_of

# -- stale statements ------------------------------------------------------------------------------


LINK, PASSED, UNWRITTEN = "link", "time", "unwritten"
STALE_KINDS = (LINK, PASSED, UNWRITTEN)
"""Why a sentence is stale: it links to what is gone or was renamed; it speaks of a time to come that has
passed; it links to a note that never was (on demand only: it may be written yet)."""


@dataclass(frozen=True, slots=True)
class StaleQuote:
    """A sentence of a current passage, as it is written.

    `passage` is the id of the hit that it stands in, `start` and `end` its characters in the text of the
    document. `since` is the instant since which the document says it without a break, and `dated` whether
    that is a date of publication (else it is when the corpus learned it).
    """

    document: Annotated[str, "the id of its document"]
    title: Annotated[str, "the document's title"]
    passage: Annotated[str, HIDDEN]
    text: Annotated[str, As("quote"), "the sentence"]
    start: Annotated[int, HIDDEN]
    end: Annotated[int, HIDDEN]
    since: Annotated[int, HIDDEN]
    dated: Annotated[bool, HIDDEN] = True


@dataclass(frozen=True, slots=True)
class Stale:
    """A sentence that is stale: `quote`, and `by`, the first sentence of what it links to, where that is
    there."""

    kind: Annotated[str, one_of(*STALE_KINDS), "a link, a time, a link to a note that is not written"]
    score: Annotated[float, "how surely it is stale, to 1: the value of `explain`"]
    quote: Annotated[StaleQuote, HIDDEN]
    by: Annotated[StaleQuote | None, HIDDEN]
    cause: Annotated[Instant, As("since"), "since when it is stale"]
    change: Annotated[str, "what changed, in a sentence"]
    tree: Annotated[Why, HIDDEN] = field(repr=False, compare=False)

    @property
    def id(self) -> Annotated[str, "a name for the two sentences: another one as soon as either changes"]:
        other = (self.by.document, self.by.text) if self.by else ()
        parts = (self.kind, self.quote.document, self.quote.text, *other)
        digest = blake2b(digest_size=6)
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(data) + data)
        return digest.hexdigest()

    @property
    def why(
        self,
    ) -> Annotated[Why, As("explain"), Only("explain"), "how the score came about; only with `--explain`"]:
        """The tree whose root value is `score`."""
        return self.tree

    @property
    def reason(self) -> Annotated[str, As("why"), "why it is held to be stale, in a sentence"]:
        """Which of the two is older, and since when."""
        before = self.kind == LINK and self.cause <= self.quote.since
        reason, day = _BEFORE if before else _REASONS[self.kind], iso(self.quote.since)[:10]
        return reason.format(day=day, cause=iso(self.cause)[:10])


_REASONS = {
    LINK: "it links to what changed on {cause}; this has stood here since {day}",
    UNWRITTEN: "nothing of that name was ever here; the sentence is known since {day}",
    PASSED: "it speaks from its own time: it has stood here unchanged since {day}",
}


_BEFORE = "it links to what had changed before; the sentence is known since {day}"


# -- current passages, and since when their sentences stand ----------------------------------------


class PassageText(NamedTuple):
    """A current passage: the number of its document, its key there, the document's id, and what it says."""

    document: int
    key: bytes
    name: str
    title: str
    headings: tuple[str, ...]
    text: str


class Place(NamedTuple):
    """The characters `[start, end)` of the text of a current passage."""

    passage: PassageText
    start: int
    end: int

    @property
    def words(self) -> str:
        return self.passage.text[self.start : self.end]


def current_passages(view: View, documents: Collection[int] | None = None) -> Iterator[PassageText]:
    """The current passages of a view, or of these documents (by number), in the order of their texts."""
    inside = "" if documents is None else " AND p.document IN (SELECT value FROM json_each(?3))"
    given = () if documents is None else (json.dumps(sorted(documents)),)
    rows = view.store.db.execute(
        "SELECT p.document, p.key, d.name, h.title, p.headings, p.text FROM passages AS p"
        " JOIN documents AS d ON d.id = p.document JOIN heads AS h ON h.id = p.head"
        f" WHERE{CURRENT}{inside} ORDER BY d.name, p.number, p.key",
        (view.as_of, view.known_at, *given),
    )
    for document, key, name, title, headings, text in rows:
        yield PassageText(document, key, name, title, tuple(filter(None, headings.split("\n"))), text)


def current_headings(view: View) -> dict[int, set[str]]:
    """The headings above the passages of each document (by number), as the store has them."""
    found: dict[int, set[str]] = defaultdict(set)
    for document, headings in view.store.db.execute(
        f"SELECT DISTINCT p.document, p.headings FROM passages AS p WHERE{CURRENT} AND p.headings <> ''",
        (view.as_of, view.known_at),
    ):
        found[document].add(headings)
    return found


def quotes(view: View, places: Sequence[Place]) -> list[StaleQuote]:
    """The sentences at these places, with the instants since which they stand."""
    layouts = view.store.layouts(sorted({place.passage.name for place in places}))
    starts = {
        name: {key: start for key, start, _ in layout_places(layout)} for name, layout in layouts.items()
    }
    times = standing(view, [(place.passage.document, place.words) for place in places])
    found = []
    for place, time in zip(places, times, strict=True):
        each = place.passage
        begin = starts[each.name].get(each.key, 0)
        found.append(StaleQuote(
            each.name, each.title, hit_id(each.name, each.key), place.words, begin + place.start,
            begin + place.end, time.since, time.dated,
        ))  # fmt: skip
    return found


class Standing(NamedTuple):
    """The instant since which a sentence stands in its document, and whether a source dates it."""

    since: int
    dated: bool


class Interval(NamedTuple):
    """A text of a document that was in force from `visible` until `ended` (NEVER: it still is)."""

    visible: int
    ended: int
    dated: bool
    headings: str
    text: str


def standing(view: View, sentences: Sequence[tuple[int, str]]) -> list[Standing]:
    """Since when documents (by number) have had sentences that they have now, without a break."""
    asked: dict[int, dict[str, Standing]] = defaultdict(dict)
    for document, words in sentences:
        asked[document][words] = Standing(BEGINNING, False)
    for document, intervals in past_passages(view, asked).items():
        for words in asked[document]:
            asked[document][words] = stretch([each for each in intervals if words in each.text])
    return [asked[document][words] for document, words in sentences]


def stretch(intervals: list[Interval]) -> Standing:
    """The beginning of the stretch that intervals make up without a break, from the last one back."""
    since, dated = NEVER, False
    for each in sorted(intervals, key=lambda each: (-each.ended, each.visible)):
        if each.ended < since < NEVER:
            break
        if each.visible < since:
            since, dated = each.visible, each.dated
    return Standing(since, dated)


def past_passages(view: View, documents: Collection[int]) -> dict[int, list[Interval]]:
    """All passages that these documents (by number) have had until the time of the view, and have."""
    found: dict[int, list[Interval]] = defaultdict(list)
    for document, visible, dated, headings, text, ended in view.store.db.execute(
        "SELECT p.document, p.visible, p.dated, p.headings, p.text,"
        " (SELECT min(e.at) FROM ends AS e WHERE e.passage = p.id AND e.added <= ?3)"
        " FROM json_each(?1) AS requested JOIN passages AS p ON p.document = requested.value"
        " WHERE p.visible <= ?2 AND p.added <= ?3",
        (json.dumps(list(documents)), view.as_of, view.known_at),
    ):
        end = NEVER if ended is None or ended > view.as_of else ended
        if visible < end:  # others were wrong from the beginning
            found[document].append(Interval(visible, end, bool(dated), headings, text))
    return found


# -- documents of a view, current and past: since when, until when ---------------------------------


SEEN = "v.visible <= ?1 AND v.added <= ?2 AND (v.retired IS NULL OR v.retired > ?2)"
"""SQL for a version that is visible at (?1, ?2)."""


class DocumentLifetime(NamedTuple):
    """A document: the instant from which it was visible, when the corpus learned of it, and whether no source
    dates it; the instant since which it is gone (None: it is there), and when the corpus learned of that.

    `version` is its last version that is no deletion, `path`, `title` and `meta` (JSON) are those of it;
    `left`: the paths that it had before, and the instant at which it left each.
    """

    name: str
    path: str
    born: int
    learned: int
    undated: bool
    ended: int | None
    ended_learned: int
    version: int
    title: str
    meta: str
    left: dict[str, int]


def lives(view: View) -> dict[int, DocumentLifetime]:
    """All documents that a view has or had, by number, in the order in which they were learned of."""
    key = "stale lives"
    if key not in view.memo:
        view.memo[key] = _lives(view)
    found: dict[int, DocumentLifetime] = view.memo[key]
    return found


def _lives(view: View) -> dict[int, DocumentLifetime]:
    db = view.store.db
    versions = db.execute(
        "SELECT v.document, v.visible, v.added, v.id, v.head, v.dated_by IN ('mtime', 'none')"
        f" FROM versions AS v WHERE {SEEN} ORDER BY v.document, v.visible, v.added, v.id",
        (view.as_of, view.known_at),
    ).fetchall()
    names: dict[int, str] = dict(db.execute("SELECT id, name FROM documents"))
    heads = {number: rest for number, *rest in db.execute("SELECT id, path, title, meta FROM heads")}
    found: dict[int, DocumentLifetime] = {}
    for document, rows in groupby(versions, key=itemgetter(0)):
        its = list(rows)
        (_, born, learned, first, _, undated), (_, visible, added, _, last, _) = its[0], its[-1]
        version, head = next(((row[3], row[4]) for row in reversed(its) if row[4] is not None), (first, 0))
        ended = visible if last is None else None
        name = names[document]
        path, title, meta = heads.get(head, (name, "", "{}"))
        paths = [(heads[row[4]][0], row[1]) for row in its if row[4] is not None]
        left = {before: at for (before, _), (now, at) in pairwise(paths) if before != now}
        left.pop(path, None)  # it came back
        found[document] = DocumentLifetime(
            name, path, born, learned, bool(undated), ended, added, version, title, meta, left
        )
    return dict(sorted(found.items(), key=lambda each: (each[1].learned, each[1].name)))


# -- statements of a passage: sentences, list items, table rows ------------------------------------


LONGEST = 600
"""Characters of a statement; what is longer is no sentence, and is cut at its lines."""

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*\|", re.MULTILINE)
_RULE = re.compile(r"[\s|:=~^*#+\-_.`<>]*")
_WORD = re.compile(r"\w")


def statements(text: str, headings: Sequence[str] = ()) -> Iterator[tuple[int, int]]:
    """The characters `[start, end)` of each statement of a passage below its headings, without white space
    around it."""
    for begin, stop in _prose(text, body(text, headings)):
        for start, end in sentences(text, begin, stop):
            for first, last in _pieces(text, start, end):
                piece = text[first:last]
                left = first + len(piece) - len(piece.lstrip())
                right = first + len(piece.rstrip())
                if left < right and _WORD.search(piece):
                    yield left, right


def _prose(text: str, begin: int) -> Iterator[tuple[int, int]]:
    """The text from a place on that is not between two fences of code."""
    inside = False
    for fence in _FENCE.finditer(text, begin):
        if not inside and begin < fence.start():
            yield begin, fence.start()
        line_end = text.find("\n", fence.end())
        begin, inside = (len(text) if line_end < 0 else line_end + 1), not inside
    if not inside and begin < len(text):
        yield begin, len(text)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The pieces of a sentence: itself, or the rows of a table, or the lines of one that is too long."""
    if end - start <= LONGEST and not _ROW.search(text, start, end):
        yield start, end
        return
    while start < end:
        line_end = text.find("\n", start, end)
        stop = end if line_end < 0 else line_end + 1
        if not _RULE.fullmatch(text, start, stop):
            yield start, stop
        start = stop


# -- words of lang/*/stale.toml as patterns --------------------------------------------------------


_TOKENS = 60
"""The number of words of a text that decide on its language."""


def _of(languages: Iterable[str], name: str) -> frozenset[str]:
    return frozenset(phrase for code in languages for phrase in tables(code, "stale").get(name, ()))


@cache
def pattern(code: str, *names: str) -> re.Pattern[str]:
    """The pattern of the phrases of lists of a language, with those of scripts that no other language has, as
    whole words, with any white space in them."""
    languages = {code, *codes("stale")} - set(_spaced()) | {code}
    return _compiled(frozenset().union(*(_of(languages, name) for name in names)))


@cache
def of_any(name: str) -> re.Pattern[str]:
    """The same of a list of all languages."""
    return _compiled(set_of("stale", name))


@cache
def months() -> frozenset[str]:
    """The names of the months in full, of all languages."""
    tabled = (tables(code, "time").get("month", {}) for code in codes("time"))
    return frozenset(name for table in tabled for names in table.values() for name in names.split())


def language_of(text: str) -> str:
    """The language of a text, among those with lists; English for one that says nothing."""
    words = tokenize(text[: 10 * _TOKENS])[:_TOKENS]
    return detect(words, {code: stop_words(code) for code in _spaced()}, FIRST, least=3)


@cache
def _spaced() -> tuple[str, ...]:
    return tuple(code for code in codes("stale") if stop_words(code))


def _compiled(phrases: frozenset[str]) -> re.Pattern[str]:
    """Longest first. The signs around a word are looked at once for all: that is ten times as fast."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    spaced = "|".join(_spelt(phrase) for phrase in longest_first if not is_unspaced(phrase[0]))
    unspaced = "|".join(re.escape(phrase) for phrase in longest_first if is_unspaced(phrase[0]))
    return re.compile(rf"(?<![\w-])(?:{spaced or '(?!)'})(?![\w-])|(?:{unspaced or '(?!)'})", re.IGNORECASE)


def _spelt(phrase: str) -> str:
    return r"\s+".join(re.escape(word).replace("'", "['’]") for word in phrase.split())


# -- headings and blocks that links name -----------------------------------------------------------


_NUMBERED = re.compile(r"[-_]\d{1,2}$")
_NO_HEADING = re.compile(r"L\d+(?:-L?\d+)?|:~:.*|page=.*|[/!?=].*|top|\d+")

LONG_ENOUGH = 6
"""Letters of a heading that is found in another one."""


def is_named(heading: str) -> bool:
    """True if the fragment of a link names a heading or a block, and no line or page."""
    return bool(heading) and _NO_HEADING.fullmatch(heading) is None and bool(folded(heading))


@lru_cache(maxsize=65_536)
def folded(heading: str) -> str:
    """The letters and figures of a heading or of its slug, as they are compared."""
    plain = unicodedata.normalize("NFKD", heading.casefold())
    return "".join(sign for sign in plain if sign.isalnum())


def keys_of(heading: str) -> tuple[str, ...]:
    """The ways in which a link's heading is compared: whole, and without the number of a repeated slug."""
    last = heading.rpartition("#")[2]
    return tuple(dict.fromkeys((folded(last), folded(_NUMBERED.sub("", last)))))


class Section:
    """A heading or block that a link names, in the history of its document."""

    def __init__(self, heading: str, intervals: Iterable[Interval]) -> None:
        self.block = heading.rpartition("#")[2].removeprefix("^") if "^" in heading else ""
        self.heading = heading
        self.keys = frozenset(keys_of(heading))
        self.all = list(intervals)
        self.having = [each for each in self.all if self._has(each)]

    def _has(self, each: Interval) -> bool:
        if self.block:
            return re.search(rf"\^{re.escape(self.block)}\s*$", each.text, re.MULTILINE) is not None
        return not self.keys.isdisjoint(map(folded, each.headings.split("\n")))

    @property
    def stands(self) -> bool:
        """True if the document has it now."""
        return any(each.ended == NEVER for each in self.having)

    @property
    def is_marked(self) -> bool:
        """True if its document has it now without a passage of its own: a heading above nothing."""
        now = [each.text for each in self.all if each.ended == NEVER]
        lines = (
            line for text in now for line in text.splitlines() if line.lstrip(" >").startswith(("#", "="))
        )
        return not self.keys.isdisjoint(map(folded, lines))

    @property
    def gone(self) -> int | None:
        """The instant since which it is gone; None where it never was there."""
        return max((each.ended for each in self.having), default=None)

    @property
    def renamed(self) -> str:
        """The heading that its text stands under now; "" if it is not known."""
        old = {line for each in self.having if each.ended == self.gone for line in _lines(each)}
        best = ""
        for each in self.all:
            heading = each.headings.rpartition("\n")[2]
            if each.ended == NEVER and heading:
                key = min(self.keys, key=len)
                if len(key) >= LONG_ENOUGH and key in folded(heading):
                    return heading
                if old and 2 * len(old.intersection(_lines(each))) > len(old):
                    best = max(best, heading)
        return best


def _lines(each: Interval) -> set[str]:
    """The lines of a text without its headings."""
    own = set(each.headings.split("\n"))
    return {words for line in each.text.splitlines() if (words := line.strip()) and words not in own}
