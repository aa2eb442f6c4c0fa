"""What notes state by fields: frontmatter ("status: accepted"), lines of links ("Built by: [[Ida]]")."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from asof.data import EVENT, VALUE, Amount, Fact, SourcedTime
from asof.knowledge.fact_store import Excerpt

FIELD, LINKED = 0.9, 0.8
"""The confidence of a field of the frontmatter and of a line whose value is links."""

MOST_VALUES, LONGEST = 8, 80
"""The most values of a field that are read, and the most characters of one: a longer one is a description."""

_NOTES = (".md", ".markdown")
_TECHNICAL = frozenset({
    "id", "uid", "uuid", "permalink", "slug", "publish", "draft", "mobile", "description", "excerpt",
    "layout", "template", "cssclass", "cssclasses", "banner", "cover", "icon", "position", "kanban-plugin",
})  # fmt: skip
_TEMPLATE = re.compile(
    r"%%.*?%%|<!--.*?-->|<%.*?%>|\{\{.*?\}\}|<table\b.*?</table\s*>|<tr\b.*?</tr\s*>",
    re.DOTALL | re.IGNORECASE,
)
_LINK = r"\[\[[^\[\]\n]{1,200}\]\]|\[[^\[\]\n]{1,200}\]\([^()\s]{1,500}\)"
_LINE = re.compile(
    rf"^[ \t>*+-]{{0,9}}(?P<label>[^\W\d_][\w /'’-]{{0,39}}?)[*_]{{0,3}}[ \t]?::?[*_]{{0,3}}[ \t]{{1,9}}"
    rf"(?P<links>(?:{_LINK})(?:(?:[ \t]?[,;&][ \t]?|[ \t]and[ \t])(?:{_LINK})){{0,7}})[ \t.]{{0,9}}$",
    re.MULTILINE,
)
_NAME = re.compile(r"\[\[(?:[^\[\]\n|#]*/)?([^\[\]\n|#/]+)[^\[\]\n]*\]\]|\[([^\[\]\n]+)\]\([^()\s]*\)")


def without_templates(text: str) -> str:
    """The text with spaces for comments, placeholders of templates and tables written in HTML."""
    if "%" not in text and "<" not in text and "{{" not in text:
        return text
    return _TEMPLATE.sub(lambda match: " " * len(match[0]), text)


def linked_facts(text: str, subject: str, when: SourcedTime | None) -> Iterator[Fact]:
    """A fact for each link of a line that is a label, a colon and links: the label is the relation."""
    if "[" not in text:
        return
    for line in _LINE.finditer(text):
        start = line.start("label")
        for link in _NAME.finditer(line["links"]):
            name = " ".join((link[1] or link[2]).split())
            yield Fact(subject, line["label"].strip(), name, when, start, line.end(), EVENT, None, LINKED)


def field_facts(
    excerpt: Excerpt, subject: str, when: SourcedTime | None, names: Collection[str]
) -> Iterator[Fact]:
    """A fact for each short value in a note's frontmatter, without the fields `names` and technical ones."""
    if not excerpt.document.lower().endswith(_NOTES):
        return
    for field, stated in excerpt.meta.items():
        if field in names or field.lower() in _TECHNICAL:
            continue
        relation = " ".join(re.split(r"[\s_-]+", field)).strip()
        for value in (stated if isinstance(stated, list) else [stated])[:MOST_VALUES]:
            if isinstance(value, bool):
                continue
            if isinstance(value, int | float):
                yield Fact(subject, relation, str(value), when, 0, 0, VALUE, Amount(float(value), ""), FIELD)
            elif isinstance(value, str) and (text := _plain(value)):
                yield Fact(subject, relation, text, when, 0, 0, EVENT, None, FIELD)


def _plain(value: str) -> str:
    """A value without the marks of links; "" for one that is too long, an address or a placeholder."""
    text = " ".join(_NAME.sub(lambda link: link[1] or link[2] or "", without_templates(value)).split())
    return "" if len(text) > LONGEST or "://" in text else text
