"""Python files: the docstrings of a module, its classes and functions, each under its name."""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Iterator, Sequence

from asof.data import Heading
from asof.data.storable import line_feeds, storable
from asof.sources.readers import LONGEST_TITLE, ParsedFile, Unreadable, text_reader
from asof.sources.source import InputLimits

BYTES_A_CHARACTER = 900
"""The memory that the syntax tree of a file takes at most, for each of its characters (measured)."""

_MOST_PARAMETERS = 6
_WARNINGS = threading.Lock()  # `catch_warnings` changes what all threads share

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def parse_text(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """The docstrings of a Python file, which is parsed and not run; its title is the first line of them.

    Headings are "module", "class Corpus", "Corpus.add(source, ...)"; those of methods and of what is defined
    within something else are one level deeper. Raises Unreadable: for a file without docstrings (`empty`),
    for one that this Python cannot parse, and for one whose syntax tree would need more than `limits.memory`.
    """
    most = limits.memory // BYTES_A_CHARACTER
    if len(text) > most:
        raise Unreadable(f"the file has {len(text):,} characters; the limit is {most:,}", "split it")
    module = _tree(text)
    blocks: list[str] = []
    outline: list[Heading] = []
    offset = 0
    for level, name, words in _documented(module):
        outline.append(Heading(offset, level, name))
        blocks.append(f"{name}\n\n{words}")
        offset += len(blocks[-1]) + 2
    if not blocks:
        raise Unreadable("the file has no docstrings", empty=True, other=True)
    title = (_docstring(module) or stem).partition("\n")[0]
    return ParsedFile("\n\n".join(blocks), title if len(title) <= LONGEST_TITLE else stem, tuple(outline))


READER = text_reader(parse_text)


def _tree(text: str) -> ast.Module:
    try:
        with _WARNINGS, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as wrong:
        line = f" (line {wrong.lineno})" if wrong.lineno else ""
        raise Unreadable(f"the file is not Python: {storable(str(wrong.msg))}{line}", lost=False) from None
    except (RecursionError, MemoryError, SystemError):  # the last is how some Pythons miscount their depth
        raise Unreadable("its code is nested too deeply, or too large, to be parsed", "split it") from None


def _documented(module: ast.Module) -> Iterator[tuple[int, str, str]]:
    """The level, the name and the docstring of everything that has one, in the order of the file."""
    if words := _docstring(module):
        yield 1, "module", words
    waiting: list[tuple[ast.AST, tuple[str, ...]]] = [(module, ())]
    while waiting:  # not recursive: a chain of `elif` is as deep as it is long
        node, path = waiting.pop()
        if isinstance(node, _Definition):
            path = (*path, node.name)
            if words := _docstring(node):
                yield len(path), _name(node, path), words
        inner = [(each, path) for each in ast.iter_child_nodes(node) if isinstance(each, _HOLDERS)]
        waiting += reversed(inner)


_HOLDERS = (ast.stmt, ast.excepthandler, ast.match_case)
"""The parts of the syntax in which definitions stand."""


def _docstring(node: ast.Module | _Definition) -> str:
    words = ast.get_docstring(node)
    return storable(line_feeds(words)).strip() if words else ""


def _name(node: _Definition, path: Sequence[str]) -> str:
    name = ".".join(path)
    if isinstance(node, ast.ClassDef):
        return f"class {name}"
    return f"{name}({', '.join(_parameters(node.args, in_class=len(path) > 1))})"


def _parameters(given: ast.arguments, *, in_class: bool) -> list[str]:
    """The names of parameters, at most six, without `self` and `cls`."""
    names = [each.arg for each in (*given.posonlyargs, *given.args)]
    if in_class and names[:1] in (["self"], ["cls"]):
        del names[0]
    names += [f"*{given.vararg.arg}"] if given.vararg else []
    names += [each.arg for each in given.kwonlyargs]
    names += [f"**{given.kwarg.arg}"] if given.kwarg else []
    return names if len(names) <= _MOST_PARAMETERS else [*names[:_MOST_PARAMETERS], "..."]
