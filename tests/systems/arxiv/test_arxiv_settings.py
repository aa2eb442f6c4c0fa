"""`[arxiv]` of asof.toml."""

from __future__ import annotations

import pytest

from asof import config
from asof.errors import BadConfig
from asof.extensions.systems.arxiv import ArxivSettings


def test_what_is_read():
    table = {"url": "http://127.0.0.1:8000/q", "pdf_url": "http://[::1]:8000/pdf", "delay": 0, "per_day": 20}
    made = ArxivSettings.read(config.read({"arxiv": table}).sources["arxiv"])
    assert (made.url, made.delay, made.per_day, made.attempts) == ("http://127.0.0.1:8000/q", 0, 20, 6)
    assert config.Config().sources == {}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"delay": 1}, "delay = 1: arXiv asks for 3 seconds or more"),
        ({"url": "http://127.0.0.1/q", "delay": 0}, "arXiv asks for 3 seconds"),  # its PDFs are still arXiv's
        ({"url": "http://export.arxiv.org/api/query"}, "an https address"),
        ({"url": "https://key@example.org/"}, "an https address"),
        ({"url": "https://example.org/?x=1"}, "an https address"),
        ({"url": "https://example.org:x/"}, "an https address"),
        ({"url": "file:///etc/passwd"}, "an https address"),
        ({"pdf_url": "https://exämple.org/"}, "an https address"),
        ({"per_day": -1}, "a whole number from 0 to 2000"),
        ({"attempts": 0}, "a whole number from 1 to 20"),
        ({"dela": 3}, "did you mean delay"),
    ],
)
def test_what_is_refused(table: dict[str, object], said: str):
    with pytest.raises(BadConfig, match=said) as told:
        config.read({"arxiv": table})
    assert "[arxiv]" in str(told.value)
    assert "key@" not in str(told.value)
