"""Lists of chunks, and reading objects by their digests."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.storages import Watched

from asof.errors import DamagedObject, MissingObject
from asof.storage.chunks import chunk_bytes, chunk_count, dump_list, list_bytes, load_list, read_object
from asof.storage.local import LocalObjects
from asof.storage.manifests import Truth
from asof.storage.names import digest_of, object_path
from asof.storage.upload import upload

NAMES = st.lists(
    st.builds(
        lambda digest, token: digest.hex() + (f"-{token.hex()}" if any(token) else ""),
        st.binary(min_size=16, max_size=16),
        st.just(b"") | st.binary(min_size=8, max_size=8),
    )
)


@given(NAMES)
def test_a_list_is_24_bytes_a_chunk(names: list[str]) -> None:
    assert len(dump_list(names)) == 24 * len(names)
    assert load_list(dump_list(names)) == names


def test_the_last_chunk_is_shorter() -> None:
    truth = Truth(bytes=10_000, chunk=4096, chunks="a" * 32)
    assert [chunk_bytes(truth, place) for place in range(chunk_count(truth))] == [4096, 4096, 1808]
    assert list_bytes(truth) == 72


def test_what_is_there_already_is_made_under_another_name(tmp_path: Path) -> None:
    """It may be about to be removed, by a vacuum that does not know of this push."""
    objects = LocalObjects(tmp_path)
    first, second = upload(objects, b"the same"), upload(objects, b"the same")
    assert first == blake2b(b"the same", digest_size=16).hexdigest() == digest_of(b"the same")
    assert second.startswith(f"{first}-")
    assert read_object(objects, first, 8) == read_object(objects, second, 8) == b"the same"


@pytest.mark.parametrize("times", [1, 2, 3])
def test_what_was_altered_on_the_way_is_read_again(tmp_path: Path, times: int) -> None:
    class Altering(Watched):
        def get(self, name: str, largest: int = 100) -> bytes | None:
            content = super().get(name, largest)
            return b"other" if content and self.counts["get"] <= times else content

    objects = LocalObjects(tmp_path)
    name = upload(objects, b"right")
    if times < 3:
        assert read_object(Altering(objects), name, 5) == b"right"
    else:
        with pytest.raises(DamagedObject, match="is not what its name says"):
            read_object(Altering(objects), name, 5)
    objects.delete([object_path(name)])
    with pytest.raises(MissingObject, match=f"has no object {name}"):
        read_object(objects, name, 5)
