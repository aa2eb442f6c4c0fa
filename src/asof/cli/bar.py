"""How far an evaluation is: a bar on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from asof.cli.plain import plain

if TYPE_CHECKING:
    from asof.evaluate.progress import Progress


class bar:  # noqa: N801  used as a function
    """A bar on a terminal, nothing elsewhere."""

    def __enter__(self) -> Progress | None:
        self.bar = None
        if not sys.stderr.isatty():
            return None
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        bar = self.bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        bar.start()
        task = bar.add_task("reading", total=None)

        def advance(what: str, done: int, of: int) -> None:
            bar.update(task, description=escape(plain(what)), completed=done, total=of or None)

        return advance

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()
