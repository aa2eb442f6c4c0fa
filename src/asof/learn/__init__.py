"""Learning from judgements: what was said of hits, losses, and how weights move."""
