"""The request parsed from a question and its options: categories, a window of time, and words to search."""

from __future__ import annotations

import re
from dataclasses import replace

from asof.arxiv.question import DEFAULT_DAYS, PaperRequest, table
from asof.arxiv.target import category
from asof.errors import UsageError
from asof.papers.answer import PaperQuestion
from asof.time.coerce import first_instant, last_instant
from asof.time.decay import DAY
from asof.time.span import iso

LONGEST = 2_000
"""Characters of a question."""

NO_CATEGORY, NO_TIME = "no category is named", "no time is named"
"""The beginnings of the notes of a `PaperRequest` that name assumed values."""

_OF_PAPERS = re.compile(
    r"\b(?:(?:top|best|show me|find|list|the|new|newest|recent|latest|\d+) )*(?:papers|preprints)\b"
    r"|\b(?:(?:top|best|show me|find|list|newest|recent|latest|\d+) )+(?:articles|abstracts)\b",
    re.IGNORECASE,
)
"""Words of a question that ask for papers and do not belong to its topic."""

_ARXIV = re.compile(r"\b(?:(?:on|from|at|of|in) )?arxiv\b(?!\.)", re.IGNORECASE)
_LEFT = re.compile(
    r"\A(?:(?:on|about|of|in|from|for)\b\s*)+|\s*\b(?:(?:on|about|of|in|from|for|and)\s*)+\Z", re.I
)
_CODE = re.compile(r"(?<![\w.-])(?:in )?([a-z-]+\.[A-Za-z-]{2,})(?![\w-])")


def complete_request(request: PaperQuestion, read: PaperRequest, as_of: int, fiscal: int) -> PaperRequest:
    """The request parsed from a question (`read`) with the options that override it. Raises UsageError,
    SourceError."""
    parsed, notes = read, list(read.notes)
    if request.categories:
        names = tuple(dict.fromkeys(category(each) for each in request.categories))
        notes = [note for note in notes if not note.startswith(NO_CATEGORY)]
        unknown = [each for each in names if not expanded((each,), known=True)]
        notes += [f"{each} is no category of arXiv that is known here" for each in unknown]
        parsed = replace(parsed, categories=names)
    if request.until is not None:
        until = min(last_instant(request.until, as_of, fiscal), as_of)
        since = until - DEFAULT_DAYS * DAY if any(map(_time, notes)) else parsed.since
        parsed = replace(parsed, since=since, until=until)
    if request.since is not None:
        notes = [note for note in notes if not _time(note)]
        parsed = replace(parsed, since=first_instant(request.since, as_of, fiscal))
    if parsed.since > parsed.until:
        ends = f"ends at {iso(parsed.until)}: that lies before its beginning, {iso(parsed.since)}"
        raise UsageError(f"the time that is asked for {ends}")
    return replace(parsed, notes=tuple(notes))


def _time(note: str) -> bool:
    return note.startswith(NO_TIME)


def expanded(names: tuple[str, ...], *, known: bool = False) -> tuple[str, ...]:
    """The tags of papers of these categories; `cs.*` is a whole archive, with the papers from before it was
    divided. `known`: only those in the table of categories."""
    titles = table().titles
    tags = set()
    for name in names:
        inside = [each for each in titles if each.startswith(name[:-1])] if name.endswith(".*") else []
        tags |= {*inside, name[:-2]} if inside else {name}
    return tuple(sorted(tags & titles.keys() if known else tags))


def topic_of(words: str) -> str:
    """The words of a question without those that ask for papers, or name arXiv or a category; "" if nothing
    is left.

    >>> topic_of("top 5 papers on sparse attention in cs.CL")
    'sparse attention'
    """
    left = _OF_PAPERS.sub(" ", words)
    left = _CODE.sub(lambda match: " " if match[1] in table().titles else match[0], left)
    left = " ".join(_ARXIV.sub(" ", left).split()).strip(" ,;:.?!")
    return _LEFT.sub("", left).strip(" ,;:.?!")
