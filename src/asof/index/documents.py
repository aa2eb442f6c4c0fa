"""The document of a name in a view, wherever its shards lie."""

from __future__ import annotations

from asof.index.exchange import ALONE
from asof.index.view import View
from asof.store.find_document import find_among, find_document, names_as_of


def find_in(view: View, name: str) -> str:
    """The id of the document with this name: a current one, else one published earlier (see
    `asof.store.find_document`). Raises UsageError for a name of several, DocumentNotFound for one of none."""
    if view.exchange is ALONE:
        return find_document(view.store, name)
    of_shards = view.exchange.ask("names", lambda: names_as_of(view.store, name), name)
    return find_among(of_shards, name, view.as_of)
