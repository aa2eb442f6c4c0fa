"""What is wrong with parameters, in words: what was given, what is accepted, the nearest name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from asof.verbs.parameters import PAIR

SHOWN = 5
"""So many mistakes are named."""

FORMS = {PAIR: "key=value"}
"""What the patterns of parameters are in words."""


def wrong_parameters(errors: Sequence[Mapping[str, Any]], known: Iterable[str]) -> str:
    """What is wrong with parameters, in a sentence for each; the nearest name for an unknown one, or once all
    that are accepted."""
    names, shown = list(known), errors[:SHOWN]
    unknown = [_name(each) for each in shown if each["type"] == "extra_forbidden"]
    said = [_sentence(each) for each in shown if each["type"] != "extra_forbidden"]
    for name in unknown:
        near = get_close_matches(name, names, 1, 0.5)
        said.append(f"no parameter {name[:80]!r}" + (f"; did you mean {near[0]}?" if near else ""))
        if not near and name == unknown[-1]:
            said.append(f"accepted: {', '.join(names) or 'none'}")
    if len(errors) > SHOWN:
        said.append(f"and {len(errors) - SHOWN:,} more")
    return "; ".join(said)


def _name(error: Mapping[str, Any]) -> str:
    path = [str(part) for part in error["loc"]]
    place = path[1:] if len(path) > 1 and path[0] in ("query", "body") else path
    return ".".join(place)


def _sentence(error: Mapping[str, Any]) -> str:
    name, given = _name(error), error.get("input")
    if error["type"] == "missing":
        return f"{name} is missing"
    if error["type"] == "json_invalid":
        return f"the body is no JSON: {error.get('ctx', {}).get('error', 'it ends too early')}"
    shown = "" if isinstance(given, dict | list) else f" {given!r:.80}"
    form = FORMS.get(error.get("ctx", {}).get("pattern", ""))
    message = f"{form} is expected" if form else str(error["msg"])
    return f"{name[:80]}{shown}: {message[:1].lower()}{message[1:]}"
