"""Documents out of vector stores: their texts and metadata, without the vectors."""
