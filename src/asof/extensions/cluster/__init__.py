"""Corpora of several shards: more than one machine holds, or answers, or writes."""
