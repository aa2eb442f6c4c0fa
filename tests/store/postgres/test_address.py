"""What is an address of a truth, and what its refusals show."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from asof.errors import Untrusted, UsageError
from asof.store.postgres import binding
from asof.store.postgres.address import Address
from asof.store.store import Store


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://h/d", "accepted: postgresql://"),
        ("postgresqll://h/d", "accepted: postgresql://"),
        ("", "accepted: postgresql://"),
        ("mysql://u:secret@h/d", "holds a password"),
        ("postgresqll://u:secret@h/d", "holds a password"),
        ("postgresql://u:secret@h/d", "holds a password"),
        ("postgresql://u:1/secret@h/d", "holds a password"),
        ("postgresql://u:1?secret@h/d", "holds a password"),
        ("postgresql://u:1#secret@h/d", "holds a password"),
        ("postgresql://h/d?password=secret", "holds a password"),
        ("postgresql://u:[secret@h/d", "no URL"),
        ("postgresql://[x/d", "no URL"),
        ("postgresql://u:secret", "port of the database"),
        ("postgresql://h:abc/d", "port of the database is no number"),
        ("postgresql://h:0/d", "port of the database"),
        ("postgresql://h:65536/d", "port of the database"),
        ("postgresql://h:\u0661/d", "port of the database"),
        ("postgresql://a:5432,h:abc/d", "port of the database"),
        ("postgresql://h/d?port=abc", "port of the database"),
        ("postgresql://h:1:2/d", "host of the database"),
        ("postgresql://h/d\x00", "not seen"),
        ("postgresql://h/a b", "blank"),
        ("postgresql://h/d#x", "holds a blank, #"),
        ("postgresql://h/d?options=-csearch_path", "options: unknown"),
        ("postgresql://h", "no database is named"),
        ("postgresql://h/d?schema=Public;", "schema is 'Public;'"),
        ("postgresql://h/d?schema=public", "not public"),
    ],
)
def test_addresses_that_are_refused(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as refused:
        Address.of(url)
    assert "secret" not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://h/d", "postgres://u@h:5432/d?schema=notes", "postgresql://[::1]:5432/d",
        "postgresql://a:5432,b/d?target_session_attrs=read-write", "postgresql://u@/d?host=/run/postgresql",
        "postgresql://a,b/d?port=5432,5433",
    ],
)  # fmt: skip
def test_addresses_that_are_accepted(url: str) -> None:
    assert Address.of(url).url == url


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("postgres://u@h/d", "postgresql://u@h/d?schema=asof", True),
        ("postgresql://h/d?sslmode=require&port=1", "postgresql://h/d?port=1&sslmode=require", True),
        ("postgresql://h/d", "postgresql://h/d?schema=other", False),
        ("postgresql://h/d", "postgresql://h/e", False),
        ("postgresql://h/d", "postgresql://u@h/d", False),
        ("postgresql://h/d?sslmode=require", "postgresql://h/d?sslmode=disable", False),
    ],
)  # fmt: skip
def test_two_ways_to_write_one(one: str, other: str, same: bool, tmp_path: Path) -> None:
    assert Address.of(one).same(Address.of(other)) == same
    binding.bound_to(tmp_path, one)
    (tmp_path / "segments").mkdir()
    if same:
        assert binding.bound_to(tmp_path, other).address.url == one
    else:
        with pytest.raises(UsageError, match="uses the truth"):
            binding.bound_to(tmp_path, other)
        with pytest.raises(Untrusted, match="nothing is sent there"):
            Store.open(tmp_path, truth=other)
