"""Which configuration holds: the user's own, then the folder's, whose destinations count only if trusted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import asof
from asof import config, environment, layers
from asof.errors import BadConfig, Untrusted, UsageError
from asof.layers import UNTRUSTED_KEYS, external_keys, shown
from asof.schema import AcceptedValue
from asof.trusted import NO_FILE, Trusted

SERVER = "http://127.0.0.1:9/v1"
OTHER = "http://127.0.0.1:10/v1"
MODEL = f'[model]\nurl = "{SERVER}"\nmodel = "m"\n'
RERANK = f'[rerank]\nurl = "{SERVER}"\nkey_variable = "AWS_SECRET_ACCESS_KEY"\n'
ENCODER = f'[encoder]\nurl = "{SERVER}"\nmodel = "e"\n'

Says = Callable[..., tuple[config.Config, list[str]]]


@pytest.fixture
def says(tmp_path: Path, users: Callable[[str], Path]) -> Says:
    """What holds in a folder with a file, beside the user's; and the lines about it."""

    def read(folder: str = "", own: str = "", **more: Any) -> tuple[config.Config, list[str]]:
        users(own)
        (tmp_path / config.FILE).write_text(folder, encoding="utf-8")
        lines: list[str] = []
        return environment.configuration(tmp_path, lines.append, **more), lines

    return read


def test_a_folder_chooses_behaviour(says: Says) -> None:
    found, lines = says('[search]\nk = 3\nrecipe = "twe"\n[recipes.twe]\ndecay.tau_min = 30\n')
    assert (found.k, found.recipe, lines) == (3, "twe", [])
    found, lines = says("[arxiv]\nper_day = 7\n[rerank]\ntop = 5\n[model]\ntemperature = 1\n")
    assert (found.sources["arxiv"]["per_day"], found.reranking, found.model, lines) == (7, None, None, [])


def test_a_folder_chooses_no_destination(says: Says, tmp_path: Path) -> None:
    found, lines = says(RERANK + MODEL + f"[search]\nrerank = true\nk = 4\n[arxiv]\nurl = '{SERVER}'\n")
    assert (found.reranking, found.model, found.rerank, found.k) == (None, None, False, 4)
    assert "arxiv" not in found.sources
    (line,) = lines
    for said in (
        f"[rerank] url {SERVER}, key_variable AWS_SECRET_ACCESS_KEY", f"[model] url {SERVER}, model m",
        f"[arxiv] url {SERVER}", f"`asof trust {tmp_path}`", "config.toml", "not trusted",
        "no reranker, no language model, the defaults of arxiv:",
    ):  # fmt: skip
        assert said in line, line
    with pytest.raises(Untrusted, match=r"no model is named to rerank with: \[rerank\] of .* `asof trust"):
        raise found.lacking("rerank", "no model is named to rerank with")
    assert isinstance(found.lacking("encoder", "x"), UsageError)


def test_the_users_own_counts_and_stands_in(says: Says) -> None:
    found, lines = says(MODEL + "[search]\nk = 4\n", f'[model]\nurl = "{OTHER}"\nmodel = "own"\n')
    assert found.model is not None
    assert (found.model.url, found.model.model, found.k) == (OTHER, "own", 4)
    assert "used instead: your own [model]" in lines[0]
    found, lines = says("", RERANK + "[search]\nrerank = true\n")
    assert (found.rerank, lines) == (True, [])
    assert found.reranking is not None


def test_what_is_trusted_counts_until_the_file_changes(says: Says, tmp_path: Path) -> None:
    says(MODEL)
    assert environment.trust(tmp_path) == {"model": f"url {SERVER}, model m"}
    found, lines = says(MODEL)
    assert (found.model is not None, lines) == (True, [])
    found, lines = says(MODEL + "\n")
    assert found.model is None
    assert "the file has changed since it was trusted" in lines[0]
    assert environment.trusted_folders() == {str(tmp_path): False}
    found, lines = says(MODEL)
    assert found.model is not None
    assert environment.distrust(tmp_path)
    found, lines = says(MODEL)
    assert (found.model, len(lines)) == (None, 1)


def test_a_program_may_trust_a_folder_it_opens(says: Says, tmp_path: Path) -> None:
    says(MODEL)
    with pytest.warns(UserWarning, match=r"\[model\] url .* not trusted") as told, asof.open(tmp_path) as one:
        assert one.config.model is None
    assert Path(told[0].filename).name == Path(__file__).name
    with asof.open(tmp_path, trust=True) as one:
        assert one.config.model is not None
    with asof.open(tmp_path, config=config.Config()) as one:
        assert one.config.model is None


def test_keys_of_both_add_up_and_the_folder_comes_first(says: Says, tmp_path: Path) -> None:
    own = (
        '[search]\nk = 3\nunit = "document"\n[recipes.twe]\ndecay.tau_min = 30\n'
        f'[model]\nurl = "{OTHER}"\nmodel = "own"\nkey_variable = "KEY"\ntemperature = 1\n'
    )
    found, _ = says("[search]\nk = 4\n[recipes.twe]\ndecay.tau_max = 900\n[model]\ntemperature = 0.5\n", own)
    fields = dict(found.recipe_named("twe").fields())
    assert (found.k, found.unit, fields["decay.tau_min"], fields["decay.tau_max"]) == (4, "document", 30, 900)
    assert found.model is not None
    assert (found.model.url, found.model.temperature) == (OTHER, 0.5)


def test_a_key_goes_to_no_address_beside_which_it_was_not_written(says: Says) -> None:
    own = f'[model]\nurl = "{OTHER}"\nmodel = "own"\nkey_variable = "OWN_KEY"\n'
    found, _ = says(MODEL, own, trust=True)
    assert found.model is not None
    assert (found.model.url, found.model.key_variable) == (SERVER, "")
    own = f'[rerank]\nurl = "{OTHER}"\nkey_variable = "OWN_KEY"\nshape = "tei"\n'
    found, _ = says('[rerank]\nhub = "a/b"\n', own, trust=True)
    assert found.reranking is not None
    assert (found.reranking.hub, found.reranking.url) == ("a/b", "")


def test_a_folder_does_not_raise_what_a_model_may_cost(says: Says) -> None:
    own = MODEL + "prices = {prompt = 1, reply = 2}\n[ask]\nbudget = 0.5\n"
    for folder, most in (("budget = 100", 0.5), ("budget = 0.1", 0.1), ("tokens = 500", 0.5)):
        found, _ = says(f"[ask]\n{folder}\n", own)
        assert found.asking.budget == most
    found, _ = says("[model]\nprices = {prompt = 0, reply = 0}\n", own)
    assert found.model is not None
    assert found.model.prices is not None
    assert found.model.prices.prompt == 1


def test_one_encoder_is_named(says: Says) -> None:
    found, _ = says('[index]\nencoder = "hashed"\n', ENCODER)
    assert (found.encoding, bool(found.index.encoder)) == (None, True)
    found, _ = says(ENCODER, '[index]\nencoder = "hashed"\n', trust=True)
    assert found.encoding is not None
    assert found.index.encoder == ""
    found, _ = says(ENCODER, '[index]\nencoder = "hashed"\n')
    assert (found.encoding, bool(found.index.encoder)) == (None, True)
    with pytest.raises(BadConfig, match="both name an encoder"):
        says(ENCODER + '[index]\nencoder = "hashed"\n')


def test_a_path_is_seen_from_the_file_that_names_it(says: Says, tmp_path: Path, home: Path) -> None:
    for text in ('[encoder]\nmodel = "./mini"\n', '[rerank]\npath = "mini"\n'):
        table = text[1:].partition("]")[0]
        found, _ = says("", text)
        assert found.folder_of(table, tmp_path) == home
        found, _ = says(text, "", trust=True)
        assert found.folder_of(table, tmp_path) == tmp_path


def test_every_key_is_either_free_or_asks_for_trust() -> None:
    """A key that is added asks for trust unless somebody says that it is free."""
    for table in config.EXTERNAL:
        keys: set[str] = set(config._keys(table))
        assert keys > UNTRUSTED_KEYS[table]
        for key in keys:
            assert bool(external_keys({table: {key: "x"}})) == (key not in UNTRUSTED_KEYS[table])
            assert isinstance(config._keys(table)[key], AcceptedValue)
    destinations = {
        "url",
        "pdf_url",
        "key_variable",
        "model",
        "path",
        "hub",
        "revision",
        "insecure",
        "prices",
    }
    assert not destinations & set().union(*UNTRUSTED_KEYS.values())


@pytest.mark.parametrize(
    "text", ["[modell]\n", "[search]\nk = 0\n", "[model]\nurll = 1\n", "x", "a." * 200 + "b = 1"]
)
def test_an_error_names_its_file(says: Says, tmp_path: Path, home: Path, text: str) -> None:
    with pytest.raises(BadConfig, match=str(tmp_path / config.FILE)):
        says(text)
    with pytest.raises(BadConfig, match=str(home / "config.toml")):
        says("", text)


def test_what_is_no_configuration(tmp_path: Path) -> None:
    file = tmp_path / config.FILE
    os.mkfifo(file)
    with pytest.raises(BadConfig, match="is no file"):
        environment.configuration(tmp_path)
    file.unlink()
    file.mkdir()
    with pytest.raises(BadConfig, match="is no file"):
        environment.configuration(tmp_path)
    file.rmdir()
    file.write_bytes(b"#" * (config.MAX_BYTES + 1))
    with pytest.raises(BadConfig, match="has more than 250,000 bytes"):
        environment.configuration(tmp_path)
    file.unlink()
    file.symlink_to(file)
    with pytest.raises(BadConfig, match=config.FILE):
        environment.configuration(tmp_path)


def test_another_file_is_the_users(says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says("", "[search]\nk = 3\n")
    other = tmp_path / "mine" / config.FILE
    other.parent.mkdir()
    other.write_text("[search]\nk = 7\n" + MODEL)
    monkeypatch.setenv(layers.VARIABLE, str(other))
    assert environment.configuration(tmp_path).k == 7
    lines: list[str] = []
    assert environment.configuration(other.parent, lines.append).model is not None, "the user's, and no other"
    assert lines == []
    monkeypatch.setenv(layers.VARIABLE, os.devnull)
    assert environment.configuration(tmp_path).k == 10
    for wrong in ("mine/asof.toml", str(tmp_path / "gone"), str(tmp_path)):
        monkeypatch.setenv(layers.VARIABLE, wrong)
        with pytest.raises(BadConfig, match=r"ASOF_CONFIG is .*: the absolute path of a file is expected"):
            environment.configuration(tmp_path)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("https://me:secret@evil.example/v1?key=secret#secret", "https://evil.example/v1"),
        ("https://evil.example/@good.example", "https://evil.example/@good.example"),
        ("https://evil.example//a@good.example", "https://evil.example//a@good.example"),
        ("me:secret@evil.example", "evil.example"), ("a\x1b[31m\n", r"'a\x1b[31m\n'"),
        ("x" * 500, "x" * 100 + "…"), ("a\u202eb", r"'a\u202eb'"),
    ],
)  # fmt: skip
def test_an_address_is_told_as_it_is_and_without_a_password(value: str, told: str) -> None:
    assert shown({"url": value}) == f"url {told}"


def test_the_line_can_be_typed_into_a_shell(tmp_path: Path) -> None:
    folder = tmp_path / "notes; touch gone $(x)"
    folder.mkdir()
    (folder / config.FILE).write_text(MODEL)
    lines: list[str] = []
    environment.configuration(folder, lines.append)
    assert f"`asof trust '{folder}'`" in lines[0]


def test_a_damaged_list_of_trusted_folders_is_told(says: Says, tmp_path: Path, home: Path) -> None:
    says(MODEL)
    environment.trust(tmp_path)
    (home / "state" / "asof" / "trusted.json").write_text("{")
    found, lines = says(MODEL)
    assert found.model is None
    assert "is damaged" in lines[0]
    assert len(lines) == 2


def test_a_rewritten_file_stays_trusted_unless_it_names_more(says: Says, tmp_path: Path) -> None:
    says(MODEL)
    environment.trust(tmp_path)
    more = MODEL + "[search]\nk = 3\n"
    for before, after, trusted, then in (
        (MODEL, more, True, True), (more, more + RERANK, True, False), (more, None, True, True),
    ):  # fmt: skip
        if after is not None:
            (tmp_path / config.FILE).write_text(before)
            environment.trust(tmp_path)
        with environment.rewriting(tmp_path, before, after) as was:
            assert was is trusted
        assert layers.allowed(tmp_path, os.environ, None if after is None else after.encode()) is (
            then and after is not None
        )
    with environment.rewriting(tmp_path, "[search]\n", MODEL) as was:
        assert not was
    assert not layers.allowed(tmp_path, os.environ, MODEL.encode())


def test_the_search_upwards_ends_at_another_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    with asof.open(tmp_path):
        pass
    lines: list[str] = []
    assert environment.find_folder(below, lines.append) == tmp_path / ".asof"
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert environment.find_folder(below, lines.append) is None
    (line,) = lines
    assert line.startswith(
        f"{tmp_path / '.asof'} is of another user and is not used; --index {tmp_path} uses"
    )
    known = Trusted(tmp_path / "state", frozenset({me}))
    known.add(tmp_path, NO_FILE, "2030")
    with monkeypatch.context() as patch:
        patch.setattr(layers, "trusted", lambda _: known)
        assert environment.find_folder(below, lines.append) == tmp_path / ".asof"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(me))
    assert environment.find_folder(below, lines.append) == tmp_path / ".asof"
    assert len(lines) == 1
