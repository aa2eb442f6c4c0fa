"""A process of a server: `python -m asof.serve.worker SOCKET`, started by `asof serve --workers`."""

from __future__ import annotations

import socket
import sys

from asof.environment import variables
from asof.serve.run import VARIABLE, serve_here

if __name__ == "__main__":
    serve_here(socket.socket(fileno=int(sys.argv[1])), variables()[VARIABLE])
