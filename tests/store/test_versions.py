"""Which versions of documents are stored, by the numbers of their metadata."""

from __future__ import annotations

from tests.support.rows import db_of

import asof
from asof.sources.source import ERASED
from asof.store.validity import mark_erased, version_numbers


def test_numbers_of_all_versions(memory_folder, document):
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.add(
            [
                document("a", "first", "2024-01-01", meta={"version": 1}),
                document("a", "second", "2024-02-01", meta={"version": 2}),
                document("b", "words", "2024-01-01", meta={"version": "one"}),
                document("c", "words", "2024-01-01"),
                document("d", "words", "2024-01-01", meta={"version": 4}),
            ]
        )
        assert version_numbers(db_of(corpus), ["a", "b", "c", "nobody"]) == {"a": {1, 2}}
        assert version_numbers(db_of(corpus), []) == {}


def test_what_was_erased_has_no_version_until_it_is_here_again(memory_folder, document):
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.add([document("a", "first", "2024-01-01", meta={"version": 1})])
        db = corpus.store.writer()
        for name in ("a", "b", "b"):
            mark_erased(db, name)
        db.close()
        assert version_numbers(db_of(corpus), ["a", "b", "c"]) == {"a": {1}, "b": {ERASED}}
        corpus.add([document("b", "words", "2024-01-01")])
        assert version_numbers(db_of(corpus), ["a", "b", "c"]) == {"a": {1}}
