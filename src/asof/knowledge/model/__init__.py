"""Facts by a language model: the prompt for a passage, and the checks of its reply."""
