"""What a text states but for its values: by that it is found to follow an earlier one.

A *frame* is a short text without its names, numbers and dates; a *lead* is what a statement of a longer text
says before its value. A text without a title, or a note of one sentence, is read as one *statement*: only of
a state that a thing is in once at a time it has a frame, and it may say that an earlier state has ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from asof.lang import codes, numerals, of_all, set_of, tables
from asof.text.acts import thing_over
from asof.text.tokens import any_of, term_hash

DIGIT = re.compile(r"\d")
LETTERS = re.compile(r"[^\W\d_]+")


class Grammar(NamedTuple):
    """The words of the calendar and of grammar in the languages of a corpus, and the stem of a word in one of
    them."""

    calendar: frozenset[str]
    stop: frozenset[str]
    stem: Callable[[str, str], str]


def without_its_time(text: str, calendar: frozenset[str]) -> str:
    """A text without the day from which or until which it says that it holds, where a sentence begins with
    that, or the text ends with it: "From 1 May 2024 the rent is 950" states what "The rent is 900" does."""
    if not DIGIT.search(text):
        return text
    opens, ends = _its_time(calendar)
    pieces, done = list[str](), 0
    for at in (0, *(each.end() for each in _BEGINS.finditer(text))):
        if found := opens.match(text, at):
            pieces.append(text[done:at])
            done = found.end()
    text = "".join([*pieces, text[done:]])
    tail = max(len(text) - _LONGEST_TIME, 0)
    return text[:tail] + ends.sub("", text[tail:])


_BEGINS = re.compile(r"[.!?\n]\s*")
_LONGEST_TIME = 40


@cache
def _its_time(calendar: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What finds such a time before the other words of a sentence, and at the end of a text."""
    opens = any_of(of_all("force", "opens")).pattern
    coming = any_of((*of_all("force", "coming"), *of_all("statements", "since"))).pattern
    day, year, name = r"\d{1,2}(?:st|nd|rd|th|er)?\b\.?", r"(?:1\d|20)\d\d\b", any_of(calendar).pattern
    figures = rf"{year}(?:-\d\d){{0,2}}|\d\d?\.\d\d?\.{year}"
    time = rf"\s+(?>(?:{day}\s+)?{name}(?:\s+{day},?)?(?:\s+{year})?|{figures})"
    return tuple(
        re.compile(each, re.IGNORECASE)
        for each in (rf"{opens}{time},?\s+(?=\w)", rf"\s{coming}{time}(?=[.!]?\s*$)")
    )  # type: ignore[return-value]


class Frame(NamedTuple):
    """The frame of a statement: a hash of its text without the values in it, 0 for none, and how many words
    of content are left (negative if there are no values in it)."""

    hash: int
    words: int


NO_FRAME = Frame(0, 0)

LONGEST_FRAME = 300
"""The most characters of a text that is one statement."""

LEAST_FRAME = 2
"""The fewest words of content of a frame; one is enough beside a value, if there is a title."""

LONGEST_VALUE = 6
"""The most words of the value of a label of three words or more ("Where is the ferry now: at the mole"); one
of fewer may be the name of who speaks, or a field that every document has."""

_LABEL = re.compile(r": (?=\S)([^\n:.!?]+)[.]?\Z")
_PIECE = re.compile(r"\w+(?:[.,:/'’-]\w+)*|[.!?\n]")


def frame_of(text: str, language: str, grammar: Grammar) -> Frame:
    """The frame of a text: its words, but "_" for each run of names, numbers and dates, and for the value of
    a label.

    "The fee for a berth is 40 crowns" and "... 45 crowns" have one frame, as have "The master is Ada Marsh"
    and "The master is Tom Reed".
    """
    text = without_its_time(text.strip(), grammar.calendar)
    if len(text) > LONGEST_FRAME:
        return NO_FRAME
    label = _label(text)
    if label:
        text = f"{label} 0"
    words, count, values = _without_values(text, language, grammar)
    if not values:
        count = -count if count >= LEAST_FRAME else 0
    return Frame(term_hash(" ".join(words)) or 1, count) if count else NO_FRAME


def _label(text: str) -> str:
    """The label of a text that is a label and its value, else ""."""
    label = _LABEL.search(text) if "\n" not in text else None
    short = label and len(label[1].split()) <= LONGEST_VALUE and text.count(" ", 0, label.start()) >= 2
    return text[: label.start()] if label and short else ""


@cache
def _numbers(language: str) -> frozenset[str]:
    """Numbers in words from two on."""
    return frozenset(numerals(language))


def _without_values(
    text: str, language: str, grammar: Grammar, begins: bool = True
) -> tuple[list[str], int, int]:
    """The words of a text with "_" for its values (names, times, numbers, in words too; no number that tells
    what a sentence is of), how many of content are left, and how many values there are; `begins`: at the
    beginning of a sentence, where a capital is no sign of a name."""
    nouns = tables(language, "questions").get("capital_nouns", False)
    calendar, stop, numbers = grammar.calendar, grammar.stop, _numbers(language)
    words: list[str] = []
    count = values = 0
    named = begins  # behind a word that begins a sentence and has a capital
    pieces = _PIECE.findall(text)
    own = _numbers_of_names(pieces, grammar) if begins else ()
    for at, word in enumerate(pieces):
        if word in ".!?\n":
            begins = True
            continue
        folded = word.lower()
        capital = folded != word and word[0].isupper() and not nouns and at not in own
        if at not in own and (
            (capital and not begins)
            or folded in calendar
            or folded in numbers
            or (DIGIT.search(word) is not None and not word.isalpha())
        ):
            if capital and named and words and words[-1] not in stop:  # the name that begins a sentence
                count -= words.pop() != "_"
            if not words or words[-1] != "_":
                words.append("_")
            values += 1
        else:
            words.append(folded)
            count += len(word) > 1 and folded not in stop
        begins, named = False, begins and capital
    return words, count, values


_OF_NAME = re.compile(r"[a-gi-pr-vx-z]?\d{1,3}[a-z]?")
"""A number in a name, also "A1"; not Q3, H1 or W9."""


def _numbers_of_names(pieces: Sequence[str], grammar: Grammar) -> dict[int, str]:
    """The numbers in the names of what sentences are of, the last ones before a verb of a state and those of
    things, by their places, each with its word: "berth 4" of "Note 1: Berth 4 costs 12 euros", "flat 3" of
    "The rent for Flat 3 rises". A version is a value."""
    found, last, before, verbs = dict[int, str](), -1, "", verbs_of_states()
    apart = grammar.stop, grammar.calendar, set_of("words", "version"), verbs
    for at, word in enumerate(map(str.casefold, pieces)):
        if word in verbs and last >= 0:
            found[last] = f"{pieces[last - 1]} {pieces[last]}".casefold()
        elif _OF_NAME.fullmatch(word) and before.isalpha() and not any(before in each for each in apart):
            last = at
            if before in set_of("statements", "thing"):
                found[at] = f"{before} {word}"
        last, before = -1 if word in ".!?\n" else last, word
    return found


def name_in(text: str, grammar: Grammar, *, agreed: bool = False) -> int:
    """A hash of the only name with a number that sentences of a text are of ("Berth 4"), and if it is
    `agreed` between parties, of what its fields say of these ("Tenant: Ada Lind"); else 0."""
    found = DIGIT.search(text) and _NAMED.search(text)
    named = {*_numbers_of_names(_PIECE.findall(text), grammar).values()} if found else set[str]()
    of_it = named if len(named) == 1 else set[str]()
    if agreed:
        of_it |= {" ".join(each).casefold() for each in _parties().findall(text)}
    return term_hash(" ".join(sorted(of_it))) if of_it else 0


@cache
def _parties() -> re.Pattern[str]:
    """Finds a field of an agreement that says whom or what it is of."""
    return re.compile(rf"^\W*({'|'.join(of_all('statements', 'party'))})\b\W*[:：]\W*([^\n]+)", re.I | re.M)


@cache
def _letter() -> re.Pattern[str]:
    """Finds a line that greets ("Dear Ms Lind,"), or is the heading or the number of a bill."""
    greeting, bill = ("|".join(of_all("statements", key)) for key in ("greeting", "bill"))
    number = r"(?:no\b|nr\b|n°|number\b|[#\d])"
    return re.compile(
        rf"^[ \t]*(?:(?:{greeting})\b[^\n]{{0,80}}[,!:]|[#* \t]*(?:{bill})\W*(?:{number}.*)?)[* \t]*$",
        re.IGNORECASE | re.MULTILINE,
    )


def is_letter(text: str) -> bool:
    """True for a letter or a bill: a line begins as such."""
    return _letter().search(text) is not None


_NAMED = re.compile(r"[^\W\d_]\s[A-Za-z]?\d{1,3}[A-Za-z]?(?!\w)")


MOST_LEADS = 12
"""The most statements of a passage that are compared, from its beginning."""

_LEAD = re.compile(
    r"(?:^|[.!?…。]\s)[ \t|*+•–-]{0,8}+([^\n.!?…。|:：\d]{2,160}+)(:\s|：|\||)[^\S\n]?[€$£¥]?(\d?)",
    re.MULTILINE,
)


_BEHIND_LEAD = re.compile(r"[\d:：]")


def leads_of(text: str, grammar: Grammar) -> list[int]:
    """Hashes of what the statements of a text say before their values; the first `MOST_LEADS`, each once.

    Before a number that is a label, the name of a row, or two words of content; before another value a label
    of two words that is no name ("Ann Lee: Shall we sail?").
    """
    found: dict[int, None] = {}
    text = without_its_time(text, grammar.calendar)
    for lead, label, number in _LEAD.findall(text) if _BEHIND_LEAD.search(text) else ():
        if not number and (label in ("", "|") or lead.istitle()):
            continue
        words = [word for word in LETTERS.findall(lead.lower()) if word not in grammar.calendar]
        count = sum(len(word) > 1 and word not in grammar.stop for word in words)
        if count >= (1 if label and number else 2):
            found[term_hash(" ".join(words)) & 0xFFFFFFFF] = None
            if len(found) == MOST_LEADS:
                break
    return list(found)


# -- statements without titles ---------------------------------------------------------------------------

LONGEST, MOST_ENDED = 200, 6
"""The most characters of a text that is one statement, and the most words of a state that it may end."""

_WORD = re.compile(r"n't|\w+(?:[.,:/'’-]\w+)*")
_CLAUSE = re.compile(r"[,;:.!]\s+")
_INSIDE = re.compile(r"[.!?]\s+\S")


class UntitledStatement(NamedTuple):
    """What a text states: its frame; its `leads_of`, or of one that is read as one statement hashes of the
    words of the states that it says are so; those of a state that it says has ended, the last one being what
    it was."""

    frame: Frame
    leads: Sequence[int]
    ended: Sequence[int]


NOTHING = UntitledStatement(NO_FRAME, (), ())


class _Words(NamedTuple):
    """The lists of `lang/*/statements.toml`, of all languages; `kind` is that of a verb of a state, `offices`
    is what only one person is at a time."""

    verbs: frozenset[str]
    kind: Mapping[str, str]
    change: Mapping[str, str]
    leave: Mapping[str, str]
    ended: tuple[frozenset[str], ...]
    instead: re.Pattern[str]
    calendar: frozenset[str]
    offices: frozenset[str]


@cache
def _words() -> _Words:
    def rows(table: str) -> dict[str, str]:
        lists = (tables(code, "statements").get(table, {}) for code in codes("statements"))
        return {word: row for each in lists for row, words in each.items() for word in words.split()}

    kind = rows("state")
    single = {word for word, row in kind.items() if row not in ("use", "like")}
    verbs = set_of("statements", "verbs") | set_of("statements", "copula") | single
    ended = tuple(frozenset(phrase.split()) for phrase in of_all("statements", "ended"))
    instead = any_of(of_all("statements", "instead"))
    days, offices = set_of("words", "calendar"), set_of("states", "sole") | set_of("states", "role")
    calendar = days | {f"{day}s" for day in days}
    return _Words(verbs, kind, rows("change"), rows("leave"), ended, instead, calendar, offices)


def verbs_of_states() -> frozenset[str]:
    """The verbs of states that a thing is in once at a time, of all languages."""
    return _words().verbs


@cache
def _joins(language: str) -> re.Pattern[str]:
    """What joins two clauses in a language, and longer words for that in others ("en" is not only Dutch)."""
    own = tables(language, "statements").get("joins", "").split()
    return any_of([*own, *(word for word in of_all("statements", "joins") if len(word) > len("en"))])


def is_statement(text: str) -> bool:
    """True for a text of one sentence, which is short enough to be read as one statement."""
    text = _ABBREVIATED.sub(_without_point, text.strip())
    return len(text) <= LONGEST and "\n" not in text and not _INSIDE.search(text)


def statement_of(text: str, language: str, grammar: Grammar) -> UntitledStatement:
    """What a text states that is read as one statement; nothing for a question, or a text of several lines or
    sentences.

    "We use Exa now, no longer Jina" ends what says that we use Jina; "Mara moved from Lyon to Ghent" that she
    lives in Lyon, and says that she lives in Ghent; "The choir has ended" all that is said of the choir.
    """
    text = _ABBREVIATED.sub(_without_point, without_its_time(text.strip(), grammar.calendar))
    if len(text) > LONGEST or "\n" in text or text.endswith(("?", "？")):
        return NOTHING
    known, so, ended = _words(), dict[str, None](), list[str]()
    if thing := thing_over(text):
        ended = list(_items(_split(thing), language, grammar))
        return UntitledStatement(NO_FRAME, (), _hashes(ended if 2 <= len(ended) <= MOST_ENDED else ()))
    clauses = [part for each in _CLAUSE.split(text) for part in _joins(language).split(each) if part]
    kinds = [kind for word in _split(text) if (kind := known.kind.get(word))]
    for clause in clauses:
        parts = _change(clause, kinds, known)
        if parts is not None and not ended:
            ended = list(_items(parts.ended, language, grammar))
        so.update(dict.fromkeys(_items(_split(clause) if parts is None else parts.so, language, grammar)))
    if not 2 <= len(ended) <= MOST_ENDED or (ended[-1].startswith("=") and ended[-1] != "=live"):
        ended = []
    if len(clauses) > 1:  # of several states one may end, and the others hold
        so.clear()
    negated = not set_of("statements", "negated").isdisjoint(_split(text))
    said = [] if negated and not ended else list(so)[:MOST_LEADS]
    frame = NO_FRAME if negated or ended else _frame(text, language, grammar)
    return UntitledStatement(frame, _hashes(said), _hashes(ended))


def _hashes(words: Sequence[str]) -> tuple[int, ...]:
    return tuple(term_hash(word) & 0xFFFFFFFF for word in words)


_ABBREVIATED = re.compile(r"\b([^\W\d_]{1,5})\.(?=\s)")


def _without_point(match: re.Match[str]) -> str:
    """An abbreviation without its point, which ends no clause: "Dr. Holm"."""
    return match[1] if match[1].casefold() in set_of("words", "abbreviation") else match[0]


_NEGATED = re.compile(r"n['’]t\b|\bn['’](?=\w)")


def _split(text: str) -> list[str]:
    """The words of a text, the shortened ones for "not" by themselves: "is n't", "ne habite plus"."""
    plain = _NEGATED.sub(lambda match: " n't" if match[0][-1] == "t" else "ne ", text.casefold())
    return _WORD.findall(plain)


def _items(words: Sequence[str], language: str, grammar: Grammar) -> Iterator[str]:
    """The stems of words without those of grammar, in their order; "=live" for a verb of that kind of
    state."""
    known, stop = _words(), set_of("words", "stop")
    own = set_of("statements", "person") - set_of("statements", "group")
    for word in words:
        kind = known.kind.get(word)
        if kind:
            yield f"={kind}"
        elif word in own or word not in stop:
            plain = word.removesuffix("'s").removesuffix("’s")
            yield grammar.stem(plain, language) if plain.isalpha() else plain


class _Change(NamedTuple):
    """The words of a state that a clause says has ended, what was so being last, and of what is so now."""

    ended: list[str]
    so: list[str]


def _change(clause: str, kinds: Sequence[str], known: _Words) -> _Change | None:
    """What a clause changes, in one of four ways: "X instead of Y", "no longer X", "left X", "moved from X to
    Y"; None if it changes nothing.

    "X moved" alone ends where X lives. `kinds`: of the verbs of states in its sentence, one of which it may
    mean without saying it.
    """
    words = _split(clause)
    instead = known.instead.search(clause)
    if instead is not None and kinds:
        at = next((at for at, word in enumerate(words) if word in known.kind), 0)
        before, after = clause[: instead.start()], clause[instead.end() :]
        return _Change([*words[: at + 1], *_split(after)], _split(before))
    marks = next((marks for marks in known.ended if marks.issubset(words)), None)
    if marks is not None and set_of("statements", "negated").isdisjoint(set(words) - marks):
        left = [word for word in words if word not in marks]
        return _Change(left if len(left) > 1 or not kinds else [_verb(kinds[0]), *left], [])
    for at, word in enumerate(words):
        if word in known.leave:
            return _Change([*words[:at], _verb(known.leave[word]), *words[at + 1 :]], words[:at])
    changed = next((word for word in words if word in known.change), None)
    begin = next((at for at, word in enumerate(words) if word in set_of("statements", "origin")), None)
    if changed is not None and begin is not None:
        return _moved(words, changed, begin, known)
    moved = bool(words) and known.change.get(words[-1]) == "live"
    return _Change([*words[:-1], _verb("live")], words[:-1]) if moved else None  # "Otto has moved."


def _moved(words: Sequence[str], changed: str, begin: int, known: _Words) -> _Change:
    """The change of a clause with such a verb, and the word before the old one at `begin`."""
    goals = set_of("statements", "goal")
    end = next((at for at in range(begin + 1, len(words)) if words[at] in goals), len(words))
    old = list(words[begin + 1 : end])
    timed = any(DIGIT.search(word) or word in known.calendar for word in old)
    verb = [] if timed or known.change[changed] == "any" else [_verb(known.change[changed])]
    who = [*(word for word in words[:begin] if word != changed), *verb]
    new = [word for word in words[end + 1 :] if word != changed]
    where = new[1:] if not verb else []  # "rose from 5% to 7% in Ghent"
    return _Change([*who, *where, *old], [*who, *new])


def _verb(kind: str) -> str:
    """A verb of a kind of state."""
    return next(word for word, row in _words().kind.items() if row == kind)


def _frame(text: str, language: str, grammar: Grammar) -> Frame:
    """The frame of a sentence of a state: what it is of, as it stands, and the rest without values.

    "The rent of flat 3 is 800 euros": "the rent of flat 3 is _ euros"; "The rent of flat 3 was raised to 850
    euros" says that it is so now. What has one value at a time may have
    any ("the favourite coffee of the user is a cortado"); and who is "the master of the harbour" may change.
    A label of some words has a value, too.
    """
    label = _label(text)
    if label:
        return Frame(term_hash(f"{label.casefold()}: _") or 1, LEAST_FRAME)
    if _INSIDE.search(text):
        return NO_FRAME
    words = [word for word in _PIECE.findall(text) if word not in ".!?"]
    words = [word for word in words if word.casefold() not in set_of("statements", "now")]
    words = _after_change(words, language)
    folded = [word.casefold() for word in words]
    at = next((at for at, word in enumerate(words) if at and word in _words().verbs), 0)
    before, after = folded[:at], folded[at + 1 :]
    if not at or not after or not set_of("statements", "unclear").isdisjoint(before):
        return NO_FRAME
    named = all(word[0].isupper() for word in words[:at]) and before[0] not in grammar.stop
    if named and after[0] in set_of("acts", "definite") and not _words().offices.isdisjoint(after):
        return Frame(term_hash(" ".join(["_", *folded[at:]])) or 1, LEAST_FRAME)
    own, stop = set_of("statements", "person"), set_of("words", "stop")
    if all(word in stop and word not in own for word in before):
        return NO_FRAME
    nominal = not words[at + 1].islower() or after[0] in set_of("statements", "article") or _is_value(after)
    if nominal and len(after) <= LONGEST_VALUE and any(map(_is_attribute, before)):
        return Frame(term_hash(" ".join([*before, folded[at], "_"])) or 1, LEAST_FRAME)
    rest, _, _ = _without_values(" ".join(words[at + 1 :]), language, grammar, begins=False)
    values = rest.count("_")
    ahead = rest[: rest.index("_")] if values else rest
    plain = stop | _words().kind.keys()  # "is married to", "is based in"
    described = folded[at] in set_of("statements", "copula") and not plain.issuperset(ahead)
    owned = any(word[0].isupper() and word.endswith(("'s", "’s")) for word in words[at + 1 : -1])
    if values != 1 or described or owned:  # of two values one may be the occasion
        return NO_FRAME
    return Frame(term_hash(" ".join([*before, folded[at], *rest])) or 1, LEAST_FRAME)


def _after_change(words: list[str], language: str) -> list[str]:
    """The words of a sentence that says to what a value changed ("The deadline was extended to 3 May"), as
    one that says what it is; other words as they are."""
    goals, any_thing, stop = set_of("statements", "goal"), _words().change, set_of("words", "stop")
    for at in range(1, len(words) - 1):
        if any_thing.get(words[at].casefold()) == "any" and words[at + 1].casefold() in goals:
            first = at
            while first > 1 and words[first - 1].casefold() in stop:
                first -= 1
            copula = tables(language, "statements").get("copula", "").split()[:1]
            return [*words[:first], *copula, *words[at + 2 :]] if copula else words
    return words


def _is_value(words: Sequence[str]) -> bool:
    """True for a single word that does not tell how something is: "swordfish", but not "lost"."""
    ends = of_all("statements", "quality_ends")
    known = set_of("statements", "quality") | set_of("words", "stop") | set_of("statements", "negated")
    return len(words) == 1 and words[0] not in known and not words[0].endswith(ends)


LONG_WORD = 5
"""The letters of a word that may be a part of a compound ("Telefonnummer")."""


def _is_attribute(word: str) -> bool:
    known = set_of("statements", "attribute")
    return word in known or any(len(each) > LONG_WORD and word.startswith(each) for each in known)
