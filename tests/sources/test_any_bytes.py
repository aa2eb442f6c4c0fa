"""Whatever bytes a file holds: a document or a problem, never an exception."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from asof.sources.dates import dates_in
from asof.sources.files import document
from asof.sources.markdown import split
from asof.sources.readers import Unreadable, decoded, parsed, suffixes
from asof.sources.source import InputLimits
from asof.values import Document

PIECES = st.sampled_from(
    ["---\n", "\n", "a: 1\n", "date: 2024\n", "# H\n", "[[a|b]]", "#tag ", "`", "```\n", "[x](y)",
     "<p>", "<!--", "</", "<a href='", "'", '"', "====\n", "T\n", "&amp;", "\x00", "é", "\r\n", "\r",
     "> ", "- ", "{", "*x", "&y ", "!z "]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=30).map(
    lambda parts: "".join(parts).encode("utf-8", "replace")
)


@given(raw=st.binary() | TEXTS, kind=st.sampled_from(sorted({*suffixes()} - {".pdf"})))
def test_any_bytes_make_a_page_or_are_refused(raw: bytes, kind: str):
    try:
        page = parsed(raw, f"2024 a{kind}", InputLimits())
    except Unreadable as wrong:
        str(wrong).encode()
        return
    made = document("id", page, dates_in(page), None, None)
    assert isinstance(made, Document)
    json.dumps([dict(made.meta), made.title, made.tags, made.aliases], allow_nan=False).encode()
    for link in made.links:
        f"{link.target}{link.heading}{link.alias}".encode()
    for heading in made.outline:
        assert heading.offset == 0 or made.text[heading.offset - 1] == "\n"
    assert sorted(made.outline, key=lambda heading: heading.offset) == list(made.outline)
    whole = decoded(raw).text.replace("\0", "\ufffd")
    if kind in (".txt", ".rst"):
        assert made.text == whole
    elif kind == ".md":
        found = split(whole)
        assert made.text in (whole, whole[found[1] :] if found else whole)
