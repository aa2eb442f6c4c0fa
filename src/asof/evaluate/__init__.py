"""What recipes are worth: datasets, metrics, runs, comparisons, leakage. Read `evaluation.py` first."""
