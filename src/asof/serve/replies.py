"""Replies that are no answers: errors as JSON, each with what was given, what is accepted, what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from asof.errors import (
    AsofError,
    Busy,
    CorpusError,
    DocumentNotFound,
    ModelError,
    NoSpace,
    SourceError,
    UsageError,
)

STATUS: tuple[tuple[type[AsofError], int], ...] = (
    (Busy, 503), (NoSpace, 507), (ModelError, 502), (DocumentNotFound, 404), (UsageError, 422),
    (SourceError, 422), (CorpusError, 503),
)  # fmt: skip
"""What each kind of error is in HTTP; the first that fits."""


class ErrorBody(BaseModel):
    """What went wrong: `kind` names it for programs, `message` says it in words; `request` is its id in the
    server's log."""

    kind: str
    message: str
    request: str = ""


class ErrorReply(BaseModel):
    """The body of every reply that is no answer."""

    error: ErrorBody


def as_json(
    value: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(body, status, headers, "application/json")


def refusal(
    status: int, kind: str, message: str, request: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    """An error in this form."""
    return as_json({"error": {"kind": kind, "message": message, "request": request}}, status, headers)


def of_error(error: AsofError, request: str) -> Response:
    """An error of asof: its message, and its status by STATUS."""
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 500)
    headers = {"Retry-After": "1"} if status == 503 else None
    return refusal(status, type(error).__name__, str(error), request, headers)
