"""A corpus in shards: written as one, searched as one, with the answers of one."""
