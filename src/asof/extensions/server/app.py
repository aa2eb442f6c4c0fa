"""The HTTP application of `asof serve`, and the processes that run it on one mapped index.

Verbs are GET with parameters and give JSON (`ask` also streams); documents are added and deleted by POST and
DELETE. Page, health and metrics stand beside them, all behind `guard.Guard`. As a program, this module is a
worker process: `python -m asof.extensions.server.app SOCKET`, started by `asof serve --workers`.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.environment import variables
from asof.errors import AsofError, UsageError
from asof.extensions.server import verbs as p
from asof.extensions.server.guard import (
    LOOPBACK,
    ErrorReply,
    Guard,
    Keys,
    Limits,
    Metrics,
    as_json,
    of_error,
    refusal,
)
from asof.extensions.server.verbs import VERBS, Verb, ask, wrong_parameters
from asof.results import all_shapes, schema
from asof.version import __version__
from asof.wire import encode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from asof.extensions.server.watching import Notice


# -- endpoints -------------------------------------------------------------------------------------


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
"""The number of problems that are named where no document could be added."""


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
    return as_json(encode(done))


def _refused_constant(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _endpoint(corpus: Corpus, metrics: Metrics, verb: Verb) -> Callable[..., Response]:
    """The function that FastAPI calls for a verb, with the parameters of that verb in its signature."""

    def answer(asked: Any) -> Response:
        value = verb.answer(corpus, asked)
        cost = value.get("cost")
        if isinstance(cost, dict) and (dollars := cost.get("usd")):
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


# -- the application -------------------------------------------------------------------------------


DOCUMENTS = "/api/v1/documents"
PAGE = Path(str(files(__package__))) / "page"


Beside: TypeAlias = tuple[str, ASGIApp, AbstractAsyncContextManager[Any] | None]
"""Another application: the path at which it answers, and what runs while it is served."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of serving a corpus. `write`: documents may be added and deleted. `hosts` (None: any),
    `origins`, `keys`, `limits`, `log`: see `Guard`. `beside`: further applications."""

    write: bool = False
    hosts: frozenset[str] | None = LOOPBACK
    origins: frozenset[str] = frozenset()
    keys: Keys | None = None
    limits: Limits = field(default_factory=Limits)
    beside: tuple[Beside, ...] = ()
    log: Callable[[str], None] | None = None


def create_app(corpus: Corpus, options: ServeOptions | None = None) -> Guard:
    """The application for an open corpus, which stays open."""
    options = options or ServeOptions()
    metrics = Metrics()
    app = FastAPI(
        title="asof", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json",
        description="Search documents that change, as of any date.", lifespan=_lifespan(options),
    )  # fmt: skip
    app.include_router(read_router(corpus, metrics))
    if options.write:
        app.include_router(write_router(corpus, options.limits))
    _add_health(app, corpus, metrics)
    _add_errors(app)
    for path, application, _ in options.beside:
        app.router.routes.append(Route(path, application))
    app.mount("/page", StaticFiles(directory=PAGE), "page")
    app.add_api_route("/", lambda: FileResponse(PAGE / "index.html"), include_in_schema=False)
    _describe(app)
    guard = Guard(
        app, metrics, options.hosts, options.origins, options.keys, options.limits, corpus.models.speaks
    )
    if options.log is not None:
        guard.log = options.log
    return guard


def _lifespan(options: ServeOptions) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        async with AsyncExitStack() as stack:
            for _, _, manager in options.beside:
                if manager is not None:
                    await stack.enter_async_context(manager)
            yield

    return running


def _add_health(app: FastAPI, corpus: Corpus, metrics: Metrics) -> None:
    @app.get("/health", include_in_schema=False)
    async def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @app.get("/ready", include_in_schema=False)
    def ready(request: Request) -> Response:
        try:
            corpus.at().documents(most=1)
        except AsofError as error:
            return refusal(503, type(error).__name__, str(error), request.state.request)
        return Response('{"status":"ok"}', media_type="application/json")

    @app.get("/metrics", include_in_schema=False)
    def prometheus() -> Response:
        return Response(metrics.text(corpus), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_errors(app: FastAPI) -> None:
    """Every error in one form."""

    @app.exception_handler(AsofError)
    async def asof_error(request: Request, error: AsofError) -> Response:
        return of_error(error, request.state.request)

    @app.exception_handler(RequestValidationError)
    async def wrong(request: Request, error: RequestValidationError) -> Response:
        message = wrong_parameters(error.errors(), _parameters(request))
        return refusal(422, "WrongParameter", message, request.state.request)

    @app.exception_handler(Exception)
    async def fault(request: Request, error: Exception) -> Response:  # noqa: ARG001  it is logged by uvicorn
        message = "a fault of the server; its log has more"
        return refusal(500, "Fault", message, request.state.request)

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        path = request.url.path[:200]
        kind, message = "BadRequest", f"the body cannot be read as JSON ({error.detail})"
        if error.status_code == 404:
            kind, message = "NotFound", f"there is nothing at {path!r}; see /api/v1/openapi.json"
        elif error.status_code == 405:
            accepted = (error.headers or {}).get("Allow", "another method")
            kind, message = "WrongMethod", f"{request.method[:20]} {path!r}: {accepted} is accepted"
            if path == DOCUMENTS:
                message += "; documents are added and deleted where the server runs with --write"
        return refusal(error.status_code, kind, message, request.state.request, dict(error.headers or {}))


def _parameters(request: Request) -> list[str]:
    """The parameters that the endpoint of a request has."""
    dependant = getattr(request.scope.get("route"), "dependant", None)
    fields = dependant.query_params if dependant is not None else []
    names: list[str] = []
    for each in fields:
        fields_of = getattr(each.field_info.annotation, "model_fields", None)
        names += [each.name] if fields_of is None else list(fields_of)
    return names


def _describe(app: FastAPI) -> None:
    """OpenAPI with the schemas of the answers, an example for each verb, and how a key is given."""
    made = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            whole = made()
            parts = whole.setdefault("components", {})
            parts.setdefault("schemas", {}).update(answer_schemas())
            parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            whole["security"] = [{"key": []}, {}]
            _add_examples(whole)
            app.openapi_schema = whole
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _add_examples(whole: dict[str, Any]) -> None:
    from asof.extensions.server.verbs import VERBS

    answers = json.loads((files(__package__) / "examples.json").read_text("utf-8"))
    for verb in VERBS.values():
        operation = whole["paths"][f"/api/v1/{verb.name}"]["get"]
        operation["responses"]["200"]["content"]["application/json"]["example"] = answers[verb.name]
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in verb.example:
                parameter["example"] = verb.example[parameter["name"]]


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
    address: Address, keys: Keys, *, write: bool, names: tuple[str, ...], origins: tuple[str, ...],
    need_key: bool,
) -> ServeOptions:  # fmt: skip
    """The options for an address: loopback needs no key unless `need_key`; any other needs one.

    `names`: further names under which it is called. Raises UsageError where no key could be accepted, and for
    another site that is no origin.
    """
    keyed = need_key or not address.loopback
    if keyed and not keys.all():
        why, else_ = "--need-key asks for a key", "leave out --need-key"
        if not address.loopback:
            why, else_ = f"{address.host} can be reached by others", "stay with --host 127.0.0.1"
        raise UsageError(f"{why}, and there is none: make one with `asof key add NAME`, or {else_}")
    for name in names:
        if not _HOST.fullmatch(name):
            raise UsageError(f"--name {name!r:.80}: a host is expected, such as notes.example")
    for origin in origins:
        if not origin.startswith(("http://", "https://")) or origin.count("/") != 2:
            raise UsageError(f"--origin {origin!r}: a site is expected, such as https://notes.example")
    hosts = LOOPBACK | {address.host.lower()} | {name.lower() for name in names}
    return ServeOptions(write, frozenset(hosts), frozenset(origins), keys if keyed else None)


def application(description: str) -> Guard:
    """The application of a process of a server, by its settings (JSON)."""
    told = json.loads(description)
    keys = Keys(Path(told["keys"]), frozenset({os.geteuid()}))
    options = serve_options(
        Address(told["host"], told["port"]), keys, write=told["write"], names=tuple(told["names"]),
        origins=tuple(told["origins"]), need_key=told["need_key"],
    )  # fmt: skip
    corpus = open_corpus(told["root"], create=False)
    if told["watch"]:
        _follow(corpus)
    log = _silent if told["quiet"] else None
    return create_app(corpus, replace(options, beside=_for_assistants(corpus), log=log))


def _silent(line: str) -> None:
    """No line for a request."""


def _follow(corpus: Corpus) -> None:
    """Keep the corpus in step with its sources in a thread, for as long as the process lives."""
    from asof.extensions.server.watching import Watcher, known_sources

    def notice(one: Notice) -> None:
        if one.text:
            sys.stderr.write(f"{json.dumps({'watch': one.source, 'message': one.text})}\n")

    watcher = Watcher(corpus, known_sources(corpus), notice)
    threading.Thread(target=watcher.run, args=(threading.Event(),), name="asof-watch", daemon=True).start()


def _for_assistants(corpus: Corpus) -> tuple[Beside, ...]:
    """The application for assistants, where the SDK is installed."""
    if importlib.util.find_spec("mcp") is None:
        return ()
    from asof.extensions.server.mcp import mounted

    return (("/mcp", *mounted(corpus)),)


@contextmanager
def bound(address: Address) -> Iterator[tuple[socket.socket, Address]]:
    """A socket that listens there, and the address with its port. Raises UsageError where it cannot."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
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
