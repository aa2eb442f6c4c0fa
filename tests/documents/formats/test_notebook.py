"""Notebooks: the text of cells with its headings, code, and what it printed."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.documents.html_blocks import write_markdown
from asof.extensions.documents.notebook import LONGEST_OUTPUT, read
from asof.extensions.documents.parts import ReadLimits, Refused, Writer

LIMITS = ReadLimits(20_000, 10, 10**6)


def notebook(*cells: dict[str, object], **more: object) -> bytes:
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": cells, **more}).encode()


def code(source: object, *outputs: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": outputs}


def shown(**data: object) -> dict[str, object]:
    return {
        "output_type": "execute_result",
        "data": {kind.replace("_", "/"): each for kind, each in data.items()},
    }


CELLS: tuple[dict[str, object], ...] = (
    {"cell_type": "markdown", "source": ["# Ferries\n", "\n", "They *run*.\n", "## Runs ##\n", "- daily"]},
    code(["# count\n", "print(3)"], {"output_type": "stream", "text": ["\x1b[31m3\x1b[0m\n"]}),
    code("plot()", shown(text_plain="<Figure size 640x480>", image_png="iVBO")),
    code(
        "1/0", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "by zero", "traceback": ["x"]}
    ),
    {"cell_type": "raw", "source": "as it is"},
)
TEXT = (
    "Ferries\n\nThey *run*.\n\nRuns\n\n- daily\n\n# count\nprint(3)\n\n3\n\nplot()\n\n1/0\n\n"
    "ZeroDivisionError: by zero\n\nas it is"
)


def test_a_notebook():
    raw = notebook(*CELLS, metadata={"language_info": {"name": "python"}, "authors": [{"name": "Ida"}]})
    (part,) = read(raw, "stem", ".ipynb", LIMITS)
    assert part.text == TEXT
    assert part.outline == [(0, 1, "Ferries"), (TEXT.index("Runs"), 2, "Runs")]
    assert (part.title, part.front) == ("Ferries", {"kernel_language": "python", "author": "Ida"})


def test_format_3_has_cells_in_worksheets():
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Runs"]},
        {"cell_type": "code", "language": "python", "input": "3", "outputs": [
            {"output_type": "pyout", "text": "3"}, {"output_type": "display_data", "png": "x", "text": "<F>"},
        ]},
    ]  # fmt: skip
    raw = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}).encode()
    (part,) = read(raw, "stem", ".ipynb", LIMITS)
    assert (part.text, part.title, part.outline) == ("Runs\n\n3\n\n3", "Runs", [(0, 2, "Runs")])
    assert part.front == {"kernel_language": "python"}


def test_a_long_output_is_cut_and_told():
    long = {"output_type": "stream", "text": "a" * (LONGEST_OUTPUT + 1)}
    (part,) = read(notebook(code("x", long, shown(text_plain="b"))), "stem", ".ipynb", LIMITS)
    assert part.text == f"x\n\n{'a' * LONGEST_OUTPUT}\n\nb"
    assert part.notes == ["1 output is longer than 2,000 characters: the rest is not read"]


@pytest.mark.parametrize(
    ("source", "text", "headings"),
    [
        ("Title\n=====\nSub\n---\n- item\n---", "Title\n\nSub\n\n- item\n---", ["Title", "Sub"]),
        ("```\n# no heading\n```\n# One", "```\n# no heading\n```\n\nOne", ["One"]),
        ("~~~~\n~~~\n# no\n~~~~ \n# C# #", "~~~~\n~~~\n# no\n~~~~\n\nC#", ["C#"]),
        ("![the pier](data:image/png;base64,iVBO) ![x](a.png)", "the pier ![x](a.png)", []),
        ("#tag\n#", "#tag\n#", []),
    ],
)
def test_markdown(source, text, headings):
    writer = Writer(LIMITS)
    title = write_markdown(source, writer)
    assert writer.text() == text
    assert [words for _, _, words in writer.outline] == headings
    assert title == (headings[0] if headings else "")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"{", "it is damaged: it is no JSON"),
        (b"[" * 100_000, "it is damaged: it is no JSON"),
        (b"\xff", "it is damaged: it is no JSON"),
        (b"[]", "it is no notebook"),
        (notebook(nbformat=2), "it is a notebook of format 2"),
        (notebook(), "there is no text in the file"),
        (notebook(code("a" * 20_001)), "it has more than 20,000 characters"),
    ],
)
def test_what_is_refused(raw, said):
    with pytest.raises(Refused) as refused:
        read(raw, "stem", ".ipynb", LIMITS)
    assert refused.value.message.startswith(said)


_KEYS = "cell_type source outputs data text/plain level output_type name"
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["# a", "code", "markdown"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS.split()), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(_VALUES, max_size=4), _VALUES)
def test_any_values_give_parts_or_are_refused(cells, metadata):
    raw = json.dumps({"nbformat": 4, "cells": cells, "metadata": metadata}).encode()
    with suppress(Refused):
        (part,) = read(raw, "stem", ".ipynb", LIMITS)
        for offset, _, title in part.outline:
            assert part.text[offset:].partition("\n")[0] == title
