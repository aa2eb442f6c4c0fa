"""The list of folders that are trusted: by the bytes of the file, for the user alone, sound when damaged."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from asof.errors import AsofError, UsageError
from asof.trusted import NO_FILE, Record, Trusted, digest_of, owners

ME = frozenset({os.geteuid()})
DIGEST = digest_of(b"[search]\n")


@pytest.fixture
def trusted(tmp_path: Path) -> Trusted:
    return Trusted(tmp_path / "state" / "asof", ME)


def test_what_is_added_is_there_until_it_is_removed(trusted: Trusted, tmp_path: Path) -> None:
    assert trusted.record(tmp_path) is None
    trusted.add(tmp_path, DIGEST, "2030-01-01")
    assert trusted.record(tmp_path) == Record(DIGEST, "2030-01-01")
    (tmp_path / "link").symlink_to(tmp_path)
    assert trusted.record(tmp_path / "link") == trusted.record(tmp_path / "link" / ".." / tmp_path.name)
    assert trusted.record(tmp_path / "state") is None, "not what lies in it"
    assert trusted.remove(tmp_path)
    assert not trusted.remove(tmp_path)
    assert trusted.records() == {}


def test_a_digest_is_of_every_byte() -> None:
    assert len({digest_of(each) for each in (None, b"", b"a", b"a\n", b"\xefa")}) == 5
    assert digest_of(None) == NO_FILE


def test_nobody_else_reads_it(trusted: Trusted, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        trusted.add(tmp_path, DIGEST, "2030")
    finally:
        os.umask(old)
    assert stat.S_IMODE(trusted.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(trusted.path.parent.stat().st_mode) == 0o700
    assert sorted(each.name for each in trusted.path.parent.iterdir()) == ["trusted.json", "trusted.lock"]


def test_a_name_that_is_no_text(trusted: Trusted, tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\n\xe2\x80\xae"))
    trusted.add(folder, DIGEST, "2030")
    assert trusted.record(folder) == Record(DIGEST, "2030")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000, b'{"format": 2, "folders": {}}', b'{"format": 1}',
        b'{"format": 1, "folders": []}', b'{"format": 1, "folders": {"/": "x"}}',
        b'{"format": 1, "folders": {"/": {"digest": 1, "at": ""}}}', b" " * 4_000_001,
        b'{"format": 1, "folders": {"/": {"digest": ""}}}',
    ],
)  # fmt: skip
def test_a_damaged_list_trusts_nobody_and_is_not_begun_anew(
    trusted: Trusted, tmp_path: Path, content: bytes
) -> None:
    trusted.add(tmp_path, DIGEST, "2030")
    trusted.path.write_bytes(content)
    for ask in (trusted.records, lambda: trusted.record(tmp_path), lambda: trusted.remove(tmp_path)):
        with pytest.raises(UsageError, match="is damaged: no folder is trusted; remove it and trust again"):
            ask()
    with pytest.raises(UsageError, match="is damaged"):
        trusted.add(tmp_path, DIGEST, "2030")
    assert trusted.path.read_bytes() == content


def test_a_list_that_others_can_write_trusts_nobody(trusted: Trusted, tmp_path: Path) -> None:
    trusted.add(tmp_path, DIGEST, "2030")
    with pytest.raises(UsageError, match="can be written by others"):
        Trusted(trusted.state, frozenset({os.geteuid() + 1})).records()
    trusted.path.chmod(0o620)
    with pytest.raises(UsageError, match="can be written by others: no folder is trusted"):
        trusted.records()


def test_where_it_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AsofError, match=r"trusted\.json cannot be written: "):
        Trusted(tmp_path / "file" / "asof", ME).add(tmp_path, DIGEST, "2030")
    with pytest.raises(UsageError, match="no home folder"):
        Trusted(None, ME).add(tmp_path, DIGEST, "2030")
    assert Trusted(None, ME).records() == {}


def test_two_at_a_time_lose_nothing(trusted: Trusted, tmp_path: Path) -> None:
    names = [tmp_path / f"f{n}" for n in range(24)]

    def add(some: list[Path]) -> None:
        for each in some:
            trusted.add(each, DIGEST, "2030")

    threads = [threading.Thread(target=add, args=(names[at::3],)) for at in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(trusted.records()) == 24


def test_whose_folders_are_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for me, caller, mine in ((7, "", {7}), (7, "9", {7}), (0, "9", {0, 9}), (0, "", {0}), (0, "-1", {0}),
                             (0, "x", {0}), (0, "٣", {0})):  # fmt: skip
        monkeypatch.setattr(os, "geteuid", lambda me=me: me)
        assert owners({"SUDO_UID": caller} if caller else {}) == mine
