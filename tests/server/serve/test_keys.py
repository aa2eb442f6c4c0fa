"""Keys: shown once, stored as salted hashes, revoked at once, refused where others may have written them."""

from __future__ import annotations

import os
import stat

import pytest

from asof.errors import UsageError
from asof.extensions.server.guard import BEGINNING, GUESSES, Key, Keys

AT = "2026-01-01T00:00:00Z"
MINE = frozenset({os.geteuid()})


def test_a_key_is_known_by_its_secret_alone(tmp_path):
    keys = Keys(tmp_path / "state" / "keys.json", MINE)
    secret = keys.add("laptop", "read", AT)
    assert secret.startswith("asof_")
    found = keys.verify(secret)
    assert found is not None
    assert (found[0], found[1].scope) == ("laptop", "read")
    assert keys.verify(secret) == found  # remembered
    for wrong in ("", "asof_", secret[:-1], f"{secret}x", "ä"):
        assert keys.verify(wrong) is None
    content = keys.path.read_text()
    assert secret not in content
    assert secret[BEGINNING:] not in content
    assert keys.all()["laptop"].begins == secret[:BEGINNING]
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600


def test_two_keys_of_one_secret_have_other_hashes(tmp_path):
    keys = Keys(tmp_path / "keys.json", MINE)
    for name in ("a", "b"):
        keys.add(name, "write", AT)
    one, other = keys.all().values()
    assert one.salt != other.salt
    assert one.hash != other.hash


def test_what_another_process_removes_is_refused_at_once(tmp_path):
    server, command = (Keys(tmp_path / "keys.json", MINE) for _ in range(2))
    secret = command.add("laptop", "read", AT)
    assert server.verify(secret) is not None
    assert command.remove("laptop")
    assert server.verify(secret) is None
    assert not command.remove("laptop")


@pytest.mark.parametrize("name", ["", "a b", "../x", "-x", "x" * 65, "é"])
def test_names_that_are_none(tmp_path, name):
    with pytest.raises(UsageError, match="no name of a key"):
        Keys(tmp_path / "keys.json", MINE).add(name, "read", AT)


def test_a_name_is_given_once(tmp_path):
    keys = Keys(tmp_path / "keys.json", MINE)
    keys.add("laptop", "read", AT)
    with pytest.raises(UsageError, match="remove it first"):
        keys.add("laptop", "write", AT)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"format": 1, "keys": {}}', '{"format": 2, "keys": {"a": {}}}',
     '{"format": 2, "keys": {"a": {"scope": "read", "begins": "asof_12345678", "salt": "zz"}}}'],
)  # fmt: skip
def test_a_damaged_list_accepts_nothing(tmp_path, content):
    path = tmp_path / "keys.json"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(UsageError, match="no key is accepted"):
        Keys(path, MINE).verify("asof_x")


def test_a_list_that_others_may_write_accepts_nothing(tmp_path):
    keys = Keys(tmp_path / "keys.json", MINE)
    secret = keys.add("laptop", "read", AT)
    keys.path.chmod(0o666)
    with pytest.raises(UsageError, match="can be written by others"):
        Keys(keys.path, MINE).verify(secret)


def test_guesses_at_the_end_of_a_key_are_hashed_so_often_only(tmp_path, monkeypatch):
    keys = Keys(tmp_path / "keys.json", MINE)
    secret = keys.add("laptop", "read", AT)
    hashed = []
    fits = Key.fits

    def counted(key: Key, given: str) -> bool:
        hashed.append(given)
        return fits(key, given)

    monkeypatch.setattr(Key, "fits", counted)
    assert keys.verify(secret) is not None
    for number in range(GUESSES + 20):
        assert keys.verify(f"{secret[:BEGINNING]}{number}") is None
        assert keys.verify(f"asof_another{number}") is None
    assert GUESSES + 1 <= len(hashed) <= GUESSES + 3  # one more each two seconds
    assert keys.verify(secret) is not None  # remembered
