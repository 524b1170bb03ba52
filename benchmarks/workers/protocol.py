"""The worker's side of the conversation: one JSON object a line, requests in, replies out.

Standard library only: it is imported under the interpreters of the packages under test.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Any, TextIO

Message = Mapping[str, Any]
Handler = Callable[[Message], Message]


def claim_stdout() -> TextIO:
    """Take standard output for the replies and send every other print to standard error.

    Works on the file descriptor, so it also catches what compiled code writes. Call it before
    the package under test is imported.
    """
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return replies


def serve(handlers: Mapping[str, Handler], replies: TextIO) -> None:
    """Answer requests from standard input until it closes.

    A request names its handler in ``op``. A handler that raises is answered by an ``error``
    message, with the traceback on standard error. When standard input closes, the client is
    gone, and this process ends at once, even in the middle of a request.
    """
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        request: dict[str, Any] = json.loads(requests.get())
        try:
            reply = handlers[request["op"]](request)
        except Exception as error:  # the border of the process: the client decides
            traceback.print_exc()
            reply = {"error": f"{type(error).__name__}: {error}"}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def _listen(requests: queue.SimpleQueue[str]) -> None:
    """Pass the requests on, and end the process after the last."""
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)
