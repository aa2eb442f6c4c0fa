"""Facts of one subject and relation in order of time: what holds until when, what bears out, what denies."""
