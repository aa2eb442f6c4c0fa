"""`asof index SCHEME:...`: which options go with it, and what is told of what was fetched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.cli.main import echo_err
from asof.cli.terminal import plain

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.store.run import IndexReport


def check(source: str, root: Path, options: Mapping[str, Any], *, history: bool) -> bool:
    """Whether a source is named by a scheme, which it is then opened by, before anything is made. Raises
    SourceError, and UsageError also for options of schemes beside a path."""
    from asof.environment import configuration, now
    from asof.errors import UsageError
    from asof.sources.scheme import SourceContext, is_target, open_scheme, scheme_in, scheme_named

    if not is_target(source):
        if given := [
            f"--{name.replace('_', '-')}"
            for name, value in options.items()
            if value is not None and value is not False
        ]:
            raise UsageError(f"{', '.join(given)}: only for sources of a scheme, and {source!r} is none")
        return False
    name, configured = scheme_in(source), configuration(root)
    context = SourceContext(root, now(), configured.sources.get(name, {}), configured.fields)
    open_scheme(source, context, options)
    if history:
        raise UsageError("--history is for folders; a scheme gives all versions that it has")
    scheme = scheme_named(name)
    for line in scheme.notes(source) if scheme else ():
        echo_err(plain(line))
    return True


def fetch(
    corpus: Corpus,
    target: str,
    options: Mapping[str, Any],
    progress: Callable[[IndexReport], None] | None,
    *,
    shrinking: bool = False,
    quiet: bool,
) -> IndexReport:
    """Add a source that a scheme names; a source with a `summary()` has it shown, also where the run broke
    off. `shrinking`: whatever share of its documents ends. Raises SourceError, UsageError."""
    source = corpus.source(target, **options)
    try:
        return corpus.add(source, progress=progress, allow_shrinking=shrinking)
    finally:
        summary: Callable[[], str] | None = getattr(source, "summary", None)
        if not quiet and summary is not None and (words := summary()):
            echo_err(plain(words))
