"""Notes: frontmatter, headings, links, tags."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.documents import Heading, Link
from asof.sources.headers import parse
from asof.sources.markdown import Inline, parse_markdown
from asof.sources.plainyaml import BadYaml
from asof.sources.source import InputLimits


def read(text: str):
    return parse_markdown(text, "stem", InputLimits())


def test_frontmatter_is_taken_off():
    note = read(
        "---\ntitle: T\ntags: [a, '#b']\naliases: One name\npages: 12\nwhen: 2024-03-05\n---\n# H\ntext\n"
    )
    assert note.text == "pages: 12\nwhen: 2024-03-05\n\nH\n\ntext"
    assert (note.title, note.tags, note.aliases) == ("T", ("a", "b"), ("One name",))
    assert note.front == {"pages": 12, "when": "2024-03-05"}
    assert note.lines["when"] == 6
    assert note.outline == (Heading(28, 1, "H"),)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", "stem"),
        ("---\ntitle: From above\n---\n# H", "From above"),
        ("---\ntitle: 1984\n---\n", "1984"),
        ("## Two\n\n# One\n", "Two"),
        ("text\n\nTitle\n=====\n", "Title"),
        ("```\n# no heading\n```\n", "stem"),
        ("---\n\n# After a rule\n", "After a rule"),
    ],
)
def test_titles(text, title):
    assert read(text).title == title


def test_headings_stand_where_their_lines_start():
    text = "before\n\n# One\n\n```\n# code\n```\n\nTwo\nlines\n---\n\n> # quoted\n\n"
    text += "### **Bold** [[a|b]] `c` ##\n"
    plain = "before\n\nOne\n\n```\n# code\n```\n\nTwo lines\n\n> quoted\n\nBold b c"
    note = read(text)
    assert note.text == plain
    assert note.outline == (
        Heading(plain.index("One"), 1, "One"),
        Heading(plain.index("Two"), 2, "Two lines"),
        Heading(plain.index("Bold"), 3, "Bold b c"),
    )


@pytest.mark.parametrize(
    ("broken", "line", "message"),
    [
        ("a: [1", 3, "not YAML"),
        ("ok: 1\nb: {{date}}", 3, "is a template"),
        ("ok: 1\nb: {{date: 1}: 2}", 3, "as a key"),
        ("- a", 2, "is a list"),
        ("only words", 2, "is a text"),
        ("a: &x 1\nb: *x", 2, "anchor"),
        ("a: !!python/object:os.system 1", 2, "tag"),
        ("a: " + "[" * 20, 2, "levels deep"),
        ("x: " + "y" * 70_000, 1, "the limit is 65536"),
        ("a: \x07", 1, "not YAML"),
    ],
)
def test_broken_frontmatter_keeps_the_note_whole(broken, line, message):
    text = f"---\n{broken}\n---\n# H\n"
    note = read(text)
    assert note.text == f"{broken}\n\nH"
    assert note.outline == (Heading(len(note.text) - 1, 1, "H"),)
    (problem,) = note.notes
    assert message in problem.message
    assert (problem.line, problem.lost) == (line, False)


def test_scalars_are_what_they_look_like():
    front = parse(
        "a: 1\nb: 1.5\nc: no\nd: true\ne: 10:30\nf: 007\ng: ~\nh: '1'\ni: .nan\nj: 1e9\nk: [2024-01-01]", 999
    )
    assert front.values == {
        "a": 1, "b": 1.5, "c": "no", "d": True, "e": "10:30", "f": "007", "g": None, "h": "1", "i": ".nan",
        "j": "1e9", "k": ["2024-01-01"],
    }  # fmt: skip
    toml = parse("a = 1.5\nb = inf\nc = [nan, 1e999, -1e999]\nd = 1e3", 99, toml=True)
    assert toml.values == {"a": 1.5, "b": "inf", "c": ["nan", "1e999", "-1e999"], "d": 1000.0}
    assert parse("", 10).values == {}
    assert parse("a: 1\na: 2", 10).twice == [("a", 3)]
    with pytest.raises(BadYaml, match="more than one"):
        parse("a: 1\n--- \nb: 2", 99)


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[Note]]", Link("Note")),
        ("[[Note|alias]]", Link("Note", "", "alias")),
        ("[[Note#part]]", Link("Note", "part")),
        ("[[dir/Note#part|alias]]", Link("dir/Note", "part", "alias")),
        ("| [[Note\\|in a table]] |", Link("Note", "", "in a table")),
        ("![[image.png|200]]", Link("image.png", "", "200", "embed")),
        ("[x](other.md#part)", Link("other.md", "part", "x")),
        ("[x](/a/b#c)", Link("/a/b", "c", "x")),
        ("[x](<a b.md>)", Link("a b.md", "", "x")),
        ("[x](a%20b%C3%A9.md 'title')", Link("a bé.md", "", "x")),
        ("[x](a(1).md)", Link("a(1).md", "", "x")),
        ("![x](pic.png)", Link("pic.png", "", "x", "embed")),
        ("# A heading with [[Note]]", Link("Note")),
        ("- in a list\n  - [[Note]]", Link("Note")),
        ("---\nup: '[[Note]]'\n---\n", Link("Note")),
    ],
)
def test_links(text, link):
    assert read(text).links == (link,)


@pytest.mark.parametrize(
    "text",
    [
        "`[[a]]`", "``x ` [[a]]``", "```\n[[a]] #tag\n```", "    [[indented]] #tag", "[[#here]]",
        "[x](#here)",
        "[x](https://e.org/a)", "[x](//e.org)", "[x](mailto:a@b)", "[[]]", "[[|x]]", "[x]", "~~~\n#tag\n",
        "#123", "#ff0000", "#FFF", "#1a2", "https://e.org/#frag", "a#b", "\\#no",
        "[x](#anchor)", "[[Note", "`#tag`",
        '<a href="#tag">', "<span style='color: #fabfab'>",
    ],
)  # fmt: skip
def test_what_is_neither_link_nor_tag(text):
    assert (read(text).links, read(text).tags) == ((), ())


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#one and (#two), #three.", ("one", "two", "three")),
        ("#a/b #y1984 #über #हिन्दी #日本", ("a/b", "y1984", "über", "हिन्दी", "日本")),
        ("# #inheading", ("inheading",)),
        ("unclosed ` #tag", ("tag",)),
        ("#facade", ("facade",)),
        ("a < b #x > c", ("x",)),
        ("---\ntags: 'a, #b c'\n---\n#a", ("a", "b", "c")),
        ("---\ntags: 2024\n---\n", ("2024",)),
    ],
)
def test_tags(text, tags):
    assert read(text).tags == tags


HOSTILE = {
    "one line": lambda n: "a" * n,
    "brackets": lambda n: "[" * n,
    "half links": lambda n: "[[a" * n,
    "half targets": lambda n: "[](" * n,
    "parentheses": lambda n: "[](" + "()" * n,
    "half titles": lambda n: '[](a "' * n,
    "ticks": lambda n: "".join("`" * (each % 50 + 1) + "x" for each in range(n // 8)),
    "backslashes": lambda n: "\\" * n + "`" * (n // 2),
    "tags": lambda n: "#a" * n,
    "angles": lambda n: "#x <a" * n,
    "frontmatter": lambda n: "---\na: " + "{a: " * (n // 8) + "\n---\n",
    "rules": lambda n: "---\n" * (n // 8),
    "quotes": lambda n: ">" * n,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_notes_take_linear_time(name):
    assert is_linear(lambda n: read(HOSTILE[name](n)), 5_000)


# -- marks are taken off, words stay ---------------------------------------------------------------------

EXAMPLES = [
    ("## The mole ##\nIt is *old*.", "The mole\n\nIt is old."),
    ("**bold** __bold__ _thin_ ~~gone~~ ==marked== ***both***", "bold bold thin gone marked both"),
    ("**a *b* c**", "a b c"),
    ("snake_case_name, 2*3*4, a_b", "snake_case_name, 2*3*4, a_b"),
    ("[text](http://a.b/c_(d)) and ![a picture](x.png \"title\")", "text and a picture"),
    ("[![alt](img.png)](url)", "alt"),
    ("[[Note]], [[Note#Part]], [[#Part]], [[Note|alias]], ![[x.png|300]]",
     "Note, Note › Part, Part, alias,"),
    ("Press `Ctrl+*` or ``<b>``", "Press Ctrl+* or <b>"),
    ("| a | b |\n|---|:-:|\n| 1 | *2* |", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
    ("==The mole** is *closed.*", "==The mole** is closed."),
    ("5 * 3", "5 * 3"),
    ("> [!note]- Beware\n> of it", "> Beware\n> of it"),
    ("a<br>b <b>c</b> <!-- no --> &lt;d&gt; &euro;3", "a\nb c  <d> €3"),
    ("see <https://a.b> and a footnote[^1]", "see https://a.b and a footnote"),
    ("- one\n- [ ] two\n\n1. three", "- one\n- [ ] two\n1. three"),
    (r"5 \* 3 and 2 < 3 > 1", "5 * 3 and 2 < 3 > 1"),
    ("```python\nx = 1\n```", "```\nx = 1\n```"),
    ("{% if a %}[x]({{ site.url }}/y) {{ b }}{% endif %}{: .c}", "x"),
    ("a %%not\nseen%% b[^2] [that][r] ![i](p.png)\\\n&amp;\n\n[r]: /u", "a  b that i\n&"),
    ("<<<<<<< HEAD\n# One\n=======\n# Two\n>>>>>>> b\n", "One\n\nTwo"),
    ("<style>\n.a {b: c}\n</style>\n\nText\n\n%%\nnot this\n%%\n", "Text"),
    ("- [Goals](#goals)\n- [Here](#here) is more", "- Here is more"),
    ("Term\n: What it means", "Term: What it means"),
    ("Type <your-name>, not <b>", "Type <your-name>, not"),
    ("plain text, with (brackets) and [some]", "plain text, with (brackets) and [some]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), EXAMPLES)
def test_examples(text, shown):
    assert read(text).text == shown


MARKS = st.sampled_from([*"*_`[]()|#<>!~=&;\\/-: \n", "[[", "]]", "**", "](", "&amp;", "<b>", "</b>"])


@given(st.lists(st.one_of(MARKS, st.text(max_size=5)), max_size=60).map("".join))
def test_nothing_is_added(text):
    """The letters and figures that are left stood in the text, in this order; entities aside."""
    text = text.replace("&", "")
    rest = iter(text)
    assert all(sign in rest for sign in Inline().words(text) if sign.isalnum())


WORDS = st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=8)
FORMS = ["{}", "**{}**", "*{}*", "_{}_", "`{}`", "[{}](u)", "[[{}]]", "[[u|{}]]", "<b>{}</b>", "~~{}~~",
         "## {}", "> {}", "| {} |"]  # fmt: skip


@given(WORDS, st.sampled_from(FORMS), st.sampled_from(["\n", "\n\n"]))
def test_the_words_stay(words, form, between):
    marked = between.join(form.format(word) for word in words)
    assert re.findall("[a-z]+", Inline().words(marked)) == words


@pytest.mark.parametrize(
    "piece", ["[", "[[", "](", "*a ", "_a ", "<!--", "`", "<a ", "&a", "[](", "> ", "|", "**"]
)
def test_long_hostile_texts_come_to_an_end(piece):
    """A careless pattern takes hours for them."""
    assert len(Inline().words(piece * 20_000)) <= len(piece) * 20_000
