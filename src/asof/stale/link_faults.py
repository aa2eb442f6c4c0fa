"""What is wrong with links, in the sentences in which they stand, and how it is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from asof.data.why import Why
from asof.index.view import View
from asof.stale.anchors import Section
from asof.stale.current import CurrentPassages, Interval, Place
from asof.stale.link_places import LinkAt, LinkSentence, link_sentences
from asof.stale.link_table import WrittenLink
from asof.stale.of_their_day import of_their_day
from asof.stale.values import LINK, Quote, Stale
from asof.text.sentences import sentences
from asof.time.span import NEVER

OF_ITS_DAY = 0.5
"""The share of that in a document that keeps what was so on its day."""


class Fault(NamedTuple):
    """What is wrong with a link: how surely, in words; the instant since which (None: since it was written);
    the document that is meant, by number, and a heading in it."""

    sure: float
    says: str
    cause: int | None
    target: int | None = None
    heading: str = ""
    kind: str = LINK
    share: float = 1.0


class Placed(NamedTuple):
    """A fault and the sentence in which its link stands."""

    place: Place
    document: int
    fault: Fault


class Found(NamedTuple):
    """A link that was looked for, the passage and the sentence of it in which it stands."""

    link: WrittenLink
    passage: int
    sentence: LinkSentence


def sentences_of(current: CurrentPassages, wanted: Collection[WrittenLink]) -> Iterator[Found]:
    """The links of documents that are wanted, in the order of their texts."""
    of_documents = current.of_documents({link.document for link in wanted})
    texts = current.texts(passage for passages in of_documents.values() for passage in passages)
    having = [each for each in texts if "](" in each.text or "[[" in each.text]
    current.starts(each.name for each in having)
    for each in sorted(having, key=lambda each: (each.name, current.start_of(each))):

        def written(link: LinkAt, document: int = each.document) -> WrittenLink:
            return WrittenLink(document, link.target, link.heading, link.embed)

        for sentence in link_sentences(each.text, lambda link: written(link) in wanted):
            if (link := written(sentence.link)) in wanted:
                yield Found(link, each.passage, sentence)


def listed(view: View, current: CurrentPassages, placed: list[Placed]) -> list[Stale]:
    """The faults as they are shown, one for each sentence: the surest."""
    days = of_their_day(view)
    quotes = current.quotes([each.place for each in placed])
    meant = _targets(current, placed)
    best: dict[tuple[str, str, int], Stale] = {}
    for quote, each in zip(quotes, placed, strict=True):
        fault = each.fault
        parts = [Why(fault.says, fault.sure)]
        if fault.share < 1:
            parts.append(Why("share of its words that changed", fault.share))
        if each.document in days:
            parts.append(Why("in a document of its day", OF_ITS_DAY))
        why = Why.of("an edited target" if fault.share < 1 else "a broken link", "product", *parts)
        cause = quote.since if fault.cause is None else max(fault.cause, quote.since)
        by = meant.get((fault.target, fault.heading)) if fault.target is not None else None
        stale = Stale(fault.kind, why.value, quote, by, cause, fault.says, partial(_given, why))
        key = fault.kind, quote.document, quote.start
        if key not in best or (stale.score, stale.change) > (best[key].score, best[key].change):
            best[key] = stale
    return list(best.values())


def _given(why: Why) -> Why:
    return why


def _targets(current: CurrentPassages, placed: list[Placed]) -> Mapping[tuple[int, str], Quote]:
    """The first sentence of each document, or of the section, that is meant."""
    wanted = {(each.fault.target, each.fault.heading) for each in placed if each.fault.target is not None}
    passages = current.of_documents({number for number, _ in wanted})
    places: dict[tuple[int, str], Place] = {}
    for number, heading in wanted:
        texts = current.texts(passages.get(number, ()))
        current.starts(each.name for each in texts)
        inside = [each for each in texts if heading and Section(heading, [
            Interval(0, NEVER, True, "\n".join(each.headings), each.text)]).stands]  # fmt: skip
        if first := min(inside or texts, key=current.start_of, default=None):
            end = next((end for _, end in sentences(first.text)), 0)
            places[number, heading] = Place(first.passage, 0, len(first.text[:end].rstrip()))
    return dict(zip(places, current.quotes(list(places.values())), strict=True))
