"""Who reads the facts that a command shows, where that is not who asof.toml names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asof.cli.main import tell

if TYPE_CHECKING:
    from asof.config import Config


def tell_reader(config: Config) -> None:
    """Say that rules read facts if a model is to read them and none is named."""
    from asof.config import FILE
    from asof.knowledge.choice import MODEL

    if config.facts.extractor == MODEL and config.model is None:
        tell(
            f'note: rules read the facts: [facts] of {FILE} says extractor = "{MODEL}", but no model is '
            "named in [model]"
        )
