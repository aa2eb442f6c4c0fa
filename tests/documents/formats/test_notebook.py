"""Notebooks: the text of cells with its headings, code, and what it printed."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.documents.notebook import LONGEST_OUTPUT, parse_notebook
from asof.sources.readers import ParsedFile, Unreadable
from asof.sources.source import InputLimits


def read(text: str, limits: InputLimits = InputLimits()) -> ParsedFile:  # noqa: B008
    return parse_notebook(text, "stem", limits)


def notebook(*cells: dict[str, object], **more: object) -> str:
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": cells, **more})


def code(source: object, *outputs: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": outputs}


def shown(**data: object) -> dict[str, object]:
    return {
        "output_type": "execute_result",
        "data": {kind.replace("_", "/"): each for kind, each in data.items()},
    }


CELLS: tuple[dict[str, object], ...] = (
    {
        "cell_type": "markdown",
        "source": ["# Ferries #run\n", "\n", "They *run*. ![p](data:x/y,z)\n", "## Runs ##"],
    },
    code(["# count\n", "print(3)"], {"output_type": "stream", "text": ["\x1b[31m3\x1b[0m\n"]}),
    code("plot('```')", shown(text_plain="<Figure size 640x480>", image_png="iVBO")),
    code("", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "by zero", "traceback": ["x"]}),
    {"cell_type": "raw", "source": "as it is"},
)
TEXT = """\
Ferries #run

They run. p

Runs

```
# count
print(3)
```

```
3
```

```
plot('```')
```

```
ZeroDivisionError: by zero
```

as it is"""


def test_a_notebook():
    page = read(
        notebook(*CELLS, metadata={"language_info": {"name": "python"}, "authors": [{"name": "Ida"}]})
    )
    assert page.text == TEXT
    assert [(each.offset, each.level, each.title) for each in page.outline] == [
        (0, 1, "Ferries #run"), (TEXT.index("Runs"), 2, "Runs"),
    ]  # fmt: skip
    assert (page.title, page.tags) == ("Ferries #run", ("run",))
    assert (page.front, page.by) == ({"kernel_language": "python", "author": "Ida"}, "metadata")


def test_a_rule_at_the_start_is_no_frontmatter():
    page = read(notebook({"cell_type": "markdown", "source": "---\na: 1\n---\nText"}))
    assert (page.text, page.front) == ("a: 1\n\nText", {})


def test_a_long_output_is_cut_and_told():
    long = {"output_type": "stream", "text": "a" * (LONGEST_OUTPUT + 1)}
    page = read(notebook(code("x", long, shown(text_plain="b"))))
    assert page.text == f"```\nx\n```\n\n```\n{'a' * LONGEST_OUTPUT}\n```\n\n```\nb\n```"
    (note,) = page.notes
    assert note.message == "1 output is longer than 2,000 characters: the rest is not read"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it is damaged: it is no JSON"),
        ("[" * 100_000, "it is damaged: it is no JSON"),
        ("[]", "it is no notebook"),
        (notebook(nbformat=2), "it is a notebook of format 2"),
        (notebook(), "there is no text in the file"),
        (notebook(code("a" * 20_001)), "it has more than 20,000 characters"),
    ],
)
def test_what_is_refused(text, said):
    with pytest.raises(Unreadable, match=said):
        read(text, InputLimits(characters=20_000))


_KEYS = "cell_type source outputs data text/plain level output_type name"
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["# a", "code", "---"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS.split()), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(_VALUES, max_size=4), _VALUES)
def test_any_values_give_a_text_or_are_refused(cells, metadata):
    with suppress(Unreadable):
        page = read(json.dumps({"nbformat": 4, "cells": cells, "metadata": metadata}))
        page.text.encode()
        assert all(heading.offset == 0 or page.text[heading.offset - 1] == "\n" for heading in page.outline)
