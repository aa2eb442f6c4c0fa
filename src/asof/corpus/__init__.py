"""The open corpus (`corpus.py`) and its snapshots as of a moment (`snapshot.py`)."""
