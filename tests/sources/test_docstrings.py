"""The docstrings of Python files."""

from __future__ import annotations

import pytest

from asof.sources import markups
from asof.sources.readers import Unreadable, parsed
from asof.sources.source import InputLimits
from asof.values import Heading

FILE = '''\
"""Cranes of a port.

They lift.
"""
import os

class Crane(Base):
    """One crane."""

    def lift(self, load, *ropes, slowly=False, **more):
        """Lift a load.

        An indented line.
        """
        def inner(x): "Inner."

    def rest(self): pass

if os.name:
    async def quay(a, b, c, d, e, f, g):
        r"""A \\d quay."""
elif 1:
    @property
    def sea(self): "All of it."
'''


def parse(text: str, limits: InputLimits | None = None):
    return markups.parse_docstrings(text, "stem", limits or InputLimits())


def test_a_file():
    page = parse(FILE)
    assert page.text == (
        "module\n\nCranes of a port.\n\nThey lift.\n\n"
        "class Crane\n\nOne crane.\n\n"
        "Crane.lift(load, *ropes, slowly, **more)\n\nLift a load.\n\nAn indented line.\n\n"
        "Crane.lift.inner(x)\n\nInner.\n\n"
        "quay(a, b, c, d, e, f, ...)\n\nA \\d quay.\n\n"
        "sea(self)\n\nAll of it."
    )
    names = ["module", "class Crane", "Crane.lift(", "Crane.lift.inner(x)", "quay(", "sea("]
    levels = [1, 1, 2, 3, 1, 1]
    assert [(h.offset, h.level) for h in page.outline] == [
        (page.text.index(name), level) for name, level in zip(names, levels, strict=True)
    ]
    assert page.title == "Cranes of a port."


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ('"""\\d"""', "module\n\n\\d"),  # an invalid escape is no error
        ('"""a\\0\\ud800\\r\\nb"""', "module\n\na\ufffd\ufffd\nb"),
        ('def a(): "What it does."', "a()\n\nWhat it does."),
    ],
)
def test_texts_and_the_title_without_a_docstring_of_the_module(code, text):
    page = parse(code)
    assert page.text == text
    if "module" not in text:
        assert (page.title, page.outline) == ("stem", (Heading(0, 1, "a()"),))


DEEP = ["-" * 100_000 + "1", "a" + ".b" * 100_000, "1" + "+1" * 100_000, "not " * 50_000 + "1"]


@pytest.mark.parametrize(
    ("text", "said", "empty", "lost"),
    [
        *((text, "no docstrings", True, False) for text in ("x = 1\n", '"""  """', "def a(): pass")),
        ("x = 1\nprint 'x'\n", r"not Python: .* \(line 2\)", False, False),
        *((code, "too deeply", False, True) for code in DEEP),
    ],
)
def test_what_is_refused(text, said, empty, lost):
    with pytest.raises(Unreadable, match=said) as wrong:
        parsed(text.encode(), "a.py", InputLimits())
    assert (wrong.value.empty, wrong.value.lost) == (empty, lost)


def test_a_long_chain_of_conditions_is_read():
    chain = "if a: pass\n" + "elif a: pass\n" * 500
    assert parse(f'{chain}else:\n    def b(): "In the end."\n').text == "b()\n\nIn the end."


def test_a_file_that_is_too_large_is_refused():
    """9,000 bytes of memory are ten characters of code."""
    limits = InputLimits(memory=9_000)
    assert parse('"234567"\n\n', limits).title == "234567"
    with pytest.raises(Unreadable, match="11 characters; the limit is 10"):
        parse('"234567"\n\n\n', limits)
