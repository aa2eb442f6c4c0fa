"""What a question and its options want: categories, a window of time, and words to search."""

from __future__ import annotations

import re
from dataclasses import replace

from asof.arxiv.question import DAYS, PaperRequest, table
from asof.arxiv.target import category
from asof.errors import UsageError
from asof.papers.answer import PaperQuestion
from asof.time.coerce import first_instant, last_instant
from asof.time.decay import DAY
from asof.time.span import iso

LONGEST = 2_000
"""Characters of a question."""

NO_CATEGORY, NO_TIME = "no category is named", "no time is named"
"""How the notes of a `PaperRequest` begin that say what was assumed."""

_OF_PAPERS = re.compile(
    r"\b(?:(?:top|best|show me|find|list|the|new|newest|recent|latest|\d+) )*(?:papers|preprints)\b"
    r"|\b(?:(?:top|best|show me|find|list|newest|recent|latest|\d+) )+(?:articles|abstracts)\b",
    re.IGNORECASE,
)
"""What of a question asks for papers and says nothing of what they are about."""

_ARXIV = re.compile(r"\b(?:(?:on|from|at|of|in) )?arxiv\b(?!\.)", re.IGNORECASE)
_LEFT = re.compile(
    r"\A(?:(?:on|about|of|in|from|for)\b\s*)+|\s*\b(?:(?:on|about|of|in|from|for|and)\s*)+\Z", re.I
)
_CODE = re.compile(r"(?<![\w.-])(?:in )?([a-z-]+\.[A-Za-z-]{2,})(?![\w-])")


def complete_request(request: PaperQuestion, read: PaperRequest, as_of: int, fiscal: int) -> PaperRequest:
    """What the question says (`read`), unless the request says it. Raises UsageError, SourceError."""
    wish, notes = read, list(read.notes)
    if request.categories:
        names = tuple(dict.fromkeys(category(each) for each in request.categories))
        notes = [note for note in notes if not note.startswith(NO_CATEGORY)]
        unknown = [each for each in names if not expanded((each,), known=True)]
        notes += [f"{each} is no category of arXiv that is known here" for each in unknown]
        wish = replace(wish, categories=names)
    if request.until is not None:
        until = min(last_instant(request.until, as_of, fiscal), as_of)
        since = until - DAYS * DAY if any(map(_time, notes)) else wish.since
        wish = replace(wish, since=since, until=until)
    if request.since is not None:
        notes = [note for note in notes if not _time(note)]
        wish = replace(wish, since=first_instant(request.since, as_of, fiscal))
    if wish.since > wish.until:
        ends = f"ends at {iso(wish.until)}: that lies before its beginning, {iso(wish.since)}"
        raise UsageError(f"the time that is asked for {ends}")
    return replace(wish, notes=tuple(notes))


def _time(note: str) -> bool:
    return note.startswith(NO_TIME)


def expanded(names: tuple[str, ...], *, known: bool = False) -> tuple[str, ...]:
    """The tags that papers of these categories have; `cs.*` is all of an archive, with what was sent there
    before it was divided. `known`: only those in the table of categories."""
    titles = table().titles
    found = set()
    for name in names:
        inside = [each for each in titles if each.startswith(name[:-1])] if name.endswith(".*") else []
        found |= {*inside, name[:-2]} if inside else {name}
    return tuple(sorted(found & titles.keys() if known else found))


def topic_of(words: str) -> str:
    """The words of a question without those that ask for papers, or name arXiv or a category; "" if nothing
    is left.

    >>> topic_of("top 5 papers on sparse attention in cs.CL")
    'sparse attention'
    """
    left = _OF_PAPERS.sub(" ", words)
    left = _CODE.sub(lambda found: " " if found[1] in table().titles else found[0], left)
    left = " ".join(_ARXIV.sub(" ", left).split()).strip(" ,;:.?!")
    return _LEFT.sub("", left).strip(" ,;:.?!")
