"""What the fields of a record are called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fields:
    """The accepted names of each field of a JSON record; the first that is there, and not null, is taken.

    Of `about` every name counts. The five from `fiscal_year` on name periods by label (`sources.periods`);
    `fiscal_start` is no name but the first month of the fiscal year, where a record does not say its own.
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
    fiscal_year: tuple[str, ...] = ("fiscal_year",)
    fiscal_quarter: tuple[str, ...] = ("fiscal_quarter",)
    fiscal_period: tuple[str, ...] = ("fiscal_period",)
    quarter: tuple[str, ...] = ("quarter",)
    year: tuple[str, ...] = ("year",)
    fiscal_start: int = 1
