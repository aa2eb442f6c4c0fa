"""Settings that all tests share."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import certifi
import pytest
from hypothesis import HealthCheck, settings

from asof.documents import Document

pytest_plugins = ["tests.support.example_served"]

settings.register_profile(
    "asof", deadline=None, print_blob=True, max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
settings.register_profile("ci", settings.get_profile("asof"))
"""For the guarantee, which takes more histories by it (`support/amounts.py`), and for nothing else."""
settings.register_profile("nightly", settings.get_profile("asof"), max_examples=500)
settings.load_profile("asof")

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Before numpy is imported: on matrices as small as these, two threads take four times the processor time of
one, and tests run in several processes already."""


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where configurations and lists of trusted folders lie while tests run: no test sees the developer's."""
    folder = tmp_path_factory.mktemp("homes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(_one_authority(folder / "authority.pem")))
        _move(patch, folder / "shared")
        yield folder


def _one_authority(file: Path) -> Path:
    """A file of one certificate: each client of httpx reads all that it trusts, in 25 ms, and no test asks a
    server that has one."""
    first, end, _ = Path(certifi.where()).read_text("ascii", "ignore").partition("-----END CERTIFICATE-----")
    file.write_text(f"{first}{end}\n", "ascii")
    return file


@pytest.fixture(autouse=True)
def home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder `asof` in this test's $XDG_CONFIG_HOME, not made yet; $XDG_STATE_HOME lies in it."""
    folder = homes / str(next(_NUMBERS))
    _move(monkeypatch, folder)
    return folder / "asof"


_NUMBERS = itertools.count()


def _move(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setenv("XDG_CONFIG_HOME", str(folder))
    patch.setenv("XDG_STATE_HOME", str(folder / "asof" / "state"))
    patch.delenv("ASOF_CONFIG", raising=False)
    patch.delenv("SUDO_UID", raising=False)
    patch.delenv("COLUMNS", raising=False)  # pytest-xdist sets it, and lines are wrapped then


@pytest.fixture
def users(home: Path) -> Callable[[str], Path]:
    """Writes the user's own configuration."""

    def write(text: str) -> Path:
        home.mkdir(parents=True, exist_ok=True)
        file = home / "config.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.fixture
def memory_folder() -> Iterator[Path]:
    """A folder in memory where there is one: for tests that commit very often."""
    from tests.support import corpora  # it imports numpy

    with corpora.memory_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def document() -> Callable[..., Document]:
    """A document from id, text and the date that it claims."""

    return lambda id_, text, date=None, **more: Document(id_, text, published=date, **more)
