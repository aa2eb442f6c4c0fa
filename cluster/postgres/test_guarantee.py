"""The guarantee (`tests/test_guarantee.py`), every corpus with its truth in PostgreSQL."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest
from cluster.support.on_postgres import have_truths_in
from tests import test_guarantee as guarantee
from tests.support.histories import BROAD, DENSE

EXAMPLES = 15


@pytest.fixture(autouse=True)
def _truth(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    have_truths_in(postgres, monkeypatch)


def test_the_guarantee_broad(postgres: str) -> None:
    guarantee.property_of(BROAD, 12, 30, EXAMPLES, database=None)()
    with closing(psycopg.connect(postgres)) as db:
        [(made,)] = db.execute("SELECT count(*) FROM pg_tables WHERE tablename = 'documents'")
    assert made > EXAMPLES  # it was there that they lay


def test_the_guarantee_dense() -> None:
    guarantee.property_of(DENSE, 3, 4, EXAMPLES, database=None)()


def test_a_planted_fault_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    guarantee.test_one_end_for_each_row_is_caught(monkeypatch)
