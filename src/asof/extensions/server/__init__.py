"""Servers: HTTP with a page and JSON, MCP for assistants, and watching folders.

Read `verbs.py` first: the operations that HTTP offers, each with its parameters and its answer. `app.py`
serves them behind `guard.py`; `mcp.py` has the tools of assistants; `watching.py` follows sources. The extra
`server` brings the libraries.
"""
