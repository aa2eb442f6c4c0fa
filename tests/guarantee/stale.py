"""What is stale at a moment, and what is known of documents that came and went."""

from __future__ import annotations

from typing import Any

from tests.guarantee.observing import Asked, Moment, Observable, verb

from asof.extensions.facts.current import lives
from asof.extensions.facts.dated_documents import of_their_day
from asof.extensions.facts.stale_links import moved_to


def moves(moment: Moment, asked: Asked) -> Any:
    """Documents of their day, and where removed ones went; by their ids."""
    view = moment.then.view()
    known = lives(view)
    names = {number: life.name for number, life in known.items()}
    removed = [number for number, life in known.items() if life.ended is not None]
    return (
        {names[number] for number in of_their_day(view) if number in names},
        sorted((names[old], names[new]) for old, new in moved_to(view, known, removed).items()),
    )  # fmt: skip


OBSERVABLES: dict[str, Observable] = {
    "verb stale": verb("stale", lambda _: {"explain": True}),
    "moves": moves,
}
