"""Search documents that change, as of any date, and see why each passage ranks where it does.

    import asof

    with asof.open("notes") as corpus:
        corpus.add("notes/journal")
        for hit in corpus.at("2021-06").search("who runs the ferry"):
            print(hit.published, hit.document, hit.text)

Importing this does no work: the names below are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asof import errors as errors
from asof.version import __version__ as __version__

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus, open  # noqa: A004
    from asof.corpus.memory import Memory
    from asof.corpus.snapshot import Snapshot
    from asof.documents import Document, Ended, Problem, SourcedTime
    from asof.engine import Results
    from asof.errors import AsofError
    from asof.hits import Hit, Why
    from asof.models.local import LocalEncoder
    from asof.models.named import Named
    from asof.store.run import IndexReport
    from asof.store.schema import CorpusSettings
    from asof.time.span import Period, Span

_HOMES = {
    "AsofError": "asof.errors", "Corpus": "asof.corpus.corpus", "Document": "asof.documents",
    "Ended": "asof.documents",
    "Hit": "asof.hits", "LocalEncoder": "asof.models.local", "Memory": "asof.corpus.memory",
    "Named": "asof.models.named",
    "Period": "asof.time.span", "Problem": "asof.documents", "IndexReport": "asof.store.run",
    "Results": "asof.engine", "CorpusSettings": "asof.store.schema", "Span": "asof.time.span",
    "Snapshot": "asof.corpus.snapshot", "SourcedTime": "asof.documents", "Why": "asof.hits",
    "open": "asof.corpus.corpus",
}  # fmt: skip

__all__ = [
    "AsofError",
    "Corpus",
    "CorpusSettings",
    "Document",
    "Ended",
    "Hit",
    "IndexReport",
    "LocalEncoder",
    "Memory",
    "Named",
    "Period",
    "Problem",
    "Results",
    "Snapshot",
    "SourcedTime",
    "Span",
    "Why",
    "open",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        if name.startswith("__"):  # asked for by tools, not typed by people
            raise AttributeError(f"asof has no {name!r}")
        from difflib import get_close_matches

        by_case = {each.casefold(): each for each in __all__}
        near = get_close_matches(name.casefold(), by_case, 1)
        hint = f"did you mean {by_case[near[0]]}? " if near else ""
        raise AttributeError(f"asof has no {name!r}; {hint}it has {', '.join(__all__)}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "errors"])
