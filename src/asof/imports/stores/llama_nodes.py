"""The nodes of LlamaIndex's docstore.json become documents.

The nodes of one document (`ref_doc_id`) are joined in their order, because every change of a document gives
all its nodes new ids: a node has no second version, a document has. Where a node says at which characters it
lies, what it repeats of the one before is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from asof.data import Problem
from asof.imports.stores.rows import Row

SOURCE, NEXT, PARENT = "1", "3", "4"
"""How a node relates to another one, by LlamaIndex's numbers."""

BETWEEN = "\n\n"


class Node(NamedTuple):
    """A node: its text, where it lies in the text of its document (-1: not known), and what it relates to."""

    id: str
    text: str
    start: int
    end: int
    metadata: Mapping[str, Any]
    related: Mapping[str, str]


def is_docstore(value: object) -> bool:
    """Whether a JSON value is such a store: an object with the key `NAMESPACE/data`."""
    return isinstance(value, Mapping) and any(_is_data(key, each) for key, each in value.items())


def rows(value: Mapping[str, Any], name: str, *, separate: bool) -> Iterator[Row | Problem]:
    """A row for each document, or for each node (`separate`).

    A node that was made of another one that is stored too is left out: that one has its text.
    """
    nodes: dict[str, Node] = {}
    for key, data in value.items():
        for node_id, stored in data.items() if _is_data(key, data) else ():
            if (node := _node(node_id, stored)) is not None:
                nodes[node_id] = node
            else:
                yield Problem(f"the node {node_id[:80]!r} has no text", name)
    groups: dict[str, list[Node]] = {}
    for node in nodes.values():
        if not {node.related.get(SOURCE), node.related.get(PARENT)} & (nodes.keys() - {node.id}):
            groups.setdefault(node.id if separate else node.related.get(SOURCE, node.id), []).append(node)
    for document, group in groups.items():
        ordered = _ordered(group)
        yield Row(document, joined(ordered), _common([node.metadata for node in ordered]))


def joined(nodes: Sequence[Node]) -> str:
    """The texts in a row; what lies at the characters of the one before, and is the same, stands once."""
    text, end = "", -1
    for node in nodes:
        overlap = end - node.start
        if not text:
            text = node.text
        elif end < 0 or node.start < 0 or overlap < -1:
            text += BETWEEN + node.text
        elif overlap == -1:
            text += " " + node.text
        elif text[max(0, len(text) - overlap) :].startswith(node.text[:overlap]):
            text += node.text[overlap:]
            end = max(end, node.end)
            continue
        else:
            text += BETWEEN + node.text
        end = node.end
    return text


def _is_data(key: object, value: object) -> bool:
    return isinstance(key, str) and key.endswith("/data") and isinstance(value, Mapping)


def _node(node_id: str, stored: object) -> Node | None:
    """The node that is stored; None if it has no text."""
    data = stored.get("__data__") if isinstance(stored, Mapping) else None
    if not isinstance(data, Mapping):
        return None
    resource = data.get("text_resource")
    text = resource.get("text") if isinstance(resource, Mapping) else data.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    start, end = data.get("start_char_idx"), data.get("end_char_idx")
    if not (isinstance(start, int) and isinstance(end, int) and start >= 0 and end - start == len(text)):
        start = end = -1
    metadata = data.get("metadata") or data.get("extra_info")
    return Node(node_id, text, start, end, metadata if isinstance(metadata, Mapping) else {}, _related(data))


def _related(data: Mapping[str, Any]) -> dict[str, str]:
    """The id of the node in each relation that is to one node."""
    given = data.get("relationships")
    found: dict[str, str] = {}
    for kind, other in given.items() if isinstance(given, Mapping) else ():
        other_id = other.get("node_id") if isinstance(other, Mapping) else other
        if isinstance(other_id, str) and other_id:
            found[kind] = other_id
    return found


def _ordered(nodes: Sequence[Node]) -> Sequence[Node]:
    """By their places; else each behind the one that names it as its next; else as they are stored."""
    if all(node.start >= 0 for node in nodes):
        return sorted(nodes, key=lambda node: node.start)
    by_id = {node.id: node for node in nodes}
    following = {node.related[NEXT] for node in nodes if NEXT in node.related}
    chain = [node for node in nodes if node.id not in following][:1]
    while chain and len(chain) < len(nodes) and (node := by_id.get(chain[-1].related.get(NEXT, ""))):
        chain.append(node)
    return chain if len({node.id for node in chain}) == len(nodes) else nodes


def _common(several: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all of them say alike."""
    first, *others = several
    return {
        key: value
        for key, value in first.items()
        if all(key in other and other[key] == value for other in others)
    }
