"""Files and folders of documents as JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import asof
from asof.data import Document, Problem
from asof.errors import SourceError, UsageError
from asof.imports.stores.docstore import LARGEST, SCHEME
from asof.sources.scheme import SourceContext

ONE = {"page_content": "The ferry sails.", "metadata": {"date": "2021-03", "title": "Ferry"}}
TWO = {"page_content": "The ferry is sold.", "metadata": {"date": "2022"}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opened(target, root, **options):
    return SCHEME.open(target, SourceContext(root, 0), **options)


def node(text, start):
    data = {
        "text": text,
        "start_char_idx": start,
        "end_char_idx": start + len(text),
        "metadata": {"date": "2021"},
    }
    return {"__data__": data | {"relationships": {"1": {"node_id": "notes/a.md"}}}, "__type__": "1"}


def test_a_docstore_of_llama_index_is_read(folder):
    nodes = {"n2": node("It sails.", 8), "n1": node("# Ferry\n", 0)}
    (folder / "docstore.json").write_text(json.dumps({"docstore/data": nodes}))
    [document] = opened("docstore:docstore.json", folder).documents()
    assert (document.id, document.title) == (
        "docstore:docstore.json!/notes/a.md",
        "Ferry",
    )  # read as Markdown
    assert (document.text, str(document.published)) == ("# Ferry\nIt sails.", "2021")
    separate = opened("docstore:docstore.json?nodes=separate", folder).documents()
    assert [each.id.rpartition("!/")[2] for each in separate] == ["n2", "n1"]


def test_importing_again_changes_nothing_and_what_is_gone_ends(folder):
    file = folder / "store.json"
    file.write_text(json.dumps({"a": ONE, "b": TWO}))
    with asof.open(folder) as corpus:
        corpus.maintenance.background = False
        assert corpus.add("docstore:store.json").added == 2
        again = corpus.add("docstore:store.json")
        assert (again.added, again.changed, again.unchanged, again.ended) == (0, 0, 2, 0)
        file.write_text(json.dumps({"a": {**ONE, "page_content": "The ferry sails at noon."}}))
        report = corpus.add("docstore:store.json")
        assert (report.changed, report.ended) == (1, 1)
        assert [hit.document for hit in corpus.at("2021-04").search("ferry")] == ["docstore:store.json!/a"]


def test_a_folder_of_files_is_read(folder):
    (folder / "kv" / "sub").mkdir(parents=True)
    (folder / "kv" / "a").write_text(json.dumps({"lc": 1, "id": ["x"], "kwargs": ONE}))
    (folder / "kv" / "sub" / "b").write_text(json.dumps(TWO))
    (folder / "kv" / "raw").write_bytes(b"\xff\xfe\x00")
    (folder / "kv" / "number").write_text("5")
    (folder / "kv" / "link").symlink_to(folder / "kv" / "a")
    stated = list(opened("docstore:kv", folder).documents())
    assert [each.id for each in stated if isinstance(each, Document)] == [
        "docstore:kv!/a", "docstore:kv!/sub/b",
    ]  # fmt: skip
    problems = [str(each) for each in stated if isinstance(each, Problem)]
    assert problems[0] == "kv/number: the file is no document of LangChain"
    assert problems[1].startswith("kv/raw: the file is not")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "store.json is not JSON"), (b"5", "is no docstore"), (b'"x"', "is no docstore"),
        (b"\xff\xff", "store.json is not UTF-8"), (b"[" * 100_000, "store.json is nested too deeply"),
        (b"[Infinity]", "is not JSON: Infinity is no JSON value"),
    ],
)  # fmt: skip
def test_what_is_no_docstore_is_refused(folder, raw, said):
    (folder / "store.json").write_bytes(raw)
    with pytest.raises(SourceError, match=said):
        list(opened("docstore:store.json", folder).documents())


def test_a_file_beyond_the_limit_is_refused(folder):
    with (folder / "store.json").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(SourceError, match="has 536,870,913 bytes; the limit is 536,870,912"):  # 512 * 2**20
        list(opened("docstore:store.json", folder).documents())


@pytest.mark.parametrize(
    ("target", "kind", "said"),
    [
        ("docstore:none.json", SourceError, "none.json does not exist"),
        ("docstore:", UsageError, "the path of a file or folder is expected"),
        ("docstore:.#part", UsageError, "without #"),
        ("docstore:.?nodes=some", UsageError, "nodes=some; accepted: joined, separate"),
        ("docstore:.?node=some", UsageError, "'node' is no option"),
    ],
)
def test_what_cannot_be_opened_is_refused(folder, target, kind, said):
    with pytest.raises(kind, match=said):
        opened(target, folder)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["docstore/data", "__data__", "text", "page_content", "kwargs", "metadata", "id",
                 "relationships", "1", "3", "node_id", "start_char_idx", "end_char_idx", "text_resource",
                 "date", "x"]
            ), inner, max_size=5,
        )
    ),
    max_leaves=25,
)  # fmt: skip


@given(value=JSON)
def test_any_json_gives_documents_and_problems_or_is_refused(tmp_path_factory, value):
    file = tmp_path_factory.getbasetemp() / "any.json"
    file.write_text(json.dumps(value))
    try:
        stated = list(opened(f"docstore:{file}", file.parent).documents())
    except SourceError:
        return
    assert all(isinstance(each, Document | Problem) for each in stated)
