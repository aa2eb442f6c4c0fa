"""arXiv as a source: what its API lists is stated, each version of a paper under its own date."""
