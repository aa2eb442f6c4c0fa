"""What `arxiv:...` names: categories whose papers are listed, or papers by their ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from asof.errors import SourceError

PREFIX = "arxiv:"
MAX_NAMES = 200

UNDIVIDED_ARCHIVES = (
    "gr-qc", "hep-ex", "hep-lat", "hep-ph", "hep-th", "math-ph", "nucl-ex", "nucl-th", "quant-ph",
)  # fmt: skip
"""Archives that are a category themselves."""

DIVIDED_ARCHIVES = (
    "astro-ph", "cond-mat", "cs", "econ", "eess", "math", "nlin", "physics", "q-bio", "q-fin", "stat",
)  # fmt: skip
"""Archives of several categories."""

ACCEPTED = (
    "accepted are categories and archives (arxiv:cs.IR+cs.CL, arxiv:cs, arxiv:hep-th), "
    "or ids of papers (arxiv:2401.13222, arxiv:2401.13222v1, arxiv:hep-th/9901001)"
)

LONG_CLASS_ARCHIVES = ("cond-mat", "physics")
"""Archives whose categories have longer names than two letters."""

_CATEGORY = re.compile(
    r"(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.(?P<class>\*|[a-z]+(?:-[a-z]+)?))?", re.IGNORECASE
)
_NEW = re.compile(r"(?P<id>[0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5})(?:v(?P<version>[1-9][0-9]{0,2}))?")
_OLD = re.compile(
    r"(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.[A-Z]{2})?/(?P<number>[0-9]{2}(?:0[1-9]|1[0-2])[0-9]{3})"
    r"(?:v(?P<version>[1-9][0-9]{0,2}))?"
)


@dataclass(frozen=True, slots=True, order=True)
class PaperId:
    """A paper by its id, without a version (`version` 0: all of them) or with one."""

    id: str
    version: int = 0

    @property
    def forms(self) -> tuple[PaperId, PaperId]:
        """The ids that name this version: with it, and without any."""
        return self, PaperId(self.id)

    def __str__(self) -> str:
        return f"{self.id}v{self.version}" if self.version else self.id


@dataclass(frozen=True, slots=True)
class ArxivTarget:
    """Either `categories` or `papers`; both sorted, each once."""

    categories: tuple[str, ...] = ()
    papers: tuple[PaperId, ...] = ()

    @property
    def name(self) -> str:
        """The target as it is called in every run, however it was typed."""
        return PREFIX + "+".join(self.categories or map(str, self.papers))

    @property
    def query(self) -> str:
        """The categories as the API searches them."""
        terms = [f"cat:{each}" for each in self.categories]
        # what was sent there before it was divided
        terms += [f"cat:{each[:-2]}" for each in self.categories if each in ("astro-ph.*", "cond-mat.*")]
        return f"({' OR '.join(terms)})" if len(terms) > 1 else terms[0]


def is_target(text: str) -> bool:
    """Whether a source is named that lies at arXiv."""
    return text[: len(PREFIX)].lower() == PREFIX


def read(text: str) -> ArxivTarget:
    """What a text that begins with `arxiv:` names. Raises SourceError, which says what is accepted."""
    names = [name.strip() for name in text[len(PREFIX) :].split("+")]
    if not is_target(text) or not all(names):
        raise SourceError(f"{text[:80]!r} names nothing at arXiv; {ACCEPTED}")
    if len(names) > MAX_NAMES:
        raise SourceError(f"{len(names)} names in one target; accepted are {MAX_NAMES} at most")
    papers, categories = [], []
    for name in names:
        if (paper := paper_id(name)) is not None:
            papers.append(paper)
        else:
            categories.append(category(name))
    if papers and categories:
        raise SourceError(f"{text[:80]!r} mixes papers and categories; name each kind as a source of its own")
    whole = {paper.id for paper in papers if not paper.version}
    unique = {paper for paper in papers if not paper.version or paper.id not in whole}
    return ArxivTarget(tuple(sorted(set(categories))), tuple(sorted(unique)))


def paper_id(text: str) -> PaperId | None:
    """The paper that an id names, of either form; None for what is no id."""
    if match := _NEW.fullmatch(text):
        return PaperId(match["id"], int(match["version"] or 0))
    match = _OLD.fullmatch(text)
    if match is None:
        return None
    return PaperId(f"{match['archive']}/{match['number']}", int(match["version"] or 0))


def category(text: str) -> str:
    """A category as arXiv writes it; an archive of several as `cs.*`. Raises SourceError."""
    match = _CATEGORY.fullmatch(text)
    archive = match["archive"].lower() if match else ""
    if match is None or archive not in (*UNDIVIDED_ARCHIVES, *DIVIDED_ARCHIVES):
        nearest = get_close_matches(
            archive or text.lower()[:16], (*UNDIVIDED_ARCHIVES, *DIVIDED_ARCHIVES), 1, 0.5
        )
        near = f"did you mean {nearest[0]}? " if nearest and archive else ""
        raise SourceError(f"{text[:40]!r} is neither a category nor an id of arXiv; {near}{ACCEPTED}")
    name = match["class"]
    if archive in UNDIVIDED_ARCHIVES:
        if name not in (None, "*"):
            raise SourceError(f"{text!r}: {archive} is one category, without parts; write arxiv:{archive}")
        return archive
    if name is None or name == "*":
        return f"{archive}.*"
    if archive not in LONG_CLASS_ARCHIVES and len(name) != 2:
        raise SourceError(f"{text[:40]!r}: categories of {archive} have two letters; {ACCEPTED}")
    return f"{archive}.{name.lower() if archive in LONG_CLASS_ARCHIVES else name.upper()}"
