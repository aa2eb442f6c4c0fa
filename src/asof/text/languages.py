"""The languages that words can be stemmed in: ISO 639-1 codes and the Snowball algorithms that serve them."""

from __future__ import annotations

from collections.abc import Iterable

import Stemmer

from asof.errors import UsageError

_SNOWBALL = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def algorithms() -> dict[str, str]:
    """The Snowball algorithm of each accepted code: those that the installed PyStemmer has."""
    installed = set(Stemmer.algorithms())
    return {code: name for code, name in _SNOWBALL.items() if name in installed}


def checked(codes: Iterable[str]) -> tuple[str, ...]:
    """The codes without repetitions, in their order. Raises UsageError for none, or for an unknown one."""
    accepted = algorithms()
    unique = tuple(dict.fromkeys(codes))
    unknown = [code for code in unique if code not in accepted]
    if unknown or not unique:
        what = f"no stemmer for the language {unknown[0]!r}" if unknown else "no language was given"
        raise UsageError(f"{what}; accepted are the ISO 639-1 codes {', '.join(accepted)}")
    return unique
