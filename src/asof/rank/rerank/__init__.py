"""Stages that order the first candidates again."""
