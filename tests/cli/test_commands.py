"""All commands, as tables: their help and reference pages, the JSON that they print, what each refuses."""

from __future__ import annotations

import importlib.util
import json
import shlex

import click
import pytest
from tests.support.json_schema import REFERENCE, against

from asof import __version__
from asof.cli.commands import START, Commands, by_group, entries
from asof.cli.main import cli
from asof.results import all_shapes

from .conftest import note

COMMANDS = cli.list_commands(click.Context(cli))


# -- help, and the pages of the reference ------------------------------------------------------------------


def test_nothing_shows_a_short_start(asof, here):
    result = asof()
    assert (result.code, result.out, result.err) == (0, f"{START}\n", "")
    assert len(result.out.splitlines()) < 10
    assert list(here.iterdir()) == []


def test_help_has_each_group_with_an_example(asof, here):
    result = asof("--help").out
    for group, commands in by_group().items():
        section = result.partition(f"\n{group}:\n")[2].partition("\n\n")[0]
        assert all(f"  {name} " in section for name in commands)
        assert section.count("e.g. asof ") == 1
    assert asof("-h").out == asof("help").out == result


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_its_options_and_an_example_that_it_accepts(asof, here, name):
    example = entries()[name].example
    result = asof(name, "--help")
    assert (result.code, result.err) == (0, "")
    assert f"\n  Example:\n    {example}\n" in result.out
    assert asof("help", name).out == result.out == asof(name, "-h").out
    program, command, *arguments = shlex.split(example)
    assert (program, command) == ("asof", name)
    found = Commands("asof").get_command(None, name)  # type: ignore[arg-type]
    assert found is not None
    assert found.help
    assert found.make_context(name, arguments).params is not None  # every option and argument is read
    for option in found.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert all(name in result.out for name in option.opts)
        else:
            assert option.make_metavar(click.Context(found)) in result.out


def test_version(asof, here):
    assert asof("--version").out.strip().endswith(__version__)
    assert asof("version").out == asof("-V").out == asof("--version").out


def test_the_pages_are_current():
    spec = importlib.util.spec_from_file_location("make_reference", REFERENCE / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    pages = make.pages()
    old = [name for name, text in pages.items() if (REFERENCE / name).read_text("utf-8") != text]
    assert not old, f"{old} are out of date: python docs/reference/make.py"
    assert {each.name for each in REFERENCE.glob("*.schema.json")} <= pages.keys()


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("asof sea", ["search"]), ("asof search harbour --un", ["--until", "--unit"]),
        ("asof search x --unit pas", ["passage"]), ("asof nothing --ver", ["--version"]),
    ],
)  # fmt: skip
def test_a_shell_asks_for_completions(asof, here, monkeypatch, line, proposed):
    monkeypatch.setenv("_ASOF_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    result = asof()
    assert (result.code, result.err) == (0, "")
    assert result.out.split() == [f"plain,{each}" for each in proposed]
    monkeypatch.setenv("_ASOF_COMPLETE", "zsh_source")
    assert asof().out.startswith("#compdef asof\n")


# -- JSON: corpus, command, and what else is typed, one time after the other -------------------------------

PRINTED = [
    ("crane", "search 'the latest crane'", ["", "--as-of 2020 --since 2019", "--about 2020", "--explain",
                                            "--known-at 2020", "--unit document"]),
    ("crane", "status", ["", "--check"]),
    ("crane", "why-not notes/red.md crane", ["", "--as-of 2022", "-k 1"]),
    ("linked", "links notes/mole.md", ["", "--as-of 2021 --depth 2"]),
    ("masters", "timeline 'harbour master'", ["", "--as-of 2020", "-k 1"]),
    ("fees", "diff 'ferry fee'", ["2020 2021", "2001 now", "now 2018-02"]),
    ("crane", "when", ["'12345 units'", "'current fares as of June 2021'",
                       "'since 2019 and on 3/4/2024, Q1 FY24, May Day'"]),
    ("mills", "ask", ["'What was the revenue of Otter Mills in 2020 and in 2021?'", "zebras?",
                      "'What was the revenue of Otter Mills in 2031?'", "'What happened in 2022?'",
                      "crane --mode local",
                      "crane --known-at 2019", "crane --since 2022 --until 2023 --about 2022",
                      "crane --recipe tgrag"]),
    ("ropes", "facts", ["QRI", "LHT", "nobody"]),
]  # fmt: skip


@pytest.mark.parametrize(("corpus", "command", "options"), PRINTED, ids=lambda value: str(value)[:20])
def test_json_keeps_its_schema(request, corpus, command, options):
    asof = request.getfixturevalue(corpus)
    (name,) = (name for name, (printed_by, _) in all_shapes().items() if printed_by == printing(command))
    for each in options:
        result = asof(*shlex.split(command), *shlex.split(each), "--json")
        assert against(name, result.json()) == [], each


def printing(command: str) -> str:
    """What the table of schemas calls a command."""
    return f"asof {shlex.split(command)[0]} --json"


# -- wrong usage is one line: what was given, what is accepted, what to do ---------------------------------

REFUSED = {
    "crane": [
        ("serch x", "no command 'serch'; did you mean search?"),
        ("frobnicate", f"no command 'frobnicate'; there are {', '.join(entries())}"),
        ("'Who is the master?'", "to look for these words: asof search 'Who is the master?'"),
        ("who is it", "to look for these words: asof search 'who is it'"),
        ("--as-of 2020 search x", "no option --as-of before the command; options stand after it"),
        ("-v", "asof: No such option '-v' (see asof --help)"),
        ("search x --as-of", "asof search: Option '--as-of' requires an argument (see asof search --help)"),
        ("help serach", "no command 'serach'; did you mean search?"),
        ("purge", "Missing argument 'DOCUMENT'; for example: asof purge ferry"),
        ("search x --recipe tew", "no recipe 'tew'; did you mean twe?"),
        ("search crane --recipe ''", "no recipe ''; accepted: asof, twe"),
        ("search crane --rerank", "no model is named to rerank with: see [rerank] in asof.toml"),
        ("why-not notes/red.md", "Missing argument 'QUERY...'"),
        ("why-not reed crane", "did you mean notes/red.md?"),
        ("why-not zebra crane", "; a search shows ids and titles"),
        ("why-not notes crane", "'notes' can be 3 documents: notes/blue.md, notes/more/oak.md, notes/red.md"),
        ("recipes volt", "no recipe 'volt'; did you mean vault?"),
        ("search", "Missing argument 'QUERY...'"), ("search '  ' ' '", "QUERY is empty"),
        ("search x -k 0", "0 is not between 1 and 100"),
        ("search x -k many", "'many' is no such number (see"),
        ("search x --unknown", "No such option"),
        ("search x --unit book", "'book' is not one of 'passage', 'document'"),
        ("search x --meta key", "--meta 'key': key=value is expected"),
        ("search x --meta =value", "key=value is expected"),
        ("search x --index nowhere", "no index in nowhere/.asof: make one with `asof index SOURCE`"),
        ("search x --index file.md", "file.md is a file; accepted: a folder"),
        ("index", "Missing argument 'SOURCE...'; for example: asof index notes (see asof index --help)"),
        ("index ''", "a source is empty"), ("index nowhere", "nowhere does not exist; accepted are a folder"),
        ("index picture.png", "picture.png is of no kind that can be read; accepted are"),
        ("index notes --history", "notes is indexed as its files are, not with"),
        ("index notes --history --yes", "is in no git work tree"),
        ("index file.md --history", "--history reads a folder"),
        ("index .asof", "index itself"), ("index .asof/corpus.db", "index itself"),
        ("index notes --language de", "--language: this corpus was made with en, not de"),
        ("index notes --language xx --index other", "en"),
        ("index notes --wait -1", "-1.0 is not in the range x>=0"),
        ("index --watch notes --history", "--watch indexes as without --history: leave it out"),
        ("index --watch feed:a.xml", "--watch is for folders and files, and feed:a.xml is"),
        ("correct notes/red.md", "Missing argument 'T'"), ("correct notes/nope.md 2019", "'notes/nope.md'"),
        ("correct notes/red.md soon", "asof correct: T: 'soon' is not a time"),
        ("correct notes/red.md 'since 2020'", "'since 2020' has no end"),
        ("correct notes/red.md 'until 2020'", "'until 2020' has no start"),
        ("purge notes/none.md --yes", "no document 'notes/none.md' in the corpus"),
        ("vacuum --yes", "Missing argument 'BEFORE'; for example: asof vacuum 2015"),
        ("vacuum 'until 2020' --yes", "has no start"),
        ("vacuum 2999 --yes", "only the past can be dropped"),
        ("status surplus", "unexpected extra argument"), ("export x.txt", "ends in .jsonl or .jsonl.gz"),
        ("export file.md", "ends in .jsonl"), ("when ''", "TEXT is empty"),
        (f"when {'x' * 5_001}", "the question has 5,001 characters; accepted: up to 5,000"),
        ("open pier", "no document 'pier'"), ("open red --as-of 2019", "no document 'red'"),
        ("experiment twe/4.11 notes", "did you mean twe/4.1?"),
        ("experiment twe/4.1 nowhere", "nowhere is no folder"),
        ("experiment --limit 3", "--limit is about a run: give DATASET"),
        ("experiment twe/4.3 --figures drawn", "--figures is about a run"),
        ("evaluate nowhere", "nowhere is no folder; a dataset is"), ("evaluate notes", "notes has no corpus"),
        ("evaluate notes --recipe paper", "did you mean papers?"),
        ("embed --encoder ./gone", "none of model.onnx, onnx/model.onnx is there"),
        ("embed --encoder no/such/model", "is no folder, no package:NAME, and no name on the hub"),
        ("embed --encoder configured", "no encoder is configured"),
        ("precompute --budget -1", "Invalid value for '--budget'"),
    ],
    "masters": [
        ("timeline ' '", "QUERY is empty"), ("timeline mole --since blue", "--since"),
        ("timeline mole -k 0", "0 is not between 1 and 1000"), ("diff ferry 2020", "'B'"),
        ("diff ferry blue 2021", "A: "), ("diff ferry 2020 blue", "B: "),
    ],
    "ropes": [
        ("facts ' '", "SUBJECT is empty"), ("facts QRI --since blue", "--since"),
        ("facts QRI -k 0", "0 is not between 1 and 1000 "),
        ("facts", "Missing argument 'SUBJECT...'"), ("report whenever", "'whenever' is not a time"),
        ("report ' '", "PERIOD is empty; some words are expected"),
    ],
    "mills": [
        ("ask", "Missing argument 'QUESTION...'"), ("ask ' '", "QUESTION is empty"),
        ("ask revenue? --mode globl", "'globl' is not one of 'auto', 'local', 'global'"),
        ("ask revenue? --as-of someday", "--as-of"),
        ("ask crane --budget -1", "-1.0 is not"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("corpus", "line", "said"),
    [(corpus, *each) for corpus, table in REFUSED.items() for each in table],
    ids=lambda value: value[:40],
)
def test_what_is_refused(request, refused, write, here, corpus, line, said):
    request.getfixturevalue(corpus)
    write("file.md", "x")
    write("picture.png", "")
    refused(shlex.split(line), said)
    assert not (here / "drawn").exists()
    assert not (here / "other").exists()


@pytest.mark.parametrize("option", ["--as-of", "--known-at", "--since", "--until", "--about"])
@pytest.mark.parametrize("bad", ["nonsense", "2020-02-30", "", "99999"])
def test_a_bad_date_says_what_is_accepted(refused, notes, option, bad):
    refused(["search", "crane", option, bad], f"asof search: {option}: {bad!r} is not a time")
    refused(["search", "crane", option, bad], "2024-Q1")


@pytest.mark.parametrize("command", [
    "search x", "ask x", "timeline x", "diff x 2020 2021", "links d", "facts x",
    "report 2020", "why-not d x", "status", "correct d 2020",
    "purge d", "vacuum 2020", "embed --encoder none", "index --watch",
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


# -- nothing of a document, of a question or of what was typed steers the terminal -------------------------

ESCAPES = "\x1b[31m \x1b]0;owned\x07 \x9b2J \x7f\u202egnp.exe \u2066x"
STEERED = ("search bell", "search bell --explain", "search bell --json", "timeline bell", "facts bell",
           "facts bell --why", "facts bell --json", "status", "ask 'the bell rings?'",
           "links 'evil\x1b[2J.md'", "correct 'evil\x1b[2J.md' 2021", "when 'red \x1b[31m 2020'",
           "index 'no\nwhere\x1b[31m'",
           "search x --as-of 'a\nb\x1b[31m'", "'a\nb'", "purge 'evil\x1b[2J.md' --yes")  # fmt: skip


def test_nothing_steers_the_terminal(asof, here):
    (here / "evil\x1b[2J.md").write_text(
        note(f"2020-01-01\ntitle: {json.dumps(ESCAPES)}", f"Bell {ESCAPES}", f"The bell {ESCAPES} rings.")
    )
    assert asof("index", ".").code == 0
    for line in STEERED:
        result = asof(*shlex.split(line))
        assert result.code in (0, 1, 2), line
        assert not set("\x1b\x07\x9b\x7f\u202e\u2066") & set(result.out + result.err), line
        assert result.code != 2 or len(result.err.splitlines()) == 1, line
