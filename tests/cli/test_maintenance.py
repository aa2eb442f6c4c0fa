"""`asof status`, `correct`, `purge`, `vacuum`, `demo`, `recipes`, `trust` and `embed`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.support.local_server import send
from tests.support.meanings import Meanings
from tests.support.openai_server import ModelServer, Request, says

import asof as library
from asof import environment
from asof.corpus import session
from asof.environment import ENCODERS
from asof.errors import UsageError
from asof.models.local import LocalEncoder
from asof.recipes import NAMES
from asof.trusted import Trusted

from .conftest import Asof, documents, note

# -- status, correct, purge, vacuum ------------------------------------------------------------------------


def test_status(asof, notes):
    result = asof("status")
    assert result.code == 0
    rows = {line[:10].strip(): line[12:] for line in result.out.splitlines()}
    assert rows["documents"] == "3, and 0 removed"
    assert rows["published"] == "2020-01-10 to 2022-01-10"
    assert rows["dated by"] == "3 frontmatter"
    assert rows["undated"] == "0 (visible since they were indexed)"
    assert rows["languages"] == "3 en; words by their stems"
    assert rows["chunking"] == "120w (size of a passage)"
    assert rows["source"] == "notes (folder): 3 documents"
    figures = asof("status", "--json").json()
    assert (figures["documents"], figures["dated_by"], figures["horizon"]) == (3, {"frontmatter": 3}, None)


def test_status_tells_what_was_derived(asof, notes):
    assert "derived" not in asof("status").out
    asof("search", "crane", "--recipe", "twe")
    derived = [line for line in asof("status").out.splitlines() if line.strip().startswith("derived")]
    assert any("latent semantic analysis: 1 bas" in line for line in derived)
    assert asof("status", "--json").json()["derived"]


def test_check_mends_a_damaged_segment(asof, here, notes):
    result = asof("status", "--check")
    assert (result.code, result.out.splitlines()[-1]) == (0, "checked: store and index are sound")
    assert asof("status", "--check", "--json").json()["check"] == []
    (segment,) = (here / ".asof/segments").glob("*.seg")
    segment.write_bytes(segment.read_bytes()[:100] + b"x" * 50 + segment.read_bytes()[150:])
    result = asof("status", "--check")
    assert result.code == 3
    assert segment.stem in result.out
    assert asof("status", "--check").code == 0
    assert len(documents(asof, "crane")) == 3


def test_correct_is_undone_by_known_at_and_survives_indexing(asof, notes):
    result = asof("correct", "notes/blue.md", "2019-05-01")
    assert (result.code, result.out.startswith("notes/blue.md: published 2019-05-01")) == (0, True)
    assert documents(asof, "blue", "--as-of", "2019-06")[0] == "notes/blue.md"
    assert documents(asof, "blue", "--as-of", "2019-06", "--known-at", "1 hour ago") == []
    assert asof("index", "notes").out.startswith("notes: 3 unchanged")
    assert documents(asof, "blue", "--as-of", "2019-06")[0] == "notes/blue.md"


def test_purge(asof, here, notes, answer):
    answer("n\n")
    result = asof("purge", "notes/blue.md")
    assert (result.code, "nothing was erased; --yes" in result.err) == (1, True)
    answer("")  # nobody is there
    assert asof("purge", "notes/blue.md").code == 1
    assert "notes/blue.md" in documents(asof, "blue")
    answer("y\n")
    result = asof("purge", "notes/blue.md")
    assert (result.code, result.out.startswith("notes/blue.md: erased, 1 passage;")) == (0, True)
    assert "notes/blue.md" not in documents(asof, "blue", "--as-of", "2021-06")
    assert asof("purge", "notes/blue.md", "--yes").code == 2
    held = b"".join(file.read_bytes() for file in (here / ".asof").rglob("*") if file.is_file())
    assert b"blue now" not in held
    assert b"The crane is red" in held  # it can be seen that way at all


def test_vacuum(asof, refused, notes, answer):
    (notes / "red.md").write_text(note("2021-06-01", "Red", "The crane is pink."))
    asof("index", "notes")
    answer("n\n")
    result = asof("vacuum", "2021-12")
    assert (result.code, "nothing was dropped" in result.err) == (1, True)
    result = asof("vacuum", "2021-12", "--yes")
    assert (result.code, result.out.startswith("1 passage dropped; ")) == (0, True)
    refused(["search", "crane", "--as-of", "2021-06"], "was dropped by `asof vacuum`")
    assert asof("search", "crane", "--known-at", "2022-06").code == 2
    assert len(documents(asof, "crane", "--as-of", "2022-06")) == len(documents(asof, "crane")) == 3
    assert "since 2021-12-01 00:00Z; what was before was dropped" in asof("status").out
    assert asof("status", "--json").json()["horizon"] is not None


# -- demo --------------------------------------------------------------------------------------------------


def test_demo_leaves_nothing_behind(asof, here, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    result = asof("demo")
    assert (result.code, result.err) == (0, "")
    assert [line for line in result.out.splitlines() if line.startswith("$ ")] == [
        f'$ asof search "Who is the current harbour master?" --as-of {date} -k 1'
        for date in ("2017-06-01", "2020-06-01", "2024-06-01")
    ] + [
        '$ asof timeline "harbour master"',
        '$ asof ask "How much did an adult single ticket cost in 2019 and in 2023?"',
        '$ asof ask "How much will an adult single ticket cost in 2031?"',
    ]
    tickets = "2019  adult single ticket cost: €4.50 [1]\n2023  adult single ticket cost: €5.40 [2]\n"
    assert tickets in result.out
    assert "No answer: nothing is known of 2031; the nearest times that are known: " in result.out
    assert all(name in result.out for name in ("Ebbe Calloway", "Runa Osterby", "Jesper Quant"))
    assert list((tmp_path / "temporary").iterdir()) == []
    assert list(here.iterdir()) == []


# -- recipes -----------------------------------------------------------------------------------------------


def recipe_of(asof, *options: str) -> str:
    return str(asof("search", "crane", *options, "--json").json()["query"]["recipe"])


def test_all_recipes_are_listed(asof, here):
    result = asof("recipes")
    assert [line.split()[0] for line in result.out.splitlines()] == list(NAMES)
    assert result.out.splitlines()[0].endswith("(default)")


def test_fields_and_the_file_that_sets_them(asof, here, write, monkeypatch):
    """The folder's where both set it; the user's own by its path."""
    own = write("own/config.toml", "[recipes.twe]\ndecay.tau_min = 50\ndecay.tau_max = 900\n")
    write("asof.toml", '[search]\nrecipe = "twe"\n[recipes.twe]\ndecay.tau_max = 800\n')
    monkeypatch.setenv("ASOF_CONFIG", str(own))
    lines = asof("recipes", "twe").out.splitlines()
    assert lines[0].endswith("(default)")
    assert f"  decay.tau_min = 50.0  ({own})" in lines
    assert "  decay.tau_max = 800.0  (asof.toml)" in lines
    assert "  decay.delta = 2.5" in lines


def test_asof_toml_chooses(asof, notes, write):
    write("asof.toml", '[search]\nrecipe = "vault"\n')
    assert recipe_of(asof) == "vault"
    assert recipe_of(asof, "--recipe", "asof") == "asof"


# -- trust: which folders may say where texts are sent -----------------------------------------------------

RERANK = '[rerank]\nurl = "{url}"\nkey_variable = "HARBOUR_KEY"\n[search]\nrerank = true\n'


@pytest.fixture
def model_server():
    with ModelServer(way=says("{}")) as there:
        yield there


def test_nothing_is_sent_before_the_folder_is_trusted(
    asof, refused, notes, write, model_server, here, monkeypatch
):
    monkeypatch.setenv("HARBOUR_KEY", "sesame")
    url = f"{model_server.url}/rerank"
    write("asof.toml", RERANK.format(url=url))
    result = asof("search", "crane")
    assert (result.code, result.err.count("\n")) == (0, 1)
    assert result.err.startswith(f"[rerank] url {url}, key_variable HARBOUR_KEY of ")
    told = f"asof: no model is named to rerank with: [rerank] of {here / 'asof.toml'}: this folder"
    result = asof("search", "crane", "--rerank")
    assert (result.code, told in result.err, model_server.requests) == (2, True, [])
    trusted = asof("trust")
    assert trusted.code == 0
    assert trusted.out == (
        f"trusted: {here}, until its asof.toml changes\n  [rerank] url {url}, key_variable HARBOUR_KEY\n"
    )
    asof("search", "crane")
    assert model_server.requests[0].headers["Authorization"] == "Bearer sesame"


def test_the_list_of_trusted_folders(asof, here, write):
    assert asof("trust", "--list") == (1, "no folder is trusted\n", "")
    write("a/asof.toml", "[search]\nk = 3\n")
    assert asof("trust", "a").out.endswith("  it names no model, address or key\n")
    write("b/asof.toml", "")
    assert asof("trust", here / "b").code == 0
    assert asof("trust", "--list").out == f"{here / 'a'}\n{here / 'b'}\n"
    write("a/asof.toml", "[search]\nk = 4\n")
    write("b/asof.toml", "[search]\n")
    told = "  (asof.toml has changed since: trust it again)\n"
    assert asof("trust", "--list").out == f"{here / 'a'}{told}{here / 'b'}{told}"
    assert asof("trust", "--revoke", "a") == (0, f"no longer trusted: {here / 'a'}\n", "")
    assert asof("trust", "--revoke", "a") == (1, f"was not trusted: {here / 'a'}\n", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [(["gone"], "gone is no folder"), (["--list", "x"], "--list goes alone"), (["bad"], "no table [serch]"),
     (["--list", "--revoke"], "--list goes alone"), (["bad/asof.toml"], "is no folder"),
     (["empty"], "nothing to trust: empty has no asof.toml")],
)  # fmt: skip
def test_wrong_usage_of_trust(asof, refused, write, options, message):
    write("bad/asof.toml", "[serch]\n")
    write("empty/a.md", "")
    refused(["trust", *options], message)
    assert asof("trust", "--list").code == 1


def test_what_a_folder_says_cannot_steer_a_terminal(asof, notes, write):
    write(
        "asof.toml",
        '[encoder]\nmodel = "\\u001b[2Ja\\u202eb"\n[model]\nurl = "https://u:pw@h/"\nmodel = "m"\n',
    )
    for result in (asof("status"), asof("trust")):
        assert not {"\x1b", "\u202e"} & set(result.out + result.err)
        assert "pw" not in result.out + result.err
        assert "url https://h/" in result.out + result.err


def test_an_encoder_that_does_not_count_is_asked_for(asof, notes, write, model_server):
    write("asof.toml", f'[encoder]\nurl = "{model_server.url}"\nmodel = "m"\n')
    for command in (("embed",), ("embed", "--encoder", "configured")):
        result = asof(*command)
        assert result.code == 2
        assert "encoder is " in result.err.splitlines()[-1]
        assert "asof.toml: this folder is not trusted, so it does not count" in result.err.splitlines()[-1]
    assert model_server.requests == []


# -- [encoder] and embed: a corpus with a server's vectors -------------------------------------------------


class Embeds:
    """A server of embeddings: the meanings of words. `down`: refuses the key."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.meanings = Meanings()
        self.down = False

    def answer(self, server: ModelServer, handler: BaseHTTPRequestHandler, request: Request) -> None:
        vectors = self.meanings.encode(request.body["input"])
        rows = [{"index": at, "embedding": vector.tolist()} for at, vector in enumerate(vectors)]
        send(handler, 401 if self.down else 200, json.dumps({"data": rows}).encode(), {})


@pytest.fixture
def server(model_server: ModelServer) -> Embeds:
    there = Embeds(model_server.url)
    model_server.way = there.answer
    return there


@pytest.fixture
def toml(here: Path, server: Embeds) -> Callable[..., None]:
    def write(**more: str) -> None:
        table = {"model": "meanings", "url": server.url, **more}
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
        (here / "asof.toml").write_text(f"[encoder]\n{lines}")
        environment.trust(here)

    return write


@pytest.fixture
def sea(here: Path, write: Callable[[str, str], Path]) -> Path:
    write("sea/ferry.md", note("2020-01-10", "Ferry", "A boat."))
    write("sea/mill.md", note("2021-01-10", "Mill", "Flour and bread."))
    write("sea/gale.md", note("2022-01-10", "Gale", "A storm."))
    return here / "sea"


def ships(asof: Asof, *options: str) -> list[str]:
    result = asof("search", "ship", "--json", *options)
    assert result.code in (0, 1), result.err
    return [hit["document"] for hit in result.json()["hits"] if hit["score"] > 0]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The hub's client without a network; what it is asked to download."""
    asked: list[str] = []

    def snapshot_download(name: str, *, local_files_only: bool = False, **options: Any) -> str:
        if not local_files_only:
            asked.append(f"{name}@{options['revision']}")
        raise OSError("no network")

    module = types.ModuleType("huggingface_hub")
    module.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    return asked


def test_without_a_named_encoder_the_recommended_one_is_offered(asof, sea, hub, monkeypatch):
    """What it is, how large and from where; nothing is downloaded without a yes."""
    assert asof("index", "sea").code == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    result = asof("embed")
    assert (result.code, result.out, hub) == (1, "", [])
    for told in ("all-MiniLM-L6-v2", "384 dimensions", "Apache-2.0", "23 MB from huggingface.co/Xenova"):
        assert told in result.err
    assert "nothing was downloaded; --yes does it without asking" in result.err
    result = asof("embed", "--encoder", "multilingual", "--yes")
    assert result.code == 2
    assert "no network" in result.err
    assert hub == ["Xenova/multilingual-e5-small@761b726dd34fb83930e26aab4e9ac3899aa1fa78"]
    assert ships(asof) == [], "it stays what it was"


def test_at_a_terminal_vectors_are_made_in_the_background(asof, sea, monkeypatch):
    """By a process of its own, which runs no code from the current folder, and changes no encoder."""
    (sea.parent / "numpy.py").write_text("raise SystemExit(9)")
    (sea.parent / "asof.toml").write_text('[index]\nencoder = "hashed"\n')
    started, popen = [], subprocess.Popen
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **more: started.append(popen(*a, **more)))
    asof("index", "--index", ".", "sea/mill.md")
    assert started[0].wait(60) == 0  # it reads asof.toml, too
    (sea.parent / "asof.toml").write_text('[encoder]\nmodel = "a/b"\n')
    environment.trust(sea.parent)
    told = asof("index", "sea")
    assert "names the encoder a/b; this corpus has hashed-3-5-256, which stays" in told.err.replace("\n", " ")
    assert (told.code, "are made in the background" in told.err) == (0, True)
    assert [each.wait(60) for each in started] == [0, 0]
    assert json.loads(asof("status", "--json").out)["derived"][0].endswith(
        "3 of 256 dimensions (1,536 bytes)"
    )
    assert "no vector" not in asof("search", "a bot").out


def test_what_is_missing_is_made_by_the_model_that_was_named(asof, sea, monkeypatch):
    assert asof("index", "sea").code == 0
    meanings = Meanings()
    monkeypatch.setattr(session, "named_encoder", lambda name, *_: meanings if name == "the model" else None)
    environment.remember(ENCODERS, "meanings", "the model")
    with library.open(sea.parent) as corpus:
        corpus.embed(meanings)
        (sea / "boat.md").write_text(note("2023-01-10", "Boat", "A ferry."))
        corpus.add(sea, encode=False)
    assert "note: no vector yet: 1 of 4 passages, found by their words only" in asof("search", "boat").out
    assert "1 encoded" in asof("embed").out


def test_the_model_that_was_named_is_remembered(asof, sea, tmp_path, monkeypatch):
    """By the user, not in the corpus: the folder of a corpus may come from anybody."""
    (model := tmp_path / "model").mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (model / name).write_text("{}")
    assert asof("index", "sea").code == 0
    assert asof("embed", "--encoder", str(model)).code == 2, "it is no model, or nothing runs one here"
    (kept,) = json.loads(environment.trusted().path.with_name("encoders.json").read_text()).items()
    assert kept == (LocalEncoder(model).name, str(model))
    environment.remember(ENCODERS, "other", "\udce9")
    assert [environment.remembered(ENCODERS, each) for each in (kept[0], "other")] == [str(model), "\udce9"]
    environment.trusted().path.with_name("encoders.json").write_text("[1]")
    with pytest.raises(UsageError, match=r"encoders.json cannot be used .*: remove it"):
        environment.remembered(ENCODERS, "any")
    monkeypatch.setattr(environment, "trusted", lambda: Trusted(None, frozenset()))
    told = asof("embed", "--encoder", str(model)).err.replace("\n", " ")
    assert "searches need the model in [encoder]" in told, "there is no home to remember it in"


def test_embed_goes_on_with_the_encoder_of_the_corpus(asof, sea, hub):
    assert asof("index", "sea").code == 0
    assert asof("embed", "--encoder", "hashed").code == 0
    result = asof("embed")
    assert (result.code, hub) == (0, [])
    assert result.out.startswith("encoder: hashed-3-5-256")
    assert result.out.endswith("nothing to change\n")


def test_the_recommended_encoder_needs_its_extra(asof, sea, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert asof("index", "sea").code == 0
    result = asof("embed")
    assert result.code == 2
    assert "install asof with its extra `semantic`" in result.err


def test_from_words_to_vectors_and_back(asof, sea, toml, server):
    assert asof("index", "sea").code == 0
    assert ships(asof) == []
    toml()
    assert ships(asof) == [], "it stays what it was"
    told = asof("index", "sea").err
    assert f"names the encoder meanings at {server.url}; this corpus has none, which stays until" in told
    result = asof("embed")
    assert result.code == 0, result.err
    assert result.out.startswith(f"encoder: meanings at {server.url}, 8 dimensions; 3 passages, 3 encoded")
    assert result.out.endswith("; before: words only\n")
    assert ships(asof)[0] == "sea/ferry.md"
    assert ships(asof, "--as-of", "2019") == []
    assert "8 dimensions; 3 passages, 0 encoded" in asof("embed").out
    assert asof("embed", "--encoder", "none").out.startswith("encoder: words only; 3 passages in ")
    assert ships(asof) == []


def test_another_encoder_is_named_than_the_corpus_has(asof, refused, sea, toml, server, here):
    toml()
    assert asof("index", "sea").code == 0
    toml(query_prefix="ship ")
    holds = f"holds vectors of the encoder 'meanings at {server.url}', [encoder] of asof.toml is"
    refused(["search", "ship"], holds)
    refused(["search", "ship"], "run `asof embed`")
    assert asof("status").code == 0
    assert asof("embed").code == 0
    assert ships(asof)[0] == "sea/ferry.md"
    (here / "asof.toml").unlink()
    refused(["search", "ship"], "which nothing names: set [encoder] in asof.toml")
    result = asof("embed", "--encoder", "hashed")
    assert (result.code, result.err) == (0, "")
    assert asof("search", "boat").code == 0
    (here / "asof.toml").write_text('[encoder]\nmodel = "a/b"\n[index]\nencoder = "hashed"\n')
    assert "both name an encoder" in asof("search", "x").err


def test_vectors_of_an_encoder_that_does_not_count(asof, sea, toml, server, users):
    toml()
    assert asof("index", "sea").code == 0
    asof("trust", "--revoke")
    asked = len(server.meanings.asked)
    for own in ("", '[encoder]\nmodel = "other"\nurl = "http://127.0.0.1:9/v1"\n'):
        users(own)
        result = asof("search", "ship")
        assert result.code == 2
        told = f"asof: this corpus holds vectors of the encoder 'meanings at {server.url}': [encoder] of "
        assert result.err.splitlines()[-1].startswith(told)
        assert "`asof trust " in result.err.splitlines()[-1]
        assert len(server.meanings.asked) == asked
    users(f'[encoder]\nmodel = "meanings"\nurl = "{server.url}"\n')
    assert ships(asof)[0] == "sea/ferry.md"


def test_evaluated_with_the_configured_encoder(asof, toml, server, dataset):
    """What a model encodes is kept in the cache, for cut corpora too."""
    texts = {"ferry": "A boat.", "mill": "Flour and bread.", "gale": "A storm."}
    found = [
        {"id": id_, "text": text, "timestamp": f"200{at}-05-01"}
        for at, (id_, text) in enumerate(texts.items())
    ]
    dataset("set", found, [{"id": "q", "text": "ship", "asked_at": "2001-06-01"}], [("q", "ferry", 1)])
    toml()
    asked = ["evaluate", "set", "--recipe", "tempralm", "--json", "--encoder", "configured"]
    result = asof(*asked, "--leakage", "1")
    assert result.code == 0, result.err
    assert result.json()["options"]["encoder"] == f"meanings at {server.url}"
    assert result.json()["leakage"]["differences"] == []
    assert server.meanings.texts == [*texts.values(), "ship"]
