"""Facts by a language model: what it is asked of a passage, and what of its reply is believed."""
