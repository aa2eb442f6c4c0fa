"""How well what is stale is found, on cases in which that is known. Read `evaluation.py` first."""
