"""Reading text: words and their stems, sentences, passages. Read `tokens.py` first, then `chunks.py`."""
