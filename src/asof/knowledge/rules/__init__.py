"""Facts by rules: sentences, figures, names and times by patterns and word lists (`words/*.toml`).

Read `extractor.py` first.
"""
