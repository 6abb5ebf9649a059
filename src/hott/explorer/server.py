"""The HTTP API and the page, over one index. Nothing here can change it but the names of topics."""

import os
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

import hott
from hott.explorer import schemas
from hott.explorer.answers import Answers, IndexChanged, UnknownDocument
from hott.explorer.assets import Asset, assets
from hott.explorer.budget import Budget, Stopped
from hott.explorer.layout import Layout
from hott.explorer.security import LOOPBACK, Guard
from hott.utils.cache import cache_folder

if TYPE_CHECKING:
    from hott.index import Index

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Problem, "description": description}
    for status, description in {
        401: "The request does not show the token.",
        403: "A page of another site asks.",
        404: "There is no such thing.",
        409: "The index has become another one meanwhile.",
        413: "The request is too large.",
        415: "The body is not said to be JSON.",
        421: "The Host header names another host.",
        422: "The request does not make sense.",
        503: "It would take too long, or too many are asking.",
    }.items()
}
_STATUS = {UnknownDocument: 404, IndexChanged: 409, Stopped: 503, ValueError: 422}
_NO_STORE = {"cache-control": "no-store"}
_ASKED = ["corpus", "progress", "column", "distances", "subjects", "duplicates", "topics", "topics_over"]
_ASKED += ["documents", "document"]
_SENT = ["select", "rows", "search", "marks", "compare", "without", "contrast", "stop"]
_FILES = {"/": "index.html", "/favicon.ico": "icon.svg"}


def create_app(
    index: "Index",
    *,
    name: str = "",
    hosts: Iterable[str] = LOOPBACK,
    cache: Path | None = None,
    file: Path | None = None,
    token: str | None = None,
    framed: bool = False,
) -> FastAPI:
    """Make the application that serves the explorer of ``index``.

    Parameters
    ----------
    index : Index
    name : str
        What to call the corpus on the page.
    hosts : iterable of str
        Names and addresses that the server may be asked under; requests to others are refused.
    cache : Path, optional
        Folder to remember the map in; that of the user by default.
    file : Path, optional
        The file that the index was opened from: topics can be renamed, merged and hidden, which is kept
        there. Without one the index is only read.
    token : str, optional
        What the address of the page must have; ``hosts`` do not matter then.
    framed : bool
        Whether a notebook of this machine may show the page in a frame.

    Returns
    -------
    FastAPI
        An ASGI application; laying out the map begins at once, in the background.
    """
    layout = Layout(index, cache=cache_folder() if cache is None else cache)
    layout.start()
    answers = Answers(index, layout, name, file)
    app = FastAPI(
        title="hott explorer",
        version=hott.__version__,
        description="Look at a corpus through its transport.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=_PROBLEMS,
        lifespan=_few_threads,
    )
    _add_api(app, answers)
    _add_page(app, assets())
    _add_errors(app)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Budget, work=answers.work)
    app.add_middleware(Guard, hosts=hosts, token=token, framed=framed)
    return app


@asynccontextmanager
async def _few_threads(app: FastAPI) -> AsyncIterator[None]:
    """Let a few threads compute all answers; whoever asks meanwhile waits.

    More would share the same cores, and each would keep the memory that its largest answer took. There are
    more of them than requests that may take long at a time (:mod:`hott.explorer.budget`): others find one.
    """
    to_thread.current_default_thread_limiter().total_tokens = 4 + 2 * (os.cpu_count() or 1)
    yield


def _add_api(app: FastAPI, answers: Answers) -> None:
    """Add the operations of the API, most of which are methods of the answers."""
    kept: dict[str, tuple[Any, Asset]] = {}
    keeping = {name: threading.Lock() for name in ("map", "names")}  # the one does not wait for the other

    def once(request: Request, name: str, key: Any, compute: Callable[[], schemas.Answer]) -> Response:
        """Compute once what is large and the same for everyone; whoever asks meanwhile waits for it."""
        with keeping[name]:
            if name not in kept or kept[name][0] != key:  # what was there is of before
                kept.pop(name, None)
                asset = Asset(name, schemas.to_json(compute()))
                asset.compressed  # noqa: B018  # here, where the others wait
                kept[name] = key, asset
            return _send_compressed(request, kept[name][1], "application/json", _NO_STORE)

    def sends(answer: Callable[..., schemas.Answer]) -> Callable[..., Response]:
        """Write an answer as JSON in the thread that computed it."""

        @wraps(answer)
        def ask(**options: Any) -> Response:
            return Response(schemas.to_json(answer(**options)), media_type="application/json")

        return ask

    @app.get("/api/map", response_model=None)
    def map_(request: Request) -> Response:
        """Give every document on a plane. Ask again while it is preliminary."""
        return once(request, "map", (answers.layout.final, answers.index.edits), answers.map)

    @app.get("/api/names", response_model=None)
    def names(request: Request) -> Response:
        """Give the id of every document, and what to call it."""
        return once(request, "names", None, answers.names)

    @app.get("/api/documents/{id:path}")
    @sends
    def document_at(id: str) -> schemas.Answer:
        """Give one document. Its id may contain slashes; one such as .. is asked for at /api/document."""
        return answers.document(id)

    for name in _ASKED:
        app.get(f"/api/{name.replace('_', '/')}")(sends(getattr(answers, name)))
    for name in _SENT:
        app.post(f"/api/{name}")(sends(getattr(answers, name)))
    app.get("/api/search")(sends(answers.search_by_id))
    app.get("/api/compare")(sends(answers.compare_documents))
    app.post("/api/topics")(sends(answers.edit_topics))
    for add, path, answer, type in (
        (app.post, "/api/table", answers.table, "application/vnd.apache.parquet"),
        (app.get, "/api/diagram", answers.diagram, "image/svg+xml"),
    ):
        add(path, response_class=Response, responses={200: {"content": {type: {}}}})(answer)


def _add_page(app: FastAPI, files: dict[str, Asset]) -> None:
    """Add the files of the page, looked up by name so that no path of a request reaches the file system."""

    def send(request: Request, name: str) -> Response:
        if name not in files:
            raise HTTPException(404, "There is no such file.")
        asset = files[name]
        headers = {"cache-control": "no-cache", "etag": asset.etag}
        if request.headers.get("if-none-match") == asset.etag:
            return Response(status_code=304, headers=headers)
        return _send_compressed(request, asset, asset.type, headers)

    def show(name: str) -> Callable[[Request], Response]:
        def page(request: Request) -> Response:
            return send(request, name)

        return page

    for path, name in _FILES.items():
        app.get(path, include_in_schema=False)(show(name))

    @app.get("/static/{name}", include_in_schema=False)
    def static(request: Request, name: str) -> Response:
        return send(request, name)


def _send_compressed(request: Request, asset: Asset, media_type: str, headers: dict[str, str]) -> Response:
    """Send a file as it was compressed once to clients that accept gzip, and as it is to all others."""
    headers = {**headers, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(
            asset.compressed, media_type=media_type, headers={**headers, "content-encoding": "gzip"}
        )
    return Response(asset.content, media_type=media_type, headers=headers)


def _add_errors(app: FastAPI) -> None:
    """Answer every error with JSON that has a message, and never more than that."""

    def problem(status: int, message: str) -> JSONResponse:
        printable = message.encode("utf-8", "replace").decode()
        return JSONResponse({"message": printable}, status, headers=_NO_STORE)

    def answer(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            response = problem(error.status_code, str(error.detail))
            response.headers.update(error.headers or {})
            return response
        if isinstance(error, hott.storage.StorageError):
            raise error
        [status, *_] = (status for kind, status in _STATUS.items() if isinstance(error, kind))
        return problem(status, str(error))

    for kind in (HTTPException, *_STATUS):
        app.add_exception_handler(kind, answer)

    @app.exception_handler(RequestValidationError)
    def wrong_request(request: Request, error: RequestValidationError) -> Response:
        parts = (f"{'.'.join(map(str, e['loc'][1:])) or 'body'}: {e['msg']}" for e in error.errors())
        return problem(422, "; ".join(parts))
