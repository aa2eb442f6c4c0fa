"""The HTTP application of `asof serve`, and the processes that run it on one mapped index.

Verbs are GET with parameters and give JSON (`ask` also streams); documents are added and deleted by POST and
DELETE. Page, health and metrics stand beside them, all behind `guard.Guard`. As a program, this module is a
worker process: `python -m asof.extensions.server.app SOCKET`, started by `asof serve --workers`.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import ipaddress
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from msgspec import Meta, Struct
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from asof.cli.formats import FORMATS, CarriedTable, content, is_table, table
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import document_file
from asof.environment import variables
from asof.errors import AsofError, UsageError
from asof.extensions.server.guard import LOOPBACK, Guard, Keys, Limits, Metrics, as_json, of_error, refusal
from asof.hits import Answer
from asof.parameters import Name
from asof.plugins import folder_at
from asof.results import DeletedDocument, all_shapes, schema
from asof.store.store import PATHS
from asof.verbs import WRITES, Verb, all_verbs, ask
from asof.version import __version__
from asof.wire import encode, replace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from asof.extensions.server.watching import Notice


# -- endpoints -------------------------------------------------------------------------------------


SHOWN = 5
"""The number of problems that are named where no document could be added."""

API = "/api/v1"
DOCUMENTS = f"{API}/documents"


def read_routes(corpus: Corpus, metrics: Metrics) -> list[Route]:
    """All verbs, and `ask` as a stream."""

    def counted(value: object) -> object:
        if isinstance(value, Answer) and value.cost is not None and value.cost.usage.cost:
            metrics.cost.inc(value.cost.usage.cost)
        return value

    def endpoint(verb: Verb) -> Callable[[Request], Response]:
        is_carried = is_table(all_shapes()[verb.result][1])

        def answer(request: Request) -> Response:
            parameters = given(request, verb)
            how = parameters.pop("format", "json") if is_carried else "json"
            if how not in CARRIED:
                raise UsageError(f"format is {how[:80]!r}; accepted: {', '.join(CARRIED)}")
            asked = verb.read(parameters)
            if how != "json" and getattr(asked, "explain", False):
                raise UsageError(f"explain does not go with format={how}")
            value = counted(verb.run(corpus, asked))
            return (
                as_json(verb.encoded(asked, value)) if how == "json" else _file(verb.name, table(value), how)
            )

        return answer

    def stream(request: Request) -> Response:
        verb = all_verbs()["ask"]
        asked = verb.read(given(request, verb))
        pieces = _pieces(lambda on_text: encode(counted(ask(corpus, asked, on_text))), request.state.request)
        return StreamingResponse(pieces, media_type="text/event-stream")

    return [
        *(Route(f"{API}/{name}", endpoint(verb), methods=["GET"]) for name, verb in all_verbs().items()),
        Route(f"{API}/ask/stream", stream, methods=["GET"]),
    ]


CARRIED = (*FORMATS, "json")
"""What `format` may be, of a verb whose answer is a table."""


def _file(name: str, made: CarriedTable, how: str) -> Response:
    """A table as a file to save."""
    kind = FORMATS[how]
    named = f'attachment; filename="asof-{name}.{kind.suffix}"'
    return Response(content(made, how), headers={"content-disposition": named}, media_type=kind.media_type)


def given(request: Request, verb: Verb) -> dict[str, Any]:
    """The parameters in the address of a request. Raises UsageError for one that is given twice and is no
    list: of two values one would be ignored."""
    lists = {name for name, each in verb.schema()["properties"].items() if each.get("type") == "array"}
    pairs = request.query_params.multi_items()
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in lists:
            found.setdefault(name, []).append(value)
        elif name in found:
            count = sum(each == name for each, _ in pairs)
            raise UsageError(f"{name[:80]!r} is given {count} times; give it once")
        else:
            found[name] = value
    return found


class DeleteParameters(Struct, frozen=True, kw_only=True):
    """Delete a document with all of its versions."""

    document: Annotated[Name, Meta(description="its id")]


def delete_document(corpus: Corpus, asked: DeleteParameters) -> DeletedDocument:
    return DeletedDocument(asked.document, corpus.purge(asked.document))


DELETE = Verb("documents", DeleteParameters, "delete", delete_document, {"document": "fares"})


def write_routes(corpus: Corpus, limits: Limits) -> list[Route]:
    """Adding and deleting documents; the guard lets keys in that may."""

    async def add(request: Request) -> Response:
        asked = await _object(request)
        if isinstance(asked, Response):
            return asked
        return await run_in_threadpool(_added, corpus, asked, limits, request.state.request)

    def delete(request: Request) -> Response:
        return as_json(DELETE.answer(corpus, DELETE.read(given(request, DELETE))))

    def endpoint(verb: Verb) -> Callable[[Request], Awaitable[Response]]:
        async def write(request: Request) -> Response:
            asked = await _object(request)
            return asked if isinstance(asked, Response) else await run_in_threadpool(written, asked)

        def written(asked: dict[str, Any]) -> Response:
            return as_json(verb.answer(corpus, verb.read(asked)))

        return write

    return [
        Route(DOCUMENTS, add, methods=["POST"]), Route(DOCUMENTS, delete, methods=["DELETE"]),
        *(Route(f"{API}/{verb.name}", endpoint(verb), methods=["POST"]) for verb in WRITES),
    ]  # fmt: skip


async def _object(request: Request) -> dict[str, Any] | Response:
    """The object of a body in JSON, or the refusal of another one. No form of another site can send this
    type."""
    own = request.state.request
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return refusal(415, "WrongMediaType", "application/json is expected", own)
    try:
        given = json.loads(await request.body(), parse_constant=_refused_constant)
    except (ValueError, RecursionError) as wrong:
        return refusal(400, "BadRequest", f"the body is no JSON: {str(wrong)[:200]}", own)
    return (
        given if isinstance(given, dict) else refusal(422, "WrongParameter", "a JSON object is expected", own)
    )


def _added(corpus: Corpus, given: dict[str, Any], limits: Limits, request: str) -> Response:
    """Add the documents of a body, as `NEW_DOCUMENTS` describes it."""
    documents = given.get("documents") if len(given) == 1 else None
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
    return as_json(encode(done))


def _refused_constant(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


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


# -- files -----------------------------------------------------------------------------------------


SHOWN_TYPES = {
    ".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
    ".gif": "image/gif", ".webp": "image/webp", ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}  # fmt: skip
"""The files that a browser shows, by their ending; it saves all others. None of these types runs a script."""

FILE_POLICY = (
    "default-src 'none'; object-src 'self'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
"""What a shown file may load (a browser's viewers of PDFs and images need it): nothing of others, nor may
they show it."""

LONGEST_FILE = 256 * 2**20
"""Bytes of a file that is handed out."""


def file_route(corpus: Corpus) -> Route:
    """The file of a current document as it lies in its folder today, for the person at this machine."""

    def file(request: Request) -> Response:
        name = request.query_params.get("document", "")
        path = file_of(corpus, name)
        if path is None:
            words = f"{name[:200]!r} is no current document whose file lies in a folder of this index"
            return refusal(404, "NotFound", words, request.state.request)
        if path.stat().st_size > LONGEST_FILE:
            words = f"the file has over {LONGEST_FILE:,} bytes; open it in its folder"
            return refusal(413, "TooLarge", words, request.state.request)
        media = SHOWN_TYPES.get(path.suffix.lower())
        how = "inline" if media else "attachment"
        return FileResponse(
            path, media_type=media or "application/octet-stream", filename=path.name,
            content_disposition_type=how, headers={"content-security-policy": FILE_POLICY},
        )  # fmt: skip

    return Route("/file", file, methods=["GET"])


def file_of(corpus: Corpus, name: str) -> Path | None:
    """The file of the current document with this id, which may be one of several in it; None without one.

    The document has to be read from a folder or a file, and nothing from the corpus's folder to its file may
    be a symbolic link: what was indexed may have been replaced by one since.
    """
    if corpus.at().text(name) is None:
        return None
    with corpus.session.connection() as db:
        row = db.execute(
            "SELECT s.name, s.kind FROM documents AS d JOIN sources AS s ON s.id = d.source WHERE d.name = ?",
            (name,),
        ).fetchone()
    if row is None or row[1] not in PATHS:
        return None
    source, inner = PurePosixPath(row[0]), PurePosixPath(document_file(name))
    if ".." in inner.parts or inner.is_absolute() or not (source == inner or source in inner.parents):
        return None
    steps = [corpus.root / each for each in (inner, *inner.parents) if each.parts]
    if not steps or any(each.is_symlink() for each in steps):
        return None
    return steps[0] if steps[0].is_file() else None


# -- the application -------------------------------------------------------------------------------


PAGE = Path(str(files(__package__))) / "page"


Beside: TypeAlias = tuple[str, ASGIApp, AbstractAsyncContextManager[Any] | None]
"""Another application: the path at which it answers, and what runs while it is served."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of serving a corpus. `write`: documents may be added and deleted. `hosts` (None: any),
    `keys`, `limits`, `log`: see `Guard`. `beside`: further applications."""

    write: bool = False
    hosts: frozenset[str] | None = LOOPBACK
    keys: Keys | None = None
    limits: Limits = field(default_factory=Limits)
    beside: tuple[Beside, ...] = ()
    log: Callable[[str], None] | None = None


def create_app(corpus: Corpus, options: ServeOptions | None = None) -> Guard:
    """The application for an open corpus, which stays open."""
    options = options or ServeOptions()
    metrics = Metrics()
    described = json.dumps(describe(write=options.write)).encode()
    writes = write_routes(corpus, options.limits) if options.write else []
    app = Starlette(
        routes=[
            *read_routes(corpus, metrics), *writes, *_health_routes(corpus, metrics),
            *(Route(path, application) for path, application, _ in options.beside),
            Route(f"{API}/openapi.json", lambda _: Response(described, media_type="application/json")),
            Mount("/page", StaticFiles(directory=PAGE), name="page"),
            Route("/", lambda _: FileResponse(PAGE / "index.html")),
            *([file_route(corpus)] if options.keys is None else []),
        ],
        exception_handlers={AsofError: _asof_error, HTTPException: _http_error, Exception: _fault},
        lifespan=_lifespan(options),
    )  # fmt: skip
    guard = Guard(app, metrics, options.hosts, options.keys, options.limits, corpus.models.speaks)
    if options.log is not None:
        guard.log = options.log
    return guard


def _lifespan(options: ServeOptions) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001
        async with AsyncExitStack() as stack:
            for _, _, manager in options.beside:
                if manager is not None:
                    await stack.enter_async_context(manager)
            yield

    return running


def _health_routes(corpus: Corpus, metrics: Metrics) -> list[Route]:
    async def health(_: Request) -> Response:
        return as_json({"status": "ok", "version": __version__})

    def ready(request: Request) -> Response:
        try:
            corpus.at().documents(most=1)
        except AsofError as error:
            return refusal(503, type(error).__name__, str(error), request.state.request)
        return as_json({"status": "ok"})

    def prometheus(_: Request) -> Response:
        return Response(metrics.text(corpus), media_type="text/plain; version=0.0.4; charset=utf-8")

    return [Route("/health", health), Route("/ready", ready), Route("/metrics", prometheus)]


# -- every error in one form -----------------------------------------------------------------------


async def _asof_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AsofError)  # noqa: S101  it is registered for these
    return of_error(error, request.state.request)


async def _fault(request: Request, _: Exception) -> Response:  # it is logged by uvicorn
    return refusal(500, "Fault", "a fault of the server; its log has more", request.state.request)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  it is registered for these
    path = request.url.path[:200]
    kind, message = "BadRequest", f"the request cannot be read ({error.detail})"
    if error.status_code == 404:
        kind, message = "NotFound", f"there is nothing at {path!r}; see {API}/openapi.json"
    elif error.status_code == 405:
        accepted = (error.headers or {}).get("Allow", "another method")
        kind, message = "WrongMethod", f"{request.method[:20]} {path!r}: {accepted} is accepted"
        if path == DOCUMENTS:
            message += "; documents are added and deleted where the server runs with --write"
    return refusal(error.status_code, kind, message, request.state.request, dict(error.headers or {}))


# -- OpenAPI ---------------------------------------------------------------------------------------

NEW_DOCUMENTS = {
    "description": "Documents to add, each with the fields of a line of JSON Lines: `id` and `text`; "
    "`title`, `published`, `tags`, `links`, `uri`; all others are metadata.",
    "type": "object", "required": ["documents"], "additionalProperties": False,
    "properties": {"documents": {"type": "array", "minItems": 1, "items": {"type": "object"}}},
    "examples": [{"documents": [
        {"id": "fares", "text": "A crossing costs 4 crowns.", "title": "Fares", "published": "2024-03-05"}
    ]}],
}  # fmt: skip

ERROR_REPLY = {
    "description": "The body of every reply that is no answer: `kind` names the error for programs, "
    "`message` says it in words; `request` is its id in the server's log.",
    "type": "object", "required": ["error"],
    "properties": {"error": {
        "type": "object", "required": ["kind", "message", "request"],
        "properties": {name: {"type": "string"} for name in ("kind", "message", "request")},
    }},
}  # fmt: skip


def describe(*, write: bool) -> dict[str, Any]:
    """The description of the API (OpenAPI 3.1): each verb with its parameters and its answer."""
    paths: dict[str, Any] = {f"{API}/{name}": {"get": _operation(verb)} for name, verb in all_verbs().items()}
    streamed = _operation(all_verbs()["ask"])
    streamed["summary"] = (
        "Answer as server-sent events: `text` while a model writes, then `answer` or `error`."
    )
    streamed["responses"]["200"]["content"] = {"text/event-stream": {}}
    streamed["parameters"] = [each for each in streamed["parameters"] if each["name"] != "format"]
    paths[f"{API}/ask/stream"] = {"get": {**streamed, "operationId": "ask_stream"}}
    shapes = {verb.result for verb in all_verbs().values()}
    if write:
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/NewDocuments"}}}
        paths[DOCUMENTS] |= {
            "post": {
                "summary": "Add documents, or new versions of them.", "operationId": "add",
                "requestBody": {"required": True, "content": content}, "responses": _responses("add"),
            },
            "delete": {**_operation(DELETE), "operationId": "delete"},
        }  # fmt: skip
        for verb in WRITES:
            body = {"application/json": {"schema": verb.schema(), "example": dict(verb.example)}}
            paths[f"{API}/{verb.name}"] = {"post": {
                "summary": verb.summary, "operationId": verb.name,
                "requestBody": {"required": True, "content": body}, "responses": _responses(verb.result),
            }}  # fmt: skip
    schemas: dict[str, Any] = {"ErrorReply": ERROR_REPLY, "NewDocuments": NEW_DOCUMENTS}
    for name in (*shapes, "add", "delete", *(verb.result for verb in WRITES)):
        whole = json.loads(json.dumps(schema(name)).replace("#/$defs/", "#/components/schemas/"))
        schemas |= whole.pop("$defs")
        whole.pop("$schema")
        schemas[_named(name)] = whole
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "asof", "version": __version__,
            "description": "Search documents that change, as of any date.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas, "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
    }  # fmt: skip


def _operation(verb: Verb) -> dict[str, Any]:
    """A verb: its parameters with an example, and its answer."""
    shape = verb.schema()
    parameters: list[dict[str, Any]] = []
    is_carried = is_table(all_shapes()[verb.result][1])
    if is_carried:
        about = "the answer in JSON, or as a file to save"
        kinds = {"type": "string", "enum": list(CARRIED), "default": "json"}
        parameters.append(
            {"name": "format", "in": "query", "required": False, "schema": kinds, "description": about}
        )
    for name, each in shape["properties"].items():
        one = {"name": name, "in": "query", "required": name in shape.get("required", ()), "schema": each}
        if "description" in each:
            one["description"] = each["description"]
        if name in verb.example:
            one["example"] = verb.example[name]
        parameters.append(one)
    responses = _responses(verb.result)
    if is_carried:
        files = {kind.media_type: {"schema": {"type": "string"}} for kind in FORMATS.values()}
        responses["200"]["content"].update(files)
    return {
        "summary": verb.summary, "operationId": verb.name.replace("-", "_"), "parameters": parameters,
        "responses": responses,
    }  # fmt: skip


def _responses(name: str) -> dict[str, Any]:
    """The replies with an answer of the schema of this name (`all_shapes`), and of an error."""
    origin = all_shapes()[name][0]
    words = f"The JSON of `{origin}`." if origin.startswith("asof ") else "Done."
    content: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{_named(name)}"}}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorReply"}}}
    return {
        "200": {"description": words, "content": {"application/json": content}},
        "default": {"description": "No answer: the status and `kind` say why.", "content": error},
    }


def _named(name: str) -> str:
    """The name in OpenAPI of one of `all_shapes`; none of theirs is that of a part."""
    return f"{name.title().replace('-', '')}Answer"


# -- connections: idle timeout, and how many from one address --------------------------------------


LIMITS = Limits()


class PatientConnection(H11Protocol):
    """A connection that is ended when no request has come whole for `Limits.patience` seconds, or when it was
    closed and its client does not take what is left; and at once if its address has too many.

    uvicorn has a limit for the pause after a reply alone: headers may come as slowly as they like.
    """

    open_connections: ClassVar[Counter[str]] = Counter()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._quiet_since = self.loop.time()
        self._clock: asyncio.TimerHandle | None = None
        self._address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self.open_connections[self._address] += 1
        if self.open_connections[self._address] > LIMITS.connections:
            transport.abort()
            return
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self.open_connections[self._address] -= 1
        if self._clock is not None:
            self._clock.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        """End the connection if it has been quiet for too long; else look again soon."""
        closing = self.transport.is_closing()
        if self.cycle is not None and not self.cycle.response_complete and not closing:
            self._quiet_since = self.loop.time()
        if self.loop.time() - self._quiet_since > LIMITS.patience:
            self.transport.abort()
            return
        self._clock = self.loop.call_later(LIMITS.patience / 8, self._look)


# -- one process or several ------------------------------------------------------------------------


DRAIN = 20
"""Seconds that requests under way have at the end."""

LONGEST_HEAD = 64 * 2**10
"""Bytes of a request before its body: its address and its fields."""

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\]")

SWITCH = 0.0005
"""Seconds after which a thread that works lets others on (Python: 0.005): requests wait for the thread that
receives them."""

VARIABLE = "ASOF_SERVE"
"""The environment variable that tells the processes of a server what to serve."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address that a server listens on."""

    host: str
    port: int

    @property
    def loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def serve_options(
    address: Address, keys: Keys, *, write: bool, names: tuple[str, ...], need_key: bool
) -> ServeOptions:  # fmt: skip
    """The options for an address: loopback needs no key unless `need_key`; any other needs one.

    `names`: further names under which it is called. Raises UsageError where no key could be accepted.
    """
    keyed = need_key or not address.loopback
    if keyed and not keys.all():
        why, else_ = "--need-key asks for a key", "leave out --need-key"
        if not address.loopback:
            why, else_ = f"{address.host} can be reached by others", "stay with --host 127.0.0.1"
        raise UsageError(f"{why}, and there is no key: make one with `asof key add NAME`, or {else_}")
    for name in names:
        if not _HOST.fullmatch(name):
            raise UsageError(f"--name {name!r:.80}: a host is expected, such as notes.example")
    hosts = LOOPBACK | {address.host.lower()} | {name.lower() for name in names}
    return ServeOptions(write, frozenset(hosts), keys if keyed else None)


def application(description: str) -> Guard:
    """The application of a process of a server, by its settings (JSON)."""
    told = json.loads(description)
    corpus = open_corpus(told["root"], create=told["write"])
    if told["watch"]:
        _follow(corpus)
    if told["url"]:
        folder_at(told["url"], corpus)
    return guarded(corpus, told, _for_assistants(corpus, write=told["write"]))


def guarded(corpus: Corpus, told: Mapping[str, Any], beside: tuple[Beside, ...] = ()) -> Guard:
    """The application for an open corpus, by the settings of a server."""
    keys = Keys(Path(told["keys"]), frozenset({os.geteuid()}))
    options = serve_options(
        Address(told["host"], told["port"]), keys, write=told["write"], names=tuple(told["names"]),
        need_key=told["need_key"],
    )  # fmt: skip
    log = (lambda _: None) if told["quiet"] else None
    return create_app(corpus, replace(options, beside=beside, log=log))


def _follow(corpus: Corpus) -> None:
    """Keep the corpus in step with its sources in a thread, for as long as the process lives."""
    from asof.extensions.server.watching import Watcher, known_sources

    def notice(one: Notice) -> None:
        if one.text:
            sys.stderr.write(f"{json.dumps({'watch': one.source, 'message': one.text})}\n")

    if sources := known_sources(corpus, notice):
        run = Watcher(corpus, sources, notice, inside=corpus.root).run
        threading.Thread(target=run, args=(threading.Event(),), name="asof-watch", daemon=True).start()


def _for_assistants(corpus: Corpus, *, write: bool) -> tuple[Beside, ...]:
    """The application for assistants, where the SDK is installed."""
    if importlib.util.find_spec("mcp") is None:
        return ()
    late = ForAssistants(corpus, write=write)
    return (("/mcp", late, late.running()),)


class ForAssistants:
    """The application for assistants, made when the first one calls: to import the SDK takes longer than all
    else of a start."""

    def __init__(self, corpus: Corpus, *, write: bool) -> None:
        self._corpus, self._write = corpus, write
        self._called, self._ended = asyncio.Event(), asyncio.Event()
        self._made: asyncio.Future[ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._made is not None  # noqa: S101  nothing is served outside of `running`
        self._called.set()
        application = await asyncio.shield(self._made)  # one that gives up waiting does not cancel it
        await application(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """What runs while it is served."""
        self._made = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._run(self._made))
        try:
            yield
        finally:
            self._ended.set()
            self._called.set()
            await task

    async def _run(self, made: asyncio.Future[ASGIApp]) -> None:
        await self._called.wait()
        if self._ended.is_set():
            return
        try:
            module = await asyncio.to_thread(importlib.import_module, "asof.extensions.server.mcp")
            application, manager = module.mounted(self._corpus, write=self._write)
            async with manager:
                made.set_result(application)
                await self._ended.wait()
        except Exception as error:
            if made.done():
                raise
            made.set_exception(error)


@contextmanager
def bound(address: Address) -> Iterator[tuple[socket.socket, Address]]:
    """A socket that listens there, and the address with its port. Raises UsageError where it cannot."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # asyncio sends replies without delay (TCP_NODELAY) only where the protocol is named
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(512)
    except socket.gaierror as error:
        listening.close()
        raise UsageError(f"--host {address.host!r:.80} is no address of this machine") from error
    except OSError as error:
        listening.close()
        raise UsageError(
            f"{address.host}:{address.port} cannot be listened at ({error.strerror}); name another --port"
        ) from error
    with listening:
        listening.set_inheritable(True)
        yield listening, Address(address.host, listening.getsockname()[1])


def serve_processes(
    listening: socket.socket, environment: dict[str, str], told: str, workers: int,
    on_note: Callable[[str], None],
) -> None:  # fmt: skip
    """Serve on this socket until SIGINT or SIGTERM; requests under way have DRAIN seconds. With several
    `workers`, each is a process; one that dies is started again."""
    if workers == 1:
        serve_here(listening, told)
        return
    command = [sys.executable, "-m", "asof.extensions.server.app", str(listening.fileno())]
    processes = [_started(command, environment, told, listening) for _ in range(workers)]
    stopping = False

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True
        for process in processes:
            process.terminate()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        while not stopping:
            for at, process in enumerate(processes):
                if process.poll() is not None and not stopping:
                    on_note(f"a server process ended with {process.returncode}: another one is started")
                    processes[at] = _started(command, environment, told, listening)
            time.sleep(0.2)
        for process in processes:
            process.wait(DRAIN + 5)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _started(
    command: list[str], environment: dict[str, str], told: str, listening: socket.socket
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  our own interpreter and module
        command, env={**environment, VARIABLE: told}, pass_fds=(listening.fileno(),), start_new_session=True
    )


def serve_here(listening: socket.socket, told: str) -> None:
    """Serve in this process, by the settings in `told`."""
    import uvicorn

    config = uvicorn.Config(
        application(told), http=PatientConnection, ws="none", proxy_headers=False, log_level="warning",
        access_log=False, lifespan="on", timeout_keep_alive=15, timeout_graceful_shutdown=DRAIN,
        limit_concurrency=2_000, server_header=False, date_header=False,
        h11_max_incomplete_event_size=LONGEST_HEAD,
    )  # fmt: skip
    sys.setswitchinterval(SWITCH)
    server = uvicorn.Server(config)

    def stop(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn has its own while it serves, and raises it again
        signal.signal(number, stop)
    server.run(sockets=[listening])


# -- a worker process ------------------------------------------------------------------------------


if __name__ == "__main__":
    serve_here(socket.socket(fileno=int(sys.argv[1])), variables()[VARIABLE])
