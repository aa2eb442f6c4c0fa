"""Rankings of datasets: questions, judgements, metrics, comparisons."""
