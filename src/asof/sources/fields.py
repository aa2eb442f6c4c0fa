"""What the fields of a record are called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fields:
    """The accepted names of each field of a JSON record; the first that is there, and not null, is taken.

    Of `about` every name counts.
    """

    id: tuple[str, ...] = ("id", "_id", "doc_id")
    text: tuple[str, ...] = ("text", "body", "content", "contents")
    title: tuple[str, ...] = ("title",)
    published: tuple[str, ...] = ("published", "timestamp", "date", "published_at", "created_at")
    changed: tuple[str, ...] = ("updated", "modified")
    about: tuple[str, ...] = ("about", "period", "valid_from", "valid_until")
    tags: tuple[str, ...] = ("tags", "keywords")
    uri: tuple[str, ...] = ("url", "uri", "link")
    language: tuple[str, ...] = ("language", "lang")
    aliases: tuple[str, ...] = ("aliases",)
    links: tuple[str, ...] = ("links",)
