"""Which storage a URL names, and where the server of it is."""

from __future__ import annotations

import re

import pytest

from asof.errors import UsageError
from asof.storage.address import check_endpoint, is_address, normal


@pytest.mark.parametrize(
    "text", ["s3:/news/notes", "s3:news", "gs:/news", "az:news/x", "file:/tmp/x", "s3://", "s4://x"]
)
def test_what_means_to_be_a_url_is_no_folder(text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"{text!r} names no storage: give s3://BUCKET/PREFIX")):
        normal(text)


def test_folders_and_buckets() -> None:
    assert not is_address("notes/s3/a")
    assert is_address("s3:/news")
    assert normal("s3://news/notes/") == "s3://news/notes"
    assert normal("file:///tmp/x/") == "file:///tmp/x"
    assert normal("notes").startswith("file:///")


@pytest.mark.parametrize(
    ("variables", "why"),
    [
        (
            {"AWS_ENDPOINT_URL": "127.0.0.1:5917"},
            "AWS_ENDPOINT_URL is '127.0.0.1:5917'; accepted: http://HOST:PORT",
        ),
        ({"AWS_ENDPOINT": "http://"}, "AWS_ENDPOINT is 'http://'; accepted"),
        ({"AWS_ENDPOINT_URL": "http://a:1"}, "without encryption; AWS_ALLOW_HTTP=true allows that"),
        ({"AWS_ENDPOINT_URL": "http://a:1", "AWS_ALLOW_HTTP": "no"}, "AWS_ALLOW_HTTP=true allows that"),
    ],
)
def test_an_endpoint_that_cannot_work_is_refused_at_once(variables: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        check_endpoint("s3://news/notes", variables)
    check_endpoint("gs://news/notes", variables)


def test_endpoints_that_can_work() -> None:
    check_endpoint("s3://news/notes", {})
    check_endpoint("s3://news/notes", {"AWS_ENDPOINT_URL": "https://s3.example"})
    check_endpoint("s3://news/notes", {"AWS_ENDPOINT_URL": "http://a:1", "AWS_ALLOW_HTTP": "TRUE"})
