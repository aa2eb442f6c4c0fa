"""What is wrong with parameters, in words: what was given, what is accepted, the nearest name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any


def wrong_parameters(errors: Sequence[Mapping[str, Any]], known: Iterable[str]) -> str:
    """What is wrong with parameters, in a sentence for each; the nearest name for an unknown one."""
    names = list(known)
    return "; ".join(_sentence(each, names) for each in errors)


def _sentence(error: Mapping[str, Any], names: Sequence[str]) -> str:
    path = [str(part) for part in error["loc"]]
    place = path[1:] if len(path) > 1 and path[0] in ("query", "body") else path
    name = ".".join(place)
    if error["type"] == "extra_forbidden":
        near = get_close_matches(name, names, 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"accepted: {', '.join(names) or 'none'}"
        return f"no parameter {name[:80]!r}; {hint}"
    if error["type"] == "missing":
        return f"{name} is missing"
    given = error.get("input")
    shown = "" if isinstance(given, dict | list) else f" {given!r:.80}"
    message = str(error["msg"])
    return f"{name}{shown}: {message[:1].lower()}{message[1:]}"
