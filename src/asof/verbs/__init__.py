"""What a program can ask of a corpus over HTTP or MCP: the parameters of each verb, its answer as JSON.

The answers are those of the command line with `--json` (`asof.serialize`). It loads pydantic: import it only
where a server runs.
"""
