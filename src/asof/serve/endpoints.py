"""The verbs over HTTP: GET with parameters, JSON back; `ask` also as a stream; ingestion."""

from __future__ import annotations

import inspect
import json
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from asof.corpus.corpus import Corpus
from asof.errors import AsofError, UsageError
from asof.serialize.corpus import indexed_json
from asof.serialize.schema import all_shapes, schema
from asof.serve.limits import Limits
from asof.serve.metrics import Metrics
from asof.serve.replies import ErrorReply, as_json, of_error, refusal
from asof.verbs import parameters as p
from asof.verbs.verbs import VERBS, Verb, ask

DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply, "description": words}
    for status, words in {
        400: "the request is no HTTP or JSON", 401: "a key is needed",
        403: "the key, the page that calls, or anybody may not do this", 404: "there is no such document",
        405: "another method is expected", 408: "the body came too slowly",
        413: "the body is too large", 421: "the server is not called so", 422: "a parameter is wrong",
        429: "too many requests of this key", 431: "the address or a header is too long",
        502: "a language model did not answer",
        503: "the index is busy, or there are too many requests", 507: "the disk is full",
    }.items()
}  # fmt: skip
"""The errors that every verb may reply with."""


SHOWN = 5
"""So many problems are named where no document could be added."""


class NewDocuments(BaseModel):
    """Documents to add, each with the fields of a line of JSON Lines: `id` and `text`; `title`, `published`,
    `tags`, `links`, `uri`; all others are metadata."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"documents": [
        {"id": "fares", "text": "A crossing costs 4 crowns.", "title": "Fares", "published": "2024-03-05"}
    ]}]})  # fmt: skip

    documents: Annotated[list[dict[str, Any]], Field(min_length=1)]


def read_router(corpus: Corpus, metrics: Metrics) -> APIRouter:
    """All verbs that read."""
    router = APIRouter(prefix="/api/v1")
    for verb in VERBS.values():
        router.add_api_route(
            f"/{verb.name}", _endpoint(corpus, metrics, verb), methods=["GET"], summary=verb.summary,
            name=verb.name, response_class=Response, responses=_documented(verb.schema),
            dependencies=[Depends(_each_once(verb.parameters))],
        )  # fmt: skip

    def stream(request: Request, asked: Annotated[p.Ask, Query()]) -> Response:
        pieces = _pieces(lambda on_text: ask(corpus, asked, on_text), request.state.request)
        return StreamingResponse(pieces, media_type="text/event-stream")

    router.add_api_route(
        "/ask/stream", stream, methods=["GET"], response_class=Response,
        summary="Answer as server-sent events: `text` while a model writes, then `answer` or `error`.",
        responses={**DOCUMENTED, 200: {"content": {"text/event-stream": {}}}},
        dependencies=[Depends(_each_once(p.Ask))],
    )  # fmt: skip
    return router


def write_router(corpus: Corpus, limits: Limits) -> APIRouter:
    """Adding and deleting documents; the guard lets keys in that may."""
    router = APIRouter(prefix="/api/v1")
    described = {"requestBody": {"required": True, "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/NewDocuments"}}
    }}}  # fmt: skip

    @router.post(
        "/documents", summary="Add documents, or new versions of them.", response_class=Response,
        responses=_documented("add"), openapi_extra=described,
    )  # fmt: skip
    async def add(request: Request) -> Response:
        return await run_in_threadpool(_added, corpus, await request.body(), limits, request.state.request)

    @router.delete(
        "/documents", summary="Delete a document with all of its versions.",
        response_class=Response, responses=_documented("delete"), dependencies=[Depends(_each_once(None))],
    )  # fmt: skip
    def delete(document: Annotated[str, Query(min_length=1, max_length=p.MOST_NAME)]) -> Response:
        return as_json({"document": document, "passages": corpus.purge(document)})

    return router


def _added(corpus: Corpus, body: bytes, limits: Limits, request: str) -> Response:
    """Add the documents of a body: JSON as `NewDocuments` describes it."""
    try:
        given = json.loads(body, parse_constant=_refused_constant)
    except (ValueError, RecursionError) as wrong:
        return refusal(400, "BadRequest", f"the body is no JSON: {str(wrong)[:200]}", request)
    documents = given.get("documents") if isinstance(given, dict) and len(given) == 1 else None
    if not isinstance(documents, list) or not documents:
        expected = '{"documents": [{"id": ..., "text": ...}, ...]} is expected, and nothing else'
        return refusal(422, "WrongParameter", expected, request)
    if len(documents) > limits.documents:
        more = f"{len(documents):,} documents; accepted: up to {limits.documents:,} at a time"
        return refusal(413, "TooLarge", more, request)
    odd = next((at for at, each in enumerate(documents) if not isinstance(each, dict)), None)
    if odd is not None:
        return refusal(422, "WrongParameter", f"documents.{odd} is no object", request)
    done = corpus.add(documents)
    if done.failed == len(documents):
        wrongs = "; ".join(f"{each.file} {each.message}".strip() for each in done.problems[:SHOWN])
        return refusal(422, "NothingAdded", f"no document can be added: {wrongs}", request)
    return as_json(indexed_json(done))


def _refused_constant(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _endpoint(corpus: Corpus, metrics: Metrics, verb: Verb) -> Callable[..., Response]:
    """The function that FastAPI calls for a verb, with the parameters of that verb in its signature."""

    def answer(asked: Any) -> Response:
        value = verb.answer(corpus, asked)
        cost = value.get("cost")
        if isinstance(cost, dict) and (dollars := cost.get("dollars")):
            metrics.cost.inc(dollars)
        return as_json(value)

    parameter = inspect.Parameter(
        "asked", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[verb.parameters, Query()]
    )
    answer.__signature__ = inspect.Signature([parameter], return_annotation=Response)  # type: ignore[attr-defined]
    answer.__name__ = verb.name.replace("-", "_")
    return answer


def _documented(name: str) -> dict[int | str, dict[str, Any]]:
    """The replies of an endpoint whose answer has the schema of this name (`all_shapes`)."""
    origin = all_shapes()[name][0]
    words = f"The JSON of `{origin}`." if origin.startswith("asof ") else "Done."
    answer = {"schema": {"$ref": f"#/components/schemas/{_named(name)}"}}
    return {**DOCUMENTED, 200: {"content": {"application/json": answer}, "description": words}}


def _named(name: str) -> str:
    """The name in OpenAPI of one of `all_shapes`; none of theirs is that of a part."""
    return f"{name.title().replace('-', '')}Answer"


def _each_once(parameters: type[BaseModel] | None) -> Callable[[Request], None]:
    """A check that no parameter is given twice which is no list; of two values one would be ignored."""
    fields = {} if parameters is None else parameters.model_fields
    lists = {name for name, each in fields.items() if isinstance(each.default, list)}

    def check(request: Request) -> None:
        names = [name for name, _ in request.query_params.multi_items()]
        for name in names:
            if name not in lists and names.count(name) > 1:
                raise UsageError(f"{name[:80]!r} is given {names.count(name)} times; give it once")

    return check


def answer_schemas() -> dict[str, Any]:
    """The schemas of all answers and of their parts, for OpenAPI's components."""
    schemas: dict[str, Any] = {}
    for name in (*(verb.schema for verb in VERBS.values()), "add", "delete"):
        whole = json.loads(json.dumps(schema(name)).replace("#/$defs/", "#/components/schemas/"))
        schemas |= whole.pop("$defs")
        whole.pop("$schema")
        schemas[_named(name)] = whole
    return schemas | {"NewDocuments": NewDocuments.model_json_schema()}


def _pieces(answer: Callable[[Callable[[str], None]], Mapping[str, Any]], request: str) -> Iterator[str]:
    """Server-sent events of an answer: `text` for each piece, then `answer`, or `error`."""
    events: queue.Queue[tuple[str, Any] | None] = queue.Queue()

    def work() -> None:
        try:
            events.put(("answer", answer(lambda piece: events.put(("text", {"text": piece})))))
        except AsofError as error:
            events.put(("error", json.loads(bytes(of_error(error, request).body))))
        finally:
            events.put(None)

    threading.Thread(target=work, name="asof-ask", daemon=True).start()
    while (event := events.get()) is not None:
        yield f"event: {event[0]}\ndata: {json.dumps(event[1], ensure_ascii=False)}\n\n"
