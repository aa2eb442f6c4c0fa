"""Objects as files in a folder."""

from __future__ import annotations

import io
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from asof.errors import DamagedObject, MissingExtra, StorageError, UsageError
from asof.storage.address import is_address, normal, open_objects
from asof.storage.local import LocalObjects


@pytest.fixture
def objects(tmp_path: Path) -> LocalObjects:
    return LocalObjects(tmp_path / "store")


def test_an_object_is_made_once_and_read_whole_or_in_part(objects: LocalObjects) -> None:
    assert objects.get("a/b") is None
    assert objects.size("a/b") is None
    assert objects.create("a/b", b"first")
    assert not objects.create("a/b", b"second")
    assert (objects.get("a/b"), objects.read("a/b", 1, 4), objects.size("a/b")) == (b"first", b"irs", 5)
    objects.put("a/b", io.BytesIO(b"third"))
    assert objects.get("a/b") == b"third"
    objects.delete(["a/b", "a/b", "none/there"])
    assert objects.get("a/b") is None
    assert list((objects.folder / "tmp").iterdir()) == []


def test_of_many_at_once_one_makes_it(objects: LocalObjects) -> None:
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(lambda i: objects.create("manifests/1", b"%d" % i), range(48)))
    assert made.count(True) == 1
    assert objects.get("manifests/1") == b"%d" % made.index(True)


def test_names_come_in_order_after_one(objects: LocalObjects) -> None:
    for name in ("o/b/2", "o/a/1", "o/b/1", "p/1"):
        objects.put(name, b"x" * 3)
    assert [each.name for each in objects.names("o")] == ["o/a/1", "o/b/1", "o/b/2"]
    assert [each.name for each in objects.names("o", "o/b/1")] == ["o/b/2"]
    assert [each.name for each in objects.names("o", "o/a/1")] == ["o/b/1", "o/b/2"]
    assert list(objects.names("none")) == []
    assert next(objects.names("p")).bytes == 3


def test_what_is_too_large_or_too_short_is_refused(objects: LocalObjects) -> None:
    objects.put("a", b"12345")
    with pytest.raises(DamagedObject, match="larger than the 4 bytes"):
        objects.get("a", 4)
    with pytest.raises(DamagedObject, match="ends before byte 9"):
        objects.read("a", 3, 9)


@pytest.mark.parametrize("link", ["file", "folder"])
def test_links_are_not_followed(objects: LocalObjects, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_bytes(b"secret")
    objects.put("o/y", b"own")
    if link == "folder":
        (objects.folder / "p").symlink_to(outside)
        with pytest.raises(StorageError, match="symbolic link"):
            objects.get("p/x")
        with pytest.raises(StorageError, match="symbolic link"):
            objects.put("p/z", b"")
    else:
        (objects.folder / "o" / "x").symlink_to(outside / "x")
        with pytest.raises(StorageError, match="symbolic link"):
            objects.get("o/x")
        assert not objects.create("o/x", b"")
        assert [each.name for each in objects.names("o")] == ["o/y"]
    assert [each.name for each in outside.iterdir()] == ["x"]


def test_names_do_not_leave_the_folder(objects: LocalObjects) -> None:
    objects.put("a", b"")
    for name in ("../x", "o/../../x", "/x"):
        with pytest.raises(StorageError):
            objects.put(name, b"")


def test_one_place_has_one_address(tmp_path: Path) -> None:
    there = (tmp_path / "a b").as_uri()
    assert normal(str(tmp_path / "a b")) == normal(f"{there}/") == there
    assert normal("s3://bucket/some/prefix/") == "s3://bucket/some/prefix"
    assert is_address("gs://b/p")
    assert not is_address("notes/s3")
    assert isinstance(open_objects(there), LocalObjects)
    for wrong in ("https://b/p", "s3:///p", "s3://key:secret@b/p", "file://host/p", "s3://b/p?x=1"):
        with pytest.raises(UsageError, match="names no storage"):
            normal(wrong)


def test_a_bucket_needs_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(MissingExtra, match=r"pip install 'asof\[cloud\]'"):
        open_objects("s3://bucket/prefix")
