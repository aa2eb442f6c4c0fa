"""Requests over HTTP: which addresses are allowed, one deadline, one retry, limits on what is read."""
