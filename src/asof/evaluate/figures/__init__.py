"""Figures of an evaluation: their numbers, and how they are drawn."""
