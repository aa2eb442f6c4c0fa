"""Shards of a corpus searched by actors of Ray, each of which holds one (extra `asof[ray]`)."""
