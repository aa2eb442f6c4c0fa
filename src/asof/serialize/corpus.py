"""What a corpus holds, and what was done to it: indexing, status, embedding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.data.json import Instant, ProblemJson, one_of, problem_json
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.index.embedding import EmbeddingReport
    from asof.store.run import IndexReport
    from asof.store.status import Status

# -- index --------------------------------------------------------------------------------------------


class IndexedJson(TypedDict):
    """What a run did, in documents."""

    added: int
    changed: Annotated[int, "with another text than before"]
    corrected: Annotated[int, "with another date than before"]
    unchanged: int
    removed: Annotated[int, "that the source no longer has"]
    failed: Annotated[int, "that could not be read"]
    passages: Annotated[int, "new passages"]
    problems: list[ProblemJson]


class SourceJson(IndexedJson):
    """What a run did with a source."""

    source: Annotated[str, "as it was given"]
    took_ms: Annotated[float, "reading and indexing"]


class IndexJson(TypedDict):
    """What was indexed."""

    sources: Annotated[list[SourceJson], "in the order given"]


def index_json(sources: Sequence[tuple[str, IndexReport, float]]) -> IndexJson:
    """`sources`: name, what was done, and seconds of each."""
    return {
        "sources": [
            {**indexed_json(report), "source": source, "took_ms": round(seconds * 1000, 1)}
            for source, report, seconds in sources
        ]
    }


def indexed_json(report: IndexReport) -> IndexedJson:
    return {
        "added": report.added, "changed": report.changed, "corrected": report.corrected,
        "unchanged": report.unchanged, "removed": report.ended, "failed": report.failed,
        "passages": report.passages, "problems": [problem_json(each) for each in report.problems],
    }  # fmt: skip


# -- status -------------------------------------------------------------------------------------------


class StatusSourceJson(TypedDict):
    """A source of documents."""

    name: str
    kind: str
    documents: int


class SegmentJson(TypedDict):
    """A file of the index."""

    file: str
    rows: int
    bytes: int


class SettingsJson(TypedDict):
    """How texts were read, as the first run decided."""

    languages: list[str]
    stem: bool
    chunking: str
    undated: Annotated[str, one_of("added", "always", "never"), "from when undated texts are seen"]
    encoder: Annotated[str, "whose vectors the corpus holds; empty: none"]
    search: Annotated[str | list[str], "the metadata that is searched: `auto`, `none`, or names"]


class StatusJson(TypedDict):
    """What a corpus holds."""

    documents: Annotated[int, "that are current"]
    removed: Annotated[int, "documents that are no longer current"]
    versions: int
    passages: Annotated[int, "of all versions"]
    current_passages: int
    first: Annotated[Instant | None, "the earliest publication of a dated document"]
    last: Annotated[Instant | None, "the latest one"]
    dated_by: Annotated[dict[str, int], "current documents by where their date was found"]
    undated: Annotated[int, "current documents without a date"]
    sources: list[StatusSourceJson]
    segments: list[SegmentJson]
    formats: Annotated[dict[str, int], "segments by the format of their files"]
    transactions: Annotated[int, "writes so far"]
    bytes: Annotated[int, "on disk"]
    horizon: Annotated[Instant | None, "queries as of an earlier moment are refused; null: none is"]
    settings: SettingsJson
    derived: Annotated[list[str], "caches and what was read by models, a line each"]
    check: Annotated[list[str] | None, "with `--check`: faults that were found; null: not checked"]


def status_json(status: Status, check: Sequence[str] | None = None) -> StatusJson:
    settings = status.settings
    return {
        "documents": status.documents, "removed": status.ended, "versions": status.versions,
        "passages": status.passages, "current_passages": status.current_passages,
        "first": None if status.first is None else iso(status.first),
        "last": None if status.last is None else iso(status.last - 1),
        "dated_by": dict(status.dated_by), "undated": status.undated,
        "sources": [
            {"name": name, "kind": kind, "documents": count} for name, kind, count in status.sources
        ],
        "segments": [{"file": file, "rows": rows, "bytes": size} for file, rows, size in status.segments],
        "formats": dict(status.formats),
        "transactions": status.transactions, "bytes": status.bytes,
        "horizon": None if status.horizon is None else iso(status.horizon),
        "settings": {
            "languages": list(settings.languages), "stem": settings.stem, "chunking": settings.chunking,
            "undated": settings.undated, "encoder": settings.encoder,
            "search": settings.search if isinstance(settings.search, str) else list(settings.search),
        },
        "derived": list(status.derived), "check": None if check is None else list(check),
    }  # fmt: skip


# -- embed --------------------------------------------------------------------------------------------


class EmbedJson(TypedDict):
    """What a change of the encoder did."""

    encoder: Annotated[str | None, "whose vectors the corpus holds now; null: words only"]
    previous_encoder: Annotated[str | None, "whose vectors it held before; null: words only"]
    changed: Annotated[bool, "whether these differ"]
    dimensions: Annotated[int | None, "of a vector; null: there is none"]
    passages: int
    encoded: Annotated[int, "passages that were given a vector by this run"]
    took_ms: float


def embed_json(report: EmbeddingReport, previous: str, seconds: float) -> EmbedJson:
    return {
        "encoder": report.encoder or None, "previous_encoder": previous or None, "changed": report.changed,
        "dimensions": report.dimensions, "passages": report.passages, "encoded": report.encoded,
        "took_ms": round(seconds * 1000, 1),
    }  # fmt: skip
