"""Settings that all tests share."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from asof.data import Document, Stated
from asof.time.moment import read

settings.register_profile(
    "asof", deadline=None, print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
settings.load_profile("asof")


@pytest.fixture
def memory_folder() -> Iterator[Path]:
    """A folder in memory where there is one: for tests that commit very often."""
    shared = Path("/dev/shm")  # noqa: S108
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def document() -> Callable[..., Document]:
    """A document from id, text and the date that it claims."""

    def make(id_: str, text: str, date: str | None = None, **more: Any) -> Document:
        published = Stated(read(date), date, "metadata") if date else None
        return Document(id_, text, published=published, **more)

    return make
