"""A corpus at a URL: commits of all its shards as numbered manifests, and working copies of them."""
