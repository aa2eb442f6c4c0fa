"""One request and its answer, within a time and a size; what goes wrong as three kinds of errors.

Not `urllib`: it follows redirects with all headers, takes proxies from the environment, and opens files.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead

from asof.http.address import path_of
from asof.http.connection import READ_AT_ONCE, connection_to, first_bytes
from asof.http.retry import NoConnection, RetryLater

AGENT = "asof (a search engine on a user's own machine; one request at a time)"


class Unreachable(Exception):
    """An address that cannot be asked: no such host, no HTTP, no secure connection."""


class ResponseTooLarge(Exception):
    """An answer that has more bytes than are read."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the answer has more than {limit:,} bytes")


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: all bytes of a 200, none of a redirect, the first 64 KiB of any other status."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def location(self) -> str | None:
        """Where a redirect leads, as the server says it; None if the answer is no redirect."""
        return self.headers.get("Location", "") if 300 <= self.status < 400 else None

    @property
    def may_pass(self) -> bool:
        """Whether the server is busy (429) or at fault (5xx)."""
        return self.status == 429 or self.status >= 500


def send(
    method: str,
    url: str,
    headers: Mapping[str, str],
    timeout: float,
    *,
    body: bytes | None = None,
    largest: int,
) -> Response:
    """The answer to one request, whatever its status. No redirect is followed, no proxy used.

    Raises RetryLater (NoConnection) for a server that is silent, gone, or cuts its answer off; Unreachable;
    ResponseTooLarge for a 200 with more than `largest` bytes.
    """
    connection = connection_to(url, timeout)
    try:
        connection.request(method, path_of(url), body, dict(headers))
        with connection.getresponse() as response:
            return Response(response.status, response.headers, _body(response, largest))
    except TimeoutError as error:
        raise RetryLater(f"no answer within {timeout:g} s") from error
    except ssl.SSLCertVerificationError as error:
        raise Unreachable(f"no secure connection: {error.verify_message}") from error
    except ssl.SSLError as error:
        raise Unreachable(f"no secure connection: {error.reason or error}") from error
    except ConnectionError as error:
        kind = NoConnection if isinstance(error, ConnectionRefusedError) else RetryLater
        raise kind(f"the connection failed: {error.strerror or type(error).__name__}") from error
    except IncompleteRead as error:
        raise RetryLater("the answer was cut off") from error
    except HTTPException as error:
        raise Unreachable(f"this is no HTTP server ({type(error).__name__})") from error
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise Unreachable(f"it cannot be reached: {reason}; check the address and the network") from error
    finally:
        connection.close()


def _body(response: HTTPResponse, largest: int) -> bytes:
    if 300 <= response.status < 400:
        return b""
    if response.status != 200:
        return first_bytes(response, READ_AT_ONCE)
    announced = response.length
    if (announced or 0) > largest or len(body := first_bytes(response, largest + 1)) > largest:
        raise ResponseTooLarge(largest)
    if announced is not None and len(body) < announced:
        raise IncompleteRead(body, announced - len(body))
    return body
