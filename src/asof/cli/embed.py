"""`asof embed`: another encoder for a corpus, or none."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import DONE, echo_err, index_option, json_option, open_corpus, print_json
from asof.cli.progress import count_progress
from asof.cli.terminal import counted, plain
from asof.serialize.corpus import embed_json

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.index.embedding import EmbeddingReport
    from asof.models.ports import Encoder


@click.command()
@click.option("--encoder", "name", metavar="NAME", help="hashed, or a model: a folder, a name on the hub.")
@click.option("--none", "words", is_flag=True, help="Back to words only; the vectors are removed.")
@index_option
@json_option
def embed(name: str | None, words: bool, index: Path | None, as_json: bool) -> int:
    """Give all passages vectors of the encoder that asof.toml names, and search with it from then on.

    Vectors that are there are used, so what was interrupted goes on where it was. Until the end, the corpus
    is searched with the vectors that it had.
    """
    from asof.errors import UsageError

    if words and name is not None:
        raise UsageError("--none and --encoder cannot both be meant")
    started = time.perf_counter()
    with open_corpus(index) as corpus:
        before = corpus.store.settings.encoder
        encoder = None if words else _encoder(corpus, name)
        with count_progress("embedding", "passages") as advance:
            report = corpus.embed(encoder, advance)
        if as_json:
            print_json(embed_json(report, before, time.perf_counter() - started))
        else:
            _show(report, before, time.perf_counter() - started)
        _note_unnamed(corpus, report)
    return DONE


def _encoder(corpus: Corpus, name: str | None) -> Encoder | None:
    """The encoder that is meant. Raises UsageError where none is."""
    from asof import config
    from asof.corpus.corpus import encoder_named

    if name is not None:
        return encoder_named(name, Path.cwd())
    encoder = corpus.models.encoder()
    if encoder is None:
        remedy = (
            f"set [encoder] in {corpus.root / config.FILE}, or use --encoder; --none goes back to words only"
        )
        raise corpus.config.lacking("encoder", "no encoder is named", remedy)
    return encoder


def _show(report: EmbeddingReport, before: str, seconds: float) -> None:
    what = f"{plain(report.encoder)}, {report.dimensions or 0} dimensions" if report.encoder else "words only"
    new = f", {report.encoded:,} encoded" if report.encoder else ""
    was = f"; before: {plain(before) or 'words only'}" if report.changed else "; nothing to change"
    click.echo(f"encoder: {what}; {counted(report.passages, 'passage')}{new} in {seconds:.1f} s{was}")


def _note_unnamed(corpus: Corpus, report: EmbeddingReport) -> None:
    """Say so where the next command would not find the encoder, or would be told of another one."""
    from asof import config
    from asof.errors import AsofError
    from asof.models.hashed import HashedNgrams

    try:
        named = corpus.models.encoder()
    except AsofError:
        named = None
    if report.encoder not in ("", HashedNgrams().name, named.name if named else ""):
        echo_err(f"searches need it in {corpus.root / config.FILE}: [encoder], model = ...")
