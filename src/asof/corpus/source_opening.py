"""What a source is told of the corpus that it is for, and which source a path or a scheme names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from asof.config import Config
from asof.corpus_files import FETCHED
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.sources.scheme import SourceContext
    from asof.sources.source import Source


@dataclass(frozen=True, slots=True)
class SourceOpener:
    """Opens sources for the corpus of `root`. `folder`: its `.asof`, where sources keep files between runs;
    `versions`: the numbers of the versions that are stored of documents."""

    root: Path
    folder: Path
    config: Config
    clock: Callable[[], int]
    versions: Callable[[Iterable[str]], dict[str, set[int]]]

    def open(self, name: str | Path, *, history: bool, trust_mtime: bool, **options: object) -> Source:
        """See `Corpus.source`."""
        from asof.sources.from_python import path_of
        from asof.sources.kept_answers import NAME, KeptAnswers
        from asof.sources.open import open_source
        from asof.sources.scheme import is_target, open_scheme, scheme_in
        from asof.sources.source import InputLimits

        if isinstance(name, str) and is_target(name):
            return open_scheme(name, self.context(scheme_in(name)), options)
        if unused := [key for key, value in options.items() if value is not None and value is not False]:
            raise UsageError(f"{name}: {', '.join(unused)} are options of schemes, such as arxiv:...")
        path = name if isinstance(name, Path) else path_of(name)
        return open_source(
            path, root=self.root, history=history, fields=self.config.fields, trust_mtime=trust_mtime,
            limits=InputLimits(kept=KeptAnswers(self.folder / NAME)),
        )  # fmt: skip

    def context(self, scheme: str) -> SourceContext:
        """What a source of a scheme is told of the corpus."""
        from asof.sources.scheme import SourceContext

        return SourceContext(
            self.root, self.clock(), self.config.sources.get(scheme, {}), self.config.fields,
            self.folder / FETCHED, self.versions,
        )  # fmt: skip
