"""`python -m moto.server` whose PUT with `If-None-Match: *` is atomic, as that of S3 is.

Moto looks whether the object is there and writes it in two steps; of two requests at once both may be told
that they made it. Here PUT requests follow one another.
"""

from __future__ import annotations

import threading
from typing import Any

from moto.server import DomainDispatcherApplication, main

_ONE = threading.Lock()
_answer = DomainDispatcherApplication.__call__


def _one_put_at_a_time(self: Any, environ: dict[str, Any], start_response: Any) -> Any:
    if environ["REQUEST_METHOD"] != "PUT":
        return _answer(self, environ, start_response)
    with _ONE:
        return _answer(self, environ, start_response)


if __name__ == "__main__":
    DomainDispatcherApplication.__call__ = _one_put_at_a_time
    main()
