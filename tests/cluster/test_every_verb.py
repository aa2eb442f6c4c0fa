"""Each recipe, each verb and each command on a folder of shards: as on one corpus, or refused by name."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.guarantee.observing import Asked, Moment, differences, search_by
from tests.support.scripted import ScriptedModel

import asof
from asof.cli.commands import entries
from asof.cli.main import cli, run
from asof.corpus.corpus import Corpus
from asof.corpus.memory import Memory
from asof.documents import Document, Moved
from asof.errors import AsofError, BeforeHorizon, UsageError
from asof.extensions.cluster import gather
from asof.extensions.cluster.shards import divide
from asof.models.encoders import HashedNgrams
from asof.recipes import all_names
from asof.time.moment import read
from asof.time.span import NEVER
from asof.verbs import WRITES, all_verbs

NOW = read("2026-05-01").first

Folders = tuple[Path, Path]
"""The folder of the example notes, and that of three shards of them."""


@pytest.fixture(scope="module")
def folders(example_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Folders:
    root = tmp_path_factory.mktemp("notes")
    shutil.copytree(example_folder, root / "one")
    divide([root / "one"], root / "many", 3)
    return root / "one", root / "many"


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather.Threads, "least", 0)


@pytest.fixture
def own(folders: Folders, tmp_path: Path) -> Folders:
    """Copies to write to."""
    one, many = (Path(shutil.copytree(each, tmp_path / each.name)) for each in folders)
    return one, many


@contextlib.contextmanager
def opened(folders: Folders) -> Iterator[list[Corpus]]:
    """Both, at one time."""
    with contextlib.ExitStack() as stack:
        corpora = [stack.enter_context(asof.open(each, create=False)) for each in folders]
        for each in corpora:
            each.session.clock = lambda: NOW
        yield corpora


# -- recipes and verbs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", all_names())
def test_a_recipe_ranks_alike(folders: Folders, recipe: str) -> None:
    with opened(folders) as (one, many):
        for question in ("who is the harbour master", "price of a ferry ticket in 2019", "storm"):
            for as_of in (read("2019-06-01").last, NOW):
                here, there = Moment(one, as_of, NEVER), Moment(many, as_of, NEVER)
                assert differences({recipe: search_by(recipe)}, here, there, Asked(question)) == {}


VERBS = {**all_verbs(), **{verb.name: verb for verb in WRITES}}
REFUSED = {"remember": "a folder of shards: `asof index --shards`"}
"""Verbs that need a corpus in one folder, and what is said then."""
OF_FILES = ("segments", "bytes", "problems", "derived", "took_ms")
"""What `status` says of files (problems of the last runs are not divided), and durations."""


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_answers_alike_or_is_refused(folders: Folders, name: str) -> None:
    def said(corpus: Corpus) -> Any:
        try:
            told = VERBS[name].answer(corpus, VERBS[name].parameters(**VERBS[name].example))
        except AsofError as error:
            return type(error), str(error)
        return {key: each for key, each in told.items() if key not in OF_FILES}

    with opened(folders) as (one, many):
        if name in REFUSED:
            assert REFUSED[name] in said(many)[1]
        else:
            assert said(many) == said(one)


# -- commands --------------------------------------------------------------------------------------------

LINES = {
    "open": "asof open 'The Mole' --as-of 2020", "links": "asof links 'The Mole' --as-of 2020",
    "why-not": "asof why-not 'The Mole' harbour master", "papers": "asof papers --feedback",
    "correct": "asof correct 'The Mole' 2019-05-01", "purge": "asof purge 'The Mole' --yes",
    "vacuum": "asof vacuum 2018 --yes", "precompute": "asof precompute",
}  # fmt: skip
"""Command lines in place of the examples of commands."""
REFUSED_COMMANDS = {"papers": "a folder of shards, which keeps no questions"}
ELSEWHERE = {"demo", "evaluate", "experiment", "config", "trust", "key", "serve", "mcp"}
"""Commands with an index of their own, with none, and those that serve the verbs."""
COMMANDS = [each for each in entries() if each not in ELSEWHERE | {"index", "push", "pull"}]  # see cluster/
AFTER = ("search 'harbour master' --explain", "search mole --as-of 2017-06", "list", "status", "facts Mole")
"""What is asked after a command that writes."""


def printed(folder: Path, line: str) -> tuple[int, str]:
    """What a command prints, but for durations and what it says of files."""
    out, before = io.StringIO(), sys.argv
    sys.argv = ["asof", *shlex.split(line.removeprefix("asof ")), "--index", str(folder)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.chdir(folder):
            code = run(cli)
    finally:
        sys.argv = before
    told = out.getvalue().replace(str(folder), "FOLDER")
    of_files = r"in \d+\.\d s|(?m:^ +(?:segments|on disk|problem|derived) .*\n)|[\d,]+ bytes"
    return code, re.sub(of_files, "", told)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_does_the_same_or_is_refused(own: Folders, name: str) -> None:
    one, many = (printed(each, LINES.get(name, entries()[name].example)) for each in own)
    if name in REFUSED_COMMANDS:
        assert (many[0], REFUSED_COMMANDS[name] in many[1]) == (2, True)
        return
    assert many == one
    assert one[0] in (0, 1)
    for line in AFTER if name in ("correct", "purge", "vacuum", "embed", "precompute") else ():
        assert printed(own[1], line) == printed(own[0], line)


def test_what_keeps_more_than_documents_is_refused(own: Folders) -> None:
    with asof.open(own[1]) as many:
        with pytest.raises(UsageError, match="copy the folder"):
            many.backup(own[1] / "backup.db")
        with pytest.raises(UsageError, match="of each shard alone"):
            many.session.read(lambda db: db.execute("SELECT sum(number) FROM passages"))


def test_a_note_is_known_and_erased_and_not_changed(example_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(example_folder, tmp_path / "one")
    with asof.open(tmp_path / "one") as one:
        note = Memory(one).remember("The key is under the barometer.", key="1").document
    divide([tmp_path / "one"], tmp_path / "many", 3)
    with asof.open(tmp_path / "many") as many:
        assert Memory(many).remember("The key is under the barometer.", key="1").state == "known"
        with pytest.raises(UsageError, match="notes"):
            Memory(many).correct(note, "The key is under the bell.")
        assert Memory(many).forget(note, confirm=True).erased
    assert not has(tmp_path / "many", b"barometer")


def has(folder: Path, words: bytes) -> bool:
    """Whether any file has these words."""
    return any(words in each.read_bytes() for each in folder.rglob("*") if each.is_file())


def test_what_an_id_had_before_is_erased_with_it_in_whatever_shard(tmp_path: Path) -> None:
    """Its versions are withdrawn under the old id, which may be of another shard."""
    with asof.open(tmp_path / "one") as one:
        one.add([Document(f"note-{at}.md", "The barometer fell.") for at in range(8)])
        one.add([Moved(Document(f"at-{at}.md", "The barometer fell."), f"note-{at}.md") for at in range(8)])
    divide([tmp_path / "one"], tmp_path / "many", 3)
    with asof.open(tmp_path / "many") as many:
        assert len(many.search("barometer", recipe="lsa")) == 8
        for at in range(8):
            many.purge(f"at-{at}.md")
    assert not has(tmp_path / "many", b"barometer")
    assert {each.name for each in (tmp_path / "many" / "derived").rglob("*") if each.is_file()} <= {"lock"}


def test_history_is_dropped_in_all_shards_and_refused_from_the_latest_horizon_on(tmp_path: Path) -> None:
    with asof.open(tmp_path / "one") as one:
        for year in ("2019", "2021"):
            one.add([Document(f"{at}.md", f"Fare {at} of {year}.", published=year) for at in range(8)])
        divide([tmp_path / "one"], tmp_path / "many", 3)
        with asof.open(tmp_path / "many") as many:
            assert many.vacuum("2022") == one.vacuum("2022") == 8
    with asof.open(tmp_path / "many" / "shard-1") as shard:
        shard.vacuum("2024")
    with asof.open(tmp_path / "many") as many, pytest.raises(BeforeHorizon, match="2024"):
        many.at("2023").search("fare")


def test_an_encoder_that_some_shards_have_is_none(own: Folders) -> None:
    with asof.open(own[1] / "shard-1") as shard:
        first = shard.embed(HashedNgrams()).encoded
    with opened(own) as (one, many):
        with pytest.raises(UsageError, match=r"hashed-3-5-256 and of none: .* run `asof embed` again"):
            many.search("mole")
        assert first + many.embed(HashedNgrams()).encoded == one.embed(HashedNgrams()).encoded
        here, there = Moment(one, NOW, NEVER), Moment(many, NOW, NEVER)
        assert differences({"search": search_by("asof")}, here, there, Asked("mole")) == {}


def test_a_model_answers_and_asof_toml_counts(own: Folders) -> None:
    for each in own:
        (each / "asof.toml").write_text('[search]\nrecipe = "bm25"\n')
    with contextlib.ExitStack() as stack:
        model = ScriptedModel(lambda _: "Jesper Quant [1].")
        one, many = (stack.enter_context(asof.open(each, model=model)) for each in own)
        assert many.search("mole").recipe == one.search("mole").recipe == "bm25"
        assert many.at("2025").ask("harbour master").text == one.at("2025").ask("harbour master").text
