"""A plugin of pytest that gives every corpus of the tests a truth in PostgreSQL: `-p
cluster.support.on_postgres`.

The variable ASOF_TEST_TRUTH holds the address of a database; each folder gets a schema of its own there.
Tests of what only a file of SQLite has are left out, by name and reason (`NOT_HERE`).
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

import pytest

from asof.store.settings import CorpusSettings
from asof.store.store import DEFAULT_WAIT, Store

_FILE = "opens corpus.db"
NOT_HERE: dict[str, str] = {
    "tests/store/test_integrity.py": _FILE,
    "tests/store/test_schema.py": _FILE,
    "tests/store/test_compact.py": "the write-ahead log of SQLite",
    "tests/store/test_calls.py::test_what_is_erased_goes_with_its_replies": _FILE,
    "tests/store/test_calls.py::test_errors_are_ours": "SQLite's words",
    "tests/store/test_calls.py::test_words_of_any_language": "a reply with NUL, which is refused here",
    "tests/store/test_export.py::test_what_was_purged_is_not_there": "rows in the order of a key of SQLite",
    "tests/store/test_run.py::test_a_second_run_writes_nothing": _FILE,
    "tests/store/test_store_feedback.py::test_an_error_leaves_nothing": "SQLite's words",
    "tests/store/test_store_feedback.py::test_two_questions_of_one_id": "SQLite's words",
    "tests/store/test_store_feedback.py::test_patience": "SQLite's locks",
    "tests/store/test_write.py::test_a_purge_leaves_nothing_of_the_text": _FILE,
    "tests/index/test_check.py": _FILE,
    "tests/index/test_segment_formats.py": _FILE,
}
"""By the beginning of a test's id: why it is about SQLite."""


def truth_of(folder: Path, database: str) -> str:
    """The address of the truth of a folder."""
    digest = blake2b(str(folder.resolve()).encode(), digest_size=10).hexdigest()
    return f"{database}&schema=t_{digest}"


def have_truths_in(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every corpus that is made or opened from here on has a schema of its own in that database."""
    create, opened = Store.create.__func__, Store.open.__func__  # type: ignore[attr-defined]

    def created(
        cls: type[Store], folder: Path, settings: CorpusSettings, wait: float = DEFAULT_WAIT, truth: str = ""
    ) -> Store:
        elsewhere = truth or ("" if (folder / "corpus.db").exists() else truth_of(folder, database))
        return create(cls, folder, settings, wait, elsewhere)

    def opening(cls: type[Store], folder: Path, wait: float = DEFAULT_WAIT, truth: str = "") -> Store:
        return opened(cls, folder, wait, truth or truth_of(folder, database))

    monkeypatch.setattr(Store, "create", classmethod(created))
    monkeypatch.setattr(Store, "open", classmethod(opening))


@pytest.fixture(autouse=True)
def _truth(monkeypatch: pytest.MonkeyPatch) -> None:
    have_truths_in(os.environ["ASOF_TEST_TRUTH"], monkeypatch)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if item.nodeid.startswith(tuple(NOT_HERE))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
