"""Evaluations as JSON and as figures."""
