"""Which configuration holds: the user's own, then the folder's, whose destinations count only if trusted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import asof
from asof import config, environment
from asof.environment import external_keys, keys_safe_without_trust, shown
from asof.errors import BadConfig, Untrusted, UsageError
from asof.trusted import NO_FILE, Trusted

SERVER = "http://127.0.0.1:9/v1"
OTHER = "http://127.0.0.1:10/v1"
MODEL = f'[model]\nurl = "{SERVER}"\nmodel = "m"\n'
RERANK = f'[rerank]\nurl = "{SERVER}"\nkey_variable = "AWS_SECRET_ACCESS_KEY"\n'
ENCODER = f'[encoder]\nurl = "{SERVER}"\nmodel = "e"\n'

Configured = Callable[..., tuple[config.Config, list[str]]]


@pytest.fixture
def configured(tmp_path: Path, users: Callable[[str], Path]) -> Configured:
    """What holds in a folder with a file, beside the user's; and the lines about it."""

    def read(folder: str = "", own: str = "", **more: Any) -> tuple[config.Config, list[str]]:
        users(own)
        (tmp_path / config.FILE).write_text(folder, encoding="utf-8")
        lines: list[str] = []
        return environment.configuration(tmp_path, lines.append, **more), lines

    return read


def test_a_folder_chooses_behaviour(configured: Configured) -> None:
    merged, lines = configured('[search]\nk = 3\nrecipe = "twe"\n[recipes.twe]\ndecay.tau_min = 30\n')
    assert (merged.k, merged.recipe, lines) == (3, "twe", [])
    merged, lines = configured("[arxiv]\nper_day = 7\n[rerank]\ntop = 5\n[model]\ntemperature = 1\n")
    assert (merged.sources["arxiv"]["per_day"], merged.reranking, merged.model, lines) == (7, None, None, [])


def test_a_folder_chooses_no_destination(configured: Configured, tmp_path: Path) -> None:
    merged, lines = configured(
        RERANK + MODEL + f"[search]\nrerank = true\nk = 4\n[arxiv]\nurl = '{SERVER}'\n"
    )
    assert (merged.reranking, merged.model, merged.rerank, merged.k) == (None, None, False, 4)
    assert "arxiv" not in merged.sources
    (line,) = lines
    for part in (
        f"[rerank] url {SERVER}, key_variable AWS_SECRET_ACCESS_KEY", f"[model] url {SERVER}, model m",
        f"[arxiv] url {SERVER}", f"`asof trust {tmp_path}`", "config.toml", "not trusted",
        "no reranker, no language model, the defaults of arxiv:",
    ):  # fmt: skip
        assert part in line, line
    with pytest.raises(Untrusted, match=r"no model is named to rerank with: \[rerank\] of .* `asof trust"):
        raise merged.lacking("rerank", "no model is named to rerank with")
    assert isinstance(merged.lacking("encoder", "x"), UsageError)


def test_the_users_own_counts_and_stands_in(configured: Configured) -> None:
    merged, lines = configured(MODEL + "[search]\nk = 4\n", f'[model]\nurl = "{OTHER}"\nmodel = "own"\n')
    assert merged.model is not None
    assert (merged.model.url, merged.model.model, merged.k) == (OTHER, "own", 4)
    assert "used instead: your own [model]" in lines[0]
    merged, lines = configured("", RERANK + "[search]\nrerank = true\n")
    assert (merged.rerank, lines) == (True, [])
    assert merged.reranking is not None


def test_what_is_trusted_counts_until_the_file_changes(configured: Configured, tmp_path: Path) -> None:
    configured(MODEL)
    assert environment.trust(tmp_path) == {"model": f"url {SERVER}, model m"}
    merged, lines = configured(MODEL)
    assert (merged.model is not None, lines) == (True, [])
    merged, lines = configured(MODEL + "\n")
    assert merged.model is None
    assert "the file has changed since it was trusted" in lines[0]
    assert environment.trusted_folders() == {str(tmp_path): False}
    merged, lines = configured(MODEL)
    assert merged.model is not None
    assert environment.distrust(tmp_path)
    merged, lines = configured(MODEL)
    assert (merged.model, len(lines)) == (None, 1)


def test_a_program_may_trust_a_folder_it_opens(configured: Configured, tmp_path: Path) -> None:
    configured(MODEL)
    with pytest.warns(UserWarning, match=r"\[model\] url .* not trusted") as told, asof.open(tmp_path) as one:
        assert one.config.model is None
    assert Path(told[0].filename).name == Path(__file__).name
    with asof.open(tmp_path, trust=True) as one:
        assert one.config.model is not None
    with asof.open(tmp_path, config=config.Config()) as one:
        assert one.config.model is None


def test_keys_of_both_add_up_and_the_folder_comes_first(configured: Configured, tmp_path: Path) -> None:
    own = (
        '[search]\nk = 3\nunit = "document"\n[recipes.twe]\ndecay.tau_min = 30\n'
        f'[model]\nurl = "{OTHER}"\nmodel = "own"\nkey_variable = "KEY"\ntemperature = 1\n'
    )
    merged, _ = configured(
        "[search]\nk = 4\n[recipes.twe]\ndecay.tau_max = 900\n[model]\ntemperature = 0.5\n", own
    )
    fields = dict(merged.recipe_named("twe").fields())
    assert (merged.k, merged.unit) == (4, "document")
    assert (fields["decay.tau_min"], fields["decay.tau_max"]) == (30, 900)
    assert merged.model is not None
    assert (merged.model.url, merged.model.temperature) == (OTHER, 0.5)


def test_a_key_goes_to_no_address_beside_which_it_was_not_written(configured: Configured) -> None:
    own = f'[model]\nurl = "{OTHER}"\nmodel = "own"\nkey_variable = "OWN_KEY"\n'
    merged, _ = configured(MODEL, own, trust=True)
    assert merged.model is not None
    assert (merged.model.url, merged.model.key_variable) == (SERVER, "")
    own = f'[rerank]\nurl = "{OTHER}"\nkey_variable = "OWN_KEY"\ntop = 7\n'
    merged, _ = configured('[rerank]\nhub = "a/b"\n', own, trust=True)
    assert merged.reranking is not None
    assert (merged.reranking.hub, merged.reranking.url) == ("a/b", "")


def test_a_folder_does_not_raise_what_a_model_may_cost(configured: Configured) -> None:
    own = MODEL + "prices = {prompt = 1, reply = 2}\n[ask]\nbudget = 0.5\n"
    for folder, most in (("budget = 100", 0.5), ("budget = 0.1", 0.1), ("tokens = 500", 0.5)):
        merged, _ = configured(f"[ask]\n{folder}\n", own)
        assert merged.asking.budget == most
    merged, _ = configured("[model]\nprices = {prompt = 0, reply = 0}\n", own)
    assert merged.model is not None
    assert merged.model.prices is not None
    assert merged.model.prices.prompt == 1


def test_one_encoder_is_named(configured: Configured) -> None:
    merged, _ = configured('[index]\nencoder = "hashed"\n', ENCODER)
    assert (merged.encoding, bool(merged.index.encoder)) == (None, True)
    merged, _ = configured(ENCODER, '[index]\nencoder = "hashed"\n', trust=True)
    assert merged.encoding is not None
    assert merged.index.encoder == ""
    merged, _ = configured(ENCODER, '[index]\nencoder = "hashed"\n')
    assert (merged.encoding, bool(merged.index.encoder)) == (None, True)
    with pytest.raises(BadConfig, match="both name an encoder"):
        configured(ENCODER + '[index]\nencoder = "hashed"\n')


def test_a_path_is_seen_from_the_file_that_names_it(
    configured: Configured, tmp_path: Path, home: Path
) -> None:
    for text in ('[encoder]\nmodel = "./mini"\n', '[rerank]\npath = "mini"\n'):
        table = text[1:].partition("]")[0]
        merged, _ = configured("", text)
        assert merged.folder_of(table, tmp_path) == home
        merged, _ = configured(text, "", trust=True)
        assert merged.folder_of(table, tmp_path) == tmp_path


def test_every_key_is_either_free_or_asks_for_trust() -> None:
    """A key that is added asks for trust unless somebody says that it is free."""
    for table in config.EXTERNAL:
        known = config.table(table)
        assert known is not None
        assert set(known.settings) > keys_safe_without_trust(table)
        for key in known.settings:
            assert bool(external_keys({table: {key: "x"}})) == (key not in keys_safe_without_trust(table))
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
    assert not destinations & set().union(*map(keys_safe_without_trust, (*config.EXTERNAL, "arxiv")))


@pytest.mark.parametrize(
    "text", ["[modell]\n", "[search]\nk = 0\n", "[model]\nurll = 1\n", "x", "a." * 200 + "b = 1"]
)
def test_an_error_names_its_file(configured: Configured, tmp_path: Path, home: Path, text: str) -> None:
    with pytest.raises(BadConfig, match=str(tmp_path / config.FILE)):
        configured(text)
    with pytest.raises(BadConfig, match=str(home / "config.toml")):
        configured("", text)


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


def test_another_file_is_the_users(
    configured: Configured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured("", "[search]\nk = 3\n")
    other = tmp_path / "mine" / config.FILE
    other.parent.mkdir()
    other.write_text("[search]\nk = 7\n" + MODEL)
    monkeypatch.setenv(environment.VARIABLE, str(other))
    assert environment.configuration(tmp_path).k == 7
    lines: list[str] = []
    assert environment.configuration(other.parent, lines.append).model is not None, "the user's, and no other"
    assert lines == []
    monkeypatch.setenv(environment.VARIABLE, os.devnull)
    assert environment.configuration(tmp_path).k == 10
    for wrong in ("mine/asof.toml", str(tmp_path / "gone"), str(tmp_path)):
        monkeypatch.setenv(environment.VARIABLE, wrong)
        with pytest.raises(BadConfig, match=r"ASOF_CONFIG is .*: the absolute path of a file is expected"):
            environment.configuration(tmp_path)


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("https://me:secret@evil.example/v1?key=secret#secret", "https://evil.example/v1"),
        ("https://evil.example/@good.example", "https://evil.example/@good.example"),
        ("https://evil.example//a@good.example", "https://evil.example//a@good.example"),
        ("me:secret@evil.example", "evil.example"), ("a\x1b[31m\n", r"'a\x1b[31m\n'"),
        ("x" * 500, "x" * 100 + "…"), ("a\u202eb", r"'a\u202eb'"),
    ],
)  # fmt: skip
def test_an_address_is_shown_as_it_is_and_without_a_password(value: str, address: str) -> None:
    assert shown({"url": value}) == f"url {address}"


def test_the_line_can_be_typed_into_a_shell(tmp_path: Path) -> None:
    folder = tmp_path / "notes; touch gone $(x)"
    folder.mkdir()
    (folder / config.FILE).write_text(MODEL)
    lines: list[str] = []
    environment.configuration(folder, lines.append)
    assert f"`asof trust '{folder}'`" in lines[0]


def test_a_damaged_list_of_trusted_folders_is_noted(
    configured: Configured, tmp_path: Path, home: Path
) -> None:
    configured(MODEL)
    environment.trust(tmp_path)
    (home / "state" / "asof" / "trusted.json").write_text("{")
    merged, lines = configured(MODEL)
    assert merged.model is None
    assert "is damaged" in lines[0]
    assert len(lines) == 2


def test_the_search_upwards_ends_at_another_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    with asof.open(tmp_path) as corpus:
        corpus.add({"id": "a", "text": "The quay is long."})
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
        patch.setattr(environment, "trusted", lambda: known)
        assert environment.find_folder(below, lines.append) == tmp_path / ".asof"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(me))
    assert environment.find_folder(below, lines.append) == tmp_path / ".asof"
    assert len(lines) == 1


READS = re.compile(r"\bos\.(?:environ|environb|getenv)\b")


def test_the_environment_is_read_where_the_architecture_says() -> None:
    root = Path(asof.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if READS.search(path.read_text("utf-8"))
    }
    assert found == {"environment.py", "sources/git.py", "cli/main.py", "cli/terminal.py"}
