"""Words for time, by language (`lang/<code>/time.toml`, read when first needed), and runs of them in a text.

A word has senses: `may` is the month 5, `second` an ordinal and a unit. Which rule reads a word depends on
its senses alone, so a new language is a new file and no code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from typing import Any, NamedTuple

from msgspec import Struct

from asof.lang import FIRST, codes, stop_words, tables

# -- word lists: an entry is a phrase of one or more words (`WORD`) ------------------------------------

UNSPACED = "\u3005\u3007\u3040-\u30ff\u3400-\u9fff"
"""Characters of scripts without blanks (Han, kana), as in a class of a regular expression."""

WORD = re.compile(rf"([^\W\d_{UNSPACED}]+|[0-9]+|[{UNSPACED}])")
"""A word is a run of letters, a run of figures, or a character of a script without blanks; it is a group, so
that `split` keeps the words between the gaps."""

NAME_LISTS = frozenset({"product", "counted"})
"""Tables of words around numbers that are no times."""

_SHORT = frozenset(["month_short", "weekday_short"])
_ABROAD = ("month", "of", "with_year", "lower_case")  # the marks of months after them


class LexiconEntry(NamedTuple):
    """A word or phrase, the table that holds it, and what it means there."""

    table: str
    value: Any
    words: tuple[str, ...]


def is_unspaced(word: str) -> bool:
    """True if a word or character belongs to a script without blanks between words; False for none."""
    return "\u3005" <= word[:1] <= "\u9fff"


def entries(named: Sequence[str]) -> Iterator[LexiconEntry]:
    """All words of the named languages, and months of the others.

    A short name of a month or a day gives way to any word of a language that is named before: Spanish "ago"
    is August where English is not. A month of a language that is not named gives way to all words of those
    that are; if it is in the table `with_year` of its own language, it is one only with a year.
    """
    known: set[str] = set()
    for code in named:
        before = frozenset(known)
        for entry in _entries(code):
            if entry.table == "with_year" or (entry.table in _SHORT and entry.words[0] in before):
                continue
            if len(entry.words) == 1 and entry.table not in NAME_LISTS:
                known.add(entry.words[0])
            yield entry
    known.update(*map(stop_words, named))
    for code in codes("time"):
        if code not in named:
            yield from _of_other_texts(code, known)


def _of_other_texts(code: str, known: Iterable[str]) -> Iterator[LexiconEntry]:
    """The months of a language, and its words for "of", in texts of other languages."""
    months: set[tuple[str, ...]] = set()
    for entry in _entries(code, _ABROAD):
        if len(entry.words) > 1 or entry.words[0] in known:
            continue
        if entry.table == "month":
            months.add(entry.words)
        elif entry.table != "of" and entry.words not in months:
            continue
        yield entry


def _entries(code: str, chosen: Iterable[str] = ()) -> Iterator[LexiconEntry]:
    """The words of some tables of a language, in their order; without a choice of all."""
    lists = tables(code, "time")
    bare = lists.get("accents") == "optional"
    for table in chosen or lists:
        rows = lists.get(table)
        if isinstance(rows, dict):
            for key, words in rows.items():
                value = int(key) if re.fullmatch(r"-?[0-9]+", key) else key
                for word in words.split():
                    yield LexiconEntry(table, value, tuple(WORD.findall(word)))
                    plain = _unaccented(word) if bare and not word.isascii() else word
                    if plain != word and len(plain) > 1 and plain not in stop_words(code):
                        yield LexiconEntry(
                            table, value, tuple(WORD.findall(plain))
                        )  # dès and des are two words


def _unaccented(word: str) -> str:
    """A word as it is typed without accents."""
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


# -- lexicon -------------------------------------------------------------------------------------------

GROUND = FIRST
"""The language whose words are always known."""


class Senses(dict[str, Any]):
    """The senses of a word and what it means in each; `kind` is the set of them. Not to be changed."""

    __slots__ = ("kind",)

    def __init__(self, senses: Mapping[str, Any]) -> None:
        super().__init__(senses)
        self.kind = frozenset(senses)


NO_SENSES = Senses({})


def sense_set(names: str) -> frozenset[str]:
    """A set of senses, which are the names of tables of words."""
    return frozenset(names.split())


_ALONE = sense_set(
    "month month_short weekday weekday_short unit units decade day day_night season holiday "
    "daypart fiscal_year end_of_unit to_date decade_label roman year_sign month_sign day_sign "
    "century_sign era beside quarter_name half_name"
)
_WARY = sense_set("wary very_wary with_year")
_SUFFICIENT = sense_set("month weekday day day_night holiday end_of_unit to_date")
_FIGURES = frozenset(
    [str(n) for n in range(100)] + [f"0{n}" for n in range(10)] + [str(year) for year in range(1000, 3000)]
)


class TimeLexicon(Struct, frozen=True, eq=False):
    """Words and phrases with their senses.

    `triggers` are the words without which no text says a time (`ascii_triggers`: those of ASCII letters, as
    bytes), `sufficient` those that say one alone. `lists` holds words around numbers that are no years;
    `month_first` tells how 3/4/2024 is read.
    """

    senses: Mapping[str, Senses]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], Senses], ...]]
    known: frozenset[str]
    triggers: frozenset[str]
    ascii_triggers: frozenset[bytes]
    sufficient: frozenset[str]
    lists: Mapping[str, frozenset[str]]
    month_first: bool

    def names(self, *tables: str) -> dict[str, int]:
        """The single words of some tables and their numbers."""
        return {
            word: senses[table] for word, senses in self.senses.items() for table in tables if table in senses
        }


@lru_cache(maxsize=64)
def lexicon(language: str = GROUND) -> TimeLexicon:
    """The words of `language`, which may name several (`en de`); unknown ones add nothing.

    English is always among them, and so are languages of a script of their own. The order of day and month in
    figures is that of the first one named.
    """
    named = [code for code in re.findall(r"[a-z]+", language.casefold()) if code in codes("time")]
    everywhere = [code for code in codes("time") if tables(code, "time").get("everywhere")]
    return _merged(tuple(dict.fromkeys([*named, GROUND, *everywhere])))


@lru_cache(maxsize=16)
def _merged(named: tuple[str, ...]) -> TimeLexicon:
    senses: dict[str, dict[str, Any]] = {}
    phrases: dict[tuple[str, ...], dict[str, Any]] = {}
    lists: dict[str, frozenset[str]] = {}
    triggers, sufficient = set(_FIGURES), {figures for figures in _FIGURES if len(figures) == 4}
    telling: list[tuple[str, ...]] = []
    for table, value, words in entries(named):
        if table in NAME_LISTS:
            lists[table] = lists.get(table, frozenset()) | {words[-1]}
            continue
        entry = senses.setdefault(words[0], {}) if len(words) == 1 else phrases.setdefault(words, {})
        entry.setdefault(table, value)
        if table in _ALONE:
            if len(words) > 1:
                telling.append(words)
                continue
            triggers.add(words[0])
            if table in _SUFFICIENT:
                sufficient.add(words[0])
    triggers.update(max(words, key=len) for words in telling if triggers.isdisjoint(words))
    sufficient.difference_update(word for word in senses if not _WARY.isdisjoint(senses[word]))
    by_first: dict[str, list[tuple[tuple[str, ...], Senses]]] = {}
    for words in sorted(phrases, key=len, reverse=True):
        by_first.setdefault(words[0], []).append((words, Senses(phrases[words])))
    return TimeLexicon(
        {word: Senses(each) for word, each in senses.items()},
        {first: tuple(rest) for first, rest in by_first.items()},
        frozenset(senses).union(*phrases),
        frozenset(triggers),
        frozenset(word.encode() for word in triggers if word.isascii() and word.isalpha()),
        frozenset(sufficient),
        lists,
        tables(named[0], "time").get("figures") == "month",
    )


# -- regular expressions that find all known words around a place at once ------------------------------

LONGEST_GAP, MOST_SIGNS = 16, 3
"""The most characters, and of them non-blank ones, between two words of one time."""

_DIGIT = r"[^\W\D0-9]"  # of another script, which belongs to no word
_SIGN = rf"(?:[^\w\s{UNSPACED}]|_|{_DIGIT})"
_BETWEEN = rf"(?:[^\w{UNSPACED}]|_|{_DIGIT})"
_IN_LINE = rf"(?:(?!\n){_BETWEEN})*"
_NEAR = (
    rf"(?>[^\w\s{UNSPACED}]? ?(?=[^\W\d_]|[0-9])"  # mostly
    rf"|(?={_BETWEEN}{{0,{LONGEST_GAP}}}(?!{_BETWEEN}))(?!{_IN_LINE}\n{_IN_LINE}\n)"
    rf"(?:\s*{_SIGN}){{0,{MOST_SIGNS}}}\s*)"
)
"""What may come between two words of one time, see `bond`."""


@lru_cache(maxsize=16)
def words_after(lexicon: TimeLexicon, most: int) -> re.Pattern[str]:
    """A pattern for the known words after a word, and figures, at most so many."""
    return _in_row(lexicon.known, most)


@lru_cache(maxsize=16)
def words_before(lexicon: TimeLexicon, most: int) -> re.Pattern[str]:
    """The same for words before a word, in a text that is reversed."""
    return _in_row((word[::-1] for word in lexicon.known), most)


def _in_row(known: Iterable[str], most: int) -> re.Pattern[str]:
    words = [word for word in known if not word[0].isdecimal()]
    spaced = any_of(word for word in words if not is_unspaced(word))
    unspaced = any_of(word for word in words if is_unspaced(word))
    word = rf"(?:[0-9]+|{spaced}(?![^\W\d_{UNSPACED}])|{unspaced})"
    return re.compile(f"(?:{_NEAR}{word}){{0,{most}}}")


def any_of(words: Iterable[str]) -> str:
    """A pattern of some words, at least one: a tree of their letters, so that few of them are tried."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(set(words)):
        by_first.setdefault(word[:1], []).append(word[1:])
    ends = by_first.pop("", None) is not None
    branches = [re.escape(first) + any_of(rest) for first, rest in by_first.items()]
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}" if branches else ""


# -- windows: the known words around a trigger ---------------------------------------------------------
# Words for times are rare in prose, so a text is first searched for them as a whole, and cut into words only
# around them.

FAR = "far"
"""The glue of two words that have nothing to do with each other."""

_SAME = str.maketrans("–—‒−~～〜’‘`´\xa0，、", "-------'''' ,,")
_REACH = 12  # words that a window may have before its first trigger
_BOUND = 400  # words that a window may have
_CONTEXT = 2  # words before a window that rules look at
_LONG = 8  # letters or figures of a word that says a time alone
_DATE_FIGURES = re.compile("[0-9](?:((?:[0-9]?|(?<=[12])[0-9]{3}|[0-9]{7}|[0-9]{13})(?![0-9]))|[0-9]+)")
"""Figures; those that may say a day, a year, or a date as in 20240305 and 20240305143007 have a group."""
_TELLING = re.compile(r"[^\W\d_]|[0-9]{4}|[0-9][-/.:][0-9]")
"""What a window without a letter has at least: a year, or figures with a sign of dates between them."""
_SMALL, _CAPITAL = re.compile("[a-z]"), re.compile("[A-Z]")
_WRITTEN = re.compile(
    r"(?<![0-9/.])([0-9]{1,2})(?:/([0-9]{1,2})/|\.[0-9]{1,2}\.)(?:[0-9]{2}|[12][0-9]{3})(?![0-9/])"
)
_OTHER_LETTER = re.compile(r"[^\W\d_\x00-\x7f]")
_WIDE = re.compile("[０-９]")
_NARROW = str.maketrans("０１２３４５６７８９", "0123456789")
_BLANKS = bytes(sign if sign < 128 and chr(sign).isalpha() else 32 for sign in range(256))
"""For `bytes.translate`: all that is no letter of ASCII becomes a blank."""
_ASCII_BLANKS = bytes(sign if sign >= 128 else _BLANKS[sign] for sign in range(256))

Place = tuple[int, int]
"""The start and the end of a word in the text."""


class TimeText:
    """A text, and the same in lower case."""

    def __init__(self, text: str) -> None:
        lower = text.lower()
        if len(lower) != len(text):  # "İ" becomes two characters, and offsets must stay true
            lower = "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)
        if not lower.isascii():
            lower = lower.replace("°", "º")  # 1° luglio
            lower = lower.translate(_NARROW) if _WIDE.search(lower) else lower
        self.text, self.lower = text, lower

    @cached_property
    def caseless(self) -> bool:
        """True if the text is all lower case or all capitals, so that capitals mark nothing."""
        text = self.text
        mixed = _SMALL.search(text) is not None and _CAPITAL.search(text) is not None
        return not mixed and text in (text.lower(), text.upper())

    @cached_property
    def written(self) -> frozenset[str]:
        """How its dates are written: `.` as 05.03.2024, `day` (first) as 30/5/2024, `month` as 5/30/2024."""
        dates = _WRITTEN.findall(self.lower)
        return frozenset(
            "." if not second else "day" if int(first) > 12 else "month" if int(second) > 12 else ""
            for first, second in dates
        )

    @cached_property
    def backwards(self) -> str:
        """The text in lower case, reversed."""
        return self.lower[::-1]

    @cached_property
    def ends(self) -> Place:
        """The start of its first word and the end of its last one; any two places if it has none."""
        first, last = WORD.search(self.lower), WORD.search(self.backwards)
        return first.start() if first else 0, len(self.lower) - last.start() if last else 0

    def triggers(self, lexicon: TimeLexicon) -> list[Place]:
        """The words that may name a time, in order."""
        triggers = [match.span() for match in _DATE_FIGURES.finditer(self.lower) if match.lastindex]
        words = self._trigger_words(lexicon)
        if words:
            for word in words:
                triggers += self._places(word)
            triggers.sort()
        return triggers

    def _trigger_words(self, lexicon: TimeLexicon) -> frozenset[str]:
        """The different triggers of letters; some may only be parts of longer words that are not ASCII."""
        pieces = self.lower.encode("ascii", "replace").translate(_BLANKS).split()
        words = frozenset(map(bytes.decode, lexicon.ascii_triggers.intersection(pieces)))
        if self.lower.isascii() or _OTHER_LETTER.search(self.lower) is None:
            return words
        pieces = self.lower.encode("utf-8", "surrogatepass").translate(_ASCII_BLANKS).split()
        other = b" ".join(piece for piece in pieces if not piece.isascii()).decode("utf-8", "surrogatepass")
        return words | lexicon.triggers.intersection(WORD.findall(other))

    def _places(self, word: str) -> Iterator[Place]:
        lower, size = self.lower, len(word)
        start = lower.find(word)
        while start >= 0:
            end = start + size
            if not (start and _is_letter(lower[start - 1])) and not _is_letter(lower[end : end + 1]):
                yield start, end
            start = lower.find(word, end)


def _is_letter(sign: str) -> bool:
    """True if a character belongs to a word of letters (see `WORD`); False for none."""
    return sign.isalnum() and not sign.isdecimal() and not is_unspaced(sign)


class WordWindow:
    """Neighbouring words of a text; those from `first` to before `after` are known, and one is a trigger.

    Around them stand up to two words before and one after, for rules that look there. So word 0 is the
    text's first word whenever a known word stands there, and the last one its last word. `gaps[n]` stands
    before word `n`, one more after the last. Its gaps and words begin at `offset` of the text.
    """

    def __init__(self, text: TimeText, known: Place) -> None:
        size, (begin, end) = len(text.lower), known
        first, beyond = 0, WORD.search(text.lower, end)
        while first < _CONTEXT and (before := WORD.search(text.backwards, size - begin)) is not None:
            first, begin = first + 1, size - before.end()
        self.text, self.first, self.offset = text, first, begin if first else 0
        self._pieces = pieces = WORD.split(text.lower[self.offset : beyond.end() if beyond else size])
        self.words: list[str] = pieces[1::2]
        self.gaps: list[str] = pieces[::2]
        self.after = len(self.words) - 1 if beyond else len(self.words)

    @cached_property
    def starts(self) -> list[int]:
        """The starts of the words in the text, and the end of the window."""
        return list(accumulate(map(len, self._pieces), initial=self.offset))[1::2]

    def end(self, n: int) -> int:
        """The end of word `n` in the text."""
        return self.starts[n] + len(self.words[n])


def windows(text: TimeText, lexicon: TimeLexicon) -> Iterator[WordWindow]:
    """The windows of a text, in order; their known words are disjoint."""
    triggers = text.triggers(lexicon)
    if not triggers:
        return
    before, after = words_before(lexicon, _REACH), words_after(lexicon, _BOUND)
    lower, backwards, size = text.lower, text.backwards, len(text.lower)
    sufficient, done = lexicon.sufficient, 0
    for start, end in triggers:
        if start < done:
            continue
        begin = size - before.match(backwards, size - start, size - done).end()  # type: ignore[union-attr]
        done = after.match(lower, end).end()  # type: ignore[union-attr]
        alone = (begin, done) == (start, end)
        if alone and lower[start:end] not in sufficient and end - start < _LONG and text.ends != (start, end):
            continue
        if _TELLING.search(lower, begin, done) is None:
            continue
        if done - begin > _BOUND:
            done = [word.end() for word in islice(WORD.finditer(lower, begin, done), _BOUND)][-1]
        yield WordWindow(text, (begin, done))


@lru_cache(maxsize=4096)
def bond(gap: str) -> tuple[str, bool]:
    """The signs in a gap with blanks left out, and whether there were blanks; only blanks are one blank."""
    if gap == " ":
        return " ", True
    if len(gap) > LONGEST_GAP or gap.count("\n") > 1:
        return FAR, True
    plain = gap.translate(_SAME)
    signs = "".join(plain.split())
    if not signs:
        return (" " if plain else ""), bool(plain)
    return (signs if len(signs) <= MOST_SIGNS else FAR), signs != plain


# -- senses of figures: numbers, and by their length days of a month, years or whole dates -------------

EARLIEST, LATEST = 1000, 2999
"""Years that four figures may mean."""

CENTURY_TURN = 69
"""Two figures from here on are years of the 1900s, below of the 2000s, as in POSIX."""

_LONGEST = 14
_LONGEST_FIGURES = (8, 14)
_APOSTROPHE = ("'", ",'", " '")


@lru_cache(maxsize=8192)
def number_senses(word: str, glue: str) -> Senses:
    """The senses of a word; none if it is no figures, or more than 14. `glue` precedes it.

    `figures` is their number. `day_figures` and `year_figures` are figures that may be a day of a month and a
    year, `long_figures` those of 20240305 and 20240305143007, `short_year` is the year of '24.
    """
    size = len(word)
    if size > _LONGEST or not "0" <= word[0] <= "9":
        return NO_SENSES
    number = int(word)
    senses: dict[str, int] = {"figures": size, "number": number}
    if size <= 2:
        senses["day_figures"] = number
        if size == 2 and glue in _APOSTROPHE:
            senses["short_year"] = two_figures(number)
    elif size == 4 and EARLIEST <= number <= LATEST:
        senses["year_figures"] = number
    elif size in _LONGEST_FIGURES:
        senses["long_figures"] = number
    return Senses(senses)


def two_figures(number: int) -> int:
    """The year that two figures mean: 69-99 in the 1900s, 00-68 in the 2000s."""
    return number + (1900 if number >= CENTURY_TURN else 2000)


# -- runs of words, on which rules are tried -----------------------------------------------------------
# The gap between two words is a part of a date as much as the words: `3/5`, `3.5` and `3 5` differ in it.

_Phrases = Mapping[str, tuple[tuple[tuple[str, ...], Senses], ...]]
"""Phrases with their senses, longest first, by their second word."""


class TimeToken(Struct, frozen=True):
    """A word or phrase with its senses; `glue` is the text before it: " " for blanks, else the signs.

    `kind` is the set of its senses; `wide` tells whether there are blanks besides the signs. `phrases` are
    those that begin with the word.
    """

    word: str
    senses: Senses
    kind: frozenset[str]
    glue: str
    wide: bool
    phrases: _Phrases | None = None


_JOINING = frozenset(("-", "--", "/"))
_TO, _TO_OR_AND = sense_set("to"), sense_set("to and")

_END = TimeToken("", NO_SENSES, NO_SENSES.kind, FAR, True)
_BEYOND = (NO_SENSES,) * 8
"""The item after the last one, and, since -1 is the last place of a list, before the first."""


class TokenRun:
    """Neighbouring words that are all known, as items. Asking past either end finds nothing.

    `places[i]` is the place in the window of the first word of item `i`, one more stands after the last.
    """

    def __init__(self, window: WordWindow, lexicon: TimeLexicon) -> None:
        self.window, self.lexicon = window, lexicon
        items: list[TimeToken] = []
        places: list[int] = []
        self.memo: dict[tuple[str, int], Any] = {}
        """What rules found at places, so that none is tried there twice."""
        words, gaps, after = window.words, window.gaps, window.after
        at, last_joint, joints = window.first, 0, _TO
        while at < after:
            item = _token(lexicon, gaps[at] or self._gap(at), words[at])
            if item.glue == "'" and items and "elided" in items[-1].kind:
                item = _token(lexicon, " ", words[at])  # l'année
            places.append(at)
            at += 1
            if item.phrases is not None and at < after and words[at] in item.phrases:
                at, item = self._phrase(at, item)
            if "between" in item.kind:
                joints = _TO_OR_AND
            if item.glue in _JOINING or not joints.isdisjoint(item.kind):
                last_joint = len(items)
            items.append(item)
        places.append(at)
        self.items, self.places, self.size = items, places, len(items)
        self.last_joint = last_joint
        """The last item that can join two times to a range: a word, or one after `-` or `/`; or 0."""
        self._senses: list[Senses] = [*[item.senses for item in items], *_BEYOND]

    def _phrase(self, second: int, item: TimeToken) -> tuple[int, TimeToken]:
        """The place after the longest known phrase of an item's word and the `second` one, and the phrase."""
        window = self.window
        for phrase, senses in (item.phrases or {})[window.words[second]]:
            after = second - 1 + len(phrase)
            if (
                after <= window.after
                and tuple(window.words[second - 1 : after]) == phrase
                and all(bond(gap)[0] in _WITHIN for gap in window.gaps[second:after])
            ):
                return after, TimeToken(item.word, senses, senses.kind, item.glue, item.wide)
        return second, item

    def __getitem__(self, i: int) -> TimeToken:
        return self.items[i] if 0 <= i < self.size else _END

    def sense(self, i: int, name: str) -> Any:
        """The value of an item in a sense; None if it does not have that sense."""
        try:
            return self._senses[i].get(name)
        except IndexError:
            return None

    def has(self, i: int, name: str) -> bool:
        """True if an item has a sense."""
        return 0 <= i < self.size and name in self._senses[i]

    def follows(self, i: int, glue: str = " ") -> bool:
        """True if an item comes after one of the signs of `glue` (each character is one sign)."""
        return 0 <= i < self.size and self.items[i].glue in glue and bool(self.items[i].glue)

    def after(self, i: int, name: str, glue: str = " ") -> int:
        """The place after item `i` if it has a sense and the right glue, else `i`: skips an optional word."""
        return i + 1 if self.has(i, name) and self.follows(i, glue) else i

    def start(self, i: int) -> int:
        """The start of an item in the text."""
        return self.window.starts[self.places[i]]

    def end(self, i: int) -> int:
        """The end of an item in the text."""
        return self.window.end(self.places[i + 1] - 1)

    def capital(self, i: int) -> bool:
        """True if an item begins with a capital letter."""
        return self.window.text.text[self.start(i)].isupper() if 0 <= i < self.size else False

    @property
    def caseless(self) -> bool:
        """True if the whole text is lower case or capitals, so that capitals mark nothing."""
        return self.window.text.caseless

    def before(self, i: int) -> tuple[str, str]:
        """The word before an item, known or not, and the gap between, as in the text."""
        n = self.places[i]
        return (self.window.words[n - 1] if n > 0 else ""), self.window.gaps[n] or self._gap(n)

    def behind(self, i: int) -> tuple[str, str]:
        """The word after item `i`, known or not, and the gap between."""
        if not 0 <= i < self.size:
            return "", ""
        n, words = self.places[i + 1], self.window.words
        return (words[n] if n < len(words) else ""), self.window.gaps[n] or self._gap(n)

    def _gap(self, n: int) -> str:
        """The text before word `n` of the window; a blank where a script has none."""
        words, gap = self.window.words, self.window.gaps[n]
        if gap or n == 0 or not any(map(is_unspaced, words[n - 1 : n + 1])):
            return gap
        return " "


@lru_cache(maxsize=32768)
def _token(lexicon: TimeLexicon, gap: str, word: str) -> TimeToken:
    glue, wide = bond(gap)
    senses = lexicon.senses.get(word) or number_senses(word, glue)
    phrases: dict[str, list[tuple[tuple[str, ...], Senses]]] = {}
    for phrase in lexicon.phrases.get(word, ()):
        phrases.setdefault(phrase[0][1], []).append(phrase)
    second = {word: tuple(each) for word, each in phrases.items()}
    return TimeToken(word, senses, senses.kind, glue, wide, second or None)


_WITHIN = frozenset([" ", "-", "'", ".", "/", "", "o"])


def runs(text: str, lexicon: TimeLexicon) -> Iterator[TokenRun]:
    """The runs of a text that hold a trigger, in order and disjoint."""
    for window in windows(TimeText(text), lexicon):
        yield TokenRun(window, lexicon)
