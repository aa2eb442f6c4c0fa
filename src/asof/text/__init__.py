"""Text processing: tokens and stems, sentences, passages. Read `tokens.py` first, then `passages.py`."""
