"""What may answer where no sentence of the time asked for says enough: a state that lasts, the first hit."""

from __future__ import annotations

from collections.abc import Sequence

from asof.answer.asked import ParsedQuestion
from asof.answer.evidence import SearchedPhrase, Sentence
from asof.answer.fitting import ENOUGH, BestSentence, TableCell, fitting
from asof.answer.lasting import lasts
from asof.data import Hit


def first_hit(whole: SearchedPhrase, cell: TableCell, said: Sequence[Sentence]) -> list[BestSentence]:
    """The sentence of a cell's first hit that says most of a question which asks for no figure.

    For a question that no sentence says enough of in its own words ("took the trophy" for "won"): if the hit
    as a whole, with its title, says enough of it, the ranking is believed.
    """
    own = [each for each in said if cell.hits and each.hit is cell.hits[0]]
    if not own or whole.share(frozenset().union(*(each.titled for each in own))) < ENOUGH:
        return []
    best = max(own, key=lambda each: (whole.share(each.stems), len(each.facts), -each.start))
    share = whole.share(best.titled)
    return [BestSentence(whole.text, best, None, 0.0, share, share)]


def held(
    phrases: Sequence[SearchedPhrase],
    cell: TableCell,
    hits: Sequence[Hit],
    said: Sequence[Sentence],
    asked: ParsedQuestion,
) -> list[BestSentence]:
    """For each phrase the state that began last of those that last in the cell's time: who was appointed in
    one year holds the office in the next. `said`: the sentences of `hits`, of any time."""
    if cell.span is None:
        return []
    open_cell = TableCell(cell.name, cell.period, None, list(hits))
    made = []
    for phrase in phrases:
        fits = [
            (began, found.score, found)
            for sentence in said
            for known in sentence.facts
            if lasts(known.fact, cell.span)
            and known.fact.span is not None
            and (began := known.fact.span.first) is not None
            and (found := fitting(phrase, open_cell, sentence, asked)) is not None
        ]
        if fits:
            made.append(max(fits, key=lambda each: each[:2])[2])
    return made
