"""`asof.toml`: every key changes something, and a key that is wrong is refused with its name."""

from __future__ import annotations

import tomllib

import pytest

from asof import config, environment, recipes
from asof.errors import BadConfig
from asof.extensions.facts.model import ExtractionSettings
from asof.models.encoders import HashedNgrams
from asof.models.metered import Prices

LEAST = '[model]\nurl = "http://localhost:1/v1"\nmodel = "m"\n'


def read(text: str) -> config.Config:
    return config.read(tomllib.loads(text))


def test_without_a_file_everything_has_a_default() -> None:
    empty = read("")
    assert (empty.k, empty.unit, empty.recipe) == (10, "passage", "asof")
    assert empty.recipe_named("asof") == recipes.named("asof")
    assert empty.model is None
    assert {"none": "", "hashed": HashedNgrams().name} == config.ENCODERS


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("[search]\nk = 3", lambda made: made.k == 3),
        ("[fields]\nfiscal_start = 7", lambda made: made.fields.fiscal_start == 7),
        ('[fields]\nfiscal_start = "July"', lambda made: made.fields.fiscal_start == 7),
        ('[fields]\nsearch = "none"', lambda made: made.index.search == "none"),
        ('[fields]\nsearch = ["source"]', lambda made: made.index.search == ("source",)),
        ('[search]\nunit = "document"', lambda made: made.unit == "document"),
        ('[search]\nrecipe = "vault"', lambda made: made.recipe == "vault"),
        ("[recipes.asof]\nlexical.b = 0.5", lambda made: _field(made, "asof", "lexical.b") == 0.5),
        (
            "[recipes.asof.supersession]\nmargin = 1",
            lambda m: _field(m, "asof", "supersession.margin") == 1.0),
        ("[recipes.twe]\ndecay.tau_min = 30", lambda made: _field(made, "twe", "decay.tau_min") == 30.0),
        ("[recipes.tempralm]\npool.n = 20", lambda made: _field(made, "tempralm", "pool.n") == 20),
        ("[recipes.vault]\nbacklinks.cap = 5", lambda made: _field(made, "vault", "backlinks.cap") == 5),
    ],
)  # fmt: skip
def test_a_key_changes_something(text, of) -> None:
    assert not of(read(""))
    assert of(read(text))


OF_TABLES = {
    "model": lambda made: made.model,
    "ask": lambda made: made.asking,
    "facts": lambda made: ExtractionSettings.of(made.tables),
}


@pytest.mark.parametrize(
    ("table", "line", "value"),
    [
        ("model", 'key_variable = "K"', "K"), ("model", 'json = "schema"', "schema"),
        ("model", "timeout = 5", 5), ("model", "attempts = 1", 1), ("model", "concurrency = 2", 2),
        ("model", "temperature = 0.5", 0.5),
        ("model", 'limit = "max_completion_tokens"', "max_completion_tokens"),
        ("model", "prices = { prompt = 1, reply = 2 }", Prices(1, 2)),
        ("facts", 'extractor = "model"', "model"),
        ("ask", "tokens = 500", 500), ("ask", "budget = 0.5", 0.5),
    ],
)  # fmt: skip
def test_a_key_of_a_model_of_facts_and_of_answers_is_read(table, line, value) -> None:
    key, of = line.partition(" ")[0], OF_TABLES[table]
    head = LEAST if table == "model" else f"[{table}]\n"
    assert getattr(of(read(LEAST)), key) != value
    assert getattr(of(read(head + line)), key) == value


def _field(made: config.Config, recipe: str, key: str) -> object:
    return dict(made.recipe_named(recipe).fields())[key]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[serch]", "no table [serch]; did you mean [search]?"),
        ("[modell]", "no table [modell]; did you mean [model]?"),
        ("[zzz]", "no table [zzz]; accepted: [index], [fields], [dates], [search]"),
        ("modell = 1", "no key modell outside of a table; did you mean [model]?"),
        (
            "[fields]\nsearch = 'source'",
            "search = 'source': search is 'source'; accepted: auto, none",
        ),
        ("[fields]\nfiscal_start = 13", "[fields] fiscal_start = 13: '13' is no month; accepted are 1 to 12"),
        ("[fields]\nsearch = []", "[fields] search = []: a field name or a list of field names is expected"),
        ("[search]\nrecipe = 'tew'", "[search] recipe = 'tew': accepted: asof, twe"),
        ("[recipes.tew]\na.b = 1", "no recipe 'tew'; did you mean twe?"),
        ("[recipes.twe]\ndecay.tau = 1", "recipe twe has no field decay.tau; did you mean"),
        ("[recipes.twe]\ndecay.tau_min = 'long'", "decay.tau_min = 'long': a number from"),
        ("[recipes.twe]\ntau_min = 1", "tau_min: stage.field is expected, one of: "),
        ("[recipes]\ntwe = 1", "recipes.twe = 1: a table is expected"),
        (
            "[recipes.twe]\ndecay.tau_min = nan",
            "decay.tau_min = nan: a number from 0.1 to 100000 is expected",
        ),
        ("[recipes.tempralm]\ngap.floor = nan", "gap.floor = nan: a number from"),
        ("[recipes.twe]\ncombine.weights = {normalized = nan}", "a number from -1e+09 to 1e+09 is expected"),
        ("[recipes.twe]\ncombine.weights = {share = inf}", "a number from -1e+09 to 1e+09 is expected"),
        (
            f"[recipes.twe]\ncombine.weights = {{share = {'9' * 400}}}",
            "a number from -1e+09 to 1e+09 is expected",
        ),
        ("[recipes.twe]\npool.n = 0", "a whole number from 1 to 100000 is expected"),
        ('[model]\nurl = "http://localhost:1/v1"', "[model] model missing: a server's address and"),
        ("[model]\nurll = 1", "[model] no key urll; did you mean url?"),
        (LEAST + "attempts = 0", "[model] attempts = 0: a whole number from 1 to 10 is expected"),
        (LEAST + "prices = { prompt = 1 }", "[model] prices = {'prompt': 1}: a table of two numbers"),
        ('[facts]\nextractor = "magic"', "[facts] extractor = 'magic': one of rules, model is expected"),
        ("[ask]\ntokens = 1", "[ask] tokens = 1: a whole number from 100 to 1000000 is expected"),
        ("[ask]\ntokens = true", "[ask] tokens = True: a whole number"),
        ("[ask]\nbudget = -1", "[ask] budget = -1: a number from 0"),
        ("[ask]\nbudget = nan", "[ask] budget = nan: a number from 0"),
        ("[ask]\ntoken = 1", "[ask] no key token; did you mean tokens?"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadConfig) as refused:
        read(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "text", [f"[search]\nk = {'9' * 5_000}", "[search]\nk = " + "[" * 5_000 + "]" * 5_000, "[search"],
    ids=["digits", "brackets", "unfinished"],
)  # fmt: skip
def test_what_no_reader_of_toml_takes(tmp_path, text: str) -> None:
    (tmp_path / config.FILE).write_text(text)
    with pytest.raises(BadConfig, match="not TOML: "):
        environment.configuration(tmp_path)
