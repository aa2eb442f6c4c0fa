"""Stages that choose candidates: gather, filter, group, keep the first k."""
