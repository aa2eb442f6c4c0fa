"""The application that `asof serve` runs: verbs, page, health, metrics, behind the guard."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from asof.corpus.corpus import Corpus
from asof.errors import AsofError
from asof.serve.endpoints import answer_schemas, read_router, write_router
from asof.serve.guard import LOOPBACK, Guard
from asof.serve.keys import Keys
from asof.serve.limits import Limits
from asof.serve.metrics import Metrics
from asof.serve.replies import of_error, refusal
from asof.verbs.wrong import wrong_parameters
from asof.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DOCUMENTS = "/api/v1/documents"
PAGE = Path(str(files("asof"))) / "serve" / "page"


Beside: TypeAlias = tuple[str, ASGIApp, AbstractAsyncContextManager[Any] | None]
"""Another application: the path at which it answers, and what runs while it is served."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How a corpus is served. `write`: documents may be added and deleted. `hosts` (None: any), `origins`,
    `keys`, `limits`, `log`: see `Guard`. `beside`: further applications."""

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
    if PAGE.is_dir():
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
    from asof.verbs.verbs import VERBS

    answers = json.loads((files("asof") / "serve" / "examples.json").read_text("utf-8"))
    for verb in VERBS.values():
        operation = whole["paths"][f"/api/v1/{verb.name}"]["get"]
        operation["responses"]["200"]["content"]["application/json"]["example"] = answers[verb.name]
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in verb.example:
                parameter["example"] = verb.example[parameter["name"]]
