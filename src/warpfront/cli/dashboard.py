"""`warpfront dashboard`: optuna-dashboard, for this machine only."""

from __future__ import annotations

import socketserver
from collections.abc import Callable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from warpfront.cli.errors import CommandError
from warpfront.cli.study import OpenStudy
from warpfront.errors import MissingExtraError

HOST = "127.0.0.1"


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


def serve(opened: OpenStudy, port: int, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C."""
    try:
        from optuna_dashboard import wsgi  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise MissingExtraError(
            "the dashboard needs optuna-dashboard: pip install 'warpfront[study]'"
        ) from None
    try:
        server = make_server(HOST, port, wsgi(opened.storage), _Server, _Handler)
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
