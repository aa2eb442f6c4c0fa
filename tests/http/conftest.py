"""The server that fixtures of this folder ask."""

from tests.support.json_server import server as server
