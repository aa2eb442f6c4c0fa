"""`asof config`: prints an asof.toml with all tables and keys, their defaults, and a comment on each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from textwrap import wrap
from typing import Any

import click

from asof.cli.main import DONE, NOTHING, echo_err

# -- help texts of tables and keys ---------------------------------------------------------------------

_HERE = "For a model on this machine only"
_THERE = "For a server only"
_KEY = f"{_THERE}: the name of the environment variable that holds the key. No default."
_PLAIN = f"{_THERE}: whether texts and key may go to another machine over plain http."
TRUST = "What names a model or an address counts after asof trust, or in your own configuration."
_FIELDS = "The fields, first to last, that may hold"

TABLES = {
    "index": "How texts are read. Decided when the corpus is made; later changes are refused.",
    "fields": "Which fields of a .jsonl line are read as what; the first that is there counts.",
    "search": "What asof search does unless an option says otherwise.",
    "encoder": f"A model that makes vectors: none unless named. asof embed changes to it. {TRUST}",
    "rerank": f"A model that re-ranks the first few hits, if url, path or hub names one. {TRUST}",
    "diversity": "Keeps the first hits from being too similar to each other. Off unless kind is set.",
    "model": f"A language model on a server that speaks OpenAI's protocol; none unless named. {TRUST}",
    "ask": "How asof ask answers.",
    "recipes.asof": "Other numbers for a recipe, here asof: STAGE.FIELD = VALUE, as asof recipes asof lists.",
}  # fmt: skip
"""The tables in the order in which they are shown."""

EXAMPLES: dict[str, dict[str, Any]] = {
    "index": {"encoder": "none"},
    "encoder": {
        "model": "sentence-transformers/all-MiniLM-L6-v2", "url": "http://localhost:11434/v1", "batch": 32,
        "query_prefix": "query: ", "passage_prefix": "passage: ", "dimensions": 256,
        "key_variable": "ENCODER_KEY", "revision": "main",
    },
    "rerank": {
        "url": "http://localhost:8080/rerank", "path": "models/reranker",
        "hub": "cross-encoder/ms-marco-MiniLM-L-6-v2", "model": "reranker", "key_variable": "RERANK_KEY",
        "only_below": 0.5,
    },
    "diversity": {"kind": "mmr"},
    "model": {
        "url": "http://localhost:11434/v1", "model": "llama3.1", "key_variable": "MODEL_KEY",
        "prices": {"prompt": 0.15, "reply": 0.6},
    },
    "ask": {"tokens": 12_000, "budget": 0.05},
    "recipes.asof": {"typed": False},
}  # fmt: skip
"""The displayed value of a key without a default, or with one that asof.toml writes in another form."""

WORDS: dict[str, dict[str, str]] = {
    "index": {
        "languages": "Codes of the languages of the texts; the first is for texts that name none.",
        "stem": "Whether words are searched by their stems (ferries finds ferry).",
        "chunking": 'Passages: "120w" (words), "120w/20" (20 overlap), "2000c/200" (characters), "whole".',
        "undated": 'When texts without a date are visible: "added" (from then on), "always", "never".',
        "encoder": '"none", or "hashed" (character n-grams, no model); a model is named in [encoder].',
    },
    "fields": {
        "id": f"{_FIELDS} its id.", "text": f"{_FIELDS} its text.", "title": f"{_FIELDS} its title.",
        "published": f"{_FIELDS} the date at which it was published.",
        "changed": f"{_FIELDS} the date of its last change.",
        "about": "The fields that say which times it speaks of: every one counts.",
        "tags": f"{_FIELDS} its tags.", "uri": f"{_FIELDS} its address.",
        "language": f"{_FIELDS} its language.", "aliases": f"{_FIELDS} other names of it.",
        "links": f"{_FIELDS} its links.", "fiscal_year": f"{_FIELDS} its fiscal year, as in FY24.",
        "fiscal_quarter": f"{_FIELDS} its fiscal quarter, as in Q1.",
        "fiscal_period": f"{_FIELDS} its fiscal period, as in H1.",
        "quarter": f"{_FIELDS} its quarter of the calendar.",
        "year": f"{_FIELDS} its year of the calendar.",
        "fiscal_start": "First month of the fiscal year (1 to 12, a name) unless a document has its own.",
        "search": 'Which metadata is searched: "auto" (all), "none", a list of keys. Decided as [index] is.',
    },
    "search": {
        "k": "How many hits, 1 to 1000.", "unit": 'What is ranked: "passage" or "document".',
        "recipe": "How it is ranked; asof recipes lists the ways.",
        "rerank": "Whether the model of [rerank] re-ranks the first few.",
    },
    "encoder": {
        "model": "A saved model's folder, a name on the Hugging Face hub, or with url one there. No default.",
        "url": "A server's address, which ends before /embeddings. No default: a model on this machine.",
        "batch": "How many texts go at once. Default: 1 on this machine, 32 for a server.",
        "query_prefix": "Text put before each question. Default: the model's own.",
        "passage_prefix": "Text put before each passage. Default: the model's own.",
        "dimensions": "Fewer numbers, for models that are made for that. Default: all.",
        "key_variable": _KEY, "timeout": f"{_THERE}: seconds for an attempt.",
        "attempts": f"{_THERE}: how many attempts.",
        "patience": f"{_THERE}: the longest wait in seconds that it may ask for.",
        "device": f'{_HERE}, as torch names it: "cpu", "cuda", "mps".',
        "revision": f"{_HERE}: a branch, a tag or a commit of a name on the hub. No default.",
        "insecure": _PLAIN,
    },
    "rerank": {
        "url": "A server's address. One of url, path and hub. No default.",
        "path": "A saved cross-encoder's folder. No default.",
        "hub": "A cross-encoder's name on the Hugging Face hub. No default.",
        "model": f"{_THERE}: the model's name. No default.",
        "shape": f'{_THERE}: "jina" (Cohere, vLLM, llama.cpp too) or "tei".', "key_variable": _KEY,
        "timeout": f"{_THERE}: seconds for an attempt.", "attempts": f"{_THERE}: how many attempts.",
        "batch": "How many texts go at once.", "top": "How many candidates are re-ranked.",
        "only_below": "Only where the best is ahead of the fifth by less. No default: all questions are.",
        "insecure": _PLAIN,
    },
    "diversity": {
        "kind": '"per-document" (so many passages of each), "mmr" (maximal marginal relevance). No default.',
        "most": "For per-document: how many passages of a document.",
        "first": "Among how many candidates.",
        "balance": "For mmr: 1 is relevance alone, 0 is difference alone.",
        "scale": 'For mmr: scores as a share of the "best", or as "given".',
    },
    "model": {
        "url": "The server's address, which ends before /chat/completions. No default.",
        "model": "The model's name, as the server knows it. No default.", "key_variable": _KEY,
        "json": 'How the shape of a reply is asked for: "schema", "object", "none".',
        "timeout": "Seconds for an attempt.", "attempts": "How many attempts.",
        "concurrency": "How many requests go at once.",
        "deadline": "Seconds for a batch of requests; 0: no end.",
        "patience": "The longest wait in seconds that the server may ask for.",
        "temperature": "0 (the same again) to 2.",
        "limit": 'What the server calls the most tokens of a reply: "max_tokens", "max_completion_tokens".',
        "prices": "US dollars for a million tokens of prompts and of replies. No default.",
        "insecure": _PLAIN,
    },
    "ask": {
        "recipe": "How passages are found.", "mode": '"local" (single passages), "global" (reports), "auto".',
        "tokens": "How much of what is found is read. Default: 12000, global 24000.",
        "budget": "What a model may cost for an answer: US dollars (tokens without prices).",
    },
    "recipes.asof": {"typed": "Whether the question is searched as it was typed, its words for times too."},
}  # fmt: skip
"""The help text of each key. A test compares them with the keys that are read."""


# -- the command ---------------------------------------------------------------------------------------

WIDTH = 100


@click.command()
@click.option("--user", is_flag=True, help="Only print the path of your own configuration.")
def config(user: bool) -> int:
    """An asof.toml with all tables, keys and defaults, and what they mean.

    \b
      asof config >asof.toml                   for one corpus, beside its .asof
      asof config >"$(asof config --user)"     for all; first: mkdir -p ~/.config/asof

    All keys are switched off by a # before them: then their defaults count. Take the # away, and change the
    value, where something else is wanted. Your own configuration has the same tables; what a folder says
    counts before it, see asof trust. With --user, exit code 1 says that there is none yet.
    """
    if not user:
        click.echo(text(), nl=False)
        return DONE
    from asof.environment import user_configuration

    path = user_configuration()
    if path is None:
        echo_err("there is no configuration of your own: ASOF_CONFIG says so, or there is no home folder")
        return NOTHING
    click.echo(str(path))
    return DONE if path.is_file() else NOTHING


def text() -> str:
    """The whole file."""
    lines = [
        "# asof.toml, beside .asof in the folder of the corpus. What a # switches off has its default.",
        "",
    ]
    for table, about, words in tables():
        lines += [*_comment(about), f"[{table}]"]
        for key, value in keys(table).items():
            lines += [*_comment(words[key]), f"#{_key(key)} = {_toml(value)}"]
        lines.append("")
    return "\n".join(lines)


def tables() -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """The tables: name, purpose, and the help text of each key. Those of the core come first."""
    for table, about in TABLES.items():
        yield table, about, WORDS[table]
    for table, offered in _offered().items():
        yield table, offered.ABOUT, offered.WORDS


def keys(table: str) -> Mapping[str, Any]:
    """The keys of a table, from where it is read, with their defaults; an example where there is none."""
    return dict(_keys(table))


def _offered() -> Mapping[str, Any]:
    """The classes that describe the tables of extensions and of schemes."""
    from asof import plugins

    schemes = {name: plugins.load(plugins.SOURCES, name) for name in plugins.BUILT_IN[plugins.SOURCES]}
    return {
        **{name: plugins.load(plugins.TABLES, name) for name in plugins.BUILT_IN[plugins.TABLES]},
        **{name: table for name, scheme in schemes.items() if (table := getattr(scheme, "table", None))},
    }


def _keys(table: str) -> Iterator[tuple[str, Any]]:
    from asof import config as checks
    from asof.config import Config
    from asof.models.chat import LanguageModelConfig
    from asof.models.named import EncoderConfig
    from asof.models.rerankers import RerankerConfig
    from asof.rank.rerank import Mmr, PerDocument

    default = Config()
    described: dict[str, Any] = {
        "encoder": EncoderConfig, "rerank": RerankerConfig, "model": LanguageModelConfig,
        "fields": type(default.fields), "ask": type(default.asking), **_offered(),
    }  # fmt: skip
    examples = EXAMPLES.get(table, {})
    values: dict[str, Any] = {}
    if table == "index":
        values = {key: getattr(default.index, key) for key in checks.INDEX}
    elif table == "search":
        values = {key: getattr(default, key) for key in checks.SEARCH}
    elif table in described and hasattr(described[table], "DEFAULTS"):
        values = described[table].DEFAULTS
    elif table in described:
        values = {
            each.name: None if each.default is MISSING else each.default for each in fields(described[table])
        }
        values |= (
            {key: getattr(default.index, key) for key in checks.CORPUS_FIELDS} if table == "fields" else {}
        )
    elif table == "diversity":
        values = {"kind": None}
        values |= {each.name: each.default for kind in (PerDocument, Mmr) for each in fields(kind)}
    else:
        values = dict.fromkeys(examples)
    for key, value in values.items():
        yield key, examples.get(key, value)


def _key(key: str) -> str:
    """A key as TOML has it: quoted where it is no bare one."""
    return key if key.isidentifier() else json.dumps(key)


def _comment(words: str) -> list[str]:
    return [f"# {line}" for line in wrap(words, WIDTH - 2, break_long_words=False, break_on_hyphens=False)]


def _toml(value: Any) -> str:
    """A value as TOML has it: JSON's texts, numbers and lists are the same there."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
