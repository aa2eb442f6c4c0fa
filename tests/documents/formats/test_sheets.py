"""Workbooks: tables below headings of cell ranges; and hostile archives."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from tests.support.office_files import headings, part_of, xlsx

import asof
from asof.documents import PUBLISHED, force_words
from asof.extensions.documents import sheets
from asof.extensions.documents.parts import ReadLimits, Refused
from asof.extensions.documents.sheets import cell_name, shown
from asof.sources.readers import Unreadable, parsed
from asof.sources.source import InputLimits
from asof.time.span import iso

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
    table = "| Ferry | Day |\n| --- | --- |\n| Orrin | 2024-01-01 |"  # 45292 days after 1899-12-30
    assert part.text == f"2024\n\nA1:B2\n\n{table}"
    assert part.outline == [(0, 1, "2024"), (6, 2, "A1:B2")]
    assert (part.title, part.front, part.changed) == (
        "Ferries", {"author": "Ida Mole"}, "2024-03-05T10:00:00Z"
    )  # fmt: skip


def test_a_sheet_that_a_year_names_holds_from_then(tmp_path):
    """Until the next one; that of a workbook of one year does not, since it says what all of it is about."""
    names = [(f"Prices {year}", rows([["Item", "Price"], ["Hall hire", fee], ["Stage", 3 * fee]]))
             for year, fee in ((2021, 40), (2022, 44), (2023, 50))]  # fmt: skip
    (tmp_path / "prices.xlsx").write_bytes(xlsx(*names))
    (tmp_path / "Stock 2020.xlsx").write_bytes(xlsx(("2020", rows([["Tool", "Count"], ["Anvil", 3]]))))
    with asof.open(tmp_path) as corpus:
        corpus.add(tmp_path)
        then = corpus.at("2100")
        forces = {
            hit.headings[0]: force_words(hit.in_force, then.as_of)
            for hit in then.search("hall hire price").hits
        }
        assert forces == {
            "Prices 2021": "ended on 2021-12-31", "Prices 2022": "ended on 2022-12-31",
            "Prices 2023": "in force since 2023-01-01",
        }  # fmt: skip
        assert "44" in then.ask("price of hall hire 2022").citations[0].quote
        told = [(iso(each.start)[:10], each.end and iso(each.end)[:10], each.sentence[-2:])
                for each in then.timeline("price of hall hire").entries]  # fmt: skip
        assert told == [
            ("2021-01-01", "2022-01-01", "40"), ("2022-01-01", "2023-01-01", "44"), ("2023-01-01", None, "50")
        ]  # fmt: skip
        (hit,) = then.search("anvil").hits
        assert hit.in_force is None or hit.in_force.by == PUBLISHED


def test_a_wide_row_is_a_record_with_its_name():
    raw = xlsx(("S", rows([["Town", *(f"m{at}" for at in range(60))], ["Quay", *range(60)]])))
    part = part_of(sheets, raw, LIMITS)
    assert part.text.split("\n\n") == ["S", "A1:BI2", "Quay", "\n".join(f"m{at}: {at}" for at in range(60))]


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
        "Log", "B5:C6", "Harbour log", "| Ferry | Runs |\n| --- | --- |\n| Orrin | 3 |",
        "B8:C8", "| Ferry | Runs |\n| --- | --- |\n| Quay | 4 |",
        "B10:D11", "| Town | Mayor | Since |\n| --- | --- | --- |\n| Quay | Ida | 1999 |",
    ]  # fmt: skip


def test_a_sentence_alone_in_its_row_parts_tables_of_one_header():
    sentence = "These two ferries are those that sail in winter only"
    lines: list[list[object]] = [["Ferry", "Runs"], ["Orrin", 3], [sentence], ["Quay", 4], ["Slip", 5]]
    part = part_of(sheets, xlsx(("S", rows(lines))), LIMITS)
    head = "| Ferry | Runs |\n| --- | --- |"
    assert part.text.split("\n\n") == [
        "S", "A1:B2", f"{head}\n| Orrin | 3 |", "A4:B5", sentence, f"{head}\n| Quay | 4 |\n| Slip | 5 |"
    ]  # fmt: skip


def test_a_table_of_the_same_columns_may_have_a_header_of_its_own():
    lines: list[list[object]] = [
        ["Visits", "Sum"],
        ["to the quay", 7],
        [],
        ["Loans", "Number"],
        ["of books", 8],
    ]
    part = part_of(sheets, xlsx(("S", rows(lines))), LIMITS)
    assert [line for line in part.text.split("\n") if "---" not in line and "|" in line] == [
        "| Visits | Sum |", "| to the quay | 7 |", "| Loans | Number |", "| of books | 8 |"
    ]  # fmt: skip


def test_hidden_sheets_are_read_and_told():
    part = part_of(sheets, xlsx(("Seen", TABLE), ("Kept", TABLE), hidden="Kept"), LIMITS)
    assert [words for level, words in headings(part) if level == 1] == ["Seen", "Kept"]
    assert part.notes == ["hidden sheets are read too: 'Kept'"]


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
    assert part.text == "S\n\nA1:B2\n\n| Ferry | Runs |\n| --- | --- |\n| Orrin | 3 |"
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
