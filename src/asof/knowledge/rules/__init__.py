"""Facts by rules: sentences, figures, names and times by patterns and word lists (`lang/*/facts.toml`).

Read `extractor.py` first.
"""
