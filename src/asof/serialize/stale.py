"""What is stale: sentences of current documents that rest on what is no longer so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict, cast

from asof.data.json import Instant, TimeJson, WhyJson, one_of, optional_time_json
from asof.stale.values import LINK, PASSED, QUOTED, STALE_KINDS, Stale
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.stale.report import PlacedQuote, PlacedStale, StaleReport


class StaleQuoteJson(TypedDict):
    """A sentence of a current document."""

    document: Annotated[str, "the id of its document"]
    title: Annotated[str, "the document's title"]
    quote: Annotated[str, "the sentence"]
    line: Annotated[int, "its line in the file as it lies there; else, and of the past, in the text, from 1"]
    published: Annotated[TimeJson | None, "when the document said it first; null: not known"]


class StaleItemJson(StaleQuoteJson):
    """A sentence of a current document that is stale."""

    id: Annotated[str, "a name for the two sentences: another one as soon as either changes"]
    by: Annotated[StaleQuoteJson | None, "the first of what it links to or embeds; null: there is none"]
    kind: Annotated[str, one_of(*STALE_KINDS), "an embedded text that was edited, a link, a time"]
    score: Annotated[float, "how surely it is stale, to 1: the value of `explain`"]
    since: Annotated[Instant, "since when it is stale"]
    change: Annotated[str, "what changed, in a sentence"]
    why: Annotated[str, "why it is held to be stale, in a sentence"]
    explain: Annotated[NotRequired[WhyJson], "how the score came about; only with `--explain`"]


class StaleJson(TypedDict):
    """What current documents say that rests on what is no longer so."""

    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge of them was asked; null: all of it"]
    stale: Annotated[list[StaleItemJson], "worst first"]
    more: Annotated[int, "how many did not fit in"]


def stale_json(report: StaleReport, *, explain: bool = False) -> StaleJson:
    """What is stale; with `explain` each has the tree of its score."""
    return {
        "as_of": iso(report.as_of),
        "known_at": None if report.known_at is None else iso(report.known_at),
        "stale": [_item_json(each, explain=explain) for each in report.found],
        "more": report.more,
    }  # fmt: skip


def _item_json(each: PlacedStale, *, explain: bool) -> StaleItemJson:
    stale = each.stale
    quote = _quote_json(each.quote)
    value: StaleItemJson = {
        "id": stale.id, "document": quote["document"], "title": quote["title"], "quote": quote["quote"],
        "line": quote["line"], "published": quote["published"],
        "by": None if each.by is None else _quote_json(each.by),
        "kind": stale.kind, "score": stale.score, "since": iso(stale.cause), "change": stale.change,
        "why": why_sentence(stale),
    }  # fmt: skip
    if explain:
        value["explain"] = cast(WhyJson, stale.why.as_json())
    return value


def _quote_json(each: PlacedQuote) -> StaleQuoteJson:
    quote = each.quote
    return {
        "document": quote.document, "title": quote.title, "quote": quote.text, "line": each.place.line,
        "published": optional_time_json(each.published),
    }  # fmt: skip


_REASONS = {
    QUOTED: "it repeats {by}, which was edited on {cause}; this has stood here since {day}",
    LINK: "it links to what changed on {cause}; this has stood here since {day}",
    PASSED: "it speaks from its own time: it has stood here unchanged since {day}",
}
_NEVER_LED = "it leads nowhere; the sentence is known since {day}"
_WITHOUT_OTHER = "it rests on what changed on {cause}; this has stood here since {day}"


def why_sentence(stale: Stale) -> str:
    """Why a sentence is held to be stale: which of the two is older, and since when."""
    by = stale.by
    reason = _WITHOUT_OTHER if by is None and stale.kind == QUOTED else _REASONS[stale.kind]
    if stale.kind == LINK and stale.cause <= stale.quote.since:
        reason = _NEVER_LED
    return reason.format(by=by.document if by else "", day=_day(stale.quote.since), cause=_day(stale.cause))


def _day(instant: int) -> str:
    return iso(instant)[:10]
