"""The Model Context Protocol: tools with which an assistant asks a corpus; `asof mcp`."""
