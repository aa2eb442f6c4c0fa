"""A surface: `GET /search?q=...&as_of=...` answers with the JSON of `asof search --json`."""

from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import asof
from asof.results import SearchResult
from asof.wire import encode


def server(corpus: asof.Corpus, port: int = 8421) -> ThreadingHTTPServer:
    """A server on this machine alone; `serve_forever()` runs it, a thread for each request."""

    class Search(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = {name: values[-1] for name, values in parse_qs(urlsplit(self.path).query).items()}
            try:
                started = time.perf_counter()
                results = corpus.at(asked.get("as_of")).search(asked.get("q", ""))
                status, reply = 200, encode(SearchResult.of(results, 1000 * (time.perf_counter() - started)))
            except asof.AsofError as error:
                status, reply = 400, {"error": str(error)}
            body = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return ThreadingHTTPServer(("127.0.0.1", port), Search)


if __name__ == "__main__":
    with asof.open(sys.argv[1]) as opened:
        server(opened).serve_forever()
