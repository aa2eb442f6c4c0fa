"""An open corpus (`corpus.py`), what it is asked as of a moment (`snapshot.py`), and their parts."""
