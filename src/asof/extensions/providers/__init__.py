"""HTTP requests, and the models that asof.toml names: chat models, encoders, rerankers."""
