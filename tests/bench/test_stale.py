"""The data for `asof stale`: cases from a history, and the generated handbook."""

from __future__ import annotations

import os
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from bench.stale.bank import read
from bench.stale.cochange import case
from bench.stale.handbook import handbook
from bench.stale.mine import held_out
from bench.stale.paths import counts, is_dated, newest_only
from bench.stale.repository import Repository
from bench.stale.units import edits, units

HANDBOOK = "# Storage\n\nEvery account on Mosswood has 10 GB of storage space.\n"
FAQ = "# Questions\n\nYou get 10 GB of storage space with a new Mosswood account.\n"
OTHERS = "# Post {}\n\nLetters go to box {}.\n"


def commit(folder: Path, day: int, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    date = f"2020-01-{day:02} 12:00:00 +0000"
    environment = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(folder), *who, "commit", "-q", "-m", "x"], check=True, env=environment)


@pytest.fixture
def history(tmp_path):
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path)], check=True)
    commit(tmp_path, 1, storage=HANDBOOK, faq=FAQ, **{f"post{n}": OTHERS.format(n, n) for n in range(8)})
    return tmp_path


def test_a_value_that_one_commit_replaced_in_two_documents_is_a_case(history):
    commit(history, 5, storage=HANDBOOK.replace("10", "50"), faq=FAQ.replace("10", "50"))
    repository = Repository(history)
    (held,) = held_out(repository)
    expected, documents = case(repository, held, "notes-1", 5)
    repository.close()
    (stale,) = expected["expected"]
    assert (stale["kind"], stale["old_value"], stale["new_value"]) == ("value", "10", "50")
    other = {"storage.md": "faq.md", "faq.md": "storage.md"}[stale["document"]]
    assert stale["by"] == [other]
    assert "10 GB" in stale["quote"]
    assert "50 GB" in stale["new"]
    assert [d["published"][:10] for d in documents if d["id"] == other] == ["2020-01-01", "2020-01-05"]
    assert ["10 GB" in d["text"] for d in documents if d["id"] == stale["document"]] == [True]
    assert expected["as_of"] == "2020-01-05T13:00:00Z"
    assert len({d["id"] for d in documents}) == 7


def test_a_spelling_that_was_corrected_in_two_documents_is_none(history):
    commit(history, 5, storage=HANDBOOK.replace("space", "spaces"), faq=FAQ.replace("space", "spaces"))
    repository = Repository(history)
    assert list(held_out(repository)) == []
    repository.close()


def test_code_and_targets_of_links_are_no_statements():
    text = (
        "# A\n\nSee [the page](old.md) for more.\n\n```\nretries = 3 times\n```\n\nThere are three retries.\n"
    )
    assert [unit.text for unit in units(text, "a.md")] == [
        "See [the page](old.md) for more.",
        "There are three retries.",
    ]
    assert not list(edits(text, text.replace("old.md", "new.md").replace("= 3", "= 4"), "a.md"))


def test_paths():
    assert counts("docs/guide.md")
    assert not counts("docs/fr/guide.md")
    assert not counts("website/versioned_docs/version-2/guide.md")
    assert is_dated("docs/CHANGELOG.md")
    assert newest_only(["a.md", "docs/v1.2/a.md", "docs/v1.10/a.md"]) == ["a.md", "docs/v1.10/a.md"]


@pytest.mark.parametrize("bank", ["tune", "hold"])
def test_what_is_expected_of_the_handbook_stands_in_it(bank):
    made = handbook(read(bank), 1, 500)
    late = datetime.fromisoformat("2024-12-31T00:00:00+00:00")
    texts = {page.id: page.text(late) for page in made.pages.values()}
    assert len(texts) == 500
    assert len(made.expected) == len(made.harmless) == 90
    for each in (*made.expected, *made.harmless):
        assert each["quote"] in texts[each["document"]]
    for each in made.expected:
        assert all(each["new"] in texts[document] for document in each["by"])
        assert (
            each["kind"] == "link"
            or made.pages[each["by"][0]].published > made.pages[each["document"]].published
        )


def test_the_two_banks_share_no_sentence_and_no_subject():
    tune, hold = read("tune"), read("hold")
    assert not {*tune.facts, *tune.plain, *tune.openings} & {*hold.facts, *hold.plain, *hold.openings}
    said = [
        (
            {row.older[1] for row in rows} | {row.newer[1] for row in rows},
            {f[0] for row in rows for f in row.fillings},
        )
        for rows in ((*tune.contradictions, *tune.harmless), (*hold.contradictions, *hold.harmless))
    ]
    assert not said[0][0] & said[1][0]
    assert not said[0][1] & said[1][1]


def test_the_same_seed_gives_the_same_handbook():
    one, two = (handbook(read("tune"), 7, 300) for _ in range(2))
    assert [page.records() for page in one.pages.values()] == [page.records() for page in two.pages.values()]
