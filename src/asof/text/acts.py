"""What documents do to each other: "This notice supersedes Notice 4", "Article 4 of Regulation 12/2019 is
replaced by the following", `obsoletes: RFC 793`.

An act is read from a field of the metadata, from a title ("Correction: Fares in 2024"), or from a sentence
with such a verb (`lang/*/acts.toml`) and a reference: a series with a number, a link, or a title in quotes.
Without one a sentence that changes something acts on what it calls by a word for a document ("Rule C of the
Handbook is overwritten"); and a note that says what is over acts on the earlier notes of that subject. It is
kept as a link of a kind of its own, whose target is resolved in a view."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice, pairwise
from typing import Any, NamedTuple

from asof.documents import (
    ACTS,
    AMENDED_BY,
    AMENDS,
    ANNULS,
    CORRECTS,
    SUPERSEDED_BY,
    SUPERSEDES,
    UPDATES,
    Link,
    is_note,
)
from asof.lang import calendar_words, codes, every, of_all, set_of, stop_words, tables
from asof.text.force import EDGE, document_nouns
from asof.text.names import plain_name
from asof.text.passages import sentences
from asof.text.tokens import any_of
from asof.time.span import EPOCH

MOST, LONGEST, LINKS = 64, 300, 1_000
"""The most acts of a document, the most characters of a reference, and the most links of a document whose
words are looked for."""

NEAR = 30
"""The most characters between a verb and the document that it is about: "supersedes the rules of RFC 1"."""

SAID = "said"
"""In place of a part: a sentence says by what its document is superseded, which counts if that is known."""

NOTHING = frozenset({"n/a", "na", "none", "null", "tbd", "todo", "-", "unknown", "nil"})
"""What fields hold in place of a reference."""

_NUMBERED = re.compile(
    r"\b(?P<series>[^\W\d_]{2,20})[ \u00a0_#-]{0,2}(?:no\.? ?|nr\.? ?|n° ?)?"
    r"\(?(?P<number>[0-9]{1,6}(?:[./-][A-Z]?[0-9]{1,6})*)\b",
    re.IGNORECASE,
)
_NUMBERED_FILE = re.compile(r"\b([^\W\d_]{2,20})/([0-9]{1,6})[ ._-][^\d/][^/]*$")
_CODE = re.compile(r"\b(?:[A-Z]{1,6}[/ -]?){0,3}[0-9]{1,6}(?:/[0-9]{1,6})+\b")
_LINK = re.compile(
    r"\[(?P<text>[^\]\n]{1,200})\]\((?P<target>[^)\s]{1,300})\)|\[\[(?P<wiki>[^\]|\n]{1,200})[^\]\n]*\]\]"
)
_QUOTED = re.compile(r"[\"“„«](?P<title>[^\"“”„«»\n]{4,200})[\"”“»]")
_QUOTES = '"“„«'
_WORD = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"\s[–—|-]\s|:\s|\s(?=\()")
_SEPARATOR = re.compile(r"[;\n]|,(?= )")


# -- names: what a document may be called by in an act ------------------------------------------------


def reference_key(text: str) -> str:
    """The form in which a reference is compared: a series and a number ("rfc#793"), else the name without the
    ending of a file, in lower case."""
    plain = " ".join(text.split())[:LONGEST]
    if _CODE.fullmatch(plain):
        return plain.casefold()
    if (found := _LINK.search(plain)) is not None:
        plain = found["wiki"] or _last_part(found["target"])
    found = next(numbered(plain), None)
    return _number_key(found) if found is not None and found[0] == plain else _bare(plain)


def name_keys(path: str, title: str, meta: Mapping[str, Any]) -> frozenset[str]:
    """The keys by which acts may name a document of this path, title and metadata: also the words for a
    document in its title, alone and with what the metadata calls its number ("decree#641/11"); of a note that
    of its subject, of a numbered file that of its folder ("adr/0003-storage.md": "adr#3")."""
    last = _last_part(path)
    keys = {_bare(path), _bare(last), _bare(title)}
    keys.update([subject_key(title)] if title and is_note(path) else [])
    keys.update(_number_key(found) for text in (last, title) for found in islice(numbered(text), 1))
    if (numbered_file := _NUMBERED_FILE.search(path.casefold())) is not None:
        folder, number = numbered_file.groups()
        keys.update(f"{series}#{_parts_of(number)}" for series in (folder, folder.removesuffix("s")))
    nouns = {noun[0].casefold() for noun in document_nouns().finditer(title)}
    keys.update(map(noun_key, nouns))
    for field, value in meta.items():
        name = str(value) if isinstance(value, str | int | float) and _is_identifier(field) else ""
        if any(map(str.isdigit, name)) and len(name) <= LONGEST:
            keys.update((name.casefold(), *(f"{noun}#{_parts_of(name)}" for noun in nouns)))
    return frozenset(keys - {""})


@cache
def _is_identifier(field: str) -> bool:
    """True if a field of the metadata has the number of a document: "number", "reference", "order: 118"."""
    names = frozenset(map(plain_name, of_all("acts", "identifier")))
    return plain_name(field) in names or document_nouns().fullmatch(field) is not None


def noun_key(noun: str) -> str:
    """The key of an act on what a sentence calls by a word for a document: "~regulation"."""
    name = noun.casefold()
    return "~" + (name[:-1] if name.endswith("s") and len(name) > 4 else name)


def subject_key(subject: str) -> str:
    """The key of an act on the earlier notes of a subject: "~friday stand-up"."""
    words = " ".join(subject.casefold().split())
    first, _, rest = words.partition(" ")
    return "~" + (rest if rest and first in set_of("words", "stop") else words)


def numbered(text: str, begin: int = 0, end: int = LONGEST) -> Iterator[re.Match[str]]:
    """A `series` and a `number`, wherever they stand; a word of grammar or of the calendar is no series."""
    for found in _NUMBERED.finditer(text, begin, end):
        if found["series"].casefold() not in _no_series():
            yield found


@cache
def _no_series() -> frozenset[str]:
    return frozenset().union(*map(stop_words, codes("words")), *map(calendar_words, codes("words")))


def _number_key(found: re.Match[str]) -> str:
    return f"{found['series'].casefold()}#{_parts_of(found['number'])}"


def _parts_of(number: str) -> str:
    return "/".join(part.lstrip("0") or "0" for part in re.split("[./-]", number.casefold()))


def _last_part(path: str) -> str:
    return path.partition("#")[0].rstrip("/").rpartition("/")[2]


def _bare(name: str) -> str:
    """A name in lower case, without the ending of a file."""
    return re.sub(r"\.[a-z][a-z0-9]{0,9}$", "", " ".join(name.casefold().split()))


def kinds_asked(words: Iterable[str]) -> frozenset[str]:
    """The kinds of acts that the words of a question ask for ("which RFCs update ..."); all, if none is
    named."""
    known = set(words)
    ends = known & {word for key in ("ends", "ended", "asks_ends") for word in of_all("acts", key)}
    changes = known & {word for key in ("changes", "changed", "asks_changes") for word in of_all("acts", key)}
    return frozenset({SUPERSEDES} if ends else {AMENDS, UPDATES, CORRECTS} if changes else ACTS)


# -- acts of a document -------------------------------------------------------------------------------


def acts_of(
    path: str, title: str, text: str, meta: Mapping[str, Any], links: Iterable[Link] = ()
) -> tuple[Link, ...]:
    """The acts of a document on others, each once, at most MOST; of its `links` only the words stand in the
    text."""
    in_names = (found for name in (title, _last_part(path)) for found in numbered(name))
    series = next((found["series"] for found in in_names), "")
    of_title = tuple(_of_title(title))
    targets = ((link.alias, _last_part(link.target)) for link in islice(links, LINKS))
    linked = {words or last: reference_key(last) for words, last in targets if len(words or last) > 2}
    context = _Context(series, linked, _own_keys(path, title, meta), of_title, title)
    over = _of_note(title, text) if is_note(path) else ()
    found = dict.fromkeys((*_of_metadata(meta), *of_title, *_of_text(text, context), *over))
    return tuple(found)[:MOST]


@cache
def _fields() -> dict[str, str]:
    """The kind of act that a field of the metadata states, by its name."""
    return {plain_name(name): kind for kind in ACTS for name in of_all("acts", kind)}


def _of_metadata(meta: Mapping[str, Any]) -> Iterator[Link]:
    fields = _fields()
    for name, value in sorted(meta.items()):
        kind = fields.get(plain_name(name))
        for text in _texts(value) if kind else ():
            key = reference_key(text)
            if key in NOTHING or not any(map(str.isalnum, key)):
                continue
            if not text.strip().isdigit():
                yield Link(key, "", text, kind or "")
            elif series := _series_of(meta):  # "Replaces: 563" of a PEP
                yield Link(f"{series}#{int(text)}", "", f"{series.upper()} {int(text)}", kind or "")


def _series_of(meta: Mapping[str, Any]) -> str:
    """The series of a document that numbers itself in a field of its header ("PEP: 649")."""
    keys = (key.casefold() for key, value in meta.items() if str(value).isdigit() and key.isalpha())
    return next((key for key in keys if 1 < len(key) < 6), "")


def _texts(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list | tuple) else (value,):
        if isinstance(item, int) and not isinstance(item, bool):
            yield str(item)
        elif isinstance(item, str):
            several = len(item) > 40 or "," in item
            yield from filter(None, map(str.strip, _SEPARATOR.split(item))) if several else (item,)


class _Verbs(NamedTuple):
    """The words of all languages by which sentences and titles act."""

    ends: re.Pattern[str]
    ended: re.Pattern[str]
    changes: re.Pattern[str]
    changed: re.Pattern[str]
    annuls: re.Pattern[str]
    annulled: re.Pattern[str]
    alters: re.Pattern[str]
    by: re.Pattern[str]
    be: re.Pattern[str]
    negated: re.Pattern[str]
    title_ends: re.Pattern[str]
    title_corrects: re.Pattern[str]
    title_amends: re.Pattern[str]


@cache
def _verbs() -> _Verbs:
    return _Verbs(*(any_of(of_all("acts", key)) for key in _Verbs._fields))


@cache
def _verb_words() -> frozenset[str]:
    return frozenset(word for key in _Verbs._fields[:6] for word in of_all("acts", key))


@cache
def _any_verb() -> re.Pattern[str]:
    return any_of(_verb_words())


def _of_title(title: str) -> Iterator[Link]:
    verbs = _verbs()
    kinds = (SUPERSEDES, verbs.title_ends), (CORRECTS, verbs.title_corrects), (AMENDS, verbs.title_amends)
    for part in dict.fromkeys((title, *_PARTS.split(title))):
        counted = _counter().match(part)  # "Second amendment to", "Addendum 2 (parking) to"
        words = counted["word"] + part[counted.end() :] if counted else part
        for kind, pattern in kinds:
            found = pattern.match(words)
            rest = words[found.end() :].strip(" :–—-\"“”'’") if found else ""
            if rest:
                first, _, behind = rest.partition(" ")
                rest = behind if behind and first.casefold() in set_of("acts", "definite") else rest
                yield Link(reference_key(rest), "", rest, kind)
                for noun in islice(document_nouns().finditer(rest), 1):
                    yield Link(noun_key(noun[0]), "", title, kind)
                return
    *names, last = _PARTS.split(title)
    if names and verbs.title_corrects.fullmatch(last.strip(" ()")):  # "Re: Parking in the yard - correction"
        yield Link(reference_key(names[-1]), "", names[-1], CORRECTS)
    found = verbs.changes.search(title)
    if found is not None:
        for reference in _references(title, found.end(), len(title), _Context()):
            yield Link(reference.key, "", reference.text, AMENDS)


@cache
def _counter() -> re.Pattern[str]:
    """The first word of a title, with what tells several acts apart: "First" or "2nd" in front of the word,
    "No. 1" and "(parking)" behind it."""
    counted = (words for code in codes("time") for words in tables(code, "time").get("ordinal", {}).values())
    ordinals = "|".join(re.escape(word) for words in counted for word in words.split())
    behind = r"(?: (?:no\.? ?|nr\.? ?|n° ?)?[0-9]{1,4})?(?: \([^()]{0,80}\))?(?= )"
    return re.compile(
        rf"(?:(?:{ordinals}|[0-9]{{1,2}}(?:\.|[a-z]{{2}})) )?(?P<word>\S+){behind}", re.IGNORECASE
    )


@cache
def _over() -> re.Pattern[str]:
    return any_of(of_all("statements", "over"))


def thing_over(sentence: str) -> str:
    """What a sentence says is over, all of it: "The Friday stand-up" of "The Friday stand-up is no longer
    held."; "" for a sentence that says more than that and a time. "Today", "on Friday" and the like tell of
    one of many occasions."""
    found = _over().search(sentence)
    thing = sentence[: found.start()].strip() if found else ""
    if found is None or sentence.rstrip().endswith(("?", "？")) or _denied().search(thing):
        return ""
    from asof.time.expressions import TimeContext, parse

    rest = sentence[found.end() :]
    times = parse(rest, EPOCH, TimeContext(language=every("time")))
    once = any(
        time.relation not in ("since", "as of", "after") and not any(map(str.isdigit, time.text))
        and time.grain not in ("month", "quarter", "year") for time in times
    )  # fmt: skip
    for time in reversed(times):
        rest = rest[: time.start] + rest[time.end :]
    more = not set_of("words", "stop").issuperset(_WORD.findall(rest.casefold()))
    return "" if once or more else thing


@cache
def _denied() -> re.Pattern[str]:
    return any_of((*of_all("acts", "negated"), *of_all("statements", "negated")))


def _of_note(subject: str, text: str) -> Iterator[Link]:
    """The acts of a note on those of what it says is over: by its words, or by its own subject, if it says
    "it", or only the last words of that."""
    for begin, end in sentences(text) if _over().search(text, 0, EDGE) else ():
        thing = thing_over(text[begin:end]) if begin < EDGE else ""
        if not thing:
            continue
        key = subject_key(thing)
        own = key[1:] in set_of("force", "pronoun") or f" {subject.casefold()}".endswith(f" {key[1:]}")
        said = " ".join(text[begin:end].split())[:LONGEST]
        yield Link(subject_key(subject) if own and subject else key, "", f"{subject}: {said}", SUPERSEDES)


class _Reference(NamedTuple):
    """A reference in a sentence: its key, its words, its place, and the part of the document that it
    names."""

    key: str
    text: str
    start: int
    end: int
    part: str


class _Context(NamedTuple):
    """The series of a document ("RFC"), the words of its links with the keys of those, its own keys, the acts
    of its title, and its title."""

    series: str = ""
    linked: Mapping[str, str] = {}
    own: frozenset[str] = frozenset()
    of_title: tuple[Link, ...] = ()
    title: str = ""


def _own_keys(path: str, title: str, meta: Mapping[str, Any]) -> frozenset[str]:
    """The keys of a document itself, not of what its title tells of ("Guide to Notice 4")."""
    before = next((title[: found.start()] for found in numbered(title)), "").casefold().split()
    tells = not all(map(str.isalpha, before)) or not _no_series().isdisjoint(before)
    return name_keys(path, "" if tells else title, meta)


def _references(text: str, begin: int, end: int, context: _Context) -> list[_Reference]:
    """The references in `text[begin:end]`, in order; a number behind a verb ("updates 3168") is of the series
    of its document. The words of a link are one where they name what it leads to, or the sentence begins with
    a verb: in "it replaces the prompt variables" they describe something that is no document."""
    found = [
        _Reference(reference_key(match[0]), match["wiki"] or match["text"], *match.span(), "")
        for match in _LINK.finditer(text, begin, end)
    ]
    quoted = _QUOTED.finditer(text, begin, end)
    found += [_Reference(_bare(match["title"]), match["title"], *match.span(), "") for match in quoted]
    first = _WORD.search(text, begin, end)
    told = first is not None and _any_verb().match(text, first.start()) is not None
    found += [
        _Reference(key, words, at, at + len(words), "")
        for words, key in context.linked.items()
        if (at := text.find(words, begin, end)) >= 0
        and (told or _words_of(key) == _words_of(words))
        and not any(map(str.isalnum, text[max(at - 1, 0) : at] + text[at + len(words) : at + len(words) + 1]))
    ]
    named = ""
    for match in numbered(text, begin, end):
        joined = match.end("series") == match.start("number") and not match["series"].isupper()
        if joined or any(each.start <= match.start() < each.end for each in found):
            continue  # "metav1" is no series
        if _is_part(match["series"]):
            named = match[0]
        elif match["series"].casefold() in _verb_words():
            if context.series:
                words = f"{context.series} {match['number']}"
                found.append(_Reference(reference_key(words), words, *match.span("number"), named))
        else:
            found.append(_Reference(_number_key(match), match[0], *match.span(), named))
            named = ""
    found += [
        _Reference(match[0].casefold(), match[0], *match.span(), "")
        for match in _CODE.finditer(text, begin, end)
        if not any(each.start <= match.start() < each.end for each in found)
    ]
    return sorted(found, key=lambda each: each.start)


def _words_of(name: str) -> set[str]:
    """The words of a name without those of grammar; numbers count where it has nothing else."""
    words = set(_WORD.findall(name.casefold())) - _no_series()
    return {word for word in words if not word.isdigit()} or words


def _of_text(text: str, context: _Context) -> Iterator[Link]:
    verbs = _verbs()
    places = [match.start() for match in _any_verb().finditer(text)]
    edge = len(text) if context.of_title else EDGE
    places += [match.start() for match in verbs.alters.finditer(text, 0, edge)]
    places.sort()
    for begin, end in sentences(text) if places else ():
        if bisect_left(places, begin) < bisect_left(places, end):
            yield from _of_sentence(text, begin, end, verbs, context)


def _of_sentence(text: str, begin: int, end: int, verbs: _Verbs, context: _Context) -> Iterator[Link]:
    """The acts of the sentence `text[begin:end]`: what stands right behind an active verb, right before a
    passive one, or behind "superseded by" with which it begins; without a reference that on a part of what
    the title acts on ("Clause 3 now reads: ...")."""
    references = _references(text, begin, end, context)
    acts = list(_referring(text, begin, end, verbs, references, context.own)) if references else []
    if not references and context.of_title:
        verb = min(
            found.start() for each in (_any_verb(), verbs.alters) if (found := each.search(text, begin))
        )
        denied = verbs.negated.search(text, begin, verb) is not None
        named = () if denied else (each for each in numbered(text, begin, end) if _is_part(each["series"]))
        acts = [Link(by.target, part[0], by.alias, AMENDS) for part in named for by in context.of_title]
    yield from acts or (_by_noun(text, begin, end, verbs, context) if begin < EDGE else ())


def _is_part(word: str) -> bool:
    """True if a number behind this word is that of a part: "Clause 3"."""
    return word.casefold() in set_of("acts", "part")


def _by_noun(text: str, begin: int, end: int, verbs: _Verbs, context: _Context) -> Iterator[Link]:
    """The act of a sentence that changes something, on what it calls by a word for a document behind an
    article: all of that is ended if the verb stands beside it. A word that stands there twice, and not in the
    title, is an earlier document of that title ("This edition replaces the edition of June")."""
    definite, nouns = set_of("acts", "definite"), [*document_nouns().finditer(text, begin, end)]
    several = {noun_key(noun[0]) for noun in nouns if sum(each[0] == noun[0] for each in nouns) > 1}
    for noun in nouns:
        before = text[max(begin, noun.start() - NEAR) : noun.start()].casefold().split()[-3:]
        if definite.isdisjoint(before) or verbs.negated.search(text, noun.end(), min(end, noun.end() + NEAR)):
            continue
        sentence = " ".join(text[begin:end].split())[:LONGEST]
        behind = noun.end(), min(end, noun.end() + NEAR)
        ahead = max(begin, noun.start() - NEAR), noun.start()
        part = "of" in before
        for kind, active, passive in (
            (ANNULS, verbs.annuls, verbs.annulled),
            (SUPERSEDES, verbs.ends, verbs.ended),
        ):
            if not part and (active.search(text, *ahead) or passive.search(text, *behind)):
                yield Link(noun_key(noun[0]), "", sentence, kind)
                if context.title and noun_key(noun[0]) in several - context.own:
                    yield Link(_bare(context.title), "", sentence, kind)
                return
        if any(verb.search(text, begin, end) for verb in verbs[:7]):
            yield Link(noun_key(noun[0]), "", sentence, AMENDS)
            return


def _referring(
    text: str, begin: int, end: int, verbs: _Verbs, references: list[_Reference], own: frozenset[str]
) -> Iterator[Link]:
    """The acts of a sentence on what it refers to; `own`: the keys of its document, which acts where a
    passive verb is said to be by it, in front of that or behind."""
    active = sorted(
        (found.end(), kind)
        for pattern, kind in ((verbs.ends, SUPERSEDES), (verbs.changes, AMENDS), (verbs.annuls, ANNULS))
        for found in pattern.finditer(text, begin, end)
        if not verbs.negated.search(text, max(begin, found.start() - NEAR // 2), found.start())
    )
    for (verb, kind), (following, _) in pairwise([*active, (end, "")]):
        at = verb
        for each in references:
            beside = verb <= each.start <= min(at + NEAR, following)
            if beside and "(" not in text[at : each.start]:
                yield Link(each.key, each.part, each.text, AMENDS if each.part else kind)
                at = each.end
    for passive, kind, inverse in (
        (verbs.changed, AMENDS, AMENDED_BY), (verbs.ended, SUPERSEDES, SUPERSEDED_BY),
        (verbs.annulled, ANNULS, ANNULS),
    ):  # fmt: skip
        found = passive.search(text, begin, end)
        if found is None:
            continue
        before = [each for each in references if each.end <= found.start()]
        behind = [each for each in references if found.end() <= each.start <= found.end() + NEAR]
        said, by = found.start(), verbs.by.match(text, found.end() + 1) is not None
        value = bool(before) and text[before[-1].start] in _QUOTES  # "in X, 'a' is replaced by 'b'"
        if value:
            before, kind = [each for each in before if text[each.start] not in _QUOTES], AMENDS
        elif before[1:] and before[-1].key in own and verbs.by.search(text, before[-2].end, before[-1].start):
            said = before.pop().start  # "Order 1 wird durch Order 2 aufgehoben"
        if not before and behind and by and not value and found.start() - begin <= NEAR // 2:
            yield Link(behind[0].key, SAID, behind[0].text, inverse)
        other = by and bool(behind) and behind[0].key not in own
        if before and (value or (not other and _acted_on(text, before[-1].end, said, verbs))):
            for each in before if value else _joined(text, before):
                yield Link(each.key, each.part, each.text, AMENDS if each.part else kind)
        if before or behind:
            return


@cache
def _joint() -> re.Pattern[str]:
    joints = "|".join(map(re.escape, of_all("dates", "further")))
    return re.compile(rf"\s*(?:\([^()]{{0,{LONGEST}}}\))?\s*(?:,|,?\s*\b({joints})\b)\s*", re.IGNORECASE)


def _joined(text: str, references: list[_Reference]) -> list[_Reference]:
    """The last reference, with those that it is joined with: "Notice 4 (Parking), Notice 5 and Order 7"."""
    first = len(references) - 1
    while first and (joint := _joint().fullmatch(text, references[first - 1].end, references[first].start)):
        if first == len(references) - 1 and not joint[1]:
            break  # "Under Order 4, Order 5 is repealed"
        first -= 1
    return references[first:]


def _acted_on(text: str, end: int, verb: int, verbs: _Verbs) -> bool:
    """True if a passive verb is said of the reference that ends right before it."""
    said = verb - end <= NEAR and verbs.be.search(text, end, verb) is not None
    return said and verbs.negated.search(text, end, verb) is None
