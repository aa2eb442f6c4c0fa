"""Evidence: the sentences that an answer may quote; which of them are quoted best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import inf, log2
from typing import NamedTuple

from msgspec import Struct

from asof.answer.boilerplate import common_lines, is_boilerplate
from asof.answer.question import WORD, ParsedQuestion
from asof.index.view import View
from asof.rank.words import largest_idf, weighted_words
from asof.store.digest import KIND, STATUS, TEXT
from asof.text.figures import NONE, language_of, lexicon
from asof.text.names import is_label
from asof.text.passages import (
    body,
    is_field,
    is_list_item,
    is_row,
    row_parts,
    sentences,
    shown,
    table_rows,
    unnumbered,
)
from asof.text.query import key, parse
from asof.text.versions import of_heading, of_passage
from asof.time.span import DAY, Span, holds_in, nearest_moment
from asof.values import PUBLISHED, Hit, Query, SourcedTime

# -- evidence ------------------------------------------------------------------------------------------

HEADING = KIND["heading"]
_FIGURES = re.compile(r"[\d.]+")

EVEN = 0.5
"""The weight of every word beside its idf²: in a corpus of few passages rarity is no evidence."""


class Sentence(Struct, frozen=True):
    """A sentence of a hit, at `start` to `end` of the hit's text.

    `text`: a row of a table is "header: cell; header: cell", an item of a list has the words before it that
    introduce it, a lone short line its heading. `stems`: those of it; `context_stems`: these and
    those of the headings above it; `titled_stems`: these and those of the title. `edition`: the heading or
    the part of the path that names its `version` (an ordinal, 0 for none), "" where its title does.
    """

    hit: Hit
    start: int
    end: int
    text: str
    stems: frozenset[str]
    context_stems: frozenset[str]
    titled_stems: frozenset[str]
    edition: str = ""
    version: int = 0

    @property
    def things(self) -> frozenset[str]:
        """What it may be of, in versions: its document, and the title without figures."""
        return frozenset({self.hit.document, _FIGURES.sub("", self.hit.title)})

    @property
    def quoted(self) -> str:
        """The text as it is quoted, behind what names its version."""
        named = not self.edition or self.text.startswith(self.edition)
        return self.text if named else f"{self.edition} › {self.text}"


class WeightedPhrase(NamedTuple):
    """A phrase to look for: for each word its possible stems and its weight.

    The weight is idf², as in `asof.rank.words`, and EVEN; a word that is in no passage has the
    weight of the rarest. `unknown`: these words; `spelled`: all of them as they are written.
    """

    text: str
    words: tuple[tuple[frozenset[str], float], ...]
    unknown: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, view: View) -> WeightedPhrase:
        known = {word.text: word.weight for word in weighted_words(Query(text, text), view)}
        rarest = largest_idf(view) ** 2
        words = [word for word, _ in parse(text, view.analyzer).words if not is_label(word)]
        return cls(
            text,
            tuple(
                (frozenset(view.analyzer.alternatives(word)), EVEN + known.get(word, rarest))
                for word in words
            ),
            tuple(word for word in words if word not in known),
            tuple(words),
        )

    def share(self, stems: frozenset[str]) -> float:
        """The share of the weight whose words are among `stems`; 1 for a phrase without words."""
        total = matched = 0.0
        for alternatives, weight in self.words:
            total += weight
            matched += 0.0 if alternatives.isdisjoint(stems) else weight
        return matched / total if total else 1.0


def quotable_sentences(view: View, hits: Sequence[Hit]) -> list[Sentence]:
    """The sentences of hits in their order, without headings and boilerplate."""
    quotable = []
    languages = [view.analyzer.detect(hit.text) for hit in hits]
    common = common_lines(view, zip((hit.text for hit in hits), languages, strict=True))
    for hit, language in zip(hits, languages, strict=True):
        headings = frozenset(view.analyzer.terms(" ".join(hit.place.headings), language))
        title = frozenset(view.analyzer.terms(hit.title, language))
        edition, version = edition_of(hit)
        lead, above = "", frozenset[str]()  # the words that introduce a list, their stems
        for start, end, row in _parts(hit):
            if common and is_boilerplate(hit.text, start, end, common):
                continue
            said = hit.text[start:end]
            text = row or _below_heading(hit, start, end) or shown(said)
            stems = frozenset(view.analyzer.terms(row or said, language))
            if row or not is_list_item(hit.text, start):
                introduces = text.endswith((":", "：")) and len(text) <= LONGEST_LEAD
                lead, above = (text, stems) if introduces else ("", frozenset())
            elif lead:
                text = f"{lead} {text}"
            context = headings | stems | above
            quotable.append(
                Sentence(hit, start, end, text, stems, context, context | title, edition, version)
            )
    return quotable


def edition_of(hit: Hit) -> tuple[str, int]:
    """The innermost heading of a hit that names a version, or the version that its document's id names, and
    the ordinal of that; "" where its title names it."""
    version = of_passage("\n".join(hit.place.headings), hit.title, hit.document)
    if version is None or version == of_heading(hit.title):
        return "", version.at if version else 0
    heading = next((each for each in reversed(hit.place.headings) if of_heading(each)), version.text)
    return heading, version.at


def _parts(hit: Hit) -> Iterator[tuple[int, int, str]]:
    """The sentences of a hit below its headings, and the rows of its tables with what each says."""
    begin = body(hit.text, hit.place.headings)
    for start, end, above in table_rows(hit.text, hit.place.headings):
        if above is None:
            yield from ((first, last, "") for first, last in sentences(hit.text, max(start, begin), end))
        else:
            yield from row_parts(hit.text, start, end, above)


LONGEST_LEAD, BARE = 160, 4
"""The most characters of words that stand before each item of their list, and the most words of a line that
says something with its heading only."""


def _below_heading(hit: Hit, start: int, end: int) -> str:
    """A short line that is all of a section's first paragraph, with the heading above it: "Status: final",
    "Stage › Approved!"; "" for any other sentence."""
    said = hit.text[start:end]
    heading = hit.place.headings[-1] if hit.place.headings else hit.title
    whole = end == len(hit.text) or said.endswith("\n\n")
    below = hit.text[:start].rstrip().rpartition("\n")[2] == heading
    if heading == hit.title or not (whole and below) or len(said.split()) > BARE or ":" in said:
        return ""
    return f"{heading}{' › ' if said.rstrip().endswith(('.', '!', '?')) else ': '}{shown(said)}"


def tells_more(sentence: str, question: str) -> bool:
    """True if a sentence has a name or a figure that the question lacks, where its script has capitals."""
    asked = set(WORD.findall(question.casefold()))
    words = [word for word in WORD.findall(sentence)[1:] if word.casefold() not in asked]
    return sentence.lower() == sentence.upper() or any(
        word[0].isupper() or any(sign.isdigit() for sign in word) for word in words
    )


def document_times(hit: Hit) -> tuple[Span, ...]:
    """The times that a hit's document is about by its metadata or title; else its date of publication."""
    stated = tuple(time.span for time in hit.about if KIND.get(time.by, 0) < HEADING)
    return stated or ((hit.published.span,) if hit.published else ())


def has_lapsed(hit: Hit) -> bool:
    """True if a hit was in force, or will be, and is not at the date of force."""
    return not hit.holds and hit.in_force is not None and hit.in_force.by != STATUS


def document_in_time(hit: Hit, span: Span) -> bool:
    """True if a hit's document is about a time inside a span, or says that the hit is in force at its end."""
    force = hit.in_force
    if force is not None and force.by != PUBLISHED and force.span.first <= span.last <= force.span.last:
        known = force.span.end is not None or force.span.first > hit.as_of
        return known or span.first <= hit.as_of  # else nobody knows whether it still holds then
    return any(holds_in(time, (span,)) for time in document_times(hit))


def hit_in_time(hit: Hit, span: Span) -> bool:
    """True if a hit's document is about a time inside a span, or its text names one."""
    named = (time.span for time in hit.about if KIND.get(time.by, 0) == TEXT)
    return document_in_time(hit, span) or any(holds_in(time, (span,)) for time in named)


def times_named(sentence: Sentence) -> list[Span]:
    """The times that a sentence names."""
    return [time.span for time in sentence.hit.about if time.text and time.text in sentence.text]


_SINCE = re.compile(r"(?:since|from|as of|seit(?: dem)?|ab|depuis|desde)\b", re.IGNORECASE)

LABEL = 24
"""A label has its colon among so many characters of the sentence."""


def lasts(sentence: Sentence, until: int) -> bool:
    """True if a sentence states what is the case ("is", or a label with its value) up to an instant: it names
    that time, no time, or since when."""
    senses = lexicon(language_of(sentence.hit.text, "en")).senses
    known = (senses.get(word, NONE) for word in sentence.text.casefold().split())
    copula = any("copula" in each and "past" not in each for each in known)
    if not copula and ":" not in sentence.text[:LABEL]:
        return False
    times = [time for time in sentence.hit.about if time.text and time.text in sentence.text]
    if any(time.span.first <= until and _is_since(sentence, time) for time in times):
        return True
    return all(time.span.first <= until <= time.span.last for time in times)


def _is_since(sentence: Sentence, time: SourcedTime) -> bool:
    """True if a sentence names a time as the one from which something is the case."""
    before = sentence.text[: sentence.text.find(time.text)].split()[-2:]  # "since Tuesday, 1 June"
    return any(_SINCE.match(words) for words in (time.text, *before))


def mentions_name(sentence: Sentence, name: str) -> bool:
    """True if a sentence is about a name.

    It is if the document's title begins with the name, or a word of it is in the sentence or the one before
    ("he", "she").
    """
    if name_use(sentence.hit, name).title:
        return True
    before = sentence.hit.text[: sentence.start].rstrip()
    previous = before[max(before.rfind(". "), before.rfind("\n"), 0) :]
    words = set(key(f"{previous} {sentence.text}").split())
    return not words.isdisjoint(key(name).split())


class NameUse(NamedTuple):
    """Where a hit has a name: at the beginning of its `title`; there or in its `text`."""

    title: bool
    text: bool


def name_use(hit: Hit, name: str) -> NameUse:
    """Tests whether a hit's title begins with a name, and whether its title or text contains it."""
    words = key(name)
    if f"{key(hit.title)} ".startswith(f"{words} "):
        return NameUse(True, True)
    return NameUse(False, f" {words} " in f" {key(hit.text)} ")


# -- quotes: the best sentences, without rules on what the question asks for ---------------------------

PASSAGES = 10
"""The number of best passages that are read for sentences."""

QUOTES, QUOTE_CHARACTERS = 3, 300
"""The most quotes of an answer, and the characters up to which a quote takes in the sentences around."""

RELEVANCE, RANK = 7.0, 0.25
"""What the score of a sentence's passage adds, as a share of the best one's; what the base-2 logarithm of its
place takes. All weights here are log odds of a linear model (a softmax over the sentences of a question),
fitted on half of the questions of three sets, news of the day, encyclopedia paragraphs and statements in
force, judged on the other halves, and rounded."""

WORDS, PASSAGE_WORDS = 3.0, -2.5
"""Per share of the question that a sentence has with the title and headings above it; that its whole passage
has: what brought the passage up should stand in the sentence itself."""

TELLS, FIGURE, SUPERSEDED = 1.1, 1.9, -4.0
"""Of a sentence with a name or a figure that the question lacks, or a clause where a reason is asked for;
with a figure where one is asked for; of a passage that something superseded or that is not in force, or a
sentence that a newer document contradicts, where no time is asked about."""

BEGINS, ENDS, WITHIN, OUTSIDE = 2.0, 1.3, 0.6, -0.7
"""Of a sentence that names the year with which the time asked about begins, that with which it ends, a time
within it, only other times."""

MARGIN = 3.0
"""Quotes that score so much less than the best one are left out, unless a time is asked about: there the
parts of the score for it are larger than that."""

MONTH = 28 * DAY
"""Texts of a week report its events without naming the time, and later ones may report them."""

SHORTEST, CLAUSE = 4, 6
"""Sentences with fewer words are headings, labels and "Yes.", unless they give a label its value or have a
figure ("Ida Holm (1979-1984)"); a reason or a way takes more."""

_FIGURE = re.compile(r"[^\W\d_].*\d|\d.*[^\W\d_]", re.DOTALL)
_LABELLED = re.compile(r"\w[:：]\s*\w")


class Excerpt(Struct, frozen=True):
    """A stretch of a hit's text, `start` to `end`, and the sentence that it is quoted for."""

    hit: Hit
    start: int
    end: int
    sentence: Sentence

    @property
    def text(self) -> str:
        """The quoted text, behind what names its version; a row of a table with its header."""
        if (self.start, self.end) == (self.sentence.start, self.sentence.end):
            return self.sentence.quoted
        said, edition = shown(self.hit.text[self.start : self.end]), self.sentence.edition
        return f"{edition} › {said}" if edition else said

    @property
    def emphasis(self) -> tuple[int, int] | None:
        """The character range of the sentence in the text; None if it is all."""
        own = self.sentence.text
        first = self.text.find(own)
        return None if first < 0 or self.text == own else (first, first + len(own))


def best_quotes(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], sentences: Sequence[Sentence],
    margin: float = MARGIN,
) -> list[Excerpt]:  # fmt: skip
    """The best sentences, at most QUOTES of them, each with its neighbours as far as there are characters for
    them; best first, none quoted twice.

    `words`: what is searched of the question. `sentences`: those of the hits, in order. Questions and what
    has fewer than SHORTEST words and no figure answer nothing.
    """
    best = {hit.id for hit in hits[:PASSAGES]}
    candidates = [each for each in sentences if each.hit.id in best]
    passages = _passages(words, hits[:PASSAGES], candidates)
    scores = {
        at: _score(question, words, each, passages[each.hit.id])
        for at, each in enumerate(candidates)
        if states_something(each)
    }
    quotes: list[Excerpt] = []
    texts: set[str] = set()
    least = max(scores.values(), default=0.0) - (margin if not question.times else inf)
    order = sorted(scores, key=lambda at: (-scores[at], at))
    if question.current and order:
        newest = _newest(words, candidates, order)
        order = [newest, *(at for at in order if at != newest)]
    for at in order:
        if scores[at] < least and quotes:
            break
        quote = _with_neighbours(candidates, at, [each for each in quotes if each.hit is candidates[at].hit])
        inside = any(
            each.hit is quote.hit and each.start <= candidates[at].start < each.end for each in quotes
        )
        if inside or quote.text in texts:
            continue
        quotes.append(quote)
        texts.add(quote.text)
        if len(quotes) == QUOTES:
            break
    return quotes


def _newest(words: WeightedPhrase, sentences: Sequence[Sentence], order: Sequence[int]) -> int:
    """The first sentence in this order, or the one published last of those that state what is the case and
    have as much of the question: if the first states it, too, or if it has all of the question itself."""
    least = words.share(sentences[order[0]].titled_stems)
    dated = [
        (date.span.last, -place, at)
        for place, at in enumerate(order)
        if (date := sentences[at].hit.published) is not None
        and words.share(sentences[at].titled_stems) >= least
        and lasts(sentences[at], date.span.last)
        and sentences[at].hit.holds
    ]
    states = {at for _, _, at in dated}
    whole = [each for each in dated if words.share(sentences[each[2]].stems) == 1.0]
    if order[0] not in states and not whole:
        return order[0]
    return max(dated if order[0] in states else whole)[2]


def quote_of(sentences: Sequence[Sentence], at: int) -> Excerpt:
    """The quote of one of these sentences, with its neighbours."""
    return _with_neighbours(sentences, at, ())


class PassageTerms(Struct, frozen=True):
    """The part of a sentence's score that comes from its passage: its rank (from 0), its score as a share of
    the best one's, and the share of the question that it contains."""

    rank: int
    relevance: float
    words: float


def _passages(
    words: WeightedPhrase, hits: Sequence[Hit], sentences: Sequence[Sentence]
) -> dict[str, PassageTerms]:
    stems: dict[str, frozenset[str]] = {hit.id: frozenset() for hit in hits}
    for each in sentences:
        stems[each.hit.id] |= each.titled_stems
    best = max((hit.score for hit in hits), default=0.0)
    return {
        hit.id: PassageTerms(at, max(hit.score / best, 0.0) if best > 0 else 0.0, words.share(stems[hit.id]))
        for at, hit in enumerate(hits)
    }


def _score(
    question: ParsedQuestion, words: WeightedPhrase, sentence: Sentence, passage: PassageTerms
) -> float:
    score = RELEVANCE * passage.relevance - RANK * log2(1 + passage.rank)
    score += WORDS * words.share(sentence.titled_stems) + PASSAGE_WORDS * passage.words
    score += _expected(question, sentence)
    against = not sentence.hit.holds and (passage.rank > 0 or not has_lapsed(sentence.hit))
    if (sentence.hit.superseded is not None or against) and not question.times:
        score += SUPERSEDED
    named = times_named(sentence)
    times = [span for span in question.times if span.last - span.first >= MONTH]
    years = {year for span in named for year in _years(span)}
    within = any(_within(each, span) for each in named for span in times)
    score += BEGINS * any(_years(span)[0] in years for span in times if span.start is not None)
    score += ENDS * any(
        _years(span)[1] in years - {_years(span)[0]} for span in times if span.end is not None
    )
    return score + (WITHIN if within else OUTSIDE if named and times else 0.0)


def _expected(question: ParsedQuestion, sentence: Sentence) -> float:
    """The bonus of a sentence with the kind of thing that is asked for: a figure, a clause that can give a
    reason or a way, or else a value, or a name or a figure that the question lacks."""
    said = unnumbered(sentence.text)
    if question.figure:
        return FIGURE if any(map(str.isdigit, said)) else 0.0
    if question.explains:
        return TELLS if _words(sentence) >= CLAUSE else 0.0
    tells = _stands_alone(sentence) or tells_more(said, question.text)
    return TELLS if tells else 0.0


def _within(named: Span, asked: Span) -> bool:
    """True if a named time begins or ends within the time that is asked about."""
    return asked.first <= named.first <= asked.last or asked.first <= named.last <= asked.last


def _years(span: Span) -> tuple[int, int]:
    """The years in which a span begins and ends."""
    return nearest_moment(span.first).year, nearest_moment(span.last).year


def states_something(sentence: Sentence) -> bool:
    """True if a sentence states anything: it is no question, heading, label, fence or lone "Yes."."""
    text = sentence.text
    return (
        (
            _words(sentence) >= SHORTEST
            or _LABELLED.search(text) is not None
            or _FIGURE.search(text) is not None
        )
        and not text.startswith(("```", "---"))
        and not text.rstrip("\"'”’»*_) ").endswith(("?", "？"))
    )


def _with_neighbours(sentences: Sequence[Sentence], at: int, others: Sequence[Excerpt]) -> Excerpt:
    """A sentence with those after and before it in its passage, while they fit and are in none of the other
    quotes; those after it first. Rows and fields stand alone.

    Items of a list are quoted below the sentence with a colon that introduces them; else one alone, with the
    few words above it that name its topic.
    """
    first = last = at
    hit = sentences[at].hit

    def joined(before: int, after: int) -> bool:
        """True if these two are adjacent, and the quote from first to last still fits with both."""
        one, other = sentences[before], sentences[after]
        if other.hit is not hit or one.hit is not hit or one.end != other.start:
            return False
        start, end = min(one.start, sentences[first].start), max(other.end, sentences[last].end)
        if len(shown(hit.text[start:end])) > QUOTE_CHARACTERS:
            return False
        if any(each.start < end and start < each.end for each in others):
            return False
        if _stands_alone(one) or _stands_alone(other):
            return False
        items = is_list_item(hit.text, one.start), is_list_item(hit.text, other.start)
        top = min(first, before)
        alone = max(last, after) == top + 1 and _words(sentences[top]) < SHORTEST
        return not any(items) or (items[1] and (alone or sentences[top].text.endswith((":", "："))))

    while True:
        if last + 1 < len(sentences) and joined(last, last + 1):
            last += 1
        elif first > 0 and joined(first - 1, first):
            first -= 1
        else:
            return Excerpt(hit, sentences[first].start, sentences[last].end, sentences[at])


def _stands_alone(sentence: Sentence) -> bool:
    """True for a row of a table, and for a field whose value is no sentence ("Status: Final")."""
    text, at = sentence.hit.text, sentence.start
    ends = text[at : sentence.end].rstrip().endswith((".", "!", "?", "。"))
    return is_row(text, at) or (not ends and is_field(text, at))


def _words(sentence: Sentence) -> int:
    return len(sentence.text.split())
