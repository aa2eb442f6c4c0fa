"""What the errors of the `openai` client, and of the transport under it, mean to us."""

from __future__ import annotations

import importlib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

from asof.errors import ModelError
from asof.http.retry import NoConnection, RequestRejected, RetryLater


@contextmanager
def translated(timeout: float) -> Iterator[None]:
    """Raises errors of the client, and of the transport under it, as RetryLater (NoConnection),
    RequestRejected and ModelError."""
    import openai

    transport = _transport()
    try:
        yield
    except (openai.APITimeoutError, transport.TimeoutException) as error:
        if isinstance(error.__cause__, transport.ConnectTimeout):
            raise NoConnection(f"no connection within {timeout:g} s") from error
        raise RetryLater(f"no answer within {timeout:g} s") from error
    except openai.APIConnectionError as error:
        raise _send_error(error, transport) from error
    except (transport.RemoteProtocolError, transport.ReadError) as error:
        raise RetryLater("the answer was cut off") from error
    except (transport.HTTPError, OSError) as error:
        raise RetryLater(f"the connection failed: {str(error) or type(error).__name__}") from error


def _send_error(error: Exception, transport: Any) -> Exception:
    """What it means to us that the client could not send: old clients wrap also what a hook raises."""
    cause = error.__cause__
    if isinstance(cause, RetryLater | RequestRejected | ModelError):
        return copy(cause)  # else it would be the cause of its own cause
    if secure := _first_cause(cause, ssl.SSLError):
        return RequestRejected(f"no secure connection: {getattr(secure, 'reason', '') or secure}")
    kind = NoConnection if isinstance(cause, transport.ConnectError) else RetryLater
    return kind(f"the connection failed: {str(cause) or type(cause).__name__}")


def _transport() -> Any:
    """The library that the client sends with: httpx, or httpx2 since version 3."""
    import openai

    client = next(base for base in openai.DefaultHttpxClient.__mro__ if base.__name__ == "Client")
    return importlib.import_module(client.__module__.partition(".")[0])


def _first_cause(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    """The first error of this kind among the causes of one."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error
