"""Tables and values as text, and what of them cannot be read."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from tests.support.growth import is_linear

from asof.documents import Heading
from asof.extensions.documents.datafiles import delimiter
from asof.sources.dates import dates_in
from asof.sources.files import document
from asof.sources.readers import ParsedFile, Unreadable, parsed, suffix, suffixes
from asof.sources.source import InputLimits
from asof.text.passages import Chunking, chunk
from asof.time.span import iso

LIMITS = InputLimits(characters=200, line=400, documents=3)


def table(*rows: str) -> str:
    """The text of a table, given with bars between its cells; the first row is its header."""
    ruled = [rows[0], "|".join(["---"] * (rows[0].count("|") + 1)), *rows[1:]]
    return "".join(f"| {row.replace('|', ' | ')} |\n" for row in ruled)


ROWS = table("Name|Price", "A|3")


def read(name: str, text: str | bytes, limits: InputLimits = InputLimits()) -> ParsedFile:  # noqa: B008
    return parsed(text if isinstance(text, bytes) else text.encode(), name, limits)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Name,Price\nA,3\n", ROWS),
        ("Name;Price\nA;3\n", ROWS),
        ("Name\tPrice\nA\t3\n", ROWS),
        ("Name|Price\nA|3\n", ROWS),
        ("sep=;\nName;Price\nA;3\n", ROWS),
        ("Prices\n\nName,Price\nA,3\n", f"Prices\n\n{ROWS}"),
        ("Name;Price\nA;1,5\nB;2,5\n", ROWS.replace("| A | 3 |", "| A | 1,5 |\n| B | 2,5 |")),
        ('Name, Price\nA,"3\n4"\n', ROWS.replace("3", "3 4")),
        ('Name,Price\n"A ""B""",3\n', ROWS.replace("A |", 'A "B" |')),
        ("Name,Price\n\n,\nA,3\n", ROWS),
        ("Name,Price\nA,=SUM(B1:B9)\n", ROWS.replace("3", "=SUM(B1:B9)")),
        ("Name,Price\nA,x|y\n", ROWS.replace("3", "x¦y")),
        ("Club,2023\nA,3\n", ROWS.replace("Name", "Club").replace("Price", "2023")),
        ("2021-05-01,A\n2021-06-01,B\n", "| 2021-05-01 | A |\n| 2021-06-01 | B |\n"),
        ("1,2\n3,4\n", "| 1 | 2 |\n| 3 | 4 |\n"),
        ("alpha\nbeta\n", "- alpha\n- beta\n"),
        # the days of a row's time are one cell where both columns hold dates only
        ("Price,From,valid_to\n3,2021-01-01,2022-03-31\n4,2022-04-01,\n",
         table("Price|From – valid_to", "3|2021-01-01 – 2022-03-31", "4|since 2022-04-01")),
        ("Preis;von;bis\n3;1.1.2021;31.3.2022\n",
         table("Preis|von – bis", "3|1.1.2021 – 31.3.2022")),
        ("From,To\nAda,Bo\n", table("From|To", "Ada|Bo")),
    ],
)  # fmt: skip
def test_csv_is_a_table(text, expected):
    assert read("prices.csv", text).text.strip() == expected.strip()
    assert read("prices.csv", text).title == "prices"


@pytest.mark.parametrize(
    ("head", "sign"),
    [
        ("a,b\n1,2", ","),
        ("a;b\n1,5;2,5", ";"),
        ('"a;b",c\n"d;e",f', ","),
        ("a, b\tc\nd\te", "\t"),
        ("a", "\t"),
    ],
)
def test_the_sign_that_parts_cells(head, sign):
    assert delimiter(head) == sign


def test_long_rows_are_records_named_by_their_first_telling_column():
    name, words = " ".join(["name"] * 15), " ".join(["word"] * 60)
    page = read("faq.csv", f"No,Question,Answer\n1,Why {name},{words}\n2,How {name},{words}\n")
    assert [heading.title for heading in page.outline] == [f"Why {name}", f"How {name}"]
    assert page.text.strip().endswith(f"How {name}\n\nNo: 2\nAnswer: {words}")
    columns = [f"c{at}" for at in range(500)]
    page = read("wide.csv", f"Name,{','.join(columns)}\nAda,{','.join(columns)}\n")
    assert page.outline == (Heading(0, 1, "Ada"),)
    assert page.text.startswith("Ada\n\nc0: c0\nc1: c1\n")
    # two words a field, 500 of them: passages of 120 words each, all with the row's name above
    pieces = chunk(page.text, page.outline, Chunking("words"))
    assert [page.text[each.start : each.end].count(": ") for each in pieces] == [60] * 8 + [20]
    assert {each.headings for each in pieces} == {("Ada",)}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.yaml", "title: T\nstatus: open\nauthors: [A, B]\nday: 2024-03-05\nno:\nstages:\n  alpha: v1\n",
         "title: T\nstatus: open\nauthors: A, B\nday: 2024-03-05\nstages.alpha: v1\n"),
        ("a.toml", '[a]\nb = 1.50\nc = true\nd = 2024-03-05\ne = ["x"]\n',
         "a\n\nb: 1.50\nc: yes\nd: 2024-03-05\ne: x\n"),
        ("a.json", '[{"name": "A", "price": 3}, {"name": "B"}]', table("name|price", "A|3", "B|")),
        ("a.json", '{"A": {"price": 3}, "B": {"price": 4}}', table("name|price", "A|3", "B|4")),
        ("a.json", '[{"name": "A", "has": {"b": 1}}, {"c": [[1], "x"]}]',
         "A\n\nname: A\nhas.b: 1\n\n2\n\nc\n\n- 1\n- x\n"),
        ("a.json", '["x", 1.5, null, false]', "x, 1.5, , no\n"),
        ("a.json", f'{{"vector": {[0.5] * 65}}}', "vector: 65 numbers\n"),
        ("a.json", f'{{"n": {"9" * 5_000}}}', f"n: {'9' * 5_000}\n"),
        ("a.json", '{"a": "\\ud800\\u0000"}', "a: \ufffd\ufffd\n"),
        ("a.yml", "a: 1\n--- \na: 2\n", table("a", "1", "2")),
        ("a.yml", "a: &x !!python/object:os.system [b]\nc: *x\n", "a: b\nc: *x\n"),
    ],
)  # fmt: skip
def test_values_are_fields_tables_and_items(name, text, expected):
    assert read(name, text).text.strip() == expected.strip()


def test_short_values_are_metadata_and_the_title_is_one():
    page = read(
        "kep.yaml", "title: Tracing\nstatus: open\ntags: [a, b]\ndate: 2024-03-05\nnested: {a: {b: 1}}\n"
    )
    assert page.title == "Tracing"
    assert page.front == {"status": "open", "tags": ["a", "b"], "date": "2024-03-05"}
    assert page.lines["date"] == 4


@pytest.mark.parametrize(
    ("name", "text", "meta", "published"),
    [
        ("a.toml", "day = 2024-03-05\nat = 10:00:00\nx = nan\ndate = 2024-03-05T10:00:00Z\n",
         {"day": "2024-03-05", "at": "10:00:00", "x": "nan"}, "2024-03-05T10:00:00Z"),
        ("a.yaml", "a: .nan\nb: [~, 1]\ncreation-date: 2019-06-03\n", {"a": ".nan", "b": [None, 1]},
         "2019-06-03T00:00:00Z"),
        ("a.json", f'{{"a": {[0.5] * 65}, "b": 1e999, "c": "{"x" * 201}"}}', {"b": "1e999"}, None),
    ],
)  # fmt: skip
def test_what_stands_in_metadata(name, text, meta, published):
    page = read(name, text)
    dates = dates_in(page)
    made = document("id", page, dates, dates.published, dates.changed)
    assert dict(made.meta) == meta
    assert (made.published and iso(made.published.span.first)) == published


def test_records_with_texts_are_documents():
    page = read("all.json",
                '[{"id": 7, "text": "One.", "title": "T", "date": "2024", "more": {"a": {"b": 1}}},'
                ' {"id": 7, "body": "Two."}, {"content": "Three."}, {"id": 9}]')  # fmt: skip
    assert page.text == ""
    assert [(part.name, part.title, part.text.strip()) for part in page.parts] == [
        ("7", "T", "One.\n\nmore\n\na.b: 1"), ("7 2", "", "Two."), ("3", "", "Three.")
    ]  # fmt: skip
    assert page.parts[0].front == {"date": "2024"}
    assert [note.message for note in page.notes] == ["record 4 has no text"]
    page = read("all.json", json.dumps([{"text": "x"}] * 4), LIMITS)
    assert (len(page.parts), page.notes[0].message) == (3, "of its 4 records the first 3 are read")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", "{'a': 1}", "not JSON: Expecting property name"),
        ("a.json", '{"a": 1}\n{"a": 2}', "Extra data: line 2"),
        ("a.json", '{"a": Infinity}', "no JSON value"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.json", "[" * 17 + "]" * 17, "nested too deeply"),
        ("a.json", f'"{"x" * 500}"', "more than 400 characters"),
        ("a.yaml", "a: [", "not YAML"),
        ("a.yaml", "- " * 50, "nested more than 16 levels"),
        ("a.toml", "a = ", "not TOML"),
        ("a.toml", "a = " + "[" * 100_000, "nested too deeply"),
        ("a.toml", "a" + ".a" * 90 + " = 1", "nested too deeply"),
        ("a.csv", "a,b\n" + "x" * 201, "a line of it has more than 200 characters"),
        ("a.yaml", "# nothing", "no text"),
    ],
)
def test_what_is_refused(name, text, said):
    with pytest.raises(Unreadable, match=said):
        read(name, text, LIMITS if "00 characters" in said else InputLimits(characters=10**6))


@pytest.mark.parametrize(
    ("name", "text", "notes"),
    [
        ("a.csv", b"a,b\n" + b"1,2\n" * 50, ["more than 200 characters"]),
        ("a.csv", b'a,b\n1,"never ends\n', ["a quoted cell has no end"]),
        ("a.csv", "Größe,Name\n3,Jäger\n".encode("cp1252"), ["read as windows-1252"]),
        ("a.csv", b"a,b\n1,\0\n", ["NUL"]),
        ("a.json", b'{"a": 1, "b": {"a": 1, "a": 2}}', ["'a' stands twice"]),
        ("a.yaml", b"a: 1\nb: 1\na: 2\n", ["'a' stands twice"]),
        ("a.yaml", b"".join(b"key%d: value\n" % at for at in range(16)), ["more than 200 characters"]),
    ],
)
def test_what_is_read_in_part_is_said(name, text, notes):
    page = read(name, text, LIMITS)
    assert len(page.text) <= 230
    assert [said in note.message for said, note in zip(notes, page.notes, strict=True)] == [True]


def test_ten_million_cells_are_read_up_to_the_limit():
    page = read("a.csv", b"1,2\n" * 5_000_000, InputLimits(characters=10_000))
    assert 9_900 < len(page.text) <= 10_000  # rows of 9 characters, "| 1 | 2 |", with a line feed
    assert page.notes[0].lost


@pytest.mark.parametrize(
    ("name", "read"),
    [("package-lock.json", False), ("a/pnpm-lock.yaml", False), ("tsconfig.base.json", False),
     ("npm-shrinkwrap.json", False), ("data.min.json", False), ("package.json", True), ("clock.yaml", True)],
)  # fmt: skip
def test_files_of_programs(name, read):
    assert (suffix(name) in suffixes()) is read


PIECES = {
    ".csv": ["a,b\n", '"', '"a,', '"a"b,', ";", "\n", "1", "a|", "2021-01-01,"],
    ".json": ["[", '{"a":', '[{"a": 1}, ', "1", '"', "\\u0000"],
    ".yaml": [
        "a: 1\n",
        "- ",
        "- a\n",
        "[",
        "{",
        "&a ",
        "*a ",
        "? ",
        "a: {b: [1]}\n",
        "'",
        "---\n",
        "- a: 1\n  b: 2\n",
    ],
    ".toml": ["a.", "[a.", "[[a]]\n", "a = [", "x = 1\n", "'", '"""', "[a"],
}


@pytest.mark.parametrize(
    ("kind", "piece"), [(kind, piece) for kind, each in PIECES.items() for piece in each]
)
def test_hostile_values_take_linear_time(kind, piece):
    def work(n: int) -> None:
        with suppress(Unreadable):
            read(f"a{kind}", piece * (n // len(piece)))

    assert is_linear(work, 20_000)


def test_a_canvas_is_a_note_of_its_cards() -> None:
    """From top to bottom; those of a group below its name; a card of a file is a link."""
    cards = [
        {"type": "text", "text": "Dig a **pond** in June. #plan", "x": 0, "y": 50},
        {"type": "group", "label": "Garden", "x": 100, "y": 0, "width": 50, "height": 50},
        {"type": "file", "file": "Hedge.md", "x": 110, "y": 10},
        {"type": "text", "text": "First.", "x": 0, "y": 0}, {"type": "odd"}, {"type": "text"}, 7,
    ]  # fmt: skip
    found = read("Plan.canvas", json.dumps({"nodes": cards, "edges": []}))
    assert (found.tags, [link.target for link in found.links]) == (("plan",), ["Hedge.md"])
    assert " ".join(found.text.split()) == "First. Dig a pond in June. #plan Garden Hedge.md"
    assert [found.text[each.offset :].split()[0] for each in found.outline] == ["Garden"]


@pytest.mark.parametrize(
    ("content", "said"),
    [("[]", "no text"), ("{}", "no text"), ('{"nodes": 1}', "no text"), ("{", "it is not JSON")],
)
def test_a_canvas_without_cards(content: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        read("a.canvas", content)
