"""Stages that add columns of features to a ranking."""
