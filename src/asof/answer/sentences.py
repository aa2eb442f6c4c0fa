"""Ranks the sentences of the best passages as quotes, without rules on what the question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log2

from asof.answer.evidence import Sentence, WeightedPhrase, tells_more
from asof.answer.question import ParsedQuestion
from asof.text.passages import is_list_item, is_row, shown, unnumbered
from asof.text.snippet import unmarked
from asof.time.span import Span, nearest_moment
from asof.values import Hit

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
with a figure where one is asked for; of a passage that something superseded, or a sentence that a newer
document contradicts, where no time is asked about."""

BEGINS, ENDS, WITHIN, OUTSIDE = 2.0, 1.3, 0.6, -0.7
"""Of a sentence that names the year with which the time asked about begins, that with which it ends, a time
within it, only other times."""

MARGIN = 3.0
"""Quotes that score so much less than the best one are left out, unless a time is asked about: there the
parts of the score for it are larger than that."""

DAY = 24 * 3600 * 1_000_000  # microseconds
MONTH = 28 * DAY
"""Texts of a week report its events without naming the time."""

SHORTEST, CLAUSE = 4, 6
"""Sentences with fewer words are headings, labels and "Yes.", unless they give a label its value or have a
figure ("Ida Holm (1979-1984)"); a reason or a way takes more."""

_FIGURE = re.compile(r"[^\W\d_].*\d|\d.*[^\W\d_]", re.DOTALL)
_LABELLED = re.compile(r"\w[:：]\s*\w")


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch of a hit's text, `start` to `end`, and the sentence that it is quoted for."""

    hit: Hit
    start: int
    end: int
    sentence: Sentence

    @property
    def text(self) -> str:
        """The quoted text; a row of a table with the header of the table before it."""
        alone = (self.start, self.end) == (self.sentence.start, self.sentence.end)
        return self.sentence.text if alone else shown(self.hit.text[self.start : self.end])

    @property
    def emphasis(self) -> tuple[int, int] | None:
        """The character range of the sentence in the text; None if it is all."""
        own = self.sentence.own_text
        first = self.text.find(own)
        return None if first < 0 or self.text == own else (first, first + len(own))


def best_quotes(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], sentences: Sequence[Sentence],
    margin: float = MARGIN,
) -> list[Quote]:  # fmt: skip
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
    quotes: list[Quote] = []
    texts: set[str] = set()
    least = max(scores.values(), default=0.0) - (margin if not question.times else inf)
    for at in sorted(scores, key=lambda at: (-scores[at], at)):
        if scores[at] < least:
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


def quote_of(sentences: Sequence[Sentence], at: int) -> Quote:
    """The quote of one of these sentences, with its neighbours."""
    return _with_neighbours(sentences, at, ())


@dataclass(frozen=True, slots=True)
class _Passage:
    """The part of a sentence's score that comes from its passage: its rank (from 0), its score as a share of
    the best one's, and the share of the question that it contains."""

    rank: int
    relevance: float
    words: float


def _passages(
    words: WeightedPhrase, hits: Sequence[Hit], sentences: Sequence[Sentence]
) -> dict[str, _Passage]:
    stems: dict[str, frozenset[str]] = {hit.id: frozenset() for hit in hits}
    for each in sentences:
        stems[each.hit.id] |= each.titled_stems
    best = max((hit.score for hit in hits), default=0.0)
    return {
        hit.id: _Passage(at, max(hit.score / best, 0.0) if best > 0 else 0.0, words.share(stems[hit.id]))
        for at, hit in enumerate(hits)
    }


def _score(question: ParsedQuestion, words: WeightedPhrase, sentence: Sentence, passage: _Passage) -> float:
    score = RELEVANCE * passage.relevance - RANK * log2(1 + passage.rank)
    score += WORDS * words.share(sentence.titled_stems) + PASSAGE_WORDS * passage.words
    score += _expected(question, sentence)
    if sentence.hit.superseded is not None and not question.times:
        score += SUPERSEDED
    named = [time.span for time in sentence.hit.about if time.text and time.text in sentence.text]
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
    reason or a way, or else a name or a figure that the question lacks."""
    said = unmarked(unnumbered(sentence.text))
    if question.figure:
        return FIGURE if any(map(str.isdigit, said)) else 0.0
    tells = _words(sentence) >= CLAUSE if question.explains else tells_more(said, question.text)
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


def _with_neighbours(sentences: Sequence[Sentence], at: int, others: Sequence[Quote]) -> Quote:
    """A sentence with those after and before it in its passage, while they fit and are in none of the other
    quotes; those after it first.

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
        if is_row(hit.text, one.start) or is_row(hit.text, other.start):
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
            return Quote(hit, sentences[first].start, sentences[last].end, sentences[at])


def _words(sentence: Sentence) -> int:
    return len(sentence.text.split())
