"""An answer without a model: the best sentences as they stand, each with its source and date.

Figures for several names or periods come as a table in order of time; where one of several is asked for, it
is named when all that was found can be compared. What is not said is refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from asof.answer.asked import ParsedQuestion
from asof.answer.cells import cells
from asof.answer.disagree import Contradiction, contradiction
from asof.answer.evidence import SearchedPhrase, Sentence, naming
from asof.answer.fitting import BestSentence, TableCell, fitting
from asof.data import LOCAL, Answer, Citation, Hit, Value
from asof.index.view import View
from asof.knowledge.known import StatedFact
from asof.knowledge.scope import nearest

QUOTES = 16
"""So many sentences are quoted at most; what is left out is said."""

SHORT = 60
"""So many characters of a sentence stand for a figure in a table."""


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What an answer is made of: the question taken apart, the passages found, their sentences and facts."""

    question: str
    asked: ParsedQuestion
    hits: tuple[Hit, ...]
    rows: tuple[int, ...]
    said: tuple[Sentence, ...]
    facts: tuple[StatedFact, ...]
    notes: tuple[str, ...] = ()


def extractive(view: View, material: AnswerContext) -> Answer:
    """Quote, or refuse."""
    made = cells(material.asked, view, material.hits, material.said)
    reason = refusal(material, made)
    if reason:
        near = () if beyond(material, made) else closest(view, material, made)
        return replace(refused(view, material.question, reason), notes=near)
    disputes = [each.dispute for cell in made for each in cell.found if each.dispute is not None]
    for each in disputes:
        if each.told is None:
            return contradictory(view, material.question, each)
    citations = cited(found for cell in made for found in cell.found)
    number = {(each.id, each.quote): each.n for each in citations}
    values = tuple(
        Value(cell.name, cell.period, found.thing, _figure(found), number[_quote_of(found)])
        for cell in made
        for found in cell.found
        if _quote_of(found) in number
    )
    notes = [*_missing(material, made), *map(_otherwise, disputes)]
    left = len({_quote_of(found) for cell in made for found in cell.found}) - len(citations)
    if left:
        notes.append(f"{left} more sentence{'s were' if left > 1 else ' was'} found and left out")
    table = len(made) > 1 or len(values) > 1
    above = _lines(material, made, values, citations) if table else []
    text = "\n".join([*above, *map(_quoted, citations)])
    return Answer(
        material.question, text, False, "", LOCAL, view.as_of, view.known_at, citations,
        values if table else (), tuple(notes),
    )  # fmt: skip


class Moments(Protocol):
    """The moments of an answer, as a view has them."""

    @property
    def as_of(self) -> int: ...
    @property
    def known_at(self) -> int: ...


def refused(then: Moments, question: str, reason: str, mode: str = LOCAL) -> Answer:
    """A refusal, with its reason."""
    return Answer(question, f"No answer: {reason}.", True, reason, mode, then.as_of, then.known_at, ())


def contradictory(view: View, question: str, dispute: Contradiction) -> Answer:
    """A refusal that cites the sources that contradict each other."""
    told = [(each.sentence.hit, each.sentence.text) for each in dispute.others]
    citations = _numbered(told)
    number = {(each.id, each.quote): each.n for each in citations}
    cited = [each for each in dispute.others if (each.sentence.hit.id, each.sentence.text) in number]
    reason = contradiction(cited, [number[each.sentence.hit.id, each.sentence.text] for each in cited])
    made = refused(view, question, reason)
    return replace(made, text="\n".join([made.text, *map(_quoted, citations)]), citations=citations)


def closest(view: View, material: AnswerContext, made: Sequence[TableCell]) -> tuple[str, ...]:
    """The sentence that says most of what is asked, though too little: a note for who asked."""
    sought = SearchedPhrase.of(" ".join(material.asked.things), view)
    near = [
        each
        for cell in made
        for sentence in material.said
        if sentence.hit in cell.hits
        and sought.share(sentence.own) > 0
        and (each := fitting(sought, cell, sentence, material.asked, 0.0)) is not None
    ]
    if not near:
        return ()
    best = max(near, key=lambda each: (sought.share(each.sentence.own), each.score)).sentence
    return (f"nearest to it: {_source(best.text, best.hit)}",)


def refusal(material: AnswerContext, made: Sequence[TableCell]) -> str:
    """Why there is no answer; "" where something of what is asked was found."""
    if any(cell.found for cell in made):
        return ""
    reason = beyond(material, made)
    if reason:
        return reason
    asked = material.asked
    return f"no passage that was found says {_listed(asked.things) if asked.things else 'it'}"


def out_of_reach(material: AnswerContext, view: View) -> bool:
    """Whether nothing that was found is about whom, or of the time, that the question asks for: a model needs
    not be asked then."""
    return bool(beyond(material, cells(material.asked, view, material.hits, material.said)))


def beyond(material: AnswerContext, made: Sequence[TableCell]) -> str:
    """Why what was found cannot hold an answer, whatever it says; "" if it can."""
    if not material.hits:
        return "nothing in this corpus says any of it"
    asked = material.asked
    strangers = [name for name in asked.names if not any(naming(hit, name).text for hit in material.hits)]
    if strangers and len(strangers) == len(asked.names):
        return f"nothing that was found speaks of {_listed(strangers)}"
    if asked.times and not any(cell.hits for cell in made):
        whom = f" about {_listed(asked.names)}" if asked.names else ""
        near = nearest(material.facts, asked.times)
        says = f"; the nearest times that are known: {', '.join(near)}" if near else ""
        when = _listed(list(dict.fromkeys(cell.period for cell in made)))
        return f"nothing{whom} is known of {when}{says}"
    return ""


def cited(found: Iterable[BestSentence]) -> tuple[Citation, ...]:
    """The citations of what was found, numbered in its order; each sentence once, at most QUOTES."""
    return _numbered((each.sentence.hit, each.sentence.text) for each in found)


def _numbered(quotes: Iterable[tuple[Hit, str]]) -> tuple[Citation, ...]:
    citations: dict[tuple[str, str], Citation] = {}
    for hit, quote in quotes:
        if (hit.id, quote) not in citations and len(citations) < QUOTES:
            citations[hit.id, quote] = Citation(
                len(citations) + 1, hit.id, hit.document, hit.title, hit.published, hit.about, quote
            )
    return tuple(citations.values())


def _otherwise(dispute: Contradiction) -> str:
    """What an answer contradicts."""
    return "; ".join(
        f"it contradicts {_source(each.sentence.text, each.sentence.hit)}" for each in dispute.others
    )


def _quote_of(found: BestSentence) -> tuple[str, str]:
    return found.sentence.hit.id, found.sentence.text


def _figure(found: BestSentence) -> str:
    if found.figure is not None:
        return found.figure.text
    return found.fact.fact.object if found.fact is not None else ""


def _lines(
    material: AnswerContext, made: Sequence[TableCell], values: Sequence[Value], citations: Sequence[Citation]
) -> list[str]:
    """The table, and the one that is chosen."""
    lines = []
    quotes = {each.n: each.quote for each in citations}
    for each in values:
        head = "  ".join(part for part in (each.name, each.period, each.measure) if part)
        lines.append(f"{head}: {each.value or _short(quotes[each.citation])} [{each.citation}]")
    chosen = choice(material.asked, made)
    if chosen is not None:
        cell, found = chosen
        what = "highest" if material.asked.choice > 0 else "lowest"
        who = "  ".join(part for part in (cell.name, cell.period) if part)
        lines.insert(0, f"{what}: {who}, {_figure(found)}")
    return [*lines, ""] if lines else []


def choice(asked: ParsedQuestion, made: Sequence[TableCell]) -> tuple[TableCell, BestSentence] | None:
    """The cell with the highest (lowest) value, where one of several is asked for and all can be compared."""
    if not asked.choice or len(asked.things) > 1:
        return None
    every = [(cell, found) for cell in made for found in cell.found]
    valued = [(found.figure.amount, cell, found) for cell, found in every if found.figure is not None]
    if not 2 <= len(valued) == len(every) or len({amount.unit for amount, _, _ in valued}) > 1:
        return None
    _, cell, found = max(valued, key=lambda each: asked.choice * each[0].value)
    return cell, found


def _missing(material: AnswerContext, made: Sequence[TableCell]) -> list[str]:
    """What of a question that is answered in part was not found."""
    gaps = []
    for cell in made:
        there = {found.thing for found in cell.found}
        left = [thing for thing in material.asked.things if thing not in there]
        if left or not (cell.found or material.asked.things):
            where = " ".join(part for part in (cell.name, cell.period) if part)
            gaps.append(f"not found{f' for {where}' if where else ''}: {_listed(left) or 'anything'}")
    return gaps


def _quoted(citation: Citation) -> str:
    return f"[{citation.n}] {_source(citation.quote, citation)}"


def _source(quote: str, of: Citation | Hit) -> str:
    date = of.published.text if of.published else "undated"
    return f"“{quote}” ({of.title or of.document}, {date})"


def _short(quote: str) -> str:
    """The beginning of a sentence, where no figure of it can be shown."""
    return f"“{quote}”" if len(quote) <= SHORT else f"“{quote[:SHORT].rsplit(' ', 1)[0]} …”"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
