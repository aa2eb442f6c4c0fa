"""Workbooks: rows with the names of their columns below headings of cell ranges; and hostile archives."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from tests.support.office_files import headings, part_of, xlsx

from asof.extensions.documents import sheets
from asof.extensions.documents.parts import ReadLimits, Refused, Writer
from asof.extensions.documents.sheets import SheetRow, cell_name, shown, write_rows
from asof.sources.readers import Unreadable, parsed
from asof.sources.source import InputLimits

LIMITS = ReadLimits(100_000, 10, 50_000_000)
_CORE = """<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t">
<dc:title>Ferries</dc:title>
<dc:creator>Ida Mole</dc:creator>
<dcterms:modified>2024-03-05T10:00:00Z</dcterms:modified></cp:coreProperties>"""


def cell(name: str, value: object, style: int = 0) -> str:
    if isinstance(value, str):
        return f'<c r="{name}" t="inlineStr"><is><t>{value}</t></is></c>'
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
    return f'<c r="{name}" s="{style}"><v>{value}</v></c>' if value is not None else ""


def rows(lines: Sequence[Sequence[object]], first: int = 1) -> str:
    return "".join(
        f'<row r="{n}">'
        + "".join(cell(cell_name(n - 1, at), each) for at, each in enumerate(line))
        + "</row>"
        for n, line in enumerate(lines, first)
    )


TABLE = rows([["Ferry", "Day", "Runs"], ["Orrin", None, 3], ["Quay", None, 1.5]])


def test_rows_have_the_names_of_their_columns():
    day = '<row r="2"><c r="A2" t="inlineStr"><is><t>Orrin</t></is></c><c r="B2" s="1"><v>45292</v></c></row>'
    raw = xlsx(("2024", rows([["Ferry", "Day"]]) + day), core=_CORE)
    part = part_of(sheets, raw, LIMITS)
    assert part.text == "2024\n\nA2:B2\n\nFerry: Orrin; Day: 2024-01-01"  # 45292 days after 1899-12-30
    assert part.outline == [(0, 1, "2024"), (6, 2, "A2:B2")]
    assert (part.title, part.front, part.changed) == (
        "Ferries", {"author": "Ida Mole"}, "2024-03-05T10:00:00Z"
    )  # fmt: skip


def test_a_wide_row_is_cut_into_lines_with_its_name():
    part = part_of(
        sheets, xlsx(("S", rows([["Town", *(f"m{at}" for at in range(300))], ["Quay", *range(300)]]))), LIMITS
    )
    lines = part.text.split("\n\n")[2::2]
    # two words a cell: 50 cells fit into 100 words, the name among them; 300 are 6 times 49 and 6
    assert [line.count(";") for line in lines] == [49] * 6 + [6]
    assert all(line.startswith("Town: Quay; m") for line in lines)


def test_a_title_stands_above_and_empty_rows_and_columns_count():
    lines: list[list[object]] = [
        [None, "Harbour log"],
        [],
        [None, "Ferry", "Runs"],
        [None, "Orrin", 3],
        [],
        [None, "Quay", 4],
        [],
        [None, "Town", "Mayor", "Since"],  # another table has its own header
        [None, "Quay", "Ida", 1999],
    ]
    part = part_of(sheets, xlsx(("Log", rows(lines, first=3))), LIMITS)
    assert part.text.split("\n\n") == [
        "Log", "Harbour log", "B6:C6", "Ferry: Orrin; Runs: 3", "B8:C8", "Ferry: Quay; Runs: 4",
        "B11:D11", "Town: Quay; Mayor: Ida; Since: 1999",
    ]  # fmt: skip


def test_runs_of_about_a_hundred_words():
    lines: list[list[object]] = [["Words", "Number"]]
    lines += [
        ["word " * 37 + "end", number] for number in range(5)
    ]  # 1 + 38 + 2 words: "Words:", "Number: n"
    part = part_of(sheets, xlsx(("S", rows(lines))), LIMITS)
    assert [words for _, _, words in part.outline] == ["S", "A2:B3", "A4:B5", "A6:B6"]  # 82, 82 and 41 words


def test_hidden_sheets_are_read_and_told():
    part = part_of(sheets, xlsx(("Seen", TABLE), ("Kept", TABLE), hidden="Kept"), LIMITS)
    assert [words for level, words in headings(part) if level == 1] == ["Seen", "Kept"]
    assert part.notes == ["hidden sheets are read too: 'Kept'"]


def row(number: int, *texts: object) -> SheetRow:
    cells = {at: str(each) for at, each in enumerate(texts) if each is not None}
    strings = frozenset(at for at, each in enumerate(texts) if isinstance(each, str))
    return SheetRow(
        number, cells, strings, all(isinstance(e, str) or e in range(1900, 2100) for e in texts if e)
    )


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([("Town", 2023, 2024, "Sum"), ("Quay", 1, 2, 3)], "A2:D2\n\nTown: Quay; 2023: 1; 2024: 2; Sum: 3"),
        (
            [("Orrin", "blue", 5), ("Quay", "red", 7)],
            "A1:C2\n\nOrrin; blue; 5\n\nQuay; red; 7",
        ),  # 5 heads nothing
        ([("Orrin", 2024, "a"), ("Quay", 2023, "b")], "A1:C2\n\nOrrin; 2024; a\n\nQuay; 2023; b"),
        ([("a", "a"), ("b", "c")], "A1:B2\n\na; a\n\nb; c"),  # names of columns differ
        ([("Ida",), ("Tom",)], "A1:A2\n\nIda\n\nTom"),
        ([("a", "b")], "A1:B1\n\na; b"),
    ],
)
def test_which_row_is_a_header(lines, text):
    writer = Writer(LIMITS)
    write_rows((row(number, *each) for number, each in enumerate(lines)), writer)
    assert writer.text() == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"), (0.1 + 0.2, "0.3"), (1e300, "1e+300"), (True, "yes"), (" a\n b ", "a b"),
        (datetime(2024, 1, 31), "2024-01-31"), (datetime(2024, 1, 31, 9, 30), "2024-01-31 09:30"),  # noqa: DTZ001
        (datetime(2024, 1, 31, 9, 29, 59, 999_999), "2024-01-31 09:30"),  # noqa: DTZ001
        (timedelta(hours=36, minutes=5), "36:05:00"), (-timedelta(seconds=61), "-0:01:01"),
    ],
)  # fmt: skip
def test_values(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("column", "name"), [(0, "A1"), (25, "Z1"), (26, "AA1"), (701, "ZZ1"), (702, "AAA1"), (16_383, "XFD1")]
)
def test_cell_names(column, name):
    assert cell_name(0, column) == name


def test_a_cell_far_from_the_others_is_refused_with_what_to_do():
    far = f'<row r="1048576">{cell("XFD1048576", "z")}</row>'
    with pytest.raises(Unreadable, match="needs more than 384 MiB") as wrong:
        parsed(xlsx(("S", rows([["a"]]) + far)), "a.xlsx", InputLimits())
    assert wrong.value.remedy == "delete cells that stand far from the others, or split it"


def test_a_million_empty_cells_are_cheap():
    empty = "".join(
        f'<row r="{n}">' + "".join(f'<c r="{c}{n}" s="1"/>' for c in "ABCDEFGHIJ") + "</row>"
        for n in range(3, 100_003)
    )
    raw = xlsx(("S", rows([["Ferry", "Runs"], ["Orrin", 3]]) + empty))
    start = time.process_time()
    part = part_of(sheets, raw, LIMITS)
    assert part.text == "S\n\nA2:B2\n\nFerry: Orrin; Runs: 3"
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (xlsx(("S", "")), "there is no text in the file"),
        (xlsx(("S", TABLE))[:600], "it is damaged"),
        (b"<html><table><tr><td>1</table>", "it is no workbook but HTML"),
        (b"\xd0\xcf\x11\xe0" + bytes(600) + "EncryptedPackage".encode("utf-16-le"), "it is encrypted"),
        (xlsx(("S", TABLE + " " * 51_000_000)), "it unpacks to more than is read"),
        (xlsx(*[(f"S{n}", TABLE) for n in range(11)]), "it has 11 sheets; the limit is 10"),
        (xlsx(("S", rows([["w" * 1000]] * 101))), "it has more than 100,000 characters"),
    ],
)
def test_what_is_refused(raw, said):
    with pytest.raises(Refused) as refused:
        sheets.read(raw, "stem", ".xlsx", LIMITS)
    assert refused.value.message.startswith(said)
