"""What an assistant reads: short texts with the ids that `open` accepts, within a budget of tokens, marked as
data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from asof.models.prompts import between, one_line
from asof.text.budget import ends, tokens

Json = Mapping[str, Any]


def within(parts: Iterable[str], budget: int, what: str) -> str:
    """The parts that fit, the last of them cut if it is the first, and how many `what` were left out."""
    shown: list[str] = []
    left, left_out = budget, 0
    for part in parts:
        size = tokens(part)
        if left_out or (size > left and shown):
            left_out += 1
            continue
        shown.append(part if size <= left else cut(part, left))
        left -= size
    text = between(*shown) if shown else ""
    more = f"\n\n{left_out} more {what} left out: ask with more tokens, or narrower" if left_out else ""
    return f"{text}{more}"


def cut(text: str, budget: int) -> str:
    """The first tokens of a text, with a sign that it goes on."""
    places = ends(text)
    return text if len(places) <= budget else f"{text[: places[budget - 1]]} …"


def moment(answer: Json) -> str:
    return f"as of {str(answer['as_of'])[:10]}"


def hits(answer: Json, budget: int) -> str:
    query = answer["query"]
    if not answer["hits"]:
        return f"Nothing found, {moment(query)}. {' '.join(answer['notes'])}".rstrip()
    parts = (
        f"{_named(hit)}, {_date(hit)}{_superseded(hit)}\n{one_line(hit['text'])}" for hit in answer["hits"]
    )
    return f"{len(answer['hits'])} passages, {moment(query)}.\n{within(parts, budget, 'passages')}"


def answer_text(answer: Json, budget: int) -> str:
    head = (
        f"Refused, {moment(answer)}: {answer['reason']}."
        if answer["refused"]
        else f"Answer, {moment(answer)}."
    )
    parts = [answer["answer"]] if not answer["refused"] and answer["mode"] == "global" else []
    parts += [
        f"{_named(each)}, {_date(each)}{_in_force(each)}{_superseded(each)}\n{one_line(each['quote'])}"
        for each in answer["citations"]
    ]
    return f"{head}\n{within(parts, budget, 'quotes')}"


def document_text(answer: Json, budget: int) -> str:
    text = cut(answer["text"], budget)
    end = answer["offset"] + len(text.removesuffix(" …"))
    rest = answer["characters"] - end
    more = f"\n\n{rest:,} characters follow: open it with offset {end}" if rest > 0 else ""
    versions = ", ".join(
        each["visible"][:10] + (" (deleted)" if each["deletion"] else "") for each in answer["versions"][-12:]
    )
    title = one_line(answer["title"])
    head = f"{title} [{answer['document']}], {_date(answer)}; versions until then: {versions}"
    return f"{moment(answer)}.\n{between(head, '', text)}{more}"


def passage_text(found: Json, budget: int) -> str:
    until = found["valid"]["until"]
    over = f", current until {until[:10]}" if until else ""
    title = one_line(found["title"] or found["document"])
    head = f"[{found['id']}] {title}, {_date(found)}{over}; of the document {found['document']}"
    return f"{moment(found)}.\n{between(head, '', cut(found['text'], budget))}"


def timeline_text(answer: Json, budget: int) -> str:
    if not answer["entries"]:
        return f"Nothing found, {moment(answer)}."
    parts = (
        f"{_span(each['valid'])} {_named(each)}\n{one_line(each['sentence'])}" for each in answer["entries"]
    )
    shown = within(parts, budget, "statements")
    return f"{len(answer['entries'])} statements, oldest first, {moment(answer)}.\n{shown}"


def comparison(answer: Json, budget: int) -> str:
    if not answer["changes"]:
        return "Nothing found at either date."
    parts = []
    for change in answer["changes"]:
        lines = [change["kind"]]
        for when, side in (("before", change["before"]), ("after", change["after"])):
            if side is not None:
                lines.append(f"{when}: {_named(side)}: {one_line(side['sentence'])}")
        parts.append("\n".join(lines))
    return f"{str(answer['a'])[:10]} against {str(answer['b'])[:10]}.\n{within(parts, budget, 'changes')}"


def link_text(answer: Json, budget: int) -> str:
    signs = {"out": "links to", "in": "is linked from", "both": "links to and is linked from"}
    parts = [
        f"{signs[each['direction']]} {each['document']} ({each['title']})" for each in answer["neighbours"]
    ]
    parts += [f"links to {target}, which is not there" for target in answer["broken"]]
    return f"{answer['document']}, {moment(answer)}.\n{within(parts, budget, 'links') or 'no links'}"


def graph_text(answer: Json, budget: int) -> str:
    if not answer["edges"]:
        near = ", ".join(answer["similar_names"])
        return f"No fact, {moment(answer)}." + (f" Similar names: {near}." if near else "")
    parts = (
        f"{edge['source']} - {edge['target']}: {one_line(edge['relation'])} {one_line(edge['object'])}"
        f"{' (' + edge['time']['text'] + ')' if edge['time'] else ''} [{edge['id']}]"
        for edge in answer["edges"]
    )
    return f"{len(answer['edges'])} facts, {moment(answer)}.\n{within(parts, budget, 'facts')}"


def stale_text(answer: Json, budget: int) -> str:
    if not answer["stale"]:
        return f"Nothing is stale, {moment(answer)}."
    parts = []
    for each in answer["stale"]:
        lines = [f"{each['kind']}: {_quoted(each)}"]
        if each["by"] is not None:
            lines.append(f"there: {_quoted(each['by'])}")
        parts.append("\n".join([*lines, one_line(each["change"]), one_line(each["why"])]))
    count = len(answer["stale"]) + answer["more"]
    shown = within(parts, budget, "stale sentences")
    return f"{count:,} stale sentences, worst first, {moment(answer)}.\n{shown}"


def _quoted(one: Json) -> str:
    title = one_line(one["title"] or one["document"])
    return f"[{one['document']}] {title}, line {one['line']}, {_date(one)}: {one_line(one['quote'])}"


def status_text(answer: Json) -> str:
    dated = ", ".join(f"{count:,} {by}" for by, count in answer["dated_by"].items())
    first, last = (str(answer[key])[:10] for key in ("first", "last"))
    return (
        f"{answer['documents']:,} documents ({answer['versions']:,} versions), published {first} to {last};"
        f" dated by: {dated}; undated: {answer['undated']:,}."
    )


def _named(one: Json) -> str:
    return f"[{one['id']}] {one_line(one['title'] or one['document'])}"


def _date(one: Json) -> str:
    return str(one["published"]["text"]) if one["published"] else "undated"


def _in_force(one: Json) -> str:
    return f", in force {_span(one['valid'])}" if one["valid"] else ""


def _superseded(one: Json) -> str:
    later = one.get("superseded_by")
    if not later:
        return ""
    return f", superseded on {later['visible'][:10]} by {one_line(later['title'] or later['document'])}"


def _span(valid: Json) -> str:
    return f"{(valid['from'] or 'undated')[:10]} to {(valid['until'] or 'now')[:10]}"
