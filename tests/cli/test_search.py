"""`asof search`, `why-not`, `links` and `open`: filters, clocks, scores that add up, names of documents."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from asof.cli.show import why_lines
from asof.hits import Why
from asof.sources.source import source_file

from .conftest import documents, filled, note

RED, BLUE, OAK = "notes/red.md", "notes/blue.md", "notes/more/oak.md"


# -- filters and dates -------------------------------------------------------------------------------------

FILTERS = [
    ([], {RED, BLUE, OAK}), (["--since", "2021"], {BLUE, OAK}), (["--until", "2021"], {RED, BLUE}),
    (["--since", "2021-01-10", "--until", "2021-01-10"], {BLUE}),
    (["--since", "2021", "--until", "2020"], set()), (["--about", "2021"], {BLUE}),
    (["--about", "2021-01-09"], set()), (["--about", "2020-01", "--since", "2021"], set()),
    (["--path", "notes/more/*"], {OAK}), (["--path", "nope/*"], set()), (["--tag", "paint"], {RED, BLUE}),
    (["--tag", "#paint"], {RED, BLUE}), (["--tag", "paint", "--tag", "yard"], {RED}),
    (["--meta", "theme=south"], {BLUE}), (["--meta", "theme=south", "--tag", "yard"], set()),
    (["--source", "notes"], {RED, BLUE, OAK}), (["--as-of", "2020"], {RED}),
    (["--as-of", "2020", "--since", "2021"], set()), (["--known-at", "2020"], set()),
    (["--unit", "document"], {RED, BLUE, OAK}),
]  # fmt: skip


@pytest.mark.parametrize(("options", "found"), FILTERS)
def test_filters(asof, notes, options, found):
    assert set(documents(asof, "crane", *options)) == found


def test_how_many_and_quoted_words(asof, notes):
    assert [len(documents(asof, "crane", "-k", k)) for k in ("1", "2", "3", "100")] == [1, 2, 3, 3]
    assert asof("search", "crane", "blue", "--json").json()["hits"][0]["document"] == BLUE
    assert set(documents(asof, '"crane is"')) == {RED, BLUE}


@pytest.mark.parametrize("moment", ["9999", "9999-12-31", "0001"])
@pytest.mark.parametrize("window", [[], ["--since", "2019"], ["--until", "2022", "--tag", "paint"]])
def test_the_ends_of_the_calendar(asof, notes, moment, window):
    """What ends with the year 9999 has an end beyond what a datetime can say."""
    result = asof("search", "crane", "--as-of", moment, *window)
    assert result.code == (1 if moment == "0001" else 0)
    assert result.out.startswith(f"as of {moment[:4]}-12-31")


# -- what a reader sees ------------------------------------------------------------------------------------


def test_a_hit_and_its_head(asof, notes):
    result = asof("search", "blue crane", "-k", "1", "--as-of", "2021-06")
    head, first, second, third = result.out.splitlines()
    assert head == "as of 2021-06-30 · 2 current passages"
    assert first == "  1. Blue  2021-01-10 (frontmatter)"
    assert re.fullmatch(r"     notes/blue\.md  \d\.\d{4}", second)
    assert third == "     The crane is blue now."
    head = asof("search", "crane", "--known-at", "2020-06").out.splitlines()[0]
    assert re.fullmatch(r"as of 20\S+ \S+Z · known at 2020-06-30 · 0 current passages", head)


def test_nothing_found_is_code_1(asof, notes):
    result = asof("search", "zeppelin")
    unknown = "note: no current passage contains: zeppelin"
    assert (result.code, result.out) == (1, f"as of now · 3 current passages\nnothing found\n{unknown}\n")
    result = asof("search", "zeppelin", "--json")
    assert (result.code, result.json()["hits"]) == (1, [])
    assert asof("search", "crane", "--as-of", "1850").out.startswith(
        "as of 1850-12-31 · 0 current passages\n"
    )


def test_undated_texts_say_so(asof, here, write):
    for number in range(6):  # so many files within a minute look like a copy: their mtimes say nothing
        write(f"notes/{number}.md", f"# Note {number}\n\ncrane\n")
    asof("index", "notes")
    assert asof("search", "crane").out.count("  undated\n") == 6


def test_what_was_read_as_a_filter_is_printed(asof, notes):
    for command in (("search",), ("timeline",), ("changes", "--since", "2019")):
        out = asof(*command, "crane -zebra after:2019").out
        assert "note: read as filters: -zebra, after:2019" in " ".join(out.split())
    assert asof("search", "crane after:someday").code == 2
    assert "after:someday: 'someday' is not a time" in asof("search", "crane after:someday").err


def test_json_tells_the_question(asof, notes):
    result = asof(
        "search", "the latest crane", "--as-of", "2021", "--since", "2020-02", "--tag", "paint", "--meta",
        "theme=south", "--path", "notes/*", "--source", "notes", "-k", "4", "--json",
    )  # fmt: skip
    query = result.json()["query"]
    assert query["recency"] > 0
    keys = ("text", "as_of", "since", "tags", "meta", "k", "paths", "source")
    assert {key: query[key] for key in keys} == {
        "text": "the latest crane", "as_of": "2021-12-31T23:59:59.999999Z", "since": "2020-02-01T00:00:00Z",
        "tags": ["paint"], "meta": ["theme=south"], "k": 4, "paths": ["notes/*"], "source": "notes",
    }  # fmt: skip


def test_defaults_come_from_asof_toml(asof, refused, notes, write):
    write("asof.toml", "[search]\nk = 2\n")
    assert len(documents(asof, "crane")) == 2
    write("asof.toml", "[search]\nkk = 2\n")
    refused(["search", "crane"], "[search] no key kk; did you mean k?")


def test_what_a_passage_speaks_of_counts_before_its_date(asof, here, write):
    write("log/a.md", "---\npublished: 2021-03-03\nfiscal_year: 2020\n---\nThe crane of last month.")
    write("log/b.md", "---\npublished: 2021-03-04\n---\nThe crane stands.")
    asof("index", "log")
    (hit,) = asof("search", "crane", "--about", "2021-02", "--json").json()["hits"]
    assert [(time["text"], time["by"]) for time in hit["about"]] == [
        ("FY 2020", "fiscal_year"), ("last month", "text"),
    ]  # fmt: skip
    assert "about FY 2020 (fiscal_year), last month (text)" in asof("search", "crane", "--about", "2020").out
    assert "about" not in asof("search", "crane").out
    assert "about FY 2020" in asof("search", "crane", "--explain").out
    assert documents(asof, "crane", "--about", "2021-03") == ["log/b.md"]
    assert asof("why-not", "log/a.md", "crane", "--about", "2021-03").out.count("a filter excludes it") == 1


# -- why nothing is found ----------------------------------------------------------------------------------

UNMET = [
    (["--source", "note"], "there is no source 'note'; did you mean notes?"),
    (["--source", "elsewhere"], "there is no source 'elsewhere'; existing ones: notes"),
    (["--tag", "pant"], "no document has the tag 'pant'; did you mean paint?"),
    (["--tag", "#zebra"], "no document has the tag 'zebra'; existing ones: paint, yard"),
    (["--path", "mor"], "no document's id matches 'mor'; did you mean '*mor*'?"),
    (["--path", "./notes"], "no document's id matches './notes'; did you mean 'notes'?"),
    (["--path", "./notes/red.md"], "no document's id matches './notes/red.md'; did you mean 'notes/red.md'?"),
    (["--path", "journal/*"], "no document's id matches 'journal/*'; existing ones: notes/*, notes/more/*"),
    (["--since", "2022", "--until", "2021"], "since (2022-01-01) is later than until (2021-12-31)"),
    (["--as-of", "2019"], "no document is known to have been published by 2019-12-31"),
    (["--known-at", "2019"], "of what was indexed by 2019-12-31 nothing was published by "),
]


@pytest.mark.parametrize(("options", "said"), UNMET, ids=lambda value: str(value)[:30])
def test_search_says_which_filter_nothing_passes(asof, notes, options, said):
    found = asof("search", "crane", *options)
    assert (found.code, found.err) == (1, "")
    assert f"note: nothing matches: {said}" in found.out
    notes_in_json = asof("search", "crane", *options, "--json").json()["notes"]
    assert f"nothing matches: {said}" in " ".join(notes_in_json)


@pytest.mark.parametrize("command", [["timeline", "crane"], ["facts", "crane"], ["ask", "which crane?"]])
def test_other_commands_say_which_filter_nothing_passes(asof, notes, command):
    result = asof(*command, "--since", "2022", "--until", "2021")
    assert result.code == 1
    assert "note: nothing matches: since (2022-01-01) is later than until (2021-" in result.err + result.out
    assert "nothing matches: no document is known" in asof(*command, "--as-of", "2019").err
    assert "nothing matches: of what was indexed by 2019-12-31" in asof(*command, "--known-at", "2019").err
    assert "published by 2018-12-31" in asof("diff", "crane", "2017", "2018").err
    assert "published by 2019-12-31" in asof("report", "2019", "--as-of", "2019").err
    assert "nothing matches" not in asof("search", "zebra", "--tag", "paint").out, "words are no filter"


@pytest.mark.parametrize("clock", ["--as-of", "--known-at"])
def test_what_came_later_is_not_told(asof, notes, write, clock):
    """A tag, a source or a folder of later is said to be as unknown as one that never was."""
    write("later/yew.md", note("2024-01-01", "Yew", "A yew by the crane.", tags="[evergreen]"))
    asof("index", "later")
    for option, there, never in (
        ("--tag", "evergreen", "evergreem"), ("--source", "later", "laten"), ("--path", "later/*", "laten/*"),
    ):  # fmt: skip
        told, other = (
            asof("search", "crane", option, name, clock, "2023").out.partition("\n")[2].replace(name, "it")
            for name in (there, never)
        )
        assert told == other
        assert "nothing matches: " in told
        assert asof("search", "crane", option, there).code == 0


# -- explanations: each line is a sum or a product of the numbers on it ------------------------------------

EXPLAINED = (
    # 1 / (1 + e^-1.5) = .8176
    "0.8176 score between 0 and 1 = 1.0000 one / 1.2231 below",
    "0.2231 exp(-score) = exp -1.5000 -score",
    "1.5000 relevance = 1.0000 relevance by words + 0.5000 query coverage",
    # ln(1 + 2.5 / 1.5) = .9808, and 4 / 5.2 × .9808 × 2.2 = 1.6599 (in the text, title, heading and path)
    "1.6599 “blue” = 4 tf / (4 tf + 1.2000 length norm) × 0.9808 idf × 2.2 · 9 words, in 1 of 3 passages",
    # ln(1 + .5 / 3.5) = .1335
    "0.0178 “crane” = (0.1335 idf)², in 3 of 3 passages",
    "0.3196 weight of all query words = the same for all query words",
)


def test_the_lines_of_a_search(asof, notes):
    result = asof("search", "the latest blue crane", "--explain", "--as-of", "2022-06")
    assert set(EXPLAINED) <= {line.strip() for line in result.out.splitlines()}
    scores = re.findall(r"^     notes/\S+  (\d+\.\d{4})$", result.out, re.MULTILINE)
    assert len(scores) == 3
    assert scores == re.findall(r"^     (\d+\.\d{4}) score between 0 and 1 = ", result.out, re.MULTILINE)


def test_the_tree_in_json_recomputes_to_the_last_bit_and_stands_in_one_line(asof, notes):
    def read(node: dict[str, Any]) -> Why:
        parts = tuple(read(part) for part in node.get("parts", ()))
        return Why(node["label"], node["value"], node["op"], parts)

    result = asof("search", "the latest blue crane", "--explain", "--json")
    hits = result.json()["hits"]
    for hit in hits:
        assert read(hit["why"]).recomputed() == hit["score"] == hit["why"]["value"]
    trees = [line.strip() for line in result.out.splitlines() if '"op"' in line]
    assert len(trees) == len(hits) == 3
    assert all(tree.startswith('"why": {"label": ') for tree in trees)


@pytest.mark.parametrize(
    ("tree", "line"),
    [
        # 1 + ... + 9 = 45; the largest five are 9 + 8 + 7 + 6 + 5 = 35; 4 + 3 + 2 + 1 = 10 are left
        (Why.of("all", "sum", *[Why(f"part {n}", float(n)) for n in range(1, 10)]),
         ("45.0000 all = 9.0000 part 9 + 8.0000 part 8 + 7.0000 part 7 + 6.0000 part 6 + 5.0000 part 5"
          " + 10.0000 (4 more)")),
        (Why.of("root", "exp", Why("x", 0.0)), "1.0000 root = exp 0.0000 x"),
        (Why.of("root", "log", Why("x", 1.0)), "0.0000 root = ln 1.0000 x"),
        (Why.of("top", "max", Why("a", 1.0), Why("b", 2.0)), "2.0000 top = 1.0000 a or 2.0000 b"),
        (Why.of("none", "sum"), "0.0000 none = "),
    ],
)  # fmt: skip
def test_a_line_by_operation(tree, line):
    assert why_lines(tree) == [line]


# -- why-not: each way of not being a hit has its own sentence ---------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["crane", "--since", "2021"], "a filter excludes it: since"),
        (["crane", "--until", "2019"], "a filter excludes it: until"),
        (["crane", "--tag", "oak"], "a filter excludes it: tag oak"),
        (["crane", "--meta", "theme=south"], "a filter excludes it: meta theme=south"),
        (["crane", "--path", "x/*"], "a filter excludes it: path"),
        (["crane", "--source", "none"], "a filter excludes it: source"),
        (["crane", "--tag", "yard", "--since", "2021"], "a filter excludes it: since"),
        (["zebra"], "it does not match the query (0 other passages do)"),
        # `papers` takes all passages for candidates and ranks them then; a quotation shuts some out
        (['"blue now"', "--recipe", "papers"], "it does not match the query (1 other passages do)"),
    ],
    ids=lambda value: " ".join(value)[:30],
)
def test_the_reason(asof, notes, arguments, reason):
    result = asof("why-not", RED, *arguments)
    assert result.code == 1
    assert reason in result.out


@pytest.mark.parametrize("clock", [["--as-of", "2019"], ["--known-at", "2019"]])
def test_as_of_a_moment_a_later_document_is_none(asof, notes, clock):
    """It is answered for as one that never was."""
    hit = asof("search", "crane", "--json").json()["hits"][0]["id"]
    for name in (RED, hit):
        there, nowhere = (asof("why-not", each, "crane", *clock) for each in (name, "notes/no.md"))
        assert (there.code, there.out) == (nowhere.code, nowhere.out) == (2, "")
        assert there.err.replace(name, "notes/no.md") == nowhere.err
        assert "; without a date, why-not tells whether there is a later one" in there.err
    in_words = asof("why-not", OAK, "crane as of 2020")
    assert (in_words.code, f"no document '{OAK}' as of 2020" in in_words.err) == (2, True)


def test_without_a_date_why_not_tells_of_a_later_document(asof, notes):
    (notes / "late.md").write_text(note("2990-05-01", "Late", "The winch is green."))
    assert asof("index", "notes").code == 0
    assert "published 2990-05-01, after " in asof("why-not", "notes/late.md", "winch").out
    assert asof("why-not", "notes/late.md", "winch", "--as-of", "2024").code == 2
    assert (
        "note: read as words: folder:a/b (did you mean path:a/b?)" in asof("why-not", RED, "folder:a/b").out
    )


def test_a_rank_and_one_that_is_cut(asof, notes):
    """ "crane" stands once in each of three notes; the shortest of them scores best. One is shown."""
    result = asof("why-not", RED, "crane")
    assert result.code == 0
    rank = documents(asof, "crane").index(RED) + 1
    assert f"it is among the hits, at rank {rank}\n" in result.out
    outcomes = [asof("why-not", each, "crane", "-k", "1").out for each in (RED, BLUE, OAK)]
    assert sum("it is among the hits, at rank 1" in out for out in outcomes) == 1
    cut = [re.search(r"its rank is [23] of 3; only the first is a hit", out) for out in outcomes]
    assert sum(map(bool, cut)) == 2
    steps = asof("why-not", RED, "crane", "-k", "1", "--json").json()["steps"]
    assert [step["stage"] for step in steps][:2] == ["lexical", "hybrid"]
    assert steps[0]["candidates"] == 3


def test_what_had_ended(asof, notes):
    (notes / "red.md").write_text(note("2023-05-01", "Red", "The winch is green."))
    assert asof("index", "notes").code == 0
    hit = asof("search", "crane red", "--as-of", "2020-06", "--json").json()["hits"][0]
    assert hit["document"] == RED
    result = asof("why-not", hit["id"], "crane")
    assert result.code == 1
    assert "it was current from 2020-01-10 until 2023-05-01, before " in result.out
    assert asof("why-not", hit["id"], "crane", "--as-of", "2022").code == 0


@pytest.mark.parametrize("recipe", ["asof", "vault", "papers"])
@pytest.mark.parametrize("unit", ["passage", "document"])
def test_it_agrees_with_the_search(asof, notes, recipe, unit):
    """The rank of a note is that of its best hit; a note that is no hit has none."""
    options = ["--recipe", recipe, "--unit", unit, "--as-of", "2021-06", "--json"]
    for question in ("crane", "red crane", "the", "zebra"):
        ranks: dict[str, int] = {}
        for hit in asof("search", question, *options).json()["hits"]:
            ranks.setdefault(hit["document"], hit["rank"])
        for document in (RED, BLUE):
            assert asof("why-not", document, question, *options).json()["rank"] == ranks.get(document)
        assert (OAK in ranks, asof("why-not", OAK, question, *options).code) == (False, 2)  # of a later day


# -- links and open ----------------------------------------------------------------------------------------


def test_links_in_both_directions_as_they_stood(asof, linked):
    result = asof("links", "notes/net.md", "--as-of", "2021")
    assert result.code == 0
    assert [line.split()[:2] for line in result.out.splitlines()[1:]] == [
        ["->", "notes/bell.md"], ["<-", "notes/mole.md"],
    ]  # fmt: skip
    assert "notes/mole.md" not in asof("links", "notes/net.md").out
    nothing = asof("links", "notes/mole.md")
    assert (nothing.code, nothing.out.splitlines()[1:]) == (1, ["no links"])
    result = asof("links", "notes/mole.md", "--as-of", "2021", "--depth", "2").out
    assert "->  nowhere  (broken link)" in result
    assert "notes/bell.md  Bell  2 links away" in result


@pytest.fixture
def vault(asof, write):
    text = "---\ndate: 2020-01-01\n---\n# Quay\n\n## Length\n\nThe quay is 40 m long.\n"
    folder = write("notes/quay.md", text).parent
    assert asof("index", "notes").code == 0
    return folder


def test_open_prints_the_text_with_its_place(asof, vault):
    hit = asof("search", "long", "--json").json()["hits"][0]["id"]
    said = asof("open", hit).out
    assert said.startswith("notes/quay.md › Quay › Length\n")
    assert "The quay is 40 m long." in said
    assert "\nQuay\n\nLength\n" in asof("open", "quay", "--as-of", "2021").out


@pytest.mark.parametrize("name", ["../secret.md", "notes/../../secret.md", "/etc/passwd", "notes", "link.md"])
def test_only_files_inside_the_folder_are_those_of_a_document(tmp_path: Path, name: str):
    (tmp_path / "root" / "notes").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("secret")
    inside = tmp_path / "root" / "notes" / "inbox.mbox"
    inside.write_text("mail")
    (tmp_path / "root" / "link.md").symlink_to(tmp_path / "secret.md")
    assert source_file(tmp_path / "root", name) is None
    assert source_file(tmp_path / "root", "notes/inbox.mbox!/<id@host>") == inside


# -- documents by title, file name, alias or a part of the path; never by those of a later time ------------

NAMES = ("notes/red.md", "Red.md", "the  RED crane", "rouge", "es/red.")


@filled
def yard(asof, write):
    """red of 2020, oak of 2021 (of which there are two), a later one of 2023; ash ended in 2022."""
    write("notes/red.md", note("2020-01-01", "The red crane", "See [[ash]].", aliases="[Rouge]"))
    write("notes/ash.md", note("2020-01-01", "Ash", "An ash by the crane."))
    write("notes/oak.md", note("2021-01-01", "Oak", "An oak by the crane."))
    write("notes/old/oak.md", note("2021-01-01", "An older oak", "An old oak by the crane."))
    write("notes/redwood.md", note("2023-01-01", "Redwood", "A redwood by the crane."))
    assert asof("index", "notes").code == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_command_takes_a_name(asof, yard, name, answer):
    assert asof("links", name, "--json").json()["document"] == RED
    assert asof("why-not", name, "crane", "--json").json()["id"] == RED
    assert asof("correct", name, "2019").out.startswith("notes/red.md: published 2019")
    answer("y\n")
    result = asof("purge", name)
    assert "Erase notes/red.md and all its history?" in result.out + result.err
    assert "notes/red.md: erased, " in result.out


@pytest.mark.parametrize(
    "command", ["links oak", "why-not oak crane", "purge OAK --yes", "correct oak.md 2020"]
)
def test_a_name_of_several_lists_them(asof, refused, yard, command):
    refused(command.split(), "can be 2 documents: notes/oak.md, notes/old/oak.md; give more of its path")
    assert asof("links", "old/oak", "--json").json()["document"] == "notes/old/oak.md"


@pytest.mark.parametrize("command", ["links", "why-not"])
@pytest.mark.parametrize("clock", ["--as-of", "--known-at"])
def test_what_is_not_visible_then_is_neither_found_nor_proposed(asof, refused, yard, command, clock):
    question = ["crane"] if command == "why-not" else []
    for name in ("redwood", "redwod", "Redwood.md"):
        refused([command, name, *question, clock, "2022-06"], f"no document {name!r} as of ")
        assert "notes/redwood" not in asof(command, name, *question, clock, "2022-06").err
    # a part of two paths, one of which is later
    assert asof(command, "notes/re", *question, "--as-of", "2022-06").err == ""
    assert "2 documents" in asof(command, "notes/re", *question).err


def test_names_of_what_ended_of_nothing_and_parts_of_names(asof, refused, here, yard, answer):
    answer("y\n")
    refused(
        ["purge", "notes/reed.md"], "no document 'notes/reed.md' in the corpus; did you mean notes/red.md?"
    )
    refused(["links", "aish", "--as-of", "2021-05-04"], "as of 2021-05-04; did you mean notes/ash.md?")
    refused(["purge", "notes/as", "--yes"], "'notes/as' is only a part of the id notes/ash.md")
    (here / "notes/ash.md").unlink()
    asof("index", "notes")
    assert "it was current from" in asof("why-not", "Ash", "crane").out
    assert "was not current as of" in asof("links", "ash").err
    assert asof("purge", "ASH", "--yes").out.startswith("notes/ash.md: erased")


# -- a note that has a title and says nothing else is a document, and is found by its title ----------------

TITLES = {
    "given.md": "---\ndate: 2020-01-01\ntitle: Boiler\n---\n",
    "Boiler.md": "---\ndate: 2020-01-01\n---",
    "heading.md": "---\ndate: 2020-01-01\n---\n# Boiler\n",
}


@pytest.mark.parametrize("name", TITLES)
def test_a_title_alone_is_found_as_of_its_time(asof, here, write, name):
    write(f"notes/{name}", TITLES[name])
    assert asof("index", "notes").out.splitlines()[-1].startswith("notes: 1 added; 1 new passage")
    assert documents(asof, "boiler") == [f"notes/{name}"]
    assert documents(asof, "boiler", "--as-of", "2019-06") == []
    assert "it is among the hits, at rank 1" in asof("why-not", name, "boiler").out
    assert asof("index", "notes").out.startswith("notes: 1 unchanged")


def test_a_title_alone_has_no_text_and_may_get_one(asof, here, write):
    write("notes/boiler.md", TITLES["given.md"])
    asof("index", "notes")
    (hit,) = asof("search", "boiler", "--json").json()["hits"]
    place = hit["location"]
    assert (hit["text"], hit["title"], place["start"], place["end"]) == ("", "Boiler", 0, 0)
    for command in ("timeline boiler", "ask boiler", "facts boiler", "report 2020", "embed --encoder hashed"):
        assert asof(*command.split()).code in (0, 1), command
    for recipe in ("asof", "twe", "tempralm", "tgrag", "vault", "papers"):
        assert asof("search", "boiler", "--recipe", recipe).code == 0
    write("notes/boiler.md", "---\ndate: 2021-01-01\ntitle: Boiler\n---\nIt is old.\n")
    asof("index", "notes")
    assert "(only a title)" in asof("search", "boiler", "--as-of", "2020-06").out
