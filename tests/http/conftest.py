"""The server that fixtures of this folder ask."""

from tests.http.json_server import server as server
