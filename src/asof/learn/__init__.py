"""Learning from judgements of hits: losses of rankings, and weights that move by them."""
