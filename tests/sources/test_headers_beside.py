"""A header in a file of its own: `kep.yaml` beside a README, whose document has its fields."""

from __future__ import annotations

from pathlib import Path

from tests.sources.test_branches import START
from tests.sources.test_moves import indexed, write
from tests.support.corpora import new_corpus

from asof.corpus.corpus import open as open_corpus
from asof.sources.headers import headers_beside
from asof.sources.history import open_source
from asof.time.span import iso

README = "# KEP-12: Resize\n\nPods are resized in place, without a restart of their containers.\n"


def header(status: str, beta: str = "v1.30") -> str:
    return f"title: Resize\nstatus: {status}\ncreation-date: 2019-01-01\nmilestone:\n  beta: {beta}\n"


def test_only_a_readme_that_stands_alone_has_one() -> None:
    assert headers_beside(["a/README.md", "a/kep.yaml", "b/kep.yaml", "c/README.md", "c/other.yaml"]) == {
        "a/README.md": "a/kep.yaml"
    }
    assert headers_beside(["README.md", "readme.markdown", "metadata.yml"]) == {}


def test_in_a_folder(tmp_path: Path) -> None:
    with open_corpus(tmp_path) as corpus:
        files: dict[str, str | None] = {"12-resize/README.md": README, "b.md": "# B\n\nMore of it.\n"}
        report = indexed(corpus, tmp_path / "keps", {**files, "12-resize/kep.yaml": header("alpha")})
        assert (report.added, report.problems) == (2, [])
        found = corpus.at().search("milestone beta", meta={"status": "alpha"}).hits
        assert [hit.document for hit in found] == ["keps/12-resize/README.md"]
        assert found[0].title == "KEP-12: Resize"
        assert "milestone.beta: v1.30" in found[0].text
        assert "Pods are resized" in (corpus.at().text("keps/12-resize/README.md") or "")
        assert indexed(corpus, tmp_path / "keps", {}).written == 0
        assert indexed(corpus, tmp_path / "keps", {"12-resize/kep.yaml": header("beta")}).changed == 1
        assert not corpus.at().search("resize", meta={"status": "alpha"}).hits
        records = "- {id: a, text: One of two.}\n- {id: b, text: The other.}\n"
        for wrong in ("a: [\n", records):
            report = indexed(corpus, tmp_path / "keps", {"12-resize/kep.yaml": wrong})
            (problem,) = report.problems
            assert (problem.lost, problem.document) == (True, "keps/12-resize/README.md")
            assert "cannot be read" in problem.message
            assert corpus.at().search("resized").hits


def test_in_a_history(tmp_path: Path) -> None:
    """Either file makes versions; the text keeps its date; what is not committed counts, too."""
    commits: list[dict[str, str | None]] = [
        {"old/README.md": README}, {"old/kep.yaml": header("alpha")}, {"old/kep.yaml": header("beta")},
        {"old/README.md": None, "old/kep.yaml": None, "new/README.md": README,
         "new/kep.yaml": header("beta")},
        {"new/kep.yaml": None},
    ]  # fmt: skip
    write(tmp_path, commits)
    with new_corpus() as corpus:
        corpus.add(open_source(tmp_path, root=tmp_path, history=True))
        at = [corpus.at(iso((START + number) * 10**6)) for number in range(5)]
        assert [each.id for each in at[4].documents()] == ["new/README.md"]
        said = [each.documents()[0].meta.get("status") for each in at]
        assert said == [None, "alpha", "beta", "beta", None]
        dates = [each.search("resized in place", 1).hits[0].published for each in at]
        assert dates == [dates[0]] * 5
        assert [len(each.search("Resize", path="old/*").hits) > 0 for each in at[:3]] == [True] * 3
        (tmp_path / "new/kep.yaml").write_text(header("stable"))
        corpus.add(open_source(tmp_path, root=tmp_path, history=True))
        assert [each.meta["status"] for each in corpus.at().documents()] == ["stable"]
