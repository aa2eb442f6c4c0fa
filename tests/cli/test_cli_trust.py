"""`asof trust`: which folders may say where texts are sent."""

from __future__ import annotations

import pytest
from tests.support.openai_server import ModelServer, says

RERANK = '[rerank]\nurl = "{url}"\nkey_variable = "HARBOUR_KEY"\n[search]\nrerank = true\n'


@pytest.fixture
def server():
    with ModelServer(way=says("{}")) as there:
        yield there


def test_nothing_is_sent_before_the_folder_is_trusted(asof, notes, write, server, here, monkeypatch):
    monkeypatch.setenv("HARBOUR_KEY", "sesame")
    write("asof.toml", RERANK.format(url=f"{server.url}/rerank"))
    result = asof("search", "crane")
    assert (result.code, server.requests) == (0, [])
    assert result.err.startswith(f"[rerank] url {server.url}/rerank, key_variable HARBOUR_KEY of ")
    assert result.err.count("\n") == 1
    result = asof("search", "crane", "--rerank")
    assert (result.code, server.requests) == (2, [])
    assert (
        f"asof: no model is named to rerank with: [rerank] of {here / 'asof.toml'}: this folder" in result.err
    )
    trusted = asof("trust")
    assert trusted.code == 0
    assert trusted.out == (
        f"trusted: {here}, until its asof.toml changes\n"
        f"  [rerank] url {server.url}/rerank, key_variable HARBOUR_KEY\n"
    )
    asof("search", "crane")
    assert server.requests[0].headers["Authorization"] == "Bearer sesame"


def test_the_list(asof, here, write):
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


def test_nothing_to_trust(asof, here):
    result = asof("trust", here)
    assert result == (2, "", f"asof: nothing to trust: {here} has no asof.toml\n")
    assert asof("trust", "--list").code == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [(["gone"], "gone is no folder"), (["--list", "x"], "--list goes alone"), (["bad"], "no table [serch]"),
     (["--list", "--revoke"], "--list goes alone"), (["bad/asof.toml"], "is no folder")],
)  # fmt: skip
def test_wrong_usage_of_trust(asof, write, options, message):
    write("bad/asof.toml", "[serch]\n")
    result = asof("trust", *options)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
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


def test_a_corpus_of_another_user_is_not_found_upwards(asof, notes, here, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 12_345)
    monkeypatch.chdir(here / "notes")
    result = asof("search", "crane")
    assert result.code == 2
    assert f"{here / '.asof'} is of another user and is not used; --index {here} uses it" in result.err
    assert asof("search", "crane", "--index", "..").code == 0


def test_an_encoder_that_does_not_count_is_asked_for(asof, notes, write, server):
    table = f'[encoder]\nurl = "{server.url}"\nmodel = "m"\n'
    write("asof.toml", table)
    for command in (("embed",), ("embed", "--encoder", "configured")):
        result = asof(*command)
        assert result.code == 2
        assert "encoder is " in result.err.splitlines()[-1]
        assert "asof.toml: this folder is not trusted, so it does not count" in result.err.splitlines()[-1]
    assert server.requests == []
