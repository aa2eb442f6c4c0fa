"""Answers to the questions of datasets: right answers, judges, the incremental protocol."""
