"""Wrong usage is one line: what was given, what is accepted, what to do."""

from __future__ import annotations

import pytest

from asof.cli.commands import entries

WRONG = [
    (["serch", "x"], "no command 'serch'; did you mean search?"),
    (
        ["frobnicate"],
        "no command 'frobnicate'; there are " + ", ".join(entries()),
    ),
    (["find", "x"], "no command 'find'; did you mean search?"),
    (["Who is the master?"], "to look for these words: asof search 'Who is the master?'"),
    (["who", "is", "it"], "to look for these words: asof search 'who is it'"),
    (["--as-of", "2020", "search", "x"], "no option --as-of before the command; options stand after it"),
    (["-v"], "asof: No such option '-v' (see asof --help)"),
    (
        ["search", "x", "--as-of"],
        "asof search: Option '--as-of' requires an argument (see asof search --help)",
    ),
    (["help", "serach"], "no command 'serach'; did you mean search?"),
    (["purge"], "Missing argument 'DOCUMENT'; for example: asof purge ferry"),
    (["search", "x", "--recipe", "tew"], "no recipe 'tew'; did you mean twe?"),
    (["why-not", "notes/red.md"], "Missing argument 'QUERY...'"),
    (["why-not", "reed", "crane"], "did you mean notes/red.md?"),
    (["why-not", "zebra", "crane"], "; a search shows ids and titles"),
    (
        ["why-not", "notes", "crane"],
        "'notes' can be 3 documents: notes/blue.md, notes/more/oak.md, notes/red.md",
    ),
    (["recipes", "volt"], "no recipe 'volt'; did you mean vault?"),
    (["search"], "Missing argument 'QUERY...'"),
    (["search", ""], "QUERY is empty"),
    (["search", "  ", " "], "QUERY is empty"),
    (["search", "x", "-k", "0"], "0 is not between 1 and 1000"),
    (
        ["search", "x", "-k", "many"],
        "'many' is no whole number; accepted: 1 to 1000 (see asof search --help)",
    ),
    (["search", "x", "--unknown"], "No such option"),
    (["search", "x", "--unit", "book"], "'book' is not one of 'passage', 'document'"),
    (["search", "x", "--meta", "key"], "KEY=VALUE is expected"),
    (["search", "x", "--meta", "=value"], "KEY=VALUE is expected"),
    (["search", "x", "--index", "nowhere"], "no index in nowhere/.asof: make one with `asof index SOURCE`"),
    (["search", "x", "--index", "file.md"], "file.md is a file; accepted: a folder"),
    (["index"], "Missing argument 'SOURCE...'; for example: asof index notes (see asof index --help)"),
    (["index", ""], "a source is empty"),
    (["index", "nowhere"], "nowhere does not exist; accepted are a folder"),
    (["index", "picture.png"], "picture.png is of no kind that can be read; accepted are"),
    (["index", "notes", "--history"], "is in no git work tree"),
    (["index", "file.md", "--history"], "--history reads a folder"),
    (["index", "notes", "--into", "file.md"], "file.md is a file; accepted: a folder"),
    (["index", "notes", "--wait", "-1"], "-1.0 is less than 0"),
    (["index", "notes", "--wait", "long"], "'long' is no number; accepted: 0 or more"),
    *(
        (["index", "notes", "--workers", count], f"'--workers': {what} (see")
        for count, what in {
            "x": "'x' is no whole number; accepted: 1 to 64",
            "0": "0 is not between 1 and 64",
            "-1": "-1 is not between 1 and 64",
            "1e9": "'1e9' is no whole number; accepted: 1 to 64",
            "2.5": "'2.5' is no whole number; accepted: 1 to 64",
            "": "'' is no whole number; accepted: 1 to 64",
        }.items()
    ),
    (["correct", "notes/red.md"], "Missing argument 'T'"),
    (["purge", "notes/none.md", "--yes"], "no document 'notes/none.md' in the corpus"),
    (["vacuum", "--yes"], "Missing option '--before'"),
    (["status", "surplus"], "unexpected extra argument"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=lambda value: " ".join(value)[:40])
def test_one_line_and_code_2(asof, notes, write, arguments, message):
    write("file.md", "x")
    write("picture.png", "")
    result = asof(*arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize("command", [
    "search x", "ask x", "timeline x", "diff x 2020 2021", "links d", "facts x", "facts x --graph",
    "report 2020", "why-not d x", "papers --feedback", "status", "correct d 2020",
    "purge d", "vacuum --before 2020", "embed --encoder none",
])  # fmt: skip
def test_without_an_index_no_command_makes_one(asof, here, write, command):
    write("note.md", "The crane is red.")
    result = asof(*command.split())
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"asof: no index in {here} or in a folder above it: make one with `asof index .`, "
        "or name the folder of another by --index\n"
    )
    assert [each.name for each in here.iterdir()] == ["note.md"]


def test_a_message_stays_one_line_whatever_was_typed(asof, notes):
    for arguments in (["index", "no\nwhere\x1b[31m"], ["search", "x", "--as-of", "a\nb\x1b[31m"], ["a\nb"]):
        result = asof(*arguments)
        assert result.code == 2
        assert len(result.err.splitlines()) == 1
        assert "\x1b" not in result.err


def test_version(asof, here):
    from asof import __version__

    assert asof("--version").out.strip().endswith(__version__)
    assert asof("version").out == asof("-V").out == asof("--version").out
