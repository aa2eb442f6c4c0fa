"""The command `asof newest WORDS`: the date and the title of each hit of the recipe `newest`."""

import json

import click

from asof.cli.commands import CommandEntry
from asof.cli.main import DONE, NOTHING, open_corpus, snapshot_options
from asof.cli.terminal import plain
from asof.wire import encode

COMMANDS = {
    "newest": CommandEntry(
        "asof_example_newest:newest",  # module:attribute of the click command
        "Search and ask",  # the heading of `asof --help` below which it is listed
        "List the passages with the words, newest first.",
        "asof newest ferry --as-of 2021",
    ),
}


@click.command()
@click.argument("words", nargs=-1, required=True)
@snapshot_options
def newest(words, as_of, known_at, index, as_json):
    """List the passages with WORDS, newest first."""
    with open_corpus(index) as corpus:
        hits = corpus.at(as_of, known_at).search(" ".join(words), recipe="newest").hits
    if as_json:
        click.echo(json.dumps({"hits": [encode(hit) for hit in hits]}))
    else:
        for hit in hits:
            day = hit.published.day if hit.published else "no date"
            click.echo(plain(f"{day}  {hit.title or hit.document}"))
    return DONE if hits else NOTHING
