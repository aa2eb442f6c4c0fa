"""HTTP: the verbs as JSON, a page for people, metrics; `asof serve`."""
