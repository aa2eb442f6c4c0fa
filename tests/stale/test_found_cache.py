"""What was found is found again while nothing changed, and never believed blindly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import asof
from asof.data.stale import Stale
from asof.stale import contradicted, find
from asof.stale.found_cache import FILE

OLD, NEW = (f"The harbour museum closes at {hour} on working days." for hour in ("17:00", "19:00"))
DAY = "2022-06-01T12:00:00Z"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A one for each time that a view is searched."""
    calls: list[int] = []
    searched = contradicted.contradicted

    def counting(view: object) -> list[Stale]:
        calls.append(1)
        return searched(view)  # type: ignore[arg-type]

    monkeypatch.setattr(find, "contradicted", counting)
    return calls


def corpus(folder: Path) -> None:
    with asof.open(folder) as made:
        for id_, published, text in (
            ("museum.md", "2021", OLD), ("visit.md", "2021", OLD), ("museum.md", "2022-03", NEW),
        ):  # fmt: skip
            made.add([{"id": id_, "published": published, "text": f"# {id_}\n\n{text}"}])


def found(folder: Path, as_of: str | None = DAY) -> list[tuple[str, float, object]]:
    with asof.open(folder) as opened:
        return [(each.id, each.score, each.why.as_json()) for each in opened.at(as_of).stale()]


def test_it_is_found_once_for_a_day(tmp_path: Path, counted: list[int]) -> None:
    corpus(tmp_path)
    first = found(tmp_path)
    assert len(first) == 1
    assert found(tmp_path) == first
    assert found(tmp_path, "2022-06-01T18:00:00Z") == first
    assert len(counted) == 1
    assert found(tmp_path, "2022-06-02T01:00:00Z") == first
    assert len(counted) == 2


def test_a_change_is_seen(tmp_path: Path, counted: list[int]) -> None:
    corpus(tmp_path)
    found(tmp_path)
    with asof.open(tmp_path) as opened:
        opened.add([{"id": "visit.md", "published": "2022-04", "text": f"# visit.md\n\n{NEW}"}])
    assert found(tmp_path) == []
    assert found(tmp_path, "2022-03-31") != []
    assert len(counted) == 3


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda whole: whole["found"][0].update(score=0.5), id="another score"),
        pytest.param(lambda whole: whole["found"][0].update(kind="rumour"), id="another kind"),
        pytest.param(lambda whole: whole["found"][0]["quote"].update(start="0"), id="a text for a place"),
        pytest.param(lambda whole: whole["found"][0].pop("cause"), id="a key that lacks"),
        pytest.param(lambda whole: whole.update(found=7), id="no list"),
    ],
)
def test_what_asof_did_not_write_is_ignored(tmp_path: Path, counted: list[int], damage: object) -> None:
    corpus(tmp_path)
    first = found(tmp_path)
    path = tmp_path / ".asof" / "derived" / "stale" / FILE
    whole = json.loads(path.read_text())
    damage(whole)  # type: ignore[operator]
    path.write_text(json.dumps(whole))
    assert found(tmp_path) == first
    assert len(counted) == 2


def test_erasing_a_document_erases_the_file(tmp_path: Path) -> None:
    corpus(tmp_path)
    found(tmp_path)
    with asof.open(tmp_path) as opened:
        opened.purge("visit.md")
    assert not (tmp_path / ".asof" / "derived" / "stale" / FILE).exists()
    assert found(tmp_path) == []
