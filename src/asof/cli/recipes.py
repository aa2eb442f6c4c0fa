"""`asof recipes`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from asof.cli.main import DONE, corpus_root, index_option, json_option, print_json
from asof.cli.terminal import show
from asof.serialize.search import recipes_json


@click.command()
@click.argument("name", required=False)
@index_option
@json_option
def recipes(name: str | None, index: Path | None, as_json: bool) -> int:
    """The ways of ranking; with NAME its stages and all that can be set about it.

    `asof search --recipe NAME` uses one; asof.toml chooses one for good ([search] recipe = "twe") and sets
    its fields ([recipes.twe] decay.tau_min = 365).
    """
    from asof import environment
    from asof import recipes as known
    from asof.config import FILE
    from asof.schema import plain

    configured = environment.configuration(Path.cwd() if isinstance(index, str) else corpus_root(index))
    chosen = [configured.recipe_named(each) for each in ([name] if name else known.all_names())]
    if as_json:
        print_json(recipes_json(chosen, configured.recipe))
        return DONE
    for each in chosen:
        default = "  (default)" if each.name == configured.recipe else ""
        show(f"{click.style(f'{each.name:<10}', bold=True)} {each.about}{default}", hang=11)
    if name:
        published = dict(known.named(name).fields())
        show(f"stages: {', '.join(chosen[0].stages_by_name())}", hang=8)
        own = dict(environment.own_configuration().recipe_named(name).fields())
        for key, value in chosen[0].fields():
            file = environment.user_configuration() if own.get(key) == value else FILE
            changed = "" if published.get(key) == value else f"  ({file})"
            show(f"  {key} = {json.dumps(plain(value))}{changed}", hang=4)
    return DONE
