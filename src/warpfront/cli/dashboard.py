"""`warpfront dashboard`: optuna-dashboard, for this machine only."""

from __future__ import annotations

import re
import socketserver
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from warpfront.cli.errors import CommandError
from warpfront.cli.study import OpenStudy
from warpfront.extras import missing_extra

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HOST = "127.0.0.1"
NAMES = (HOST, "localhost", "[::1]")
"""What a browser on this machine calls it."""


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


def only_here(app: WSGIApplication) -> WSGIApplication:
    """Refuse requests for another host, and those that a page from elsewhere makes.

    A page of the web may give its own name our address; the browser then lets it talk to us. It
    may also send requests to our address without reading the answer; the browser then says
    where they come from.
    """

    def guarded(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        host = environ.get("HTTP_HOST", "").lower()
        origin = environ.get("HTTP_ORIGIN", f"http://{host}").lower()
        if re.sub(r":\d*$", "", host) in NAMES and origin == f"http://{host}":
            return app(environ, start)
        start("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8")])
        return [f"the dashboard is for this machine only: call it {HOST}\n".encode()]

    return guarded


def serve(opened: OpenStudy, port: int, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C."""
    try:
        from optuna_dashboard import wsgi  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise missing_extra("the dashboard needs optuna-dashboard", "study") from None
    try:
        server = make_server(HOST, port, only_here(wsgi(opened.storage)), _Server, _Handler)
    except OSError as error:
        raise CommandError(
            f"port {port} of {HOST} cannot be used ({error.strerror}); choose another with --port"
        ) from None
    with server:
        address = f"http://{HOST}:{server.server_port}/dashboard/studies/{opened.study._study_id}"
        say(f"{address} (Ctrl-C ends it)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("ended")
