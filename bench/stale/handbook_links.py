"""Links of a generated handbook: those that are broken or moved since, and as many that hold."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from bench.stale.pages import LAST, Handbook, Page

EACH = 10
"""Links of each way to break, and of each way to hold."""

_SAID = (
    "The details are in {link}.",
    "Before you begin, read {link}.",
    "{link} says what applies to visitors from outside.",
    "For the exact numbers see {link}.",
    "Much of this repeats {link}, which counts where the two differ.",
    "Our colleagues explain the reasons in {link}.",
    "See also {link}.",
    "The form is described in {link}.",
)
_PASSAGES = (
    (
        "Keys to {p} are handed out by the night porter against a signature.",
        "There are no keys to {p} any more; doors open with the badge.",
    ),
    (
        "Anything that is found in {p} is kept for a month and then given away.",
        "Whatever is found in {p} goes to the police on the same day.",
    ),
    (
        "Rubbish from {p} is sorted into two bins.",
        "Waste from {p} has been collected unsorted since the contract changed.",
    ),
    (
        "To use {p} after hours, ring the duty officer.",
        "Nobody may be in {p} after hours without a written permit.",
    ),
    (
        "Heating in {p} is turned on by hand each morning.",
        "The heating of {p} follows the calendar by itself; the old switch is dead.",
    ),
)
"""What the linked passage says, and what it says later."""


def add_links(made: Handbook) -> None:
    """The broken links are expected, the others harmless."""
    places = iter(made.rng.sample(made.bank.places, 6 * EACH))
    for at in range(EACH):
        for way in ("page", "heading", "passage"):
            for broken in (True, False):
                _link(made, way, next(places), at, broken=broken)


def _link(made: Handbook, way: str, place: str, at: int, *, broken: bool) -> None:
    """One page that links to another, which is removed or renamed, loses the heading, or says something else
    later; or which is edited later without any of it."""
    rng = made.rng
    old, new = (words.format(p=place) for words in _PASSAGES[at % len(_PASSAGES)])
    published = made.moment(before=LAST - timedelta(days=800))
    target = made.page(f"Rules for {place}", published, old)
    heading, paragraphs = next(section for section in target.sections if old in " ".join(section[1]))
    if not heading:
        target.sections[0] = ("", paragraphs[:1])
        heading = f"Using {place}"
        target.sections.append((heading, paragraphs[1:]))
    linked = published + timedelta(days=rng.randint(30, 200), hours=2)
    source = made.page(f"Working near {place}", linked)
    quote = rng.choice(_SAID).format(
        link=_written(source, target, heading if way != "page" else "", wiki=at % 2 == 0)
    )
    source.sections[-1][1].append(made.paragraph(quote))
    source.edits.clear()
    later = linked + timedelta(days=rng.randint(60, 500))
    target.edits = [(later, made.fact())]
    if not broken:
        made.harmless.append({"document": source.id, "quote": quote, "why": f"link to a {way} that holds"})
        return
    by = [target.id]
    if way == "page":
        by = _removed(made, target, later, old if at % 2 else "")
    elif way == "passage":
        target.changes.append((later, old, new))
    else:
        now = f"## {heading} since the move\n\n" if at % 2 else ""
        target.changes.append((later, f"## {heading}\n\n", now))
    made.expected.append(
        {
            "document": source.id,
            "quote": quote,
            "by": by,
            "new": new if way == "passage" else "",
            "kind": "link",
            "type": f"{way} {('removed', 'renamed')[at % 2] if way != 'passage' else 'changed'}",
            "other_words": False,
            "old_value": target.id if way == "page" else heading,
            "new_value": "",
        }
    )


def _removed(made: Handbook, target: Page, later: datetime, old: str) -> list[str]:
    """The page under its new name, if what it said is said there."""
    del made.pages[target.id]
    return [made.page(f"{target.title} (new)", later, old).id] if old else []


def _written(source: Page, target: Page, heading: str, *, wiki: bool) -> str:
    """The link as Markdown or between double brackets."""
    path = PurePosixPath(target.id)
    if wiki:
        return f"[[{path.stem}{'#' + heading if heading else ''}|{target.title}]]"
    anchor = "#" + heading.casefold().replace(" ", "-").replace("'", "").replace("?", "") if heading else ""
    where = os.path.relpath(target.id, PurePosixPath(source.id).parent)
    return f"[{target.title}]({where}{anchor})"
