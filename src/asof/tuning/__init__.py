"""Fitting the numbers of a recipe to a dataset or to feedback, and estimating the gain on held-out
questions."""
