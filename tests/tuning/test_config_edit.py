"""Values in asof.toml: only what changes is touched, and it can be taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asof import config
from asof.errors import UsageError
from asof.rank.recipe import value_of, with_values
from asof.tuning.config_edit import JOURNAL, proposed, undo, undone, write

VALUES = {
    "combine.weights.similarity": 0.5, "combine.weights.freshness": 0.1, "combine.weights.coverage": 0.3,
    "combine.weights.volume": 0.1, "freshness.rate": 0.033, "coverage.above": 0.42,
}  # fmt: skip
TOLD = {"on": "somewhere", "sentence": "a gain"}

FILES = {
    "none": None,
    "empty": "",
    "keys": "# mine\n[search]\nk = 5 # five\n\n[recipes.papers]\nfreshness.rate = 0.01 # slow\n",
    "tables": (
        "[recipes.papers.combine.weights]\n# four\nsimilarity = 0.4\nfreshness = 0.25\ncoverage = 0.25\n"
        "volume = 0.1 # last\n\n[search]\nk = 3\n"
    ),
    "inline": "[recipes]\npapers = {freshness = {rate = 0.02}}\n",
    "dotted": "recipes.papers.freshness.rate = 0.02\n",
    "windows": "[recipes.asof]\r\ntime_preference.recency_weight = 0.1 # slow\r\n",
}


def written(folder: Path, *, follow: bool = False) -> None:
    recipe = config.load(folder / config.FILE).recipe_named("papers")
    write(proposed(folder, recipe, VALUES, TOLD, "2030-01-01"), follow=follow)


@pytest.fixture(params=FILES, ids=list(FILES))
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    text = FILES[request.param]
    if text is not None:
        (tmp_path / config.FILE).write_bytes(text.encode())
    return tmp_path


def test_what_is_written_is_what_is_read_and_undoing_restores_every_byte(folder: Path) -> None:
    path = folder / config.FILE
    before = path.read_bytes() if path.exists() else None
    recipe = config.load(path).recipe_named("papers")
    change = proposed(folder, recipe, VALUES, TOLD, "2030-01-01")
    assert (path.read_bytes() if path.exists() else None) == before
    write(change)
    read = config.load(path).recipe_named("papers")
    assert read == with_values(recipe, VALUES)
    assert value_of(read, "volume.above") == 0.42  # it follows coverage.above
    for line in (before or b"").decode().splitlines():
        if "#" in line:
            assert line.split("#")[1] in path.read_text(), "comments stay"
    undo(undone(folder))
    assert (path.read_bytes() if path.exists() else None) == before
    assert [each.name for each in folder.iterdir()] == ([] if before is None else [config.FILE])


def test_undoing_keeps_what_was_written_elsewhere_since(folder: Path) -> None:
    path = folder / config.FILE
    recipe = config.load(path).recipe_named("papers")
    written(folder)
    path.write_bytes(path.read_bytes() + b"\n# later\n[ask]\ntokens = 500 # few\n")
    undo(undone(folder))
    found = config.load(path)
    assert found.recipe_named("papers") == recipe
    assert found.asking.tokens == 500
    assert "# later" in path.read_text()
    assert "# few" in path.read_text()


def test_the_diff_shows_what_changes(tmp_path: Path) -> None:
    (tmp_path / config.FILE).write_text(FILES["keys"] or "")
    recipe = config.load(tmp_path / config.FILE).recipe_named("papers")
    change = proposed(tmp_path, recipe, {"freshness.rate": 0.03}, TOLD, "2030-01-01")
    assert "-freshness.rate = 0.01 # slow\n+freshness.rate = 0.03 # slow\n" in change.diff


def test_the_journal_says_when_on_what_and_what_it_was(tmp_path: Path) -> None:
    (tmp_path / config.FILE).write_text(FILES["keys"] or "")
    written(tmp_path)
    journal = json.loads((tmp_path / JOURNAL).read_text())
    (entry,) = journal["entries"]
    assert (entry["at"], entry["on"], entry["recipe"]) == ("2030-01-01", "somewhere", "papers")
    assert entry["before"] == {
        "freshness.rate": 0.01, "coverage.above": None, "volume.above": None, "combine.weights": None,
    }  # fmt: skip
    assert entry["after"]["freshness.rate"] == 0.033


def test_two_writes_are_taken_back_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / config.FILE
    recipe = config.load(path).recipe_named("papers")
    for rate in (0.02, 0.03):
        now = config.load(path).recipe_named("papers")
        write(proposed(tmp_path, now, {"freshness.rate": rate}, TOLD, "2030-01-01"))
    undo(undone(tmp_path))
    assert value_of(config.load(path).recipe_named("papers"), "freshness.rate") == 0.02
    undo(undone(tmp_path))
    assert config.load(path).recipe_named("papers") == recipe
    with pytest.raises(UsageError, match="nothing can be undone"):
        undone(tmp_path)


def test_what_was_changed_by_hand_is_not_undone(tmp_path: Path) -> None:
    path = tmp_path / config.FILE
    path.write_text(FILES["keys"] or "")
    written(tmp_path)
    path.write_text(path.read_text().replace("0.033", "0.044"))
    with pytest.raises(UsageError, match=r"freshness\.rate is 0\.044, not 0\.033 .* it was changed since"):
        undone(tmp_path)
    path.unlink()
    with pytest.raises(UsageError, match="are gone"):
        undone(tmp_path)


def test_nothing_is_written_over_a_change_of_the_meantime(tmp_path: Path) -> None:
    path = tmp_path / config.FILE
    change = proposed(tmp_path, config.load(path).recipe_named("papers"), VALUES, TOLD, "2030-01-01")
    path.write_text("[search]\nk = 9\n")
    with pytest.raises(UsageError, match="changed meanwhile"):
        write(change)
    assert path.read_text() == "[search]\nk = 9\n"
    assert not (tmp_path / JOURNAL).exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', '{"format": 1, "entries": [3]}', "\ud800"])
def test_a_journal_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / JOURNAL).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UsageError, match=JOURNAL):
        undone(tmp_path)


@pytest.mark.parametrize(
    "spoil",
    [{"recipe": 2}, {"before": 4}, {"text_before": 6}, {"text_after": None}, {"after": {"x": 1}}],
)  # fmt: skip
def test_an_entry_that_cannot_be_undone_is_refused(tmp_path: Path, spoil: dict[str, object]) -> None:
    written(tmp_path)
    journal = json.loads((tmp_path / JOURNAL).read_text())
    journal["entries"][0].update(spoil)
    (tmp_path / JOURNAL).write_text(json.dumps(journal))
    with pytest.raises(UsageError, match="another version"):
        undone(tmp_path)


def test_a_link_stays_one(tmp_path: Path) -> None:
    own, folder = tmp_path / "mine.toml", tmp_path / "corpus"
    own.write_text("[search]\nk = 3\n")
    folder.mkdir()
    (folder / config.FILE).symlink_to(own)
    for journal in (folder / JOURNAL, None):  # a folder may come from anybody
        if journal is not None:
            journal.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(UsageError, match="is a link"):
            written(folder, follow=journal is not None)
        assert own.read_text() == "[search]\nk = 3\n"
        assert not (tmp_path / "elsewhere").exists()
        (folder / JOURNAL).unlink(missing_ok=True)
    written(folder, follow=True)
    assert (folder / config.FILE).is_symlink()
    assert "[recipes.papers]" in own.read_text()
    with pytest.raises(UsageError, match=r"is a link to .*mine\.toml: `asof trust"):
        undo(undone(folder))
    undo(undone(folder), follow=True)
    assert own.read_text() == "[search]\nk = 3\n"


def test_a_journal_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_text('{"format": 2, "entries": []}')
    with pytest.raises(UsageError, match="another version"):
        undone(tmp_path)
