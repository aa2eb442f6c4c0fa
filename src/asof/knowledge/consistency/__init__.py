"""Facts of one subject and relation in order of time: validity intervals, corroboration, contradiction."""
