"""Stages that combine columns into one score."""
