"""Rows of a corpus, for tests that look behind its interface."""

from __future__ import annotations

import sqlite3

from asof.corpus.corpus import Corpus


def db_of(corpus: Corpus) -> sqlite3.Connection:
    """A connection of the corpus that reads; it is closed with the corpus."""
    with corpus.session.connection() as db:
        return db
