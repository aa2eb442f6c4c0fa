"""What PostgreSQL does not store: a text with the character NUL."""

from __future__ import annotations

from asof.data import Document, Problem

REMEDY = "remove the character, or keep this corpus in a folder of its own"


def problem_of(document: Document) -> Problem | None:
    """Why a document cannot be stored; None where it can."""
    fields = {
        "id": document.id, "text": document.text, "title": document.title, "uri": document.uri,
        "tags": document.tags, "aliases": document.aliases, "meta": document.meta,
        "links": [(link.target, link.heading, link.alias) for link in document.links],
    }  # fmt: skip
    name = next((name for name, value in fields.items() if _has_nul(value)), None)
    if name is None:
        return None
    shown = document.id.replace("\0", "\\0")
    return Problem(
        f"{shown:.80}: its {name} holds the character NUL, which PostgreSQL does not store",
        remedy=REMEDY,
        document=document.id,
    )


def _has_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(each) for pair in value.items() for each in pair)
    return isinstance(value, list | tuple) and any(map(_has_nul, value))
