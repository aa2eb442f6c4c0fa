"""Requests: the pause between them, what is asked again and how long it is waited, what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.json_server import Server

from asof.errors import SourceError
from asof.extensions.providers.http import (
    PATIENT,
    DownloadTooLarge,
    Fetcher,
    NotFound,
    RequestRejected,
    RetryLater,
    redirect_target,
)
from asof.wire import replace


@pytest.fixture
def web(server: Server) -> Server:
    """A server that says b"well" when its replies are used up."""
    server.url = server.url.replace("/rerank", "/api")
    return server


class Clock:
    """Time that passes only where it is slept."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fetcher(clock: Clock) -> Callable[..., Fetcher]:
    def make(**options: object) -> Fetcher:
        retry = replace(PATIENT, sleep=clock.sleep, draw=lambda: 1.0, **options)
        return Fetcher(retry=retry, sleep=clock.sleep, clock=lambda: clock.now)

    return make


def test_three_seconds_lie_between_two_requests(web, clock, fetcher):
    ask = fetcher()
    assert [ask.get(web.url + "?a=1", bytes) for _ in range(3)] == [b"well"] * 3
    path, headers, _ = web.seen[0]
    assert (path, headers["User-Agent"][:5]) == ("/api?a=1", "asof ")
    clock.now += 1.0
    ask.get(web.url, bytes)
    clock.now += 9.0
    ask.get(web.url, bytes)
    assert clock.slept == [3.0, 3.0, 2.0]
    assert ask.requests == 5


@pytest.mark.parametrize(
    ("reply", "slept"),
    [
        ((429, {"Retry-After": "40"}, b""), [40.0]),
        ((503, {"Retry-After": "1"}, b""), [1.0, 2.0]),  # and the rest of the pause
        ((500, {}, b""), [3.0]),
        ((200, {"Content-Length": "99"}, b"half"), [3.0]),
        ((200, {}, b"garbled"), [3.0]),
    ],
)
def test_what_is_asked_again(web, clock, fetcher, reply, slept):
    def read(body: bytes) -> bytes:
        if body == b"garbled":
            raise RetryLater("no feed")
        return body

    web.replies = [reply]
    assert fetcher().get(web.url, read) == b"well"
    assert clock.slept == slept


def test_it_is_given_up_in_the_end_and_says_so(web, clock, fetcher):
    web.replies = [(503, {}, b"")] * 9
    with pytest.raises(SourceError) as told:
        fetcher(attempts=3).get(web.url + "?search_query=x", bytes)
    assert str(told.value) == (
        f"{web.url}: status 503 (3 attempts); documents indexed so far are kept: try again later"
    )
    assert clock.slept == [3.0, 6.0]


@pytest.mark.parametrize(
    ("reply", "error", "said"),
    [
        ((404, {}, b""), NotFound, "there is no such page"),
        ((403, {}, b"no"), SourceError, "status 403; check the address in"),
        ((400, {}, b"<feed/>"), SourceError, "it says: incorrect id format for abc"),
        ((400, {}, b"bad\x1b[31m"), SourceError, r"status 400, 'bad \[31m'"),
        ((200, {"Content-Length": "11"}, b"x" * 11), DownloadTooLarge, "more than 10 bytes"),
    ],
)
def test_what_is_not_asked_again(web, clock, fetcher, reply, error, said):
    def read(body: bytes) -> bytes:
        if body == b"<feed/>":
            raise RequestRejected("incorrect id format for abc")
        raise RetryLater("no feed")

    web.replies = [reply]
    with pytest.raises(error, match=said):
        fetcher().get(web.url, read, 10)
    assert len(web.seen) == 1


def test_a_redirect_on_the_same_host_is_followed_with_a_pause(web, clock, fetcher):
    web.replies = [(301, {"Location": "/api/new?a=1"}, b"")]
    assert fetcher().get(web.url, bytes) == b"well"
    assert ([path for path, *_ in web.seen], clock.slept) == (["/api", "/api/new?a=1"], [3.0])


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("/api", "it redirects again, after 3 times"),
        ("http://example.org/x", r"it redirects to 'http://example\.org/x', which is not followed"),
    ],
)
def test_redirects_without_an_end_or_to_elsewhere(web, fetcher, location, said):
    web.replies = [(302, {"Location": location}, b"")] * 9
    with pytest.raises(SourceError, match=said):
        fetcher().get(web.url, bytes)
    assert len(web.seen) == (3 if location == "/api" else 1)


ARXIV = "https://export.arxiv.org/api/query?x=1"


@pytest.mark.parametrize(
    ("url", "location"),
    [
        (ARXIV, "https://arxiv.org/api/query?x=1"),
        ("https://arxiv.org/pdf/2401.00001v1", "https://export.arxiv.org/pdf/2401.00001v1"),
        ("http://localhost:8080/a", "https://localhost:8080/a"),
        (ARXIV, "/other"),
    ],
)
def test_redirects_that_are_followed(url: str, location: str):
    assert redirect_target(url, location, "arxiv.org").startswith(("https://", "http://localhost"))


@pytest.mark.parametrize(
    "location",
    [
        "http://export.arxiv.org/api/query", "https://arxiv.org.example/x", "https://evilarxiv.org/", "file:///etc/passwd",
        "https://user:key@arxiv.org/", "https://arxiv.org:8443/", "//example.org/x", "ftp://arxiv.org/x", "https://[::1",
        "javascript:alert(1)",
    ],
)  # fmt: skip
def test_redirects_that_are_refused(location: str):
    with pytest.raises(ValueError, match=r"another host|Invalid IPv6"):
        redirect_target(ARXIV, location, "arxiv.org")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/x", "http://nowhere.invalid/x"])
def test_where_nobody_listens_is_refused_at_once(clock, fetcher, url: str):
    with pytest.raises(SourceError, match=r"it cannot be reached: .*check the address and the network"):
        fetcher().get(url, bytes)
    assert clock.slept == []


def test_a_network_that_was_there_a_moment_ago_is_waited_for(web, clock, fetcher):
    ask = fetcher(attempts=2)
    ask.get(web.url, bytes)
    with pytest.raises(SourceError, match=r"the connection failed: Connection refused \(2 attempts\)"):
        ask.get("http://127.0.0.1:9/x", bytes)
    assert clock.slept == [3.0, 3.0]  # the pause, and the wait before the second attempt
