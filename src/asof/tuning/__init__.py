"""Fitting the numbers of a recipe to a dataset or to feedback, and saying what it gained on the rest."""
